package audit_test

import (
	"errors"
	"slices"
	"testing"

	"alibi/crypto/feed"
	"alibi/crypto/identity"
	"alibi/game/audit"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// sign is an entry like e, changed and signed by a key.
func sign(t *testing.T, key identity.Key, e *feed.Signed, change func(*feed.Entry)) *feed.Signed {
	t.Helper()
	entry := e.Entry
	change(&entry)
	s, err := feed.Seal(key, entry)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// What stands wrong in a log, and whom the auditor may blame for it. Nobody is
// blamed for what another could have done.
func TestFindings(t *testing.T) {
	r := recordedGame(t)
	all := r.entries
	end := all[len(all)-1].Round
	deal := slices.IndexFunc(all, func(e *feed.Signed) bool { return move.Kind(e.Kind) == move.KindShares })
	dealt := all[deal].Round
	turn := slices.IndexFunc(all, func(e *feed.Signed) bool { return move.Kind(e.Kind) == move.KindAsk })
	asked := all[turn]
	idle := (int(asked.Seat) + 1) % 3
	insert := func(at int, e *feed.Signed) []*feed.Signed { return slices.Insert(slices.Clone(all), at, e) }
	replace := func(at int, e *feed.Signed) []*feed.Signed {
		out := slices.Clone(all)
		out[at] = e
		return out
	}
	reversed := slices.Clone(all)
	slices.Reverse(reversed[deal : deal+3])
	stranger, err := identity.NewKey(parlour.Rand("stranger"))
	if err != nil {
		t.Fatal(err)
	}
	keyOf := func(e *feed.Signed) identity.Key { return r.Keys[e.Seat] }
	for name, tt := range map[string]struct {
		entries []*feed.Signed
		want    audit.Finding
	}{
		"two entries for one place, in the open round": {
			insert(deal+1, sign(t, keyOf(all[deal]), all[deal], func(e *feed.Entry) { e.Body = nil })),
			audit.Finding{Seat: 0, Round: dealt, Check: string(table.RuleFork)}},
		"two entries for one place, in a closed round": {
			append(slices.Clone(all), sign(t, keyOf(asked), asked, func(e *feed.Entry) { e.Kind++ })),
			audit.Finding{Seat: int(asked.Seat), Round: asked.Round, Check: string(table.RuleFork)}},
		"one entry twice, in the open round": {
			insert(deal, all[deal]),
			audit.Finding{Seat: -1, Round: dealt, Check: "an entry stands in the log twice"}},
		"one entry twice, later": {
			append(slices.Clone(all), all[0]),
			audit.Finding{Seat: -1, Round: 0, Check: "an entry stands in the log twice"}},
		"another order within a round": {
			reversed,
			audit.Finding{Seat: -1, Round: dealt, Check: "entries are not in seat order"}},
		"an entry missing": {
			slices.Delete(slices.Clone(all), deal, deal+1),
			audit.Finding{Seat: -1, Round: dealt, Check: "entries are missing before those of a later round"}},
		"out of turn": {
			insert(turn, sign(t, r.Keys[idle], asked, func(e *feed.Entry) { e.Seat = uint8(idle) })),
			audit.Finding{Seat: idle, Round: asked.Round, Check: string(table.RuleTurn)}},
		"after the end": {
			append(slices.Clone(all), sign(t, r.Keys[1], all[len(all)-1], func(e *feed.Entry) {
				e.Seat, e.Round, e.Prev = 1, end+1, r.State.Prev
			})),
			audit.Finding{Seat: 1, Round: end + 1, Check: string(table.RuleTurn)}},
		"on top of another history": {
			replace(turn, sign(t, keyOf(asked), asked, func(e *feed.Entry) { e.Prev[0] ^= 1 })),
			audit.Finding{Seat: -1, Round: asked.Round, Check: "an entry that seat " + string('0'+rune(asked.Seat)) + " signed on top of another history"}},
		"signed by a stranger": {
			replace(turn, sign(t, stranger, asked, func(*feed.Entry) {})),
			audit.Finding{Seat: -1, Round: asked.Round, Check: "an entry that claims seat " + string('0'+rune(asked.Seat)) + ": feed: signature does not verify"}},
		"of another game": {
			replace(turn, sign(t, keyOf(asked), asked, func(e *feed.Entry) { e.Game[0] ^= 1 })),
			audit.Finding{Seat: -1, Round: asked.Round, Check: "an entry that claims seat " + string('0'+rune(asked.Seat)) + ": feed: entry of another game"}},
		"of no seat": {
			replace(turn, sign(t, stranger, asked, func(e *feed.Entry) { e.Seat = 9 })),
			audit.Finding{Seat: -1, Round: asked.Round, Check: "an entry that claims seat 9: feed: no such seat"}},
		"an illegal move": {
			replace(turn, sign(t, keyOf(asked), asked, func(e *feed.Entry) { e.Body = encode(t, &move.Ask{Cards: []uint8{1, 1}}) })),
			audit.Finding{Seat: int(asked.Seat), Round: asked.Round, Check: string(table.RuleLegal)}},
		"a false share": {
			replace(deal+2, sign(t, r.Keys[2], all[deal+2], func(e *feed.Entry) { e.Body = encode(t, &move.Shares{}) })),
			audit.Finding{Seat: 2, Round: dealt, Check: string(table.RuleShare)}},
	} {
		t.Run(name, func(t *testing.T) {
			rep, err := audit.Check(r.Charter, tt.entries)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(rep.Findings, []audit.Finding{tt.want}) {
				t.Errorf("found %v, want %v", rep.Findings, tt.want)
			}
			if rep.Fair() || rep.Complete || rep.Missing != nil || rep.Replay != nil {
				t.Errorf("fair %v, complete %v, missing %v, replay %v", rep.Fair(), rep.Complete, rep.Missing, rep.Replay)
			}
		})
	}
}

func encode(t *testing.T, m move.Move) []byte {
	t.Helper()
	_, body, err := move.Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func TestFindingSaysWho(t *testing.T) {
	for want, f := range map[string]audit.Finding{
		"seat 2, round 7: a share that does not verify": {Seat: 2, Round: 7, Check: string(table.RuleShare)},
		"seat 0, round 0: spoke":                        {Seat: 0, Check: "spoke"},
		"round 3: entries are not in seat order":        {Seat: -1, Round: 3, Check: "entries are not in seat order"},
	} {
		if f.String() != want {
			t.Errorf("%q, want %q", f, want)
		}
	}
}

// What is no log of a game this build plays.
func TestNoGameOfThisBuild(t *testing.T) {
	r := recordedGame(t)
	charter, err := feed.ParseCharter(r.Charter)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		change func(*feed.Charter)
		want   error
	}{
		"terms of another program": {func(c *feed.Charter) { c.Terms = []byte("chess") }, feed.ErrEncoding},
		"seats": {func(c *feed.Charter) {
			for range 4 {
				key, err := identity.NewKey(parlour.Rand(string(rune('a' + len(c.Seats)))))
				if err != nil {
					t.Fatal(err)
				}
				c.Seats = append(slices.Clone(c.Seats), feed.Seat{Name: "more " + string(rune('a'+len(c.Seats))), ID: key.ID()})
			}
		}, table.ErrSeats},
	} {
		c := charter
		tt.change(&c)
		b, err := c.Encode()
		if err != nil {
			t.Fatal(err)
		}
		if rep, err := audit.Check(b, r.entries); !errors.Is(err, tt.want) || rep != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := audit.Check(nil, nil); !errors.Is(err, feed.ErrCharter) {
		t.Error(err)
	}
}

// A log without entries is the beginning of a game: everybody is waited for.
func TestEmptyLog(t *testing.T) {
	r := recordedGame(t)
	rep, err := audit.Check(r.Charter, nil)
	if err != nil || !rep.Fair() || rep.Complete || !slices.Equal(rep.Missing, []int{0, 1, 2}) || rep.State.Stage != table.Accepting {
		t.Errorf("%v %+v", err, rep)
	}
}

// An auditor of a whole game ends with the state that the players had.
func TestAuditEndsWhereThePlayersDid(t *testing.T) {
	r := recordedGame(t)
	rep, err := audit.Check(r.Charter, r.entries)
	if err != nil {
		t.Fatal(err)
	}
	if rep.State.Prev != r.State.Prev || rep.State.Game != r.State.Game || rep.State.Phase() != rules.Over ||
		rep.Entries != len(r.entries) || rep.State.Proofs != r.State.Proofs || rep.State.Proofs.Total() == 0 || rep.Missing != nil {
		t.Errorf("%+v", rep)
	}
}
