"""Bearer tokens of people, signed with the key of a local platform."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from services.ledger.keys import fingerprint

AUDIENCE = "fupan"


@dataclass(slots=True)
class Signer:
    """Tokens of one person, signed anew before they expire. `seconds`: how long a token is good."""

    key: Ed25519PrivateKey
    person: str
    seconds: int = 600
    _token: str = field(default="", init=False)
    _renew: float = field(default=0.0, init=False)

    def __call__(self) -> str:
        """A token that is good for at least half of its time."""
        if time.time() >= self._renew:
            self._token = mint(self.key, self.person, self.seconds)
            self._renew = time.time() + self.seconds / 2
        return self._token


def person_of(token: str) -> str:
    """Whom a token says it is of; whether that is so, the services judge. Raises ValueError for what is no token."""
    try:
        return str(jwt.decode(token, options={"verify_signature": False})["sub"])
    except (jwt.InvalidTokenError, KeyError) as error:
        raise ValueError("no bearer token") from error


def signing_key(keys: Path) -> Ed25519PrivateKey:
    """The key of a folder that signs people's tokens. Raises OSError, or ValueError for what is no such key."""
    key = load_pem_private_key((keys / "token.pem").read_bytes(), None)
    if not isinstance(key, Ed25519PrivateKey):
        raise ValueError("token.pem is no Ed25519 key")
    return key


def mint(key: Ed25519PrivateKey, person: str, seconds: int) -> str:
    """A token for `person`, good for `seconds`."""
    now = int(time.time())
    claims = {"sub": person, "aud": AUDIENCE, "iat": now, "exp": now + seconds}
    key_id = fingerprint(key.public_key().public_bytes_raw()).replace("-", "")
    return jwt.encode(claims, key, algorithm="EdDSA", headers={"kid": key_id})
