// One table live, as an official sees it: drawn again whenever it changes; a table that was paused, say, begins its page anew.

const table = document.getElementById("table");
const labels = JSON.parse(document.getElementById("labels").textContent);
const people = [...document.querySelectorAll("#people li")].map((one) => ({ name: one.textContent.trim() }));
const { draw } = await import(table.dataset.table);
const first = JSON.parse(document.getElementById("scene").textContent);
const state = ({ paused, called, finished }) => JSON.stringify([paused, called, finished]);

function show(scene) {
  table.replaceChildren(...draw({ table: scene, clocks: null, labels, people, viewer: 0, acted: null }));
}

show(first.scene);
const source = new EventSource(table.dataset.stream);
source.onmessage = ({ data }) => {
  const { scene, stands } = JSON.parse(data);
  // What somebody has begun to write is not lost.
  const writing = document.querySelector(".acts").contains(document.activeElement);
  if (state(stands) !== state(first.stands) && !writing) return location.assign(location.pathname);
  if (scene) show(scene);
};
addEventListener("pagehide", () => source.close());
