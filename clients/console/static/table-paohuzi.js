// A Paohuzi table: 字牌, hands in columns, melds with their huxi.

import { around, choices, element, filled, heading, picture, scores } from "./drawing.js";

const CHARACTERS = " 一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾";
const RED = new Set([2, 7, 10, 12, 17, 20]);
const rank = (tile) => ((tile - 1) % 10) + 1;

export function draw(scene) {
  const { table, viewer } = scene;
  const order = around(table.seats.length, viewer);
  const near = order.pop();
  return [
    ...order.map((seat) => player(seat, scene, false)),
    middle(scene),
    player(near, scene, true),
    table.over ? outcome(scene) : null,
  ].filter(Boolean);
}

function player(seat, scene, near) {
  const { table, labels, acted } = scene;
  const own = table.seats[seat];
  const box = element(
    "section",
    `player${near ? " near" : ""}${acted === seat ? " acted" : ""}`,
    heading(seat, seat === table.dealer ? labels.dealer : "", scene),
    ...hand(own, labels),
    ...(own.melds.length ? [caption(meldTitle(own, labels)), melds(own.melds, labels)] : []),
    ...(own.discards.length ? [caption(labels.discards), pile(own.discards, labels)] : []),
    choices(own.options.length ? labels.asked : "", own.options),
  );
  box.setAttribute("aria-label", filled(labels.seat, seat));
  return box;
}

function meldTitle(own, labels) {
  return own.huxi ? `${labels.melds} · ${filled(labels.huxi, own.huxi)}` : labels.melds;
}

function hand(own, labels) {
  const title = `${labels.hand} · ${filled(labels.tiles, own.size)}`;
  if (!own.hand) return [caption(title)];
  const columns = Map.groupBy(own.hand, rank);
  const drawn = [...columns.keys()]
    .sort((one, other) => one - other)
    .map((key) => element("span", "stack", ...columns.get(key).map(tile)));
  return [caption(title), picture(`${labels.hand}: ${read(own.hand, labels)}`, element("div", "hand", ...drawn))];
}

function melds(laid, labels) {
  return element("div", "row", ...laid.map((one) => meld(one, labels)));
}

function meld(one, labels) {
  const count = one.huxi ? ` ${one.huxi}` : "";
  return picture(
    `${one.name}: ${read(one.tiles, labels)}`,
    element(
      "span",
      "meld",
      element("span", "tiles", ...one.tiles.map(tile)),
      element("small", "", one.name + count),
    ),
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
    element("figure", "", element("div", "amount", table.stock), element("figcaption", "", labels.stock)),
    offer ? shown(offer.tile, filled(offer.drawn ? labels.drawn : labels.played, offer.seat), "offer", labels) : null,
    shown(table.bright, labels.bright, "", labels),
  );
}

function shown(kind, text, style, labels) {
  return element("figure", style, picture(read([kind], labels), element("div", "", tile(kind))), element("figcaption", "", text));
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

function caption(text) {
  return element("span", "label", text);
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
