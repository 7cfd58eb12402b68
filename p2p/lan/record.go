package lan

import (
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strconv"
	"strings"
)

// Version is the format of the announcement this package speaks. A peer that
// announces another one is listed with its ID and nothing else.
const Version = 1

// Limits of what a peer may say about itself. They keep every packet below
// 1,200 bytes, which fits any link without fragments.
const (
	MaxPeerID    = 90  // bytes of a peer ID
	MaxInfoKeys  = 12  // keys in Info
	MaxInfoKey   = 16  // bytes of one key
	MaxInfoValue = 160 // bytes of one value
	MaxInfo      = 400 // bytes of all keys and values together
)

const (
	maxClaims      = 8   // addresses in one announcement
	maxClaimsText  = 200 // bytes of one address list
	maxTXTStrings  = 32  // strings looked at in a foreign TXT record
	keyVersion     = "alibi"
	keyID          = "id"
	keyRevision    = "r"
	keyAddrs       = "a"
	keyDoubtful    = "b"
	keyInfoPrefix  = "x-"
	peerIDAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_-"
	labelAlphabet  = "0123456789abcdefghijklmnopqrstuvwxyz-"
)

var errForeign = errors.New("lan: not one of our records")

// claim is an address a peer says it has. Doubtful ones belong to bridges and
// tunnels, of which every second computer has one with the same number.
type claim struct {
	addr     netip.Addr // without zone
	doubtful bool
}

// record is what a TXT record says.
type record struct {
	version  int
	id       string
	revision uint32
	claims   []claim
	info     map[string]string
}

// validPeerID accepts 1 to MaxPeerID bytes of letters, digits, '_' and '-'.
func validPeerID(id string) bool {
	return len(id) > 0 && len(id) <= MaxPeerID && strings.Trim(id, peerIDAlphabet) == ""
}

// validLabel accepts a DNS label of lower-case letters, digits and hyphens: what
// we generate, and nothing that needs escaping.
func validLabel(label string) bool {
	return len(label) > 0 && len(label) <= 63 && strings.Trim(label, labelAlphabet) == ""
}

// checkInfo reports why info cannot be announced.
func checkInfo(info map[string]string) error {
	if len(info) > MaxInfoKeys {
		return fmt.Errorf("lan: info has %d keys, at most %d fit", len(info), MaxInfoKeys)
	}
	total := 0
	for key, value := range info {
		if len(key) > MaxInfoKey || !validLabel(key) {
			return fmt.Errorf("lan: info key %q is not 1 to %d of a-z, 0-9, '-'", key, MaxInfoKey)
		}
		if len(value) > MaxInfoValue {
			return fmt.Errorf("lan: info %q has %d bytes, at most %d fit", key, len(value), MaxInfoValue)
		}
		total += len(key) + len(value)
	}
	if total > MaxInfo {
		return fmt.Errorf("lan: info has %d bytes, at most %d fit", total, MaxInfo)
	}
	return nil
}

// strings lists the TXT strings of a record: the version first, as RFC 6763
// section 6.7 asks, info values in base64url so that no quoting rule of DNS
// touches them.
func (r record) strings() []string {
	txt := []string{
		keyVersion + "=" + strconv.Itoa(r.version),
		keyID + "=" + r.id,
		keyRevision + "=" + strconv.FormatUint(uint64(r.revision), 10),
	}
	for _, list := range []struct {
		key      string
		doubtful bool
	}{{keyAddrs, false}, {keyDoubtful, true}} {
		if text := joinClaims(r.claims, list.doubtful); text != "" {
			txt = append(txt, list.key+"="+text)
		}
	}
	for _, key := range slices.Sorted(maps.Keys(r.info)) {
		value := base64.RawURLEncoding.EncodeToString([]byte(r.info[key]))
		txt = append(txt, keyInfoPrefix+key+"="+value)
	}
	return txt
}

// joinClaims lists the addresses of one kind, as many as fit.
func joinClaims(claims []claim, doubtful bool) string {
	var text string
	for _, c := range claims {
		if c.doubtful != doubtful {
			continue
		}
		next := c.addr.String()
		if text != "" {
			next = text + "," + next
		}
		if len(next) > maxClaimsText {
			break
		}
		text = next
	}
	return text
}

// parseRecord reads TXT strings as dns.Msg.Unpack gives them. Unknown keys are
// skipped, of a repeated key the first counts (RFC 6763 section 6.4). A record
// of another version yields its version and ID only.
func parseRecord(txt []string) (record, error) {
	if len(txt) > maxTXTStrings {
		return record{}, fmt.Errorf("lan: %d strings in a TXT record", len(txt))
	}
	fields := make(map[string]string, len(txt))
	for _, s := range txt {
		key, value, ok := strings.Cut(s, "=")
		if _, seen := fields[key]; ok && !seen {
			fields[key] = value
		}
	}
	version, err := strconv.ParseUint(fields[keyVersion], 10, 16)
	if err != nil {
		return record{}, errForeign
	}
	r := record{version: int(version), id: fields[keyID]}
	if !validPeerID(r.id) {
		return record{}, fmt.Errorf("lan: peer ID of %d bytes or with odd characters", len(r.id))
	}
	if r.version != Version {
		return r, nil
	}
	revision, err := strconv.ParseUint(fields[keyRevision], 10, 32)
	if err != nil {
		return record{}, errors.New("lan: record without a revision")
	}
	r.revision = uint32(revision)
	if r.claims, err = splitClaims(nil, fields[keyAddrs], false); err != nil {
		return record{}, err
	}
	if r.claims, err = splitClaims(r.claims, fields[keyDoubtful], true); err != nil {
		return record{}, err
	}
	r.info, err = parseInfo(fields)
	return r, err
}

// splitClaims appends the addresses of one list. Zones are refused: they mean
// something only on the computer that wrote them.
func splitClaims(claims []claim, list string, doubtful bool) ([]claim, error) {
	if list == "" {
		return claims, nil
	}
	for text := range strings.SplitSeq(list, ",") {
		addr, err := netip.ParseAddr(text)
		if err != nil || addr.Zone() != "" || addr.Is4In6() {
			return nil, fmt.Errorf("lan: %d bytes that are no address", len(text))
		}
		if len(claims) == maxClaims {
			return nil, fmt.Errorf("lan: more than %d addresses", maxClaims)
		}
		claims = append(claims, claim{addr, doubtful})
	}
	return claims, nil
}

// parseInfo collects the info fields, each value cleaned for display.
func parseInfo(fields map[string]string) (map[string]string, error) {
	info := make(map[string]string)
	for key, value := range fields {
		key, ok := strings.CutPrefix(key, keyInfoPrefix)
		if !ok {
			continue
		}
		raw, err := base64.RawURLEncoding.Strict().DecodeString(value)
		if err != nil {
			return nil, errors.New("lan: info value is not base64url")
		}
		info[key] = string(raw)
	}
	if err := checkInfo(info); err != nil {
		return nil, err
	}
	for key, value := range info {
		info[key] = Clean(value)
	}
	return info, nil
}
