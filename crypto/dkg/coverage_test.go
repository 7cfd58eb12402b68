package dkg

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"alibi/crypto/elgamal"
	"alibi/crypto/group"
	"alibi/crypto/sigma"
)

// scene is the public inputs of one dealing and one complaint about it. Tests
// bend them.
type scene struct {
	ctx       []byte // of the dealing
	receivers []int
	keys      []*group.Element
	dealing   *Dealing

	here      []byte // of the complaint
	at        int
	complaint *Complaint
}

func newScene(t testing.TB) *scene {
	t.Helper()
	p := newParty(t, 4, 3)
	seats, keys := p.others(0)
	d := p.deal(0)
	return &scene{dealtAt(0), seats, keys, d, complainedAt(2), 1, p.complain(d, 0, 1)}
}

func (sc *scene) clone() *scene {
	c := *sc
	c.receivers, c.keys = slices.Clone(sc.receivers), slices.Clone(sc.keys)
	c.dealing = &Dealing{slices.Clone(sc.dealing.points), slices.Clone(sc.dealing.boxes), sc.dealing.proof}
	c.complaint = &Complaint{sc.complaint.point, sc.complaint.proof}
	return &c
}

var checks = map[string]func(sc *scene) (*sigma.Check, error){
	"dealing": func(sc *scene) (*sigma.Check, error) {
		return CheckDealing(sc.ctx, sc.receivers, sc.keys, sc.dealing)
	},
	"complaint": func(sc *scene) (*sigma.Check, error) {
		return CheckComplaint(sc.here, sc.dealing, sc.at, sc.keys[sc.at], sc.complaint)
	},
}

// Fiat-Shamir coverage: bending any public input of a message must change its
// challenge. Receivers, keys and boxes are in no equation of a dealing.
func TestEveryPublicInputChangesTheChallenge(t *testing.T) {
	bend := func(e *group.Element) *group.Element { return e.Add(group.Base()) }
	type change struct {
		name  string
		apply func(sc *scene)
	}
	parts := []change{
		{"the last receiver", func(sc *scene) { sc.receivers[2]++ }},
		{"the first receiver", func(sc *scene) { sc.receivers[0]-- }},
	}
	var content []change
	for i := range 3 {
		parts = append(parts, change{fmt.Sprint("key ", i), func(sc *scene) { sc.keys[i] = bend(sc.keys[i]) }})
		content = append(content,
			change{fmt.Sprint("R ", i), func(sc *scene) { sc.dealing.points[i] = bend(sc.dealing.points[i]) }},
			change{fmt.Sprint("box ", i), func(sc *scene) {
				sc.dealing.boxes[i] = sc.dealing.boxes[i].Add(group.ScalarFromUint64(1))
			}})
	}
	other := newParty(t, 4, 3).deal(0)
	changes := map[string][]change{
		"dealing": slices.Concat(parts, content, []change{
			{"context", func(sc *scene) { sc.ctx = append(slices.Clone(sc.ctx), 0) }},
		}),
		"complaint": slices.Concat(content, []change{
			{"context", func(sc *scene) { sc.here = append(slices.Clone(sc.here), 0) }},
			{"key", func(sc *scene) { sc.keys[sc.at] = bend(sc.keys[sc.at]) }},
			{"receiver", func(sc *scene) { sc.keys[0] = sc.keys[sc.at]; sc.at = 0 }},
			{"D", func(sc *scene) { sc.complaint.point = bend(sc.complaint.point) }},
			{"proof of the dealing", func(sc *scene) { sc.dealing.proof = otherProof(t, other, sc.dealing) }},
		}),
	}
	honest := newScene(t)
	for kind, check := range checks {
		before, err := check(honest)
		accepted(t, before, err)
		for _, c := range changes[kind] {
			t.Run(kind+" "+c.name, func(t *testing.T) {
				sc := honest.clone()
				c.apply(sc)
				after, err := check(sc)
				if err != nil {
					t.Fatal(err)
				}
				if challengeOf(before).Equal(challengeOf(after)) {
					t.Error("the challenge stays")
				}
				refused(t, after, nil)
			})
		}
	}
}

// otherProof is a proof of the same shape that differs from that of d in its
// last response.
func otherProof(t *testing.T, other, d *Dealing) *sigma.Proof {
	b := d.proof.Bytes()
	copy(b[len(b)-32:], other.proof.Bytes()[len(b)-64:])
	p, err := dealingShape(len(d.points)).ParseProof(b)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every 32 bytes of every message matter: another value is refused.
func TestEveryPartOfAMessageCounts(t *testing.T) {
	honest := newScene(t)
	element, one := group.BaseMul(group.ScalarFromUint64(77)).Bytes(), group.ScalarFromUint64(1).Bytes()
	values := [][]byte{element, one, make([]byte, 32), bytes.Repeat([]byte{0xff}, 32)}
	for at := 0; at < DealingSize(3); at += 32 {
		for _, v := range values {
			b := honest.dealing.Bytes()
			copy(b[at:], v)
			d, err := ParseDealing(3, b)
			if err != nil {
				continue
			}
			c, err := CheckDealing(honest.ctx, honest.receivers, honest.keys, d)
			refused(t, c, err)
		}
	}
	for at := 0; at < ComplaintSize(); at += 32 {
		for _, v := range values {
			b := honest.complaint.Bytes()
			copy(b[at:], v)
			m, err := ParseComplaint(b)
			if err != nil {
				continue
			}
			c, err := CheckComplaint(honest.here, honest.dealing, honest.at, honest.keys[honest.at], m)
			refused(t, c, err)
		}
	}
}

// What a proof binds itself to, and what a share is masked with, are part of the
// protocol.
func TestPlacesArePinned(t *testing.T) {
	number := func(i uint64) *group.Scalar { return group.ScalarFromUint64(i) }
	point := func(i uint64) *group.Element { return group.BaseMul(number(i)) }
	d := &Dealing{points: []*group.Element{point(1), point(2)}, boxes: []*group.Scalar{number(3), number(4)}}
	ctx := []byte("pinned")
	keys := []*group.Element{point(5), point(6)}
	proof, err := dealingShape(2).ParseProof(slices.Concat(encodings(d.points), scalarBytes(d.boxes)))
	if err != nil {
		t.Fatal(err)
	}
	place := d.place(ctx, []int{0, 254}, keys)
	d.proof = proof
	for name, v := range map[string]struct {
		got  []byte
		want string
	}{
		"dealing":   {place, "67d890fea87f1efbe9b8b8d75f25120ffe49138e5467c23659c4facfc1c66af5"},
		"mask":      {mask(ctx, 1, point(2), point(7)).Bytes(), "6f66cc700ab0a1ed7b0475271a5b802ab01e019d9858e36eaafdee46aff72f0e"},
		"complaint": {complaintPlace(ctx, d, 1, point(6), point(7)), "6ce302a39fed881555927427cd1c43b6e0d36316e65f57bca83d65341d579d24"},
	} {
		if got := hex.EncodeToString(v.got); got != v.want {
			t.Errorf("%s is %s, want %s", name, got, v.want)
		}
	}
}

// The sizes are part of the protocol.
func TestSizesArePinned(t *testing.T) {
	for n, want := range map[int]int{-1: 0, 0: 0, 1: 128, 5: 640, 11: 1408, 255: 255 * 128, elgamal.MaxKeys + 1: 0, 1 << 40: 0} {
		if got := DealingSize(n); got != want {
			t.Errorf("dealing to %d has %d bytes, want %d", n, got, want)
		}
	}
	if got := ComplaintSize(); got != 128 {
		t.Errorf("complaint has %d bytes, want 128", got)
	}
}

// Single verification and a batch agree, whatever was done to the messages.
func TestBatchAndSingleAgree(t *testing.T) {
	honest := newScene(t)
	rapid.Check(t, func(rt *rapid.T) {
		var batch sigma.Batch
		var want []int
		for _, kind := range []string{"dealing", "complaint", "dealing"} {
			sc := honest.clone()
			bent := rapid.Bool().Draw(rt, "bend")
			if bent {
				i := rapid.IntRange(0, 2).Draw(rt, "at")
				switch rapid.IntRange(0, 2).Draw(rt, "what") {
				case 0:
					sc.dealing.points[i] = sc.dealing.points[i].Add(group.Base())
				case 1:
					sc.dealing.boxes[i] = sc.dealing.boxes[i].Neg()
				default:
					sc.ctx, sc.here = sc.here, sc.ctx
				}
			}
			c, err := checks[kind](sc)
			if err != nil {
				rt.Fatal(err)
			}
			index := batch.Add(c)
			if c.Verify() != nil {
				want = append(want, index)
			}
			if bent == (c.Verify() == nil) {
				rt.Fatalf("%s: bent %v, verified %v", kind, bent, !bent)
			}
		}
		if (batch.Verify() == nil) != (len(want) == 0) {
			rt.Fatalf("the batch disagrees with %v", want)
		}
		if got := batch.Culprits(); !slices.Equal(got, want) {
			rt.Fatalf("culprits %v, want %v", got, want)
		}
	})
}
