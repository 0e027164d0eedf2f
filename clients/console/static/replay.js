// Steps of a board: the slider, keys, swipes and #step=N lead to a step; the game's own script draws the table.

import { explain, field } from "./step.js";

const page = document.getElementById("replay");
const read = (id) => JSON.parse(document.getElementById(id).textContent);
const steps = read("steps");
const [labels, words] = [read("labels"), read("words")];
const people = [...document.querySelectorAll("#people li")].map((one) => ({ name: one.textContent.trim() }));
const viewer = Number(new URLSearchParams(location.search).get("seat") ?? 0);
const [table, slider, position, moves] = ["table", "slider", "position", "moves"].map((id) => document.getElementById(id));
const { draw } = await import(page.dataset.table);

const SWIPE = 40; // pixels
let at = -1;
let decisions = null;

function show(index) {
  index = Math.min(Math.max(index, 0), steps.length - 1);
  if (index === at) return;
  at = index;
  const { step, seat, clocks, table: laid } = steps[at];
  table.replaceChildren(...draw({ table: laid, clocks, labels, people, viewer, acted: seat }));
  table.dataset.step = step;
  slider.value = at;
  position.textContent = `${step} / ${steps.at(-1).step}`;
  say(step);
  document.getElementById("step").replaceChildren(...explain(steps[at], words, choices));
  compare();
  mark(step);
}

/** The step's sentence, for whoever listens: by the slider where that is moved, else by itself. */
function say(step) {
  const sentence = document.querySelector(`#step-${step} .said`).innerText.trim().replace(/\s*\n\s*/g, "; ");
  slider.setAttribute("aria-valuetext", `${position.textContent} ${sentence}`);
  if (document.activeElement !== slider) document.getElementById("said").textContent = sentence;
}

/** A page of the many actions of a step; null where it cannot be had. */
function choices(step, number) {
  const asked = new URLSearchParams(location.search);
  asked.set("choices", step);
  asked.set("page", number);
  return fetch(`${location.pathname}?${asked}`).then((answer) => (answer.ok && !answer.redirected ? answer.json() : null)).catch(() => null);
}

/** What the field did at this decision; asked for once, when the first decision is looked at. */
function compare() {
  const shown = document.getElementById("field");
  if (!page.dataset.field || !steps[at].decides) return shown.replaceChildren();
  decisions ??= fetch(page.dataset.field).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
  const step = steps[at].step;
  shown.dataset.step = step;
  decisions.then((told) => {
    // Somebody who steps on does not wait for what was asked before.
    if (shown.dataset.step === String(step) && steps[at].step === step) shown.replaceChildren(...field(told, step, page.dataset.boards, words));
  });
}

function mark(step) {
  moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = document.querySelector(`#step-${step} a`);
  link.setAttribute("aria-current", "step");
  // Only the list scrolls, never the page.
  const { offsetTop, offsetHeight } = link.parentElement;
  const top = offsetTop - moves.offsetTop;
  if (top < moves.scrollTop || top + offsetHeight > moves.scrollTop + moves.clientHeight) {
    moves.scrollTop = top - moves.clientHeight / 2;
  }
}

function go(index) {
  show(index);
  history.replaceState(null, "", `#step=${steps[at].step}`);
  aim();
}

/** Another seat's knowledge, and another language, are shown at the same step. */
function aim() {
  for (const link of document.querySelectorAll(".knowledge a, .languages a, #link")) link.hash = `step=${steps[at].step}`;
}

function linked() {
  const step = Number(new URLSearchParams(location.hash.slice(1)).get("step") ?? 0);
  const index = steps.findIndex((one) => one.step >= step);
  show(index < 0 ? steps.length - 1 : index);
  aim();
}

/** The nearest step that way at which a seat chose among several actions; where one is if there is none. */
function decision(way) {
  for (let index = at + way; index >= 0 && index < steps.length; index += way) if (steps[index].decides) return index;
  return at;
}

const GO = {
  first: () => 0,
  earlier: () => decision(-1),
  previous: () => at - 1,
  next: () => at + 1,
  later: () => decision(1),
  last: () => steps.length - 1,
};
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last", BracketLeft: "earlier", BracketRight: "later" };

addEventListener("keydown", (event) => {
  const to = GO[KEYS[event.code]];
  if (!to || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  go(to());
});
for (const [id, to] of Object.entries(GO)) document.getElementById(id).addEventListener("click", () => go(to()));
slider.addEventListener("input", () => go(Number(slider.value)));
addEventListener("hashchange", linked);

document.getElementById("link").addEventListener("click", async (event) => {
  if (!navigator.clipboard) return;
  event.preventDefault();
  await navigator.clipboard.writeText(event.target.href).then(
    () => (document.getElementById("copied").textContent = words.copied),
    () => go(at),
  );
});

let touched = null;
table.addEventListener("touchstart", ({ changedTouches: [touch] }) => (touched = touch), { passive: true });
table.addEventListener("touchend", ({ changedTouches: [touch] }) => {
  const across = touch.clientX - touched.clientX;
  if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(touch.clientY - touched.clientY)) {
    go(across < 0 ? at + 1 : at - 1);
  }
});

linked();
