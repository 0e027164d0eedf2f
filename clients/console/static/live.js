// A part of a page that is told anew whenever it changes; the rest of the page stays.

const shown = document.querySelector("[data-live]");
if (shown) follow(shown.dataset.live);

function follow(address) {
  const source = new EventSource(address);
  source.onmessage = ({ data }) => {
    const fresh = document.createElement("template");
    fresh.innerHTML = JSON.parse(data).html;
    if (fresh.innerHTML.trim() === shown.innerHTML.trim()) return;
    const focused = shown.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
    shown.replaceChildren(fresh.content);
    if (focused) shown.querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
  };
  addEventListener("pagehide", () => source.close());
}
