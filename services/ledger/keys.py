"""Signatures, fingerprints, sealed boxes and secrets at rest.

- Signatures: Ed25519 over a message that begins with what it says (see `seals`).
- Fingerprint: SHA-256 of the raw public key, shown as sixteen groups of four hex digits.
- Sealed box: HPKE (RFC 9180) base mode, DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-256-GCM: anybody can
  encrypt to a public key, any HPKE library can open it.
- Secrets at rest: AES-256-GCM under a key with a name, so that keys can be rotated.

Private keys are raw 32 bytes; every nonce and ephemeral key comes in from the caller.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256

from cryptography.exceptions import InvalidSignature, InvalidTag
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

KEY = 32
NONCE = 12

_FINGERPRINT = re.compile(r"[0-9a-f]{64}")


class SealBroken(ValueError):
    """A ciphertext that this key does not open: another key or context, or altered bytes."""


class UnknownKey(KeyError):
    """A secret at rest under a key that is not at hand; `key_id` names it."""

    def __init__(self, key_id: str) -> None:
        super().__init__(key_id)
        self.key_id = key_id


def signing_public_key(private: bytes) -> bytes:
    """The raw Ed25519 public key, 32 bytes."""
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def sign(private: bytes, message: bytes) -> bytes:
    """Ed25519 signature, 64 bytes."""
    return Ed25519PrivateKey.from_private_bytes(private).sign(message)


def signed(public: bytes, signature: bytes, message: bytes) -> bool:
    """Whether `signature` is one over `message` by the owner of the raw key `public`."""
    try:
        Ed25519PublicKey.from_public_bytes(public).verify(signature, message)
    except (InvalidSignature, ValueError):
        return False
    return True


def fingerprint(public: bytes) -> str:
    """A public key's name for people: `1a2b-3c4d-…`, sixteen groups of four hex digits."""
    digits = sha256(public).hexdigest()
    return "-".join(digits[i : i + 4] for i in range(0, 64, 4))


def parse_fingerprint(text: str) -> str:
    """A fingerprint as somebody typed it (any case, with or without `-`, `:`, spaces). Raises ValueError."""
    digits = re.sub(r"[-:\s]", "", text).lower()
    if not _FINGERPRINT.fullmatch(digits):
        raise ValueError("a fingerprint has 64 hex digits")
    return "-".join(digits[i : i + 4] for i in range(0, 64, 4))


def box_public_key(private: bytes) -> bytes:
    """The raw X25519 public key, 32 bytes."""
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def seal_box(public: bytes, ephemeral: bytes, context: bytes, plain: bytes) -> bytes:
    """`plain` for the owner of `public`: encapsulated key (32) ‖ ciphertext ‖ tag (16).

    `ephemeral` 32 random bytes, used once; `context` must be given again to open (HPKE's info).
    """
    enc = box_public_key(ephemeral)
    key, nonce = _box_keys(_exchange(ephemeral, public), enc, public, context)
    return enc + AESGCM(key).encrypt(nonce, plain, b"")


def open_box(private: bytes, context: bytes, box: bytes) -> bytes:
    """The inverse of `seal_box`. Raises SealBroken."""
    enc = box[:KEY]
    try:
        key, nonce = _box_keys(_exchange(private, enc), enc, box_public_key(private), context)
        return AESGCM(key).decrypt(nonce, box[KEY:], b"")
    except (InvalidTag, ValueError):
        raise SealBroken("the box does not open") from None


def _exchange(private: bytes, public: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))


# RFC 9180: ids of DHKEM(X25519, HKDF-SHA256) and of the suite with HKDF-SHA256 and AES-256-GCM.
_KEM = b"KEM\x00\x20"
_SUITE = b"HPKE\x00\x20\x00\x01\x00\x02"


def _box_keys(shared: bytes, enc: bytes, public: bytes, context: bytes) -> tuple[bytes, bytes]:
    """Key and nonce of the box's one message (RFC 9180, 4.1 and 5.1, base mode)."""
    prk = _extract(_KEM, b"", b"eae_prk", shared)
    secret = _expand(_KEM, prk, b"shared_secret", enc + public, 32)
    schedule = (
        b"\0" + _extract(_SUITE, b"", b"psk_id_hash", b"") + _extract(_SUITE, b"", b"info_hash", context)
    )
    prk = _extract(_SUITE, secret, b"secret", b"")
    return _expand(_SUITE, prk, b"key", schedule, KEY), _expand(_SUITE, prk, b"base_nonce", schedule, NONCE)


def _extract(suite: bytes, salt: bytes, label: bytes, ikm: bytes) -> bytes:
    return HKDF.extract(SHA256(), salt or bytes(32), b"HPKE-v1" + suite + label + ikm)


def _expand(suite: bytes, prk: bytes, label: bytes, info: bytes, length: int) -> bytes:
    labelled = length.to_bytes(2, "big") + b"HPKE-v1" + suite + label + info
    return HKDFExpand(SHA256(), length, labelled).derive(prk)


def lock(key: bytes, nonce: bytes, context: bytes, secret: bytes) -> bytes:
    """A secret as it lies at rest: nonce ‖ AES-256-GCM; `context` says what it is and must be given again.

    `nonce` 12 random bytes. The key's id is stored beside it by the caller.
    """
    return nonce + AESGCM(key).encrypt(nonce, secret, context)


def unlock(keys: Mapping[str, bytes], key_id: str, context: bytes, locked: bytes) -> bytes:
    """The inverse of `lock`, with the key called `key_id`. Raises UnknownKey, SealBroken."""
    if key_id not in keys:
        raise UnknownKey(key_id)
    try:
        return AESGCM(keys[key_id]).decrypt(locked[:NONCE], locked[NONCE:], context)
    except (InvalidTag, ValueError):
        raise SealBroken(f"key {key_id} does not open this secret") from None
