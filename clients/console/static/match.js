// A match as spectators see it: drawn again whenever more of it is shown, to its end.

import { element } from "./drawing.js";
import { follow } from "./follow.js";

const [table, stands, deals] = ["table", "stands", "deals"].map((id) => document.getElementById(id));
const labels = JSON.parse(document.getElementById("labels").textContent);
const people = [...document.querySelectorAll("#people li")].map((one) => ({ name: one.textContent.trim() }));
const { draw } = await import(table.dataset.table);

/** A deal that is over, and the way to its replay. */
function deal({ said, replay }) {
  const link = element("a", "", deals.dataset.replay);
  link.href = replay;
  link.setAttribute("aria-label", `${deals.dataset.replay}: ${said}`);
  return element("li", "", said, " ", link);
}

/** A side and its level. */
function side({ who, level }) {
  return element("li", "", element("small", "", labels.level), " ", element("b", "", level), " ", who);
}

function show({ scene, sides, news, deals: played, ended }) {
  table.replaceChildren(...draw({ table: scene, clocks: null, labels, people, viewer: 0, acted: scene.seats.findIndex((one) => one.turn) }));
  // Whoever listens is told where the match stands when that changes, not card by card.
  const told = [element("ul", "sides", ...sides.map(side)), element("p", ended ? "notice" : "", ended || news)];
  if (stands.textContent !== told.map((one) => one.textContent).join("")) stands.replaceChildren(...told);
  // What is there stays: somebody may be about to follow it.
  if (deals.children.length > played.length) deals.replaceChildren();
  deals.append(...played.slice(deals.children.length).map(deal));
}

const leave = follow(table.dataset.stream, (told) => {
  if (told.scene) show(told);
  if (told.ended) leave();
});
