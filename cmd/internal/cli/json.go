package cli

import (
	"alibi/cmd/internal/say"
	"alibi/cmd/internal/session"
	"alibi/game/audit"
	"alibi/game/move"
	"alibi/game/rules"
	"alibi/game/table"
	"alibi/game/view"
)

// The shape of verify --json. Seats count from 1, as everywhere people read
// them; cards go by their keys. Fields are added, never renamed.
type (
	jsonReport struct {
		Fair     bool           `json:"fair"`
		Sound    bool           `json:"sound"` // fair but for those who were left out for what they did
		Complete bool           `json:"complete"`
		Table    string         `json:"table"`
		Edition  string         `json:"edition"`
		Options  jsonOptions    `json:"options"`
		Words    []string       `json:"words,omitempty"`
		Seats    []jsonSeat     `json:"seats"`
		Rounds   uint32         `json:"rounds"`
		Entries  int            `json:"entries"`
		Proofs   map[string]int `json:"proofs"`
		Story    []jsonEvent    `json:"story"`
		FaceUp   []string       `json:"face_up,omitempty"`
		Crime    []string       `json:"crime,omitempty"`
		Result   *jsonResult    `json:"result,omitempty"`
		Stopped  *jsonStopped   `json:"abandoned,omitempty"`
		Findings []jsonFinding  `json:"findings"`
		Missing  []int          `json:"missing,omitempty"`
	}
	jsonOptions struct {
		First    string `json:"first"`
		Order    string `json:"order"`
		Last     string `json:"last_player"`
		Notebook string `json:"notebook"`
		Leavers  int    `json:"leavers"`
		Timer    int    `json:"timer"` // seconds, 0 for none
		Watch    bool   `json:"spectators"`
	}
	jsonSeat struct {
		Seat   int      `json:"seat"`
		Name   string   `json:"name"`
		ID     string   `json:"id"`
		Out    bool     `json:"out"`
		Left   bool     `json:"left"`
		Opened bool     `json:"opened"`
		Hand   []string `json:"hand,omitempty"`
		Guess  []string `json:"guess,omitempty"`
	}
	jsonEvent struct {
		Round uint32   `json:"round"`
		Event string   `json:"event"`
		Seat  int      `json:"seat,omitempty"`
		To    int      `json:"to,omitempty"`
		Cards []string `json:"cards,omitempty"`
		Card  string   `json:"card,omitempty"` // shown, where a key was opened
		Order []int    `json:"order,omitempty"`
	}
	jsonResult struct {
		Winner int    `json:"winner,omitempty"` // absent: nobody
		Reason string `json:"reason"`
		Text   string `json:"text"`
	}
	jsonFinding struct {
		Seat  int    `json:"seat,omitempty"` // absent: the log itself
		Round uint32 `json:"round"`
		Check string `json:"check"`
		Left  bool   `json:"left"` // the others went on without this seat
	}
	jsonStopped struct {
		Round uint32 `json:"round"`
		By    []int  `json:"by"`
	}
)

func (p *program) summary(r *audit.Report) jsonReport {
	b, v := say.English(), view.For(r.State, nil) // programs read it, whatever is spoken
	o := v.Options
	out := jsonReport{
		Fair: r.Fair(), Sound: r.Sound(), Complete: r.Complete, Table: v.Table, Edition: v.Edition.Name,
		Options: jsonOptions{o.First, o.Order, o.Last, o.Notebook, int(r.State.Charter.Leavers), int(o.Timer), o.Watch},
		Rounds:  r.State.Round, Entries: r.Entries, Proofs: map[string]int{},
		FaceUp: keys(v.Edition, v.FaceUp), Crime: keys(v.Edition, v.Crime),
		Story: []jsonEvent{}, Findings: []jsonFinding{},
	}
	if v.Words[0] != "" {
		out.Words = v.Words[:]
	}
	for kind, n := range r.State.Proofs {
		if n > 0 {
			out.Proofs[move.Kind(kind).String()] = n
		}
	}
	for i, player := range v.Players {
		s := jsonSeat{Seat: i + 1, Name: player.Name, ID: session.PeerID(r.State.Charter.Seats[i].ID), Out: player.Out, Left: player.Gone, Opened: player.Opened, Hand: keys(v.Edition, player.Hand)}
		if r.Replay != nil {
			s.Guess = keys(v.Edition, r.Replay.Guesses[i])
		}
		out.Seats = append(out.Seats, s)
	}
	for _, l := range v.Lines {
		out.Story = append(out.Story, event(v.Edition, l))
	}
	if v.Result != nil {
		out.Result = &jsonResult{Winner: v.Result.Winner + 1, Reason: reasonNames[v.Result.Reason], Text: b.Result(v, v.Result)}
	}
	for _, f := range r.Findings {
		out.Findings = append(out.Findings, jsonFinding{f.Seat + 1, f.Round, f.Check, f.Left})
	}
	for _, s := range r.Missing {
		out.Missing = append(out.Missing, s+1)
	}
	if r.State.Abandoned {
		out.Stopped = &jsonStopped{Round: p.abandoned(r)}
		for _, s := range r.State.Present() {
			out.Stopped.By = append(out.Stopped.By, s+1)
		}
	}
	return out
}

func event(e *rules.Edition, l view.Line) jsonEvent {
	out := jsonEvent{Round: l.Round, Event: eventNames[l.Kind], Cards: keys(e, l.Cards)}
	switch l.Kind {
	case table.Dealt, table.Revealed, table.Ended, table.Stopped:
	default:
		out.Seat = l.Seat + 1
	}
	if l.Kind == table.Showed || l.Kind == table.Voted {
		out.To = l.To + 1
	}
	if l.Card != view.Hidden && e.Valid(l.Card) {
		out.Card = e.Cards[l.Card].Key
	}
	for _, s := range l.Seats {
		out.Order = append(out.Order, s+1)
	}
	return out
}

func keys(e *rules.Edition, cs []rules.Card) []string {
	var out []string
	for _, c := range cs {
		if e.Valid(c) {
			out = append(out, e.Cards[c].Key)
		}
	}
	return out
}
