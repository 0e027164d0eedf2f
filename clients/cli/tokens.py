"""`fupan token mint`: bearer tokens signed with the keys of a local platform."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cyclopts import Parameter, validators

from clients.cli.options import LINK, Link
from clients.cli.output import USAGE, Problem
from clients.cli.places import find
from clients.robot import tokens

MONTH = 30 * 24 * 3600


def signing_key(keys: Path) -> Ed25519PrivateKey:
    """The key of a folder that signs people's tokens. Raises Problem."""
    try:
        return tokens.signing_key(keys)
    except OSError as error:
        raise Problem(f"{keys / 'token.pem'}: {error.strerror}", USAGE) from None
    except ValueError:
        raise Problem(f"{keys / 'token.pem'} is no Ed25519 private key in PEM", USAGE) from None


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
    print(tokens.mint(signing_key(keys), person, seconds))
