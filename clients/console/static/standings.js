// Live standings: rows that have changed are put in place, the table stays where it is.

import { follow } from "./follow.js";

const body = document.querySelector("tbody[data-stream]");
const status = document.getElementById("live");
// The time of the event, as every other time on the page.
const clock = new Intl.DateTimeFormat(document.documentElement.lang, { timeStyle: "medium", hourCycle: "h23", timeZone: status?.dataset.zone });

function show({ count, rows }) {
  // A page that has lost or gained rows begins anew.
  if (count !== body.rows.length) return location.reload();
  for (const [index, html] of Object.entries(rows)) replace(Number(index), html);
  status.textContent = `${status.dataset.updated} ${clock.format(new Date())}`;
}

function replace(index, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const fresh = template.content.firstElementChild;
  const old = body.rows[index];
  if (fresh.outerHTML === old.outerHTML) return;
  const focused = old.contains(document.activeElement);
  old.replaceWith(fresh);
  if (focused) fresh.querySelector("a")?.focus();
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
    fresh.animate([{ backgroundColor: "var(--mark)" }, {}], { duration: 2500, easing: "ease-out" });
  }
}

if (body) follow(body.dataset.stream, show);
