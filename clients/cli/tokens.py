"""Bearer tokens signed with the keys of a local platform: `fupan token mint`, and `--as` of every command."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from cyclopts import Parameter, validators

from clients.cli.options import LINK, Link
from clients.cli.output import USAGE, Problem
from clients.cli.places import find
from services.ledger.keys import fingerprint

AUDIENCE = "fupan"
MONTH = 30 * 24 * 3600


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


def signing_key(keys: Path) -> Ed25519PrivateKey:
    """The key of a folder that signs people's tokens. Raises Problem."""
    path = keys / "token.pem"
    try:
        key = load_pem_private_key(path.read_bytes(), None)
    except OSError as error:
        raise Problem(f"{path}: {error.strerror}", USAGE) from None
    except ValueError:
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise Problem(f"{path} is no Ed25519 private key in PEM", USAGE)
    return key


def mint(key: Ed25519PrivateKey, person: str, seconds: int) -> str:
    """A token for `person`, good for `seconds`."""
    now = int(time.time())
    claims = {"sub": person, "aud": AUDIENCE, "iat": now, "exp": now + seconds}
    key_id = fingerprint(key.public_key().public_bytes_raw()).replace("-", "")
    return jwt.encode(claims, key, algorithm="EdDSA", headers={"kid": key_id})


def mint_command(
    person: str,
    /,
    *,
    seconds: Annotated[int, Parameter(validator=validators.Number(gte=1, lte=MONTH))] = 3600,
    link: Link = LINK,
) -> None:
    """Sign a bearer token for a person and print it.

    Parameters
    ----------
    person
        Person id.
    seconds
        How long the token is good.
    """
    keys = Path(link.keys) if link.keys else find(link.server).keys
    if keys is None:
        raise Problem("no keys here: give --keys DIR or --server DIR of a local platform", USAGE)
    print(mint(signing_key(keys), person, seconds))
