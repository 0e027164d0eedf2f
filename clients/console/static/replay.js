// Steps of a board: the slider, keys, swipes and #step=N lead to a step; the game's own script draws the table.

const page = document.getElementById("replay");
const steps = JSON.parse(document.getElementById("steps").textContent);
const labels = JSON.parse(document.getElementById("labels").textContent);
const people = [...document.querySelectorAll("#people li")].map((one) => ({ name: one.textContent.trim() }));
const viewer = Number(new URLSearchParams(location.search).get("seat") ?? 0);
const [table, slider, position, moves] = ["table", "slider", "position", "moves"].map((id) => document.getElementById(id));
const { draw } = await import(page.dataset.table);

const SWIPE = 40; // pixels
let at = -1;

function show(index) {
  index = Math.min(Math.max(index, 0), steps.length - 1);
  if (index === at) return;
  at = index;
  const { step, seat, clocks, table: laid } = steps[at];
  table.replaceChildren(...draw({ table: laid, clocks, labels, people, viewer, acted: seat }));
  table.dataset.step = step;
  slider.value = at;
  position.textContent = `${step} / ${steps.at(-1).step}`;
  mark(step);
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
  for (const link of document.querySelectorAll(".knowledge a, .languages a")) link.hash = `step=${steps[at].step}`;
}

function linked() {
  const step = Number(new URLSearchParams(location.hash.slice(1)).get("step") ?? 0);
  const index = steps.findIndex((one) => one.step >= step);
  show(index < 0 ? steps.length - 1 : index);
  if (location.hash) aim();
}

const KEYS = { ArrowLeft: () => at - 1, ArrowRight: () => at + 1, Home: () => 0, End: () => steps.length - 1 };
const BUTTONS = { first: KEYS.Home, previous: KEYS.ArrowLeft, next: KEYS.ArrowRight, last: KEYS.End };

addEventListener("keydown", (event) => {
  const to = KEYS[event.key];
  if (!to || event.altKey || event.ctrlKey || event.metaKey) return;
  event.preventDefault();
  go(to());
});
for (const [id, to] of Object.entries(BUTTONS)) document.getElementById(id).addEventListener("click", () => go(to()));
slider.addEventListener("input", () => go(Number(slider.value)));
addEventListener("hashchange", linked);

let touched = null;
table.addEventListener("touchstart", ({ changedTouches: [touch] }) => (touched = touch), { passive: true });
table.addEventListener("touchend", ({ changedTouches: [touch] }) => {
  const across = touch.clientX - touched.clientX;
  if (Math.abs(across) > SWIPE && Math.abs(across) > 2 * Math.abs(touch.clientY - touched.clientY)) {
    go(across < 0 ? at + 1 : at - 1);
  }
});

linked();
