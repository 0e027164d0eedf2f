// One table live, as an official sees it: drawn again whenever it changes; a table that was paused, say, has other forms.

import { follow } from "./follow.js";

const table = document.getElementById("table");
const { address } = table.dataset;
const labels = JSON.parse(document.getElementById("labels").textContent);
const people = [...document.querySelectorAll("#people li")].map((one) => ({ name: one.textContent.trim() }));
const { draw } = await import(table.dataset.table);
const first = JSON.parse(document.getElementById("scene").textContent);
const state = (stands) => JSON.stringify(Object.entries(stands).sort());
const forms = ({ paused, finished }) => JSON.stringify([paused, finished]);
let told = state(first.stands); // what the page says of it
let asked = forms(first.stands); // what its forms are for

function show(scene) {
  table.replaceChildren(...draw({ table: scene, clocks: null, labels, people, viewer: 0, acted: null }));
}

/** Whether a form is being filled in, or was sent and refused: what stands in it is not lost. */
function writing() {
  const acts = document.getElementById("acts");
  const changed = (one) => (one.options ? one.selectedIndex > 0 : one.value !== one.defaultValue || one.checked !== one.defaultChecked);
  return "kept" in acts.dataset || acts.contains(document.activeElement) || [...acts.querySelectorAll("input, textarea, select")].some(changed);
}

/** Read the page anew: what it says of the table, and its forms where nobody writes. */
async function renew(stands) {
  const answer = await fetch(address).catch(() => null);
  // The table is signed, or the sign-in has expired.
  if (answer?.redirected && !writing()) return location.assign(address);
  if (!answer?.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const busy = writing();
  for (const id of ["where", "so-far", ...(busy ? [] : ["acts"])]) {
    document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  }
  told = state(stands);
  if (!busy) asked = forms(stands);
}

show(first.scene);
follow(`${address}/stream`, ({ scene, stands }) => {
  if (state(stands) !== told || (forms(stands) !== asked && !writing())) renew(stands);
  if (scene) show(scene);
});
