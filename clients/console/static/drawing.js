// What every table's script draws with.

/** An element with a class and children; null children are left out. */
export function element(name, style, ...children) {
  const made = document.createElement(name);
  if (style) made.className = style;
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

/** A picture made of elements, read to people as `label`. */
export function picture(label, made) {
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", label);
  return made;
}

/** A text with its slot filled. */
export function filled(text, value) {
  return text.replace("{0}", value);
}

/** The words of a sentence; what is printed on cards keeps its colour. */
export function sentence(words) {
  return words.map(([text, kind]) => (kind ? element("span", `glyph ${kind}`, text) : text));
}

/** A small title above what lies there. */
export function caption(text) {
  return element("span", "label", text);
}

/** A closed hand: its backs, as many as there are, and their number. */
export function backs(count, style, text) {
  const drawn = Array.from({ length: count }, () => element("span", `${style} hidden`));
  return element("div", "backs", element("span", "fan", ...drawn), element("small", "", text));
}

/** The heading of a seat: its number, who sits there, its parts, its thinking time. */
export function heading(seat, parts, scene) {
  const { labels, people, clocks } = scene;
  return element(
    "header",
    "",
    element("b", "", filled(labels.seat, seat)),
    people[seat]?.name ? element("span", "", people[seat].name) : null,
    ...parts.map((part) => element("span", "part", part)),
    clocks ? element("span", "clock", filled(labels.thinking, (clocks[seat] / 1e6).toFixed(1))) : null,
  );
}

/** Seats from the viewer's left around the table, the viewer last. */
export function around(count, viewer) {
  return Array.from({ length: count }, (_, place) => (viewer + 1 + place) % count);
}

/** Scores by seat, with their signs. */
export function scores(values, labels) {
  return values
    .map((score, seat) => `${filled(labels.seat, seat)} ${score > 0 ? "+" : ""}${score}`.replace("-", "−"))
    .join(" · ");
}
