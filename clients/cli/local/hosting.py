"""A demo championship's robots: one a person, over the public API, until it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from clients.cli.championship import listed
from clients.cli.connection import Fupan
from clients.cli.entrants import listed as listed_entrants
from clients.cli.local.event import OVER
from clients.cli.local.progress import display, follow
from clients.cli.output import say
from clients.cli.tokens import signing_key
from clients.cli.words import pick
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


async def play_to_end(
    fupan: Fupan, championship: str, keep: Callable[[bytes], None] = lambda _: None
) -> list[bytes]:
    """Let robots play the championship to its end, shown on stderr; their receipts, each kept as well as soon as it comes."""
    receipts, count = list[bytes](), Count()

    def accepted(digest: bytes) -> None:
        receipts.append(digest)
        keep(digest)

    robots = asyncio.create_task(host(fupan, championship, count, say, accepted))
    with display() as show:
        following = asyncio.create_task(follow(fupan, championship, show))
        try:
            await asyncio.wait((robots, following), return_when=asyncio.FIRST_COMPLETED)
            if robots.done():
                robots.result()
            await following
        finally:
            # Whoever has not heard yet that it is over need not.
            robots.cancel()
            following.cancel()
            await asyncio.gather(robots, following, return_exceptions=True)
    say(pick(f"{count.answers} decisions by robots", f"机器人共作出 {count.answers} 次决定"))
    return receipts
