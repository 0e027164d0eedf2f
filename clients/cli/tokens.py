"""`fupan token mint`: bearer tokens signed with the keys of a local platform."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cyclopts import Parameter, validators

from clients.cli.options import LINK, Link
from clients.cli.output import USAGE, Problem, reason
from clients.cli.places import find
from clients.cli.roster import ID
from clients.cli.words import pick
from clients.robot import tokens

MONTH = 30 * 24 * 3600


def signing_key(keys: Path) -> Ed25519PrivateKey:
    """The key of a folder that signs people's tokens. Raises Problem."""
    try:
        return tokens.signing_key(keys)
    except OSError as error:
        raise Problem(f"{keys / 'token.pem'}: {reason(error)}", USAGE) from None
    except ValueError:
        raise Problem(
            pick(
                f"{keys / 'token.pem'} is no Ed25519 private key in PEM",
                f"{keys / 'token.pem'} 不是 PEM 格式的 Ed25519 私钥",
            ),
            USAGE,
        ) from None


def checked_person(person: str) -> str:
    """A person id as services take it. Raises Problem."""
    if not ID.fullmatch(person):
        raise Problem(
            pick(
                f"person id {person[:60]!r} is not 1 to 40 of a-z, 0-9 and '-'",
                f"人员编号 {person[:60]!r} 须为 1 至 40 个 a-z、0-9 或 '-'",
            ),
            USAGE,
        )
    return person


def mint_command(
    person: str,
    /,
    *,
    seconds: Annotated[
        int, Parameter(help="how long the token is good", validator=validators.Number(gte=1, lte=MONTH))
    ] = 3600,
    link: Link = LINK,
) -> None:
    """Sign a bearer token for a person and print it.

    Parameters
    ----------
    person
        Person id.
    """
    keys = Path(link.keys) if link.keys else find(link.server).keys
    if keys is None:
        raise Problem(
            pick(
                "no keys here: give --keys DIR or --server DIR of a local platform",
                "此处没有密钥：请给出 --keys 目录，或用 --server 指定本地平台的目录",
            ),
            USAGE,
        )
    print(tokens.mint(signing_key(keys), checked_person(person), seconds))
