"""Tokens of callers of every kind: people, services, nobody, and those that forge."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Sequence
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from clients.robot.tokens import mint, signing_key
from services.runtime import identity
from services.runtime.config import SERVICES
from tests.e2e.directory import Inside


def tokens(inside: Inside, persons: Sequence[str]) -> dict[str, str]:
    """Tokens by caller: good ones of people and services, and forged, expired, foreign ones."""
    place = inside.place
    assert place.keys is not None
    key, stranger, now = signing_key(place.keys), Ed25519PrivateKey.generate(), int(time.time())
    claims = {"sub": persons[0], "aud": "fupan", "iat": now, "exp": now + 600}
    public = (place.keys / "token.pub").read_bytes()
    header = {"kid": identity.key_id(key.public_key())}
    made = {person: mint(key, person, 3600) for person in persons}
    made |= {
        f"service:{name}": identity.mint(
            identity.private_key(place.keys, f"service-{name}"), f"service:{name}", 3600
        )
        for name in SERVICES
    }
    made["nobody"] = ""
    made["rubbish"] = "rubbish"
    made["expired"] = mint(key, persons[0], -60)
    made["signed by a stranger"] = jwt.encode(claims, stranger, "EdDSA", header)
    made["signed with the public key"] = _hmac(claims, public, header)
    made["signed by nobody"] = jwt.encode(claims, "", "none", header)
    made["a person as a service"] = jwt.encode({**claims, "sub": "service:table"}, key, "EdDSA", header)
    made["a service as another"] = identity.mint(
        identity.private_key(place.keys, "service-scoring"), "service:dealer", 3600
    )
    made["for another audience"] = jwt.encode({**claims, "aud": "other"}, key, "EdDSA", header)
    made["not valid yet"] = jwt.encode({**claims, "iat": now + 900, "exp": now + 1200}, key, "EdDSA", header)
    made["for ever"] = jwt.encode({**claims, "exp": float("inf")}, key, "EdDSA", header)
    return made


FORGED = frozenset(
    {
        "rubbish",
        "expired",
        "signed by a stranger",
        "signed with the public key",
        "signed by nobody",
        "a person as a service",
        "a service as another",
        "for another audience",
        "not valid yet",
        "for ever",
    }
)
"""Callers of `tokens` whose token is none."""


def _hmac(claims: dict[str, Any], secret: bytes, header: dict[str, str]) -> str:
    """What passes where the algorithm is taken from the token: the public key used as a shared secret."""
    parts = [json.dumps({"alg": "HS256", "typ": "JWT", **header}), json.dumps(claims)]
    signed = b".".join(base64.urlsafe_b64encode(part.encode()).rstrip(b"=") for part in parts)
    mac = hmac.new(secret, signed, hashlib.sha256).digest()
    return (signed + b"." + base64.urlsafe_b64encode(mac).rstrip(b"=")).decode()
