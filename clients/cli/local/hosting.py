"""A demo championship's robots: one a person, over the public API, until it has ended."""

from __future__ import annotations

from collections.abc import Callable

from clients.cli.championship import listed
from clients.cli.connection import Fupan
from clients.cli.entrants import listed as listed_entrants
from clients.cli.local.event import OVER
from clients.cli.tokens import signing_key
from clients.robot.crowd import play_all
from clients.robot.player import Count
from clients.robot.tokens import Signer


async def host(
    fupan: Fupan,
    championship: str,
    count: Count,
    warn: Callable[[str], None],
    receipt: Callable[[bytes], None] = lambda _: None,
) -> None:
    """Play for every person entered, until the championship has ended."""
    assert fupan.place.keys is not None
    key = signing_key(fupan.place.keys)
    entrants = await listed_entrants(fupan, championship)
    persons = [member.person_id for one in entrants for member in one.entrant.members]
    signers = [Signer(key, person) for person in persons]
    await play_all(fupan.place.services["table"], championship, signers, count, warn, receipt)


async def unfinished(fupan: Fupan) -> list[str]:
    """Demo championships that are being played."""
    return [
        one.settings.championship
        for one in await listed(fupan)
        if one.settings.demo and one.phase not in (*OVER, "registration")
    ]
