package browser

// recorder notes in a page when what was sent, and when which round came to be
// shown. Times are milliseconds of one clock, since all windows are on one computer.
const recorder = `(() => {
	const now = () => performance.timeOrigin + performance.now();
	const sent = [], seen = [], broken = [];
	let touched = 0;
	for (const kind of ["click", "keydown"]) addEventListener(kind, e => { if (e.isTrusted) touched = now(); }, true);
	const real = window.fetch;
	window.fetch = (to, options) => {
		sent.push({ At: touched, To: new URL(to, location).pathname, Round: Number(options && options.body.get("round") || 0) });
		return real(to, options);
	};
	addEventListener("securitypolicyviolation", e => broken.push(e.violatedDirective + " " + e.blockedURI));
	addEventListener("error", e => broken.push(String(e.message)));
	addEventListener("unhandledrejection", e => broken.push(String(e.reason)));
	addEventListener("DOMContentLoaded", () => {
		let round = 0;
		const look = () => {
			const field = document.querySelector(".foot input[name=round]");
			const shown = document.querySelector("#end") ? 1e6 : field ? Number(field.value) : 0;
			if (shown > round) { round = shown; requestAnimationFrame(() => seen.push({ At: now(), Round: shown })); }
		};
		new MutationObserver(look).observe(document.documentElement, { subtree: true, childList: true, attributes: true });
		look();
	});
	window.recorded = { sent, seen, broken };
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
}

func (w *window) recorded() record {
	w.t.Helper()
	return value[record](w, `(({ sent, seen, broken }) => ({ Sent: sent, Seen: seen, Broken: broken }))(window.recorded)`)
}
