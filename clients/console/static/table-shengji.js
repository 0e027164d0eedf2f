// A Shengji table: hands by suit, the trick in front of each seat, trumps, points.

import { around, choices, element, filled, heading, picture, scores } from "./drawing.js";

export function draw(scene) {
  const { table, viewer } = scene;
  const [left, partner, right, near] = around(table.seats.length, viewer);
  return [
    player(partner, scene, true),
    player(left, scene, false),
    player(right, scene, false),
    middle(scene),
    player(near, scene, true),
    table.over ? outcome(scene) : null,
  ].filter(Boolean);
}

function player(seat, scene, near) {
  const { table, labels, acted } = scene;
  const own = table.seats[seat];
  const laid = (table.trick.length ? table.trick : table.won).find((one) => one.seat === seat);
  const box = element(
    "section",
    `player${near ? " near" : ""}${acted === seat ? " acted" : ""}`,
    heading(seat, own.part, scene),
    ...hand(own, labels),
    ...(laid ? [caption(labels.trick), cards(laid.cards, labels.trick, labels)] : []),
    own.options.length ? choices(own.asked, own.options) : null,
  );
  box.setAttribute("aria-label", filled(labels.seat, seat));
  return box;
}

function hand(own, labels) {
  const title = caption(`${labels.hand} · ${filled(labels.cards, own.size)}`);
  if (!own.hand) return [title];
  const groups = own.hand.map((group) => element("span", "cards", ...group.map(card)));
  return [title, picture(`${labels.hand}: ${read(own.hand.flat(), labels)}`, element("div", "hand suits", ...groups))];
}

function middle({ table, labels }) {
  const trump = table.trump ? element("span", `glyph ${table.trump.kind}`, table.trump.suit) : "—";
  return element(
    "div",
    "middle",
    figure(table.level, labels.level),
    figure(trump, labels.trump),
    figure(table.points, labels.points),
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
  return element("figure", "", cards(held, text, labels), element("figcaption", "", text));
}

function cards(held, text, labels) {
  return picture(`${text}: ${read(held, labels)}`, element("div", "cards", ...held.map(card)));
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

function caption(text) {
  return element("span", "label", text);
}

function card({ rank, suit, kind }) {
  return element("span", `card ${kind}`, element("i", "", rank), element("i", "", suit));
}

function read(held, labels) {
  return held.map(({ rank, suit }) => suit + rank || labels.hidden).join(" ");
}
