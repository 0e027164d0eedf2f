// A vote is sealed where it is cast (C10.4): the console is handed a commitment, and a box that opens once voting has closed.
// What both are made of stands in docs/log.md; services/ledger/ballot.py opens them.

export async function seal(appeal, member, key, uphold) {
  const vote = Uint8Array.of(uphold ? 1 : 0);
  const opening = crypto.getRandomValues(new Uint8Array(32));
  const whose = [text(appeal), text(member)];
  return {
    commitment: await digest(purpose("ballot", vote, opening, ...whose)),
    sealedOpening: await sealBox(key, purpose("ballot box", ...whose), join(vote, opening)),
  };
}

// HPKE (RFC 9180), base mode: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM. Empty parts of its labels are left out.

const KEM = join(text("KEM"), Uint8Array.of(0, 0x20));
const SUITE = join(text("HPKE"), Uint8Array.of(0, 0x20, 0, 1, 0, 2));

async function sealBox(key, context, plain) {
  const own = await crypto.subtle.generateKey("X25519", false, ["deriveBits"]);
  const theirs = await crypto.subtle.importKey("raw", key, "X25519", false, []);
  const shared = await crypto.subtle.deriveBits({ name: "X25519", public: theirs }, own.privateKey, 256);
  const enc = new Uint8Array(await crypto.subtle.exportKey("raw", own.publicKey));
  const exchanged = await extract(KEM, "eae_prk", new Uint8Array(shared));
  const secret = await expand(KEM, exchanged, "shared_secret", join(enc, key), 32);
  const schedule = join(
    Uint8Array.of(0),
    await extract(SUITE, "psk_id_hash"),
    await extract(SUITE, "info_hash", context),
  );
  const keyed = await extract(SUITE, "secret", new Uint8Array(), secret);
  const box = await crypto.subtle.importKey("raw", await expand(SUITE, keyed, "key", schedule, 32), "AES-GCM", false, ["encrypt"]);
  const iv = await expand(SUITE, keyed, "base_nonce", schedule, 12);
  return join(enc, new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv }, box, plain)));
}

const VERSION = text("HPKE-v1");

async function extract(suite, label, material = new Uint8Array(), salt = new Uint8Array(32)) {
  return hmac(salt, join(VERSION, suite, text(label), material));
}

// One block of HKDF-Expand: nothing longer is asked for.
async function expand(suite, key, label, info, length) {
  const labelled = join(Uint8Array.of(0, length), VERSION, suite, text(label), info);
  return (await hmac(key, join(labelled, Uint8Array.of(1)))).slice(0, length);
}

async function hmac(key, message) {
  const used = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", used, message));
}

async function digest(message) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", message));
}

// Byte strings joined so that they can be taken apart in one way only: each after its length, a purpose first.

function purpose(name, ...parts) {
  return join(...[text("fupan/1"), text(name), ...parts].flatMap((part) => [length(part), part]));
}

function length(part) {
  const told = new Uint8Array(4);
  new DataView(told.buffer).setUint32(0, part.length);
  return told;
}

function join(...parts) {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

function text(told) {
  return new TextEncoder().encode(told);
}
