// What is told of one step of a board: who chose what among what, what was refused before, and what the field did there.

import { element, filled, sentence } from "./drawing.js";

const seconds = (microseconds) => (microseconds / 1e6).toFixed(1);
const signed = (value, digits = 0) => (value > 0 ? "+" : value < 0 ? "−" : "") + Math.abs(value).toFixed(digits);

/** The step in words; `more(step, page)` reads what is not listed at once. */
export function explain(step, words, more) {
  return [refused(step.tried, words), chosen(step, words), open(step, words, more)].filter(Boolean);
}

/** What seats tried and a clause refused; no part of the log. */
function refused(tried, words) {
  if (!tried.length) return null;
  return element(
    "ul",
    "tries",
    ...tried.map((one) =>
      element(
        "li",
        "",
        `${filled(words.tried, one.seat)} `,
        ...sentence(one.said),
        ` — ${filled(words.refused, one.clause || one.reason)} `,
        element("span", "tag", words.unproven),
      ),
    ),
  );
}

function chosen(step, words) {
  if (step.seat === null) return element("p", "", step.step === 1 ? words.dealt : words.unseen);
  return element(
    "p",
    "chose",
    element("b", "", filled(words.seat, step.seat)),
    " ",
    ...sentence(step.action),
    step.took ? element("span", "faint", ` · ${filled(words.took, seconds(step.took))}`) : null,
    step.automatic ? element("span", "tag", words.automatic) : null,
  );
}

/** What could be chosen, the choice marked; what is there besides a pass was passed up. */
function open({ step, legal, passed }, words, more) {
  if (!legal) return null;
  if (!legal.listed.length) return folded(step, legal.count, words, more);
  if (legal.count === 1) return element("p", "faint", words.only);
  const title = passed ? words.passed : words.could;
  return element("div", "", element("p", "faint", title), listed(legal, words));
}

/** Actions one by one, the choice marked. */
function listed({ listed, chosen }, words) {
  return element(
    "ul",
    "could",
    ...listed.map((option, index) => {
      const item = element("li", index === chosen ? "taken" : "", ...sentence(option));
      if (index === chosen) item.append(element("span", "unseen", ` (${words.taken})`));
      return item;
    }),
  );
}

/** Many actions, folded, some at a time; after the last come the first again. */
function folded(step, count, words, more) {
  const [shown, range] = [element("div", ""), element("span", "faint")];
  let [page, pages] = [0, 0];
  const turn = async (to) => {
    const told = await more(step, to);
    if (!told) return shown.replaceChildren(element("p", "faint", words.unread));
    pages ||= Math.ceil(count / told.listed.length);
    page = to;
    range.textContent = filled(words.range, (told.first + 1).toLocaleString()).replace("{1}", (told.first + told.listed.length).toLocaleString());
    shown.replaceChildren(listed(told, words));
  };
  const button = (text, way) => {
    const made = element("button", "", text);
    made.type = "button";
    made.addEventListener("click", () => pages && turn((page + way + pages) % pages));
    return made;
  };
  const turning = element("p", "pages", button(words.fewer, -1), range, button(words.more, 1));
  range.setAttribute("role", "status");
  const details = element("details", "many", element("summary", "", filled(words.many, count.toLocaleString())), turning, shown);
  details.addEventListener("toggle", () => details.open && !pages && turn(0));
  return details;
}

/** How many tables chose what at a decision, and the result each led to; `told` is null where nobody could be asked. */
export function field(told, step, boards, words) {
  const crossing = told?.decisions[step];
  if (!told) return [element("p", "faint", words.away)];
  if (!crossing) return [];
  const title = element("h3", "", words.field);
  const came = filled(words.came, crossing.came).replace("{1}", told.tables);
  const note = told.tables < told.of ? ` ${filled(words.first, told.tables).replace("{1}", told.of)}` : "";
  if (crossing.came < 2) return [title, element("p", "faint", words.alone + note)];
  const head = [words.choice, words.count, words.mean, words.led].map((text) => {
    const cell = element("th", "", text);
    cell.scope = "col";
    return cell;
  });
  const rows = crossing.choices.map((one) => row(one, crossing.came, boards, words));
  const table = element("table", "field", element("thead", "", element("tr", "", ...head)), element("tbody", "", ...rows));
  const scroll = element("div", "scroll", table);
  scroll.tabIndex = 0;
  scroll.setAttribute("role", "group");
  scroll.setAttribute("aria-label", words.field);
  return [title, element("p", "faint", came + note), scroll];
}

function row(one, came, boards, words) {
  const choice = element("th", one.own ? "taken" : "", ...sentence(one.said));
  choice.scope = "row";
  if (one.own) choice.append(element("span", "unseen", ` (${words.taken})`));
  const share = element("meter", "");
  Object.assign(share, { min: 0, max: came, value: one.tables.length });
  share.setAttribute("aria-hidden", "true");
  return element(
    "tr",
    "",
    choice,
    element("td", "number", `${one.tables.length} `, share),
    element("td", "number", one.mean === null ? "—" : signed(one.mean, 1)),
    element("td", "", ...one.tables.flatMap((at) => [led(at, boards), " ", ...now(at, words)])),
  );
}

/** What counts instead of a result as played, linked to the decision. */
function now(at, words) {
  if (!at.now) return [];
  const link = element("a", "now", filled(words.now, at.now.counts));
  link.href = at.now.ruling;
  return [link, " "];
}

/** A table's result, linked to the same decision in its own replay. */
function led(at, boards) {
  const link = element("a", "", `${at.table} `, element("b", "", at.score === null ? "—" : signed(at.score)));
  link.href = `${boards}/${at.table}${at.attempt > 1 ? `?attempt=${at.attempt}` : ""}#step=${at.step}`;
  return link;
}
