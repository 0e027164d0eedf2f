// A Shengji table: hands by suit, the trick in the middle as it lies, trumps, points; one's own seat below, the partner opposite.

import { around, backs, caption, element, filled, heading, picture, scores } from "./drawing.js";

const PLACES = ["left", "far", "right", "near"];

export function draw(scene) {
  const { table, viewer } = scene;
  const order = around(table.seats.length, viewer);
  const seats = order.map((seat, at) => player(seat, scene, PLACES[at] + (at === 3 ? " own" : "")));
  const [left, far, right, near] = seats;
  return [far, left, trick(scene, order), right, near, facts(scene), table.over ? outcome(scene) : null].filter(Boolean);
}

/** The cards of a hand in the order in which they are drawn. */
export function held(own) {
  return own.hand.flat().map(({ text, rank, suit }) => ({ text, label: suit + rank }));
}

function player(seat, scene, place) {
  const { table, labels, acted } = scene;
  const own = table.seats[seat];
  const box = element(
    "section",
    `player ${place}${acted === seat ? " acted" : ""}${own.hand ? " open" : ""}`,
    heading(seat, [own.part, own.asked ?? (own.turn ? labels.turn : "")].filter(Boolean), scene),
    hand(own, labels),
  );
  box.setAttribute("aria-label", filled(labels.seat, seat));
  return box;
}

function hand(own, labels) {
  const size = filled(labels.cards, own.size);
  if (!own.hand) return picture(`${labels.hand}: ${size}`, backs(own.size, "card", size));
  const groups = own.hand.map((group) => element("span", "cards", ...group.map(card)));
  return picture(`${labels.hand}: ${read(own.hand.flat(), labels)}`, element("div", "hand suits", ...groups));
}

/** The plays of the trick in front of the seats they came from; of a won one too, until the next is led. */
function trick({ table, labels }, order) {
  const plays = table.trick.length ? table.trick : table.won;
  const laid = plays.map((one, index) => {
    const text = filled(labels.seat, one.seat);
    const made = picture(`${text}: ${read(one.cards, labels)}`, element("div", "cards", ...one.cards.map(card)));
    return element("div", `laid ${PLACES[order.indexOf(one.seat)]}${index ? "" : " led"}`, made);
  });
  const box = element("div", `trick${plays === table.won && plays.length ? " taken" : ""}`, ...laid);
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", labels.trick);
  return box;
}

function facts({ table, labels }) {
  const trump = table.trump ? element("span", `glyph ${table.trump.kind}`, table.trump.suit) : "—";
  return element(
    "div",
    "middle",
    figure(table.level, labels.level),
    figure(trump, labels.trump),
    figure(String(table.points), labels.points),
    table.standing ? laid(table.standing.cards, `${labels.bid} · ${filled(labels.seat, table.standing.seat)}`, labels) : null,
    table.turned.length ? laid(table.turned, labels.turned, labels) : null,
    table.bottom.length ? laid(table.bottom, labels.bottom, labels) : null,
    table.thrown.length ? laid(table.thrown, labels.thrown, labels) : null,
  );
}

function figure(value, text) {
  return element("figure", "", element("div", "amount", value), element("figcaption", "", text));
}

function laid(held, text, labels) {
  const made = picture(`${text}: ${read(held, labels)}`, element("div", "cards", ...held.map(card)));
  return element("figure", "", made, element("figcaption", "", text));
}

function outcome({ table, labels }) {
  if (!table.ended) return element("section", "outcome", element("h3", "", filled(labels.voided, table.voided)));
  return element(
    "section",
    "outcome",
    element("h3", "", filled(labels.ended, table.ended.points)),
    element("p", "", scores(table.ended.scores, labels)),
  );
}

/** A card: rank and suit in the corner, the suit large where there is room; a joker by its word. */
function card({ rank, suit, kind, joker }) {
  const corner = element("i", "", ...(joker ? [...joker].map((letter) => element("b", "", letter)) : [rank, element("br", ""), suit]));
  return element("span", `card ${kind}${joker ? " joker" : ""}`, corner, element("u", "", suit));
}

function read(held, labels) {
  return held.map(({ rank, suit }) => suit + rank || labels.hidden).join(" ");
}
