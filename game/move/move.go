// Package move is the closed set of things a seat can say in an entry, with
// one strict codec. A body is a CBOR array in deterministic encoding; proofs
// and card values are byte strings whose exact length follows from the state of
// the game, so package table parses them. Kinds are never renumbered and a
// body's fields never change within a protocol version: goldens guard that.
//
// Encode and Decode are the only ways in and out. To add something a seat can
// say, add a Kind, its body type and a line in each table here.
package move

import (
	"errors"
	"fmt"

	"alibi/crypto/feed"
)

// Kind is the kind field of an entry.
type Kind uint8

// The kinds. Numbers are part of the protocol.
const (
	KindAccept    Kind = 0  // signs the charter
	KindKeys      Kind = 1  // opens the commitment: nonce, keys, proof of possession
	KindShuffle   Kind = 2  // one or more shuffled decks with proofs
	KindChecked   Kind = 3  // states that all before was verified and is the same for all
	KindShares    Kind = 4  // one seat's shares of a joint operation
	KindVote      Kind = 5  // names the first player
	KindAsk       Kind = 6  // asks about cards
	KindAccuse    Kind = 7  // announces an accusation
	KindDeny      Kind = 8  // holds none of the asked cards, with proof
	KindShow      Kind = 9  // shows one of them to the asker, with proof
	KindSeal      Kind = 10 // commitment to join or pass
	KindUnseal    Kind = 11 // opens it
	KindOrder     Kind = 12 // proposes an accusing order
	KindGuess     Kind = 13 // fixes a guess, encrypted, with proof
	KindVerdict   Kind = 14 // says right or wrong, with proof
	KindDisclose  Kind = 15 // opens a guess to all, with proof
	KindLeave     Kind = 16 // ends the game for a seat, with or without its key
	KindKeyShares Kind = 17 // deals key shares to all others
	KindComplain  Kind = 18 // proves that key shares are bad
	KindPick      Kind = 19 // picks the suspect to play
	KindRoll      Kind = 20 // asks for the dice
	KindPassage   Kind = 21 // takes the secret passage instead
	KindGo        Kind = 22 // moves one's token
	KindSuggest   Kind = 23 // asks about the room one is in, a suspect and a weapon
	KindCharge    Kind = 24 // announces an accusation and its cards
	KindEnd       Kind = 25 // ends one's turn

	// KindCount is how many kinds there are. The kind of a ballot is none of
	// them: package feed reads those.
	KindCount = 26
)

var kindNames = [KindCount]string{"accept", "keys", "shuffle", "checked", "shares", "vote", "ask", "accuse",
	"deny", "show", "seal", "unseal", "order", "guess", "verdict", "disclose", "leave", "keyshares", "complain",
	"pick", "roll", "passage", "go", "suggest", "charge", "end"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind %d", uint8(k))
}

// Move is one body. The set is closed.
type Move interface{ Kind() Kind }

// The bodies. Lengths in bytes are stated where the codec itself fixes them.
type (
	// Accept says nothing more: prev of round 0 is the hash of the charter.
	Accept struct {
		_ struct{} `cbor:",toarray"`
	}
	// Keys opens what the charter committed to. Lock holds the commitments to
	// the coefficients of this seat's share of the joint key, 32 bytes each:
	// one if nobody may leave, else one per member of the quorum.
	Keys struct {
		_     struct{} `cbor:",toarray"`
		Nonce [32]byte
		Seat  [32]byte
		Lock  [][32]byte
		Proof []byte
	}
	// Shuffle carries shuffled decks, three in the first pass, one in the second.
	Shuffle struct {
		_     struct{} `cbor:",toarray"`
		Decks []Shuffled
	}
	// Shuffled is one deck: N ciphertexts of 64 bytes, then its proof.
	Shuffled struct {
		_     struct{} `cbor:",toarray"`
		Cards []byte
		Proof []byte
	}
	// Checked says that everything so far was verified; its prev shows that all
	// hold the same. It stands before the shares of which nothing can be taken back.
	Checked struct {
		_ struct{} `cbor:",toarray"`
	}
	// Shares holds one seat's part in everything that the round unlocks.
	Shares struct {
		_     struct{} `cbor:",toarray"`
		Share []byte
	}
	// Vote names a seat.
	Vote struct {
		_   struct{} `cbor:",toarray"`
		For uint8
	}
	// Ask names cards of the edition.
	Ask struct {
		_     struct{} `cbor:",toarray"`
		Cards []uint8
	}
	// Accuse says nothing more: guesses are fixed later.
	Accuse struct {
		_ struct{} `cbor:",toarray"`
	}
	// Deny carries a deck.Denial.
	Deny struct {
		_     struct{} `cbor:",toarray"`
		Proof []byte
	}
	// Show carries a deck.Showing.
	Show struct {
		_     struct{} `cbor:",toarray"`
		Proof []byte
	}
	// Seal is a commitment to join or pass.
	Seal struct {
		_          struct{} `cbor:",toarray"`
		Commitment [32]byte
	}
	// Unseal opens a Seal.
	Unseal struct {
		_    struct{} `cbor:",toarray"`
		Join bool
		Salt [32]byte
	}
	// Order lists seats.
	Order struct {
		_     struct{} `cbor:",toarray"`
		Seats []uint8
	}
	// Guess carries a deck.Guess.
	Guess struct {
		_     struct{} `cbor:",toarray"`
		Proof []byte
	}
	// Verdict carries, when right, the cards and a deck.Opening of guess and
	// Crime cards together; when wrong, no cards and a deck.Difference.
	Verdict struct {
		_     struct{} `cbor:",toarray"`
		Right bool
		Cards []uint8
		Proof []byte
	}
	// Disclose carries the cards of a guess and a deck.Opening.
	Disclose struct {
		_     struct{} `cbor:",toarray"`
		Cards []uint8
		Proof []byte
	}
	// Leave carries the seat key (32 bytes), or nothing when the seat keeps it.
	Leave struct {
		_   struct{} `cbor:",toarray"`
		Key []byte
	}
	// KeyShares carries a dkg.Dealing to every other seat that is there, in seat order.
	KeyShares struct {
		_       struct{} `cbor:",toarray"`
		Dealing []byte
	}
	// Complain lists dealers in seat order whose shares for this seat are bad.
	Complain struct {
		_     struct{} `cbor:",toarray"`
		About []Complaint
	}
	// Complaint is one of them: the dealer's seat and a dkg.Complaint.
	Complaint struct {
		_      struct{} `cbor:",toarray"`
		Dealer uint8
		Proof  []byte
	}
	// Pick names a suspect of the edition.
	Pick struct {
		_       struct{} `cbor:",toarray"`
		Suspect uint8
	}
	// Roll says nothing more: what the dice show comes in the next round.
	Roll struct {
		_ struct{} `cbor:",toarray"`
	}
	// Passage says nothing more: every room has at most one.
	Passage struct {
		_ struct{} `cbor:",toarray"`
	}
	// Go names a place, see PlaceNumber.
	Go struct {
		_  struct{} `cbor:",toarray"`
		To uint16
	}
	// Suggest names two cards of the edition; the third is the room.
	Suggest struct {
		_       struct{} `cbor:",toarray"`
		Suspect uint8
		Weapon  uint8
	}
	// Charge names the cards of a guess openly, in category order.
	Charge struct {
		_     struct{} `cbor:",toarray"`
		Cards []uint8
	}
	// End says nothing more.
	End struct {
		_ struct{} `cbor:",toarray"`
	}
)

func (*KeyShares) Kind() Kind { return KindKeyShares }
func (*Complain) Kind() Kind  { return KindComplain }
func (*Accept) Kind() Kind    { return KindAccept }
func (*Keys) Kind() Kind      { return KindKeys }
func (*Shuffle) Kind() Kind   { return KindShuffle }
func (*Checked) Kind() Kind   { return KindChecked }
func (*Shares) Kind() Kind    { return KindShares }
func (*Vote) Kind() Kind      { return KindVote }
func (*Ask) Kind() Kind       { return KindAsk }
func (*Accuse) Kind() Kind    { return KindAccuse }
func (*Deny) Kind() Kind      { return KindDeny }
func (*Show) Kind() Kind      { return KindShow }
func (*Seal) Kind() Kind      { return KindSeal }
func (*Unseal) Kind() Kind    { return KindUnseal }
func (*Order) Kind() Kind     { return KindOrder }
func (*Guess) Kind() Kind     { return KindGuess }
func (*Verdict) Kind() Kind   { return KindVerdict }
func (*Disclose) Kind() Kind  { return KindDisclose }
func (*Leave) Kind() Kind     { return KindLeave }
func (*Pick) Kind() Kind      { return KindPick }
func (*Roll) Kind() Kind      { return KindRoll }
func (*Passage) Kind() Kind   { return KindPassage }
func (*Go) Kind() Kind        { return KindGo }
func (*Suggest) Kind() Kind   { return KindSuggest }
func (*Charge) Kind() Kind    { return KindCharge }
func (*End) Kind() Kind       { return KindEnd }

var newMove = [KindCount]func() Move{
	KindAccept:    func() Move { return new(Accept) },
	KindKeys:      func() Move { return new(Keys) },
	KindShuffle:   func() Move { return new(Shuffle) },
	KindChecked:   func() Move { return new(Checked) },
	KindShares:    func() Move { return new(Shares) },
	KindVote:      func() Move { return new(Vote) },
	KindAsk:       func() Move { return new(Ask) },
	KindAccuse:    func() Move { return new(Accuse) },
	KindDeny:      func() Move { return new(Deny) },
	KindShow:      func() Move { return new(Show) },
	KindSeal:      func() Move { return new(Seal) },
	KindUnseal:    func() Move { return new(Unseal) },
	KindOrder:     func() Move { return new(Order) },
	KindGuess:     func() Move { return new(Guess) },
	KindVerdict:   func() Move { return new(Verdict) },
	KindDisclose:  func() Move { return new(Disclose) },
	KindLeave:     func() Move { return new(Leave) },
	KindKeyShares: func() Move { return new(KeyShares) },
	KindComplain:  func() Move { return new(Complain) },
	KindPick:      func() Move { return new(Pick) },
	KindRoll:      func() Move { return new(Roll) },
	KindPassage:   func() Move { return new(Passage) },
	KindGo:        func() Move { return new(Go) },
	KindSuggest:   func() Move { return new(Suggest) },
	KindCharge:    func() Move { return new(Charge) },
	KindEnd:       func() Move { return new(End) },
}

// ErrKind refuses a kind this version does not know.
var ErrKind = errors.New("move: unknown kind")

// Encode returns the kind and body of an entry.
func Encode(m Move) (Kind, []byte, error) {
	body, err := feed.Marshal(m)
	if err != nil {
		return 0, nil, fmt.Errorf("move: encoding %s: %w", m.Kind(), err)
	}
	return m.Kind(), body, nil
}

// Decode reads a body strictly: what it accepts, Encode gives back byte for byte.
func Decode(k Kind, body []byte) (Move, error) {
	if int(k) >= KindCount {
		return nil, fmt.Errorf("%w: %d", ErrKind, uint8(k))
	}
	m := newMove[k]()
	if err := feed.Unmarshal(body, m); err != nil {
		return nil, fmt.Errorf("move: %s: %w", k, err)
	}
	return m, nil
}
