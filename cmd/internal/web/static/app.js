// What a page does beyond forms: it shows news as they come, sends a form once
// and without leaving the page, and asks before what cannot be taken back.
//
// It is more than a page long, since a game is played for an hour in one window that
// is never loaded again: news must not take away what is half chosen, half written,
// pressed or focused; a line that falls silent must be noticed; and nervous hands
// must not send twice. A library for this would be many times as long, and no
// smaller to check. It draws nothing and knows no rule: without it every form works.
"use strict";
const $ = (q, at = document) => at.querySelector(q);
const main = $("#main"), said = $("#said"), lost = $("#lost"), sure = $("#sure"), sound = $("#sound");
const busy = new WeakSet();
document.documentElement.classList.add("js");
let fade;
const tell = text => { said.textContent = text; clearTimeout(fade); if (text) fade = setTimeout(tell, 10000, ""); };

// A choice half made stays while the page that comes has a form for the same.
const morph = {
  morphStyle: "innerHTML",
  callbacks: {
    beforeNodeMorphed: (old, now) => !(old.dataset && (old.dataset.dirty || old.className === "saved" || old.dataset.keep && old.dataset.keep === now.dataset.keep)),
    beforeAttributeUpdated: (name, node) => !(name === "open" && node.tagName === "DETAILS"),
  },
};
function news(html) {
  const was = $("#view").dataset.turn, at = document.activeElement, seen = at.matches(":focus-visible");
  const fresh = document.createElement("main");
  fresh.innerHTML = html;
  Idiomorph.morph(main, [...fresh.childNodes], morph);
  const view = $("#view");
  document.title = view.dataset.title;
  $("#icon").href = `/static/icon${view.dataset.turn ? "-turn" : ""}.svg`;
  if (view.dataset.turn && !was && localStorage.getItem("sound")) chime();
  if (at !== document.body && document.activeElement === document.body) goOn(seen);
  count();
  heard();
}

// What had the focus is gone: it goes to what happens now, not back to the top of
// the document. A mouse does not look for it, so the page stays where it is then.
function goOn(seen) {
  const to = $("#compare h2, #end h2, .act h2", main) || $(".state", main) || $("h1", main);
  if (to && !sure.open) to.focus({ preventScroll: !seen });
}

// News waits for a hand: while a button of the mouse is down, lest it replace what is
// pressed before it is let go and no click comes of it; and while the mouse moves over
// a list whose rows it could shift.
let held = null, still = 0;
function hold(ms) {
  clearTimeout(still);
  still = setTimeout(() => {
    const html = held;
    still = 0;
    held = null;
    if (html !== null) news(html);
  }, ms);
}
addEventListener("pointerdown", () => hold(2000), true); // should nobody say that it was let go
for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => hold(0), true); // after the click
addEventListener("pointermove", e => { if (!e.buttons && e.target.closest("[data-steady]")) hold(400); }, true);

// Events: a window that was asleep begins again with what is shown now. The line may
// fall silent without breaking, as under a closed lid; the program is heard at every
// beat, so that silence says that nobody is there. Clocks run on while timers sleep.
const beat = Number(document.body.dataset.beat), patience = 2.5 * beat;
let source, due = Infinity;
function listen() {
  if (source) source.close();
  source = new EventSource(document.body.dataset.live);
  source.addEventListener("main", e => { alive(); if (still) held = e.data; else news(e.data); });
  source.addEventListener("beat", alive);
  source.onerror = () => { lost.hidden = false; if (source.readyState === EventSource.CLOSED) due = Date.now() + 3000; };
  due = Date.now() + patience;
}
function alive() {
  lost.hidden = true;
  due = Date.now() + patience;
}
function overdue() {
  if (Date.now() < due) return;
  lost.hidden = false;
  listen();
}
if (document.body.dataset.live) { listen(); setInterval(overdue, Math.min(1000, beat)); }

// Forms. What was sent once is not sent again before the page says what came of it,
// nor ever in the same round.
const picked = form => [...form.querySelectorAll("input:checked")];
const sent = new WeakMap();
let heard = () => {};
document.addEventListener("submit", async e => {
  const form = e.target, by = e.submitter;
  if (!new URL(form.action).pathname.startsWith("/do/")) return;
  e.preventDefault();
  const once = form.elements.round && form.action + "?" + new URLSearchParams(new FormData(form, by));
  if (busy.has(form) || once && sent.get(form) === once) return;
  const need = Number(form.dataset.need || 0);
  if (need && picked(form).length !== need) return tell(form.dataset.needed);
  busy.add(form);
  try {
    if (form.dataset.confirm && !await agreed(form)) return;
    const news = new Promise(go => { heard = go; setTimeout(go, 2000); });
    const calm = new Promise(go => setTimeout(go, 400)); // news may be of somebody else
    if (!await send(form, by)) return;
    sent.set(form, once);
    await Promise.all([news, calm]);
  } finally {
    busy.delete(form);
  }
});
async function send(form, by) {
  const body = new URLSearchParams(new FormData(form, by)), text = form.dataset.dirty && $("textarea", form).value;
  form.setAttribute("aria-busy", "true");
  try {
    const r = await fetch(form.action, { method: "POST", body, headers: { Accept: "text/plain" }, keepalive: true });
    tell(r.ok ? "" : await r.text());
    if (r.ok && text && $("textarea", form).value === text) { delete form.dataset.dirty; $(".saved", form).textContent = said.dataset.saved; }
    return r.ok;
  } catch { tell(said.dataset.lost); } finally { form.removeAttribute("aria-busy"); }
}
let asked = 0;
function agreed(form) {
  const labels = picked(form).map(i => i.closest("label")).filter(l => $(".card", l));
  $("p", sure).textContent = form.dataset.confirm.replace("{cards}", labels.map(l => $(".name", l).textContent).join(sure.dataset.between));
  $(".cards", sure).replaceChildren(...labels.map(l => $(".card", l).cloneNode(true)));
  sure.returnValue = "";
  sure.showModal();
  asked = performance.now();
  return new Promise(done => { sure.onclose = () => done(sure.returnValue === "yes"); });
}
// The second click of a double click may meet another button than the first, and
// the second of two Enters the button that a dialog has just put the focus on.
document.addEventListener("click", e => {
  const hasty = !e.detail && e.timeStamp - asked < 400 && e.target.matches("#sure [autofocus]");
  if (hasty || e.detail > 1 && e.target.closest("button:not(.mark), summary")) e.preventDefault();
}, true);
document.addEventListener("change", e => {
  const form = e.target.form, need = Number(form && form.dataset.need || 0);
  if (need && e.target.type === "checkbox" && picked(form).length > need) e.target.checked = false;
  tell("");
});
document.addEventListener("keydown", e => {
  if (e.key === "Enter" && e.repeat && e.target.closest("button")) e.preventDefault(); // held down
  if (e.key === "Enter" && e.target.matches("input[type=radio], input[type=checkbox]")) e.preventDefault();
  const step = { ArrowUp: [0, -1], ArrowDown: [0, 1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] }[e.key];
  if (!step || !e.target.matches("button.mark")) return;
  const td = e.target.closest("td"), rows = [...document.querySelectorAll("#marks tr:not(.kind)")];
  const aside = step[0] * (document.dir === "rtl" ? -1 : 1);
  for (let x = td.cellIndex, y = rows.indexOf(td.parentNode); rows[y] && rows[y].cells[x];) {
    x += aside; y += step[1];
    const next = rows[y] && rows[y].cells[x] && $("button.mark", rows[y].cells[x]);
    if (next) { e.preventDefault(); return next.focus(); }
  }
});
document.addEventListener("click", e => {
  const close = e.target.closest("[data-close]"), copy = e.target.closest("[data-copy]");
  if (close) close.closest("details").open = false;
  if (copy) navigator.clipboard.writeText($("#" + copy.dataset.copy).value).then(() => tell(said.dataset.copied));
});

// Notes are kept after a pause, and when the field or the page is left.
let pause;
const keep = () => { const form = $("form[data-dirty]"); if (form && !busy.has(form)) form.requestSubmit(); else if (form) pause = setTimeout(keep, 300); };
main.addEventListener("input", e => {
  const form = e.target.closest("form[data-save]");
  if (!form) return;
  form.dataset.dirty = "yes";
  $(".saved", form).textContent = "";
  clearTimeout(pause);
  pause = setTimeout(keep, 800);
});
main.addEventListener("focusout", e => { if (e.target.closest("form[data-dirty]")) keep(); });
document.addEventListener("visibilitychange", () => { if (document.hidden) keep(); });

// Time left, counted here.
function count() {
  const digits = new Intl.NumberFormat(document.documentElement.lang, { minimumIntegerDigits: 2 });
  for (const el of document.querySelectorAll("[data-until]")) {
    const s = Math.max(0, Math.round((el.dataset.until - Date.now()) / 1000));
    $("time", el).textContent = digits.format(Math.floor(s / 60)) + ":" + digits.format(s % 60);
  }
}
setInterval(count, 1000);
count();

// A chime says that it is my turn, if it was asked for.
function chime() {
  const at = new AudioContext(), tone = at.createOscillator(), gain = at.createGain();
  tone.frequency.value = 660;
  gain.gain.setValueAtTime(0.08, at.currentTime);
  gain.gain.exponentialRampToValueAtTime(0.0001, at.currentTime + 0.6);
  tone.connect(gain).connect(at.destination);
  tone.start();
  tone.stop(at.currentTime + 0.6);
}
function loud(on) {
  sound.setAttribute("aria-pressed", on);
  $("use", sound).setAttribute("href", `/static/cards.svg#sound${on ? "" : "-off"}`);
  if (on) localStorage.setItem("sound", "on"); else localStorage.removeItem("sound");
}
sound.hidden = false;
loud(!!localStorage.getItem("sound"));
sound.onclick = () => { const on = sound.getAttribute("aria-pressed") !== "true"; loud(on); if (on) chime(); };
