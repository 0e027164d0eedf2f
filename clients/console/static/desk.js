// The referees' list of tables: read again every few seconds while somebody looks and is not in the middle of it.

const SECONDS = 3;

setInterval(async () => {
  const list = document.getElementById("tables");
  if (document.hidden || !list || list.contains(document.activeElement)) return;
  const answer = await fetch(location.href).catch(() => null);
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.getElementById("tables");
  if (fresh && fresh.innerHTML !== list.innerHTML) list.replaceWith(document.adoptNode(fresh));
}, SECONDS * 1000);
