// A Paohuzi table: 字牌, hands in columns, melds with their huxi; one's own seat below, the others to the left and right.

import { around, backs, caption, element, filled, heading, picture, scores } from "./drawing.js";

const CHARACTERS = " 一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾";
const RED = new Set([2, 7, 10, 12, 17, 20]);
const rank = (tile) => ((tile - 1) % 10) + 1;

export function draw(scene) {
  const { table, viewer } = scene;
  const order = around(table.seats.length, viewer);
  const near = order.pop();
  return [
    player(order[0], scene, "left"),
    player(order[1], scene, "right"),
    middle(scene),
    player(near, scene, "near own"),
    table.over ? outcome(scene) : null,
  ].filter(Boolean);
}

/** The tiles of a hand in the order in which they are drawn. */
export function held(own) {
  return columns(own.hand)
    .flat()
    .map((kind) => ({ text: (kind > 10 ? "b" : "s") + rank(kind), label: CHARACTERS[kind] }));
}

/** By rank, small tiles above big ones; `hand` is ascending. */
function columns(hand) {
  const ranks = [...new Set(hand.map(rank))].sort((one, other) => one - other);
  return ranks.map((one) => hand.filter((kind) => rank(kind) === one));
}

function player(seat, scene, place) {
  const { table, labels, acted } = scene;
  const own = table.seats[seat];
  const waits = own.asked ? labels.asked : own.turn ? labels.turn : "";
  const parts = [seat === table.dealer ? labels.dealer : "", own.dead ? labels.dead : "", waits].filter(Boolean);
  const box = element(
    "section",
    `player ${place}${acted === seat ? " acted" : ""}${own.hand ? " open" : ""}`,
    heading(seat, parts, scene),
    element("div", "", ...hand(own, labels)),
    element(
      "div",
      "front",
      ...(own.melds.length ? [caption(meldTitle(own, labels)), melds(own.melds, labels)] : []),
      ...(own.discards.length ? [caption(labels.discards), pile(own.discards, labels)] : []),
    ),
  );
  box.setAttribute("aria-label", filled(labels.seat, seat));
  return box;
}

function meldTitle(own, labels) {
  return own.huxi ? `${labels.melds} · ${filled(labels.huxi, own.huxi)}` : labels.melds;
}

function hand(own, labels) {
  const size = filled(labels.tiles, own.size);
  if (!own.hand) return [picture(`${labels.hand}: ${size}`, backs(own.size, "tile", size))];
  const drawn = columns(own.hand).map((column) => element("span", "stack", ...column.map(tile)));
  return [
    caption(`${labels.hand} · ${size}`),
    picture(`${labels.hand}: ${read(own.hand, labels)}`, element("div", "hand", ...drawn)),
  ];
}

function melds(laid, labels) {
  return element("div", "row", ...laid.map((one) => meld(one, labels)));
}

function meld(one, labels) {
  const count = one.huxi ? ` ${one.huxi}` : "";
  return picture(
    `${one.name}: ${read(one.tiles, labels)}`,
    element("span", "meld", element("span", "tiles", ...one.tiles.map(tile)), element("small", "", one.name + count)),
  );
}

function pile(tiles, labels) {
  return picture(`${labels.discards}: ${read(tiles, labels)}`, element("div", "pile", ...tiles.map(tile)));
}

function middle({ table, labels }) {
  const { offer } = table;
  return element(
    "div",
    "middle",
    figure(element("div", "stock", element("b", "", String(table.stock))), labels.stock),
    offer
      ? shown(offer.tile, filled(offer.drawn ? labels.drawn : labels.played, offer.seat), "offer", labels)
      : element("figure", "offer none", element("div", "tile")),
    shown(table.bright, labels.bright, "", labels),
  );
}

function shown(kind, text, style, labels) {
  const made = figure(picture(read([kind], labels), element("div", "", tile(kind))), text);
  made.className = style;
  return made;
}

function figure(drawn, text) {
  return element("figure", "", drawn, element("figcaption", "", text));
}

function outcome({ table, labels }) {
  const { won } = table;
  if (!won) return element("section", "outcome", element("h3", "", labels.nobody));
  const counted = [filled(labels.huxi, won.huxi), ...won.names, filled(labels.fan, won.fan)].join(" · ");
  return element(
    "section",
    "outcome",
    element("h3", "", filled(labels.won, won.seat)),
    melds(won.melds, labels),
    element("p", "", counted),
    element("p", "", scores(won.scores, labels)),
  );
}

function tile(kind) {
  if (!kind) return element("span", "tile hidden");
  const face = CHARACTERS[kind];
  const style = `tile ${kind > 10 ? "big" : "small"}${RED.has(kind) ? " red" : ""}`;
  return element("span", style, element("i", "", face), element("i", "", face));
}

function read(tiles, labels) {
  return tiles.map((kind) => (kind ? CHARACTERS[kind] : labels.hidden)).join(" ");
}
