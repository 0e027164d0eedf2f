// One's own seat: the table is drawn whenever it changes, and what one may do is offered as buttons; 1 to 9 press the first nine.

import { element, filled, sentence } from "./drawing.js";

const at = (id) => document.getElementById(id);
const table = at("table");
const labels = JSON.parse(at("labels").textContent);
const words = JSON.parse(at("words").textContent);
const { draw } = await import(table.dataset.table);

let moment = null;
let answered = "";
let ends = null;
const chosen = new Set();

const question = () => `${moment.board}.${moment.ask}.${moment.command_id}`;
const open = () => moment && !moment.paused && (moment.due || moment.choices.length > 0) && answered !== question();

async function send(path, fields) {
  const answer = await fetch(`${table.dataset.address}/${path}`, { method: "POST", body: new URLSearchParams(fields) }).catch(() => null);
  return answer?.ok && !answer.redirected ? answer.json() : { refused: words.away };
}

async function act(action) {
  if (!open()) return;
  const { board, ask, command_id } = moment;
  const asked = question();
  // Bids that nobody asks for may follow each other.
  if (ask) answered = asked;
  at("refused").textContent = "";
  show();
  const { refused } = await send("answer", { board, ask, command_id, action });
  if (!refused) return;
  at("refused").textContent = refused;
  if (answered === asked) answered = "";
  show();
}

function button(text, action, ...children) {
  const made = element("button", "", ...children);
  made.type = "button";
  made.dataset.action = text;
  made.addEventListener("click", action);
  return made;
}

function offered() {
  if (!open()) return [];
  const made = moment.choices.map(([text, said], index) =>
    button(text, () => act(text), element("small", "", String(index + 1)), " ", ...sentence(said)),
  );
  if (!moment.laying) return made;
  const lay = button(moment.laying, () => act([moment.laying, ...[...chosen].map((one) => one.dataset.card)].join(" ")), words[moment.laying]);
  lay.disabled = chosen.size === 0;
  return [...made, lay];
}

function status() {
  if (moment.paused) return words.paused;
  if (moment.result) return moment.result;
  if (moment.due && answered === question()) return words.sent;
  if (!moment.due) return words.others;
  return moment.laying ? `${words.yours} ${words.choose}` : words.yours;
}

function show() {
  at("place").textContent = moment.place;
  if (at("status").textContent !== status()) at("status").textContent = status();
  at("choices").replaceChildren(...offered());
  if (!moment.scene) return table.replaceChildren();
  // What the seat may do are the buttons above.
  const seats = moment.scene.seats.map((one) => ({ ...one, options: [] }));
  table.className = `${table.className.replace(/ seats-\d/, "")} seats-${seats.length}`;
  table.replaceChildren(
    ...draw({ table: { ...moment.scene, seats }, clocks: null, labels, people: [], viewer: moment.seat, acted: moment.due ? moment.seat : null }),
  );
  if (moment.laying && open()) pick();
}

/** One's cards become buttons that are pressed to choose them. */
function pick() {
  const held = moment.scene.seats[moment.seat].hand.flat();
  const hand = table.querySelector(".player .hand");
  hand.setAttribute("role", "group");
  [...hand.querySelectorAll(".card")].forEach((card, index) => {
    const toggle = element("button", card.className, ...card.childNodes);
    toggle.type = "button";
    toggle.dataset.card = held[index].text;
    toggle.setAttribute("aria-label", `${held[index].suit}${held[index].rank}`);
    toggle.setAttribute("aria-pressed", "false");
    toggle.addEventListener("click", () => {
      const pressed = chosen.delete(toggle) ? false : Boolean(chosen.add(toggle));
      toggle.setAttribute("aria-pressed", String(pressed));
      at("choices").replaceChildren(...offered());
    });
    card.replaceWith(toggle);
  });
}

function tick() {
  const left = ends === null || !open() ? null : Math.max(0, Math.ceil((ends - performance.now()) / 1000));
  at("clock").textContent = left === null ? "" : filled(words.left, left);
}

const source = new EventSource(`${table.dataset.address}/stream`);
source.onmessage = ({ data }) => {
  const told = JSON.parse(data);
  if (told.closed) source.close();
  if (told.closed || told.status) {
    at("status").textContent = told.closed || told.status;
    at("choices").replaceChildren();
    ends = null;
    return tick();
  }
  moment = told;
  ends = told.left_ms === null ? null : performance.now() + told.left_ms;
  chosen.clear();
  show();
  tick();
};
setInterval(tick, 500);
addEventListener("pagehide", () => source.close());

addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea") || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (/^[1-9]$/.test(event.key)) at("choices").querySelectorAll("button")[event.key - 1]?.click();
});

at("referee").addEventListener("submit", async (event) => {
  event.preventDefault();
  const { refused } = await send("referee", new FormData(event.target));
  at("refused").textContent = refused || "";
  if (refused) return;
  at("status").textContent = words.called;
  event.target.reset();
  // A call that is made later is another one.
  event.target.command_id.value = Array.from(crypto.getRandomValues(new Uint8Array(12)), (one) => one.toString(16).padStart(2, "0")).join("");
});
