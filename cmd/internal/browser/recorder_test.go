package browser

import (
	"fmt"
	"slices"
)

// recorder notes in a page when what was sent, and when which round came to be
// shown. Times are milliseconds of one clock, since all windows are on one computer.
const recorder = `(() => {
	const now = () => performance.timeOrigin + performance.now();
	const sent = [], seen = [], broken = [], told = [];
	let touched = 0;
	for (const kind of ["click", "keydown"]) addEventListener(kind, e => { if (e.isTrusted) touched = now(); }, true);
	const real = window.fetch;
	window.fetch = (to, options) => {
		sent.push({ At: touched, To: new URL(to, location).pathname, Round: parseInt(options && options.body.get("round") || "0", 10) });
		return real(to, options);
	};
	addEventListener("securitypolicyviolation", e => broken.push(e.violatedDirective + " " + e.blockedURI));
	addEventListener("error", e => broken.push(String(e.message)));
	addEventListener("unhandledrejection", e => broken.push(String(e.reason)));
	addEventListener("DOMContentLoaded", () => {
		let round = 0;
		const look = () => {
			const field = document.querySelector(".foot input[name=round]");
			const shown = document.querySelector("#end") ? 1e6 : field ? parseInt(field.value, 10) : 0;
			if (shown > round) { round = shown; requestAnimationFrame(() => seen.push({ At: now(), Round: shown })); }
		};
		new MutationObserver(look).observe(document.documentElement, { subtree: true, childList: true, attributes: true });
		look();
		const said = document.querySelector("#said");
		if (said) new MutationObserver(() => said.textContent && told.push(said.textContent)).observe(said, { subtree: true, childList: true, characterData: true });
	});
	window.recorded = { sent, seen, broken, told };
})()`

// sending is one form that went out; At is when the mouse or key went down for it.
type sending struct {
	At    float64
	To    string
	Round int
}

// sight is a round that came to be shown.
type sight struct {
	At    float64
	Round int
}

// record is what a page has noted since it was loaded.
type record struct {
	Sent   []sending
	Seen   []sight
	Broken []string // breaches of the policy, and errors of scripts
	Told   []string // what the page had to say of something that was not done
}

func (w *window) recorded() record {
	w.t.Helper()
	return value[record](w, `(({ sent, seen, broken, told }) => ({ Sent: sent, Seen: seen, Broken: broken, Told: told }))(window.recorded)`)
}

// figures says how long it took from what one player did to its effect in another's
// window: from the mouse or key going down to the first frame that shows that the
// round is over. An answer takes 150 ms at least, by design; a question does not.
func (tb *party) figures() {
	var quick, slow []float64
	for _, from := range tb.players {
		for _, s := range from.recorded().Sent {
			for _, to := range tb.players {
				if to == from || s.Round == 0 {
					continue
				}
				took, ok := to.recorded().after(s)
				switch {
				case !ok:
				case s.To == "/do/ask" || s.To == "/do/accuse":
					quick = append(quick, took)
				case s.To == "/do/deny" || s.To == "/do/show":
					slow = append(slow, took)
				}
			}
		}
	}
	tb.t.Logf("from a question in one window to its effect in another: %s", spread(quick))
	tb.t.Logf("from an answer, which takes 150 ms at least: %s", spread(slow))
	const size = `fetch("/").then(r => r.blob()).then(b => b.size / 1024)`
	tb.t.Logf("the page of the whole game: %.0f KiB of HTML", value[float64](tb.players[0].window, size))
}

// after is how long after a sending this page showed a later round.
func (r record) after(s sending) (float64, bool) {
	for _, seen := range r.Seen {
		if seen.Round > s.Round {
			return seen.At - s.At, true
		}
	}
	return 0, false
}

func spread(ms []float64) string {
	if len(ms) == 0 {
		return "none"
	}
	slices.Sort(ms)
	return fmt.Sprintf("median %.0f ms, worst %.0f ms, of %d", ms[len(ms)/2], ms[len(ms)-1], len(ms))
}
