// A part of a page that is told anew whenever it changes; the rest of the page stays.

import { follow } from "./follow.js";

const shown = document.querySelector("[data-live]");

function show({ html }) {
  const fresh = document.createElement("template");
  fresh.innerHTML = html;
  if (fresh.innerHTML.trim() === shown.innerHTML.trim()) return;
  const focused = shown.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  shown.replaceChildren(fresh.content);
  if (focused) shown.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
}

if (shown) follow(shown.dataset.live, show);
