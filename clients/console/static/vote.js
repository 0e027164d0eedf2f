// The ballot of an appeal's page: what is chosen stays in the page, what is sent is sealed.

import { seal } from "./ballot.js";

const ballot = document.getElementById("ballot");
const form = ballot.querySelector("form");
const button = form.querySelector("button");
const unable = ballot.querySelector("[role=alert]");
const chosen = () => ballot.querySelector("input[type=radio]:checked");

if (await canSeal()) ballot.addEventListener("change", () => (button.disabled = !chosen()));
else unable.hidden = false;

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (button.disabled) return;
  button.disabled = true;
  const { member, ballot_key: key } = form.elements;
  const upheld = chosen().value === "uphold";
  const sealed = await seal(ballot.dataset.appeal, member.value, bytes(key.value), upheld).catch(() => null);
  if (!sealed) return (unable.hidden = false);
  form.elements.commitment.value = hex(sealed.commitment);
  form.elements.sealed_opening.value = hex(sealed.sealedOpening);
  form.submit();
});

// Browsers give keys to pages that came by TLS or from this machine only, and old ones know no X25519.
async function canSeal() {
  return Boolean(await globalThis.crypto?.subtle?.generateKey("X25519", false, ["deriveBits"]).catch(() => null));
}

function bytes(digits) {
  return Uint8Array.from(digits.match(/../g), (pair) => parseInt(pair, 16));
}

function hex(told) {
  return Array.from(told, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
