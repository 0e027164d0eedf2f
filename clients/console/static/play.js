// One's own seat: the table is drawn whenever it changes; what one may do is offered as buttons and in one's own hand.

import { element, filled, sentence } from "./drawing.js";
import { follow } from "./follow.js";
import { Hand } from "./hand.js";

const at = (id) => document.getElementById(id);
const table = at("table");
const labels = JSON.parse(at("labels").textContent);
const words = JSON.parse(at("words").textContent);
const title = document.title;
const SHORT = 5; // seconds
const { draw, held } = await import(table.dataset.table);

let moment = null;
let instead = ""; // what is told instead of a moment: nothing is to be done then
let answered = "";
let ends = null;
let timed = ""; // the question whose clock the bar shows
let bid = false; // whether one's own bid waits for its decision
const hand = new Hand(table, offer, act);

const question = () => `${moment.board}.${moment.ask}.${moment.command_id}`;
const open = () => moment && !instead && !moment.paused && (moment.due || moment.choices.length > 0) && answered !== question();

async function send(path, fields) {
  const answer = await fetch(`${table.dataset.address}/${path}`, { method: "POST", body: new URLSearchParams(fields) }).catch(() => null);
  if (answer?.redirected) return { refused: words.expired };
  return answer?.ok ? answer.json() : { refused: words.away };
}

async function act(action) {
  if (!open()) return;
  const { board, ask, command_id } = moment;
  const asked = question();
  // Bids that nobody asks for may follow each other.
  if (ask) answered = asked;
  hand.clear();
  at("refused").textContent = "";
  show();
  const { refused } = await send("answer", { board, ask, command_id, action });
  if (!refused) return void (bid ||= action.startsWith("bid "));
  at("refused").textContent = refused;
  if (answered === asked) answered = "";
  show();
}

/** A button named by an action or its first word; `action` gives the whole of it when it is pressed. */
function button(name, action, ...children) {
  const made = element("button", "", ...children);
  made.type = "button";
  made.dataset.action = name;
  made.addEventListener("click", () => act(action()));
  return made;
}

/** A button a choice that the cards chosen in the hand can still become; what is played from the hand waits for its tile. */
function offer() {
  const buttons = open() ? [...hand.fitting().map(([text, said]) => button(text, () => text, ...sentence(said))), ...laid()] : [];
  buttons.slice(0, 9).forEach((one, index) => one.prepend(element("small", "", String(index + 1)), " "));
  replace(at("choices"), buttons);
  if (moment && at("status").textContent !== status()) at("status").textContent = status();
}

/** Put buttons in the place of others. What is the same stays as it is: somebody may be about to press it. */
function replace(place, buttons) {
  const text = (all) => all.map((one) => `${one.dataset.action} ${one.textContent} ${one.disabled}`).join();
  if (text(buttons) === text([...place.children])) return;
  const focused = document.activeElement?.dataset.action;
  place.replaceChildren(...buttons);
  if (focused) buttons.find((one) => one.dataset.action === focused)?.focus();
}

function laid() {
  if (!moment.laying) return [];
  const [word, needs] = moment.laying;
  const count = hand.texts().length;
  const made = button(word, () => [word, ...hand.texts()].join(" "), words[word], needs ? ` (${count} / ${needs})` : "");
  made.disabled = needs ? count !== needs : !count;
  return [made];
}

function status() {
  if (instead) return instead;
  if (moment.paused) return words.paused;
  if (moment.result) return moment.result;
  if (moment.due && answered === question()) return words.sent;
  if (!moment.due) return words.others;
  if (moment.laying) return `${words.yours} ${moment.laying[1] ? filled(words.several, moment.laying[1]) : words.choose}`;
  return hand.plays() ? `${words.yours} ${words.tap}` : words.yours;
}

function show() {
  if (!moment) return void (at("status").textContent = status());
  at("place").textContent = moment.place;
  at("match").replaceChildren(...match(moment.match));
  if (!moment.scene) {
    table.replaceChildren();
    return offer();
  }
  const { seats } = moment.scene;
  table.className = `${table.className.replace(/ seats-\d/, "")} seats-${seats.length}`;
  const scene = { table: moment.scene, clocks: null, labels, people: moment.people, viewer: moment.seat, acted: moment.due ? moment.seat : seats.findIndex((one) => one.turn) };
  hand.redraw(() => table.replaceChildren(...draw(scene)));
  const own = seats[moment.seat];
  if (open() && own.hand) hand.offers(question(), held(own), moment.choices, Boolean(moment.laying));
  else hand.clear();
  offer();
}

/** One's own bid gives way to another's (S4.2), or another's at the same card came before it (S4.4). */
function overtaken(told) {
  const [before, now] = [moment?.standing, told.standing];
  if (!moment || told.board !== moment.board) at("news").replaceChildren();
  if (!now || (before && String(before) === String(now))) return;
  if (now[0] !== told.seat && (bid || before?.[0] === told.seat)) {
    at("news").replaceChildren(`${filled(words.overtaken, now[0])} `, ...sentence(now[1]));
  }
  bid = false;
}

/** What happened since, for whoever cannot see the table. */
function heard(events) {
  if (!events.length) return;
  const told = element("p", "", ...events.flatMap((one, index) => [index ? "; " : "", ...sentence(one)]));
  at("heard").replaceChildren(...told.childNodes);
}

/** Where a match of many deals stands, its deals to be unfolded, and its end. */
function match(told) {
  if (!told) return [];
  const unfolded = at("match").querySelector("details")?.open ?? false;
  const deals = element("details", "", element("summary", "", told.standing), element("ul", "", ...told.deals.map((one) => element("li", "", one))));
  deals.open = unfolded;
  return [told.deals.length ? deals : element("p", "", told.standing), told.ended ? element("p", "ended notice", told.ended) : null].filter(Boolean);
}

function tick() {
  const left = ends === null || !open() ? null : Math.max(0, Math.ceil((ends - performance.now()) / 1000));
  at("clock").textContent = left === null ? "" : filled(words.left, left);
  at("clock").classList.toggle("short", left !== null && left <= SHORT);
  at("left").hidden = left === null;
  at("left").value = left ?? 0;
  // Whoever looks at another page meanwhile sees that it waits.
  document.title = (left === null ? "" : "● ") + title;
}

/** What there is to say instead of a moment; its cards stay to be looked at. */
function aside(text = words.away) {
  instead = text;
  show();
  tick();
}

const leave = follow(`${table.dataset.address}/stream`, hear, aside);

function hear(told) {
  if (told.closed) leave();
  at("elsewhere").hidden = !(told.closed || told.unseated);
  at("entering").hidden = !told.unseated;
  for (const one of document.querySelectorAll(".seated")) one.hidden = Boolean(told.closed || told.unseated);
  if (told.closed || told.status) return aside(told.closed || told.status);
  overtaken(told);
  heard(told.news);
  [moment, instead] = [told, ""];
  if (told.left_ms !== null && question() !== timed) at("left").max = Math.ceil(told.left_ms / 1000);
  timed = question();
  ends = told.left_ms === null ? null : performance.now() + told.left_ms;
  show();
  tick();
}
setInterval(tick, 500);

addEventListener("keydown", (event) => {
  if (event.target.closest("input, textarea") || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (/^[1-9]$/.test(event.key)) at("choices").querySelectorAll("button")[event.key - 1]?.click();
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    if (hand.step(event.key === "ArrowLeft" ? -1 : 1)) event.preventDefault();
  } else if (event.key === "Escape") hand.drop();
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
