// What a desk shows: read again every few seconds while somebody looks and is not in the middle of it.

const SECONDS = 3;
// A form that was refused is shown at the address it was sent to, where nothing can be read.
const { href } = document.querySelector("link[rel=canonical]");

setInterval(async () => {
  const shown = document.querySelector("[data-fresh]");
  if (document.hidden || !shown || shown.contains(document.activeElement)) return;
  const answer = await fetch(href).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById(shown.id);
  if (fresh && fresh.outerHTML !== shown.outerHTML) shown.replaceWith(document.adoptNode(fresh));
}, SECONDS * 1000);
