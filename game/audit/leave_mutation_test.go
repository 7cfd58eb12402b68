package audit_test

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"testing"

	"alibi/crypto/feed"
	"alibi/game/audit"
	"alibi/game/internal/parlour"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
)

// departed is a recorded game of four that two have left: one while the decks were
// shuffled, one in play.
type departed struct {
	*recorded
	dropped []*feed.Signed // what was said in the rounds that were done again
}

var recordDeparted = sync.OnceValues(func() (*departed, error) {
	p, err := parlour.NewLeaving("departed", "card", 4, 2, rules.DefaultOptions())
	if err != nil {
		return nil, err
	}
	d := &departed{recorded: &recorded{Table: p}}
	for _, at := range []struct {
		gone int
		is   func(*table.State) bool
	}{
		{1, func(st *table.State) bool { return st.Stage == table.Sharing }},
		{3, func(st *table.State) bool {
			return st.Stage == table.Playing && st.Phase() == rules.Laying || st.Pos != nil && st.Pos.Turns == 2
		}},
	} {
		if err := p.Until(at.is); err != nil {
			return nil, err
		}
		for _, i := range p.State.Speakers() {
			m, err := p.Seats[i].Answer(p.State, p.Bots[i].Decide(viewOf(p, i)))
			if err != nil {
				return nil, err
			}
			if err := p.Say(i, m); err != nil {
				return nil, err
			}
			if len(p.Log.Open()) == len(p.State.Speakers())-1 {
				break
			}
		}
		d.dropped = append(d.dropped, p.Log.Open()...)
		if err := p.Carry(feed.Without(at.gone)); err != nil {
			return nil, err
		}
	}
	if err := p.Play(); err != nil {
		return nil, err
	}
	d.entries = p.Log.Entries()
	d.file, err = d.with(d.entries)
	return d, err
})

func departedGame(t testing.TB) *departed {
	t.Helper()
	d, err := recordDeparted()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// ballots lists where the ballots of the log are.
func (d *departed) ballots() (out []int) {
	for i, e := range d.entries {
		if _, is := e.Ballot(); is {
			out = append(out, i)
		}
	}
	return out
}

func TestDepartedGamePasses(t *testing.T) {
	d := departedGame(t)
	if !passes(d.file) || len(d.ballots()) != 3+2 || len(d.dropped) < 3 {
		t.Fatalf("%d ballots, %d entries dropped", len(d.ballots()), len(d.dropped))
	}
}

// One byte of a log with leaves changed: nobody is blamed for it, and it does not
// pass.
func TestChangedByteOfADepartedGame(t *testing.T) {
	d := departedGame(t)
	draw := drawing("departed byte")
	at := map[int]bool{}
	for range *changes / 2 {
		at[draw.below(len(d.file))] = true
	}
	begin := bytes.Index(d.file, d.entries[d.ballots()[0]].Raw())
	for i := range *changes / 4 { // most of them in the ballots
		at[begin+i*3] = true
	}
	for i := range at {
		file := slices.Clone(d.file)
		file[i] ^= byte(1 + draw.below(255))
		rep, err := check(file)
		if err != nil {
			continue
		}
		if rep.Fair() || rep.Sound() || rep.Complete {
			t.Errorf("byte %d changed: %v, complete %v", i, rep.Findings, rep.Complete)
		}
		for _, f := range rep.Findings {
			if f.Seat >= 0 {
				t.Errorf("byte %d: seat %d is blamed for what somebody else changed: %v", i, f.Seat, f)
			}
		}
	}
}

// Each ballot left out, said twice, or put elsewhere; each round of them left out.
func TestBallotsRemovedDoubledOrMoved(t *testing.T) {
	d := departedGame(t)
	all := d.ballots()
	tries := map[string][]*feed.Signed{}
	for k, i := range all {
		e := d.entries[i]
		without := slices.Delete(slices.Clone(d.entries), i, i+1)
		tries[fmt.Sprint("removed ", k)] = without
		tries[fmt.Sprint("doubled ", k)] = slices.Insert(slices.Clone(d.entries), i, e)
		tries[fmt.Sprint("at last ", k)] = append(slices.Clone(d.entries), e)
		tries[fmt.Sprint("moved to the end ", k)] = append(slices.Clone(without), e)
		tries[fmt.Sprint("moved to the beginning ", k)] = slices.Insert(slices.Clone(without), 0, e)
		if k > 0 && all[k-1] == i-1 {
			swapped := slices.Clone(d.entries)
			swapped[i], swapped[i-1] = swapped[i-1], swapped[i]
			tries[fmt.Sprint("exchanged ", k)] = swapped
		}
	}
	tries["the first leave removed"] = slices.Delete(slices.Clone(d.entries), all[0], all[0]+3)
	tries["the second leave removed"] = slices.Delete(slices.Clone(d.entries), all[3], all[3]+2)
	tries["no ballots"] = slices.DeleteFunc(slices.Clone(d.entries), func(e *feed.Signed) bool { _, is := e.Ballot(); return is })
	for name, entries := range tries {
		file, err := d.with(entries)
		if err != nil {
			t.Fatal(err)
		}
		rep, err := check(file)
		if err != nil || rep.Fair() || rep.Complete {
			t.Errorf("%s: %v, fair %v, complete %v", name, err, rep.Fair(), rep.Complete)
		}
	}
}

// Ballots signed by who can sign them, but other ones than were cast.
func TestOtherBallots(t *testing.T) {
	d := departedGame(t)
	for k, i := range d.ballots() {
		e := d.entries[i]
		cast := func(b feed.Ballot) *feed.Signed {
			s, err := feed.CastBallot(d.Keys[e.Seat], e.Entry, b)
			if err != nil {
				t.Fatal(err)
			}
			return s
		}
		was, _ := e.Ballot()
		later := was
		later.Trial++
		abandon := was
		abandon.Abandon = true
		for name, s := range map[string]*feed.Signed{
			"a no":               cast(feed.Ballot{Motion: was.Motion}),
			"a later trial":      cast(later),
			"an abandoning one":  cast(abandon),
			"for somebody else":  cast(feed.Ballot{Motion: feed.Without((int(e.Seat) + 2) % 4), Yes: true}),
			"for oneself":        cast(feed.Ballot{Motion: feed.Without(int(e.Seat)), Yes: true}),
			"for half the table": cast(feed.Ballot{Motion: feed.Without(0, 1, 2), Yes: true}),
			"an ordinary entry":  sign(t, d.Keys[e.Seat], e, func(e *feed.Entry) { e.Kind = uint8(move.KindChecked) }),
			"of another history": sign(t, d.Keys[e.Seat], e, func(e *feed.Entry) { e.Prev[3] ^= 1 }),
			"of another game":    sign(t, d.Keys[e.Seat], e, func(e *feed.Entry) { e.Game[3] ^= 1 }),
			"of another round":   sign(t, d.Keys[e.Seat], e, func(e *feed.Entry) { e.Round++ }),
			"of another seat":    sign(t, d.Keys[e.Seat], e, func(e *feed.Entry) { e.Seat ^= 1 }),
		} {
			if bytes.Equal(s.Content(), e.Content()) {
				continue
			}
			replaced := slices.Clone(d.entries)
			replaced[i] = s
			rep, err := audit.Check(d.Charter, replaced)
			if err != nil || rep.Fair() || rep.Complete {
				t.Errorf("ballot %d, %s: %v, fair %v, complete %v", k, name, err, rep.Fair(), rep.Complete)
			}
			for _, f := range rep.Findings {
				if f.Seat >= 0 && f.Seat != int(s.Seat) {
					t.Errorf("ballot %d, %s: %v for what seat %d signed", k, name, f, s.Seat)
				}
			}
			d.stands(t, fmt.Sprintf("ballot %d, %s beside it", k, name), slices.Insert(slices.Clone(d.entries), i+1, s), i+1)
		}
	}
}

// stands demands that an entry which counts for nothing does not pass where it
// stands, or one game would have many logs. Only what its author signed who has left
// may stand beside the log, and changes nothing.
func (d *departed) stands(t *testing.T, name string, entries []*feed.Signed, at int) {
	t.Helper()
	rep, err := audit.Check(d.Charter, entries)
	if err != nil {
		t.Fatal(err)
	}
	switch beside := rep.State.Gone[entries[at].Seat] && rep.Entries < len(entries); {
	case !beside && (rep.Fair() || rep.Complete):
		t.Errorf("%s: passes", name)
	case rep.Complete && (rep.State.Prev != d.State.Prev || rep.State.Game != d.State.Game || *rep.State.Pos.Result != *d.State.Pos.Result):
		t.Errorf("%s: another game passes", name)
	}
}

// Cut after any entry, the log is a fair beginning, and says whom it waits for.
func TestTruncatedDepartedGame(t *testing.T) {
	d := departedGame(t)
	for n := range d.entries {
		rep, err := audit.Check(d.Charter, d.entries[:n])
		if err != nil || !rep.Fair() || rep.Complete || rep.Entries != n {
			t.Fatalf("after %d entries: %v %+v", n, err, rep)
		}
		if _, ballot := d.entries[n].Ballot(); !ballot && !slices.Contains(rep.Missing, int(d.entries[n].Seat)) {
			t.Errorf("after %d entries: waits for %v, and seat %d spoke next", n, rep.Missing, d.entries[n].Seat)
		}
		for _, p := range rep.Missing {
			if rep.State.Gone[p] {
				t.Errorf("after %d entries: waits for seat %d, which has left", n, p)
			}
		}
	}
}

// What was said in a round that a leave has dropped counts for nothing, wherever it
// stands.
func TestDroppedEntriesCountForNothing(t *testing.T) {
	d := departedGame(t)
	for k, e := range d.dropped {
		at := slices.IndexFunc(d.entries, func(o *feed.Signed) bool { return o.Round == e.Round })
		for at < len(d.entries) && d.entries[at].Round == e.Round && d.entries[at].Seat < e.Seat {
			at++
		}
		d.stands(t, fmt.Sprintf("entry %d, of seat %d", k, e.Seat), slices.Insert(slices.Clone(d.entries), at, e), at)
		d.stands(t, fmt.Sprintf("entry %d, of seat %d, in the end", k, e.Seat), append(slices.Clone(d.entries), e), len(d.entries))
	}
}

// A ballot that nothing came of passes nowhere: not in a round that was closed the
// normal way, nor after the last one.
func TestBallotsThatNothingCameOf(t *testing.T) {
	d := departedGame(t)
	present := d.State.Present()
	for _, i := range present {
		v, err := feed.CastBallot(d.Keys[i], d.Log.TemplateAt(d.Log.Round(), i), feed.Ballot{Motion: feed.Motion{Abandon: true}, Yes: true})
		if err != nil {
			t.Fatal(err)
		}
		d.stands(t, fmt.Sprintf("of seat %d at the end", i), append(slices.Clone(d.entries), v), len(d.entries))
	}
	for at := 0; at < len(d.entries); at += 5 {
		e := d.entries[at]
		if _, ballot := e.Ballot(); ballot {
			continue
		}
		v, err := feed.CastBallot(d.Keys[present[0]], d.Log.TemplateAt(e.Round, present[0]), feed.Ballot{Motion: feed.Motion{Abandon: true}, Yes: true})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(d.entries, func(o *feed.Signed) bool { return o.Round == e.Round && o.Seat >= v.Seat })
		if at >= 0 {
			d.stands(t, fmt.Sprintf("in round %d", e.Round), slices.Insert(slices.Clone(d.entries), at, v), at)
		}
	}
}
