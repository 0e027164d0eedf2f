"""A demo championship's robots: one a person, over the public API, until it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from clients.cli import robots
from clients.cli.championship import listed
from clients.cli.connection import Fupan
from clients.cli.local.event import OVER
from clients.cli.local.progress import display, follow
from clients.cli.output import say
from clients.cli.words import pick
from clients.robot.player import Count


async def host(
    fupan: Fupan,
    championship: str,
    count: Count,
    warn: Callable[[str], None],
    receipt: Callable[[bytes], None] = lambda _: None,
) -> None:
    """Play for every person entered, until the championship has ended."""
    assert fupan.place.keys is not None
    persons = await robots.entered(fupan, championship)
    await robots.seat(fupan, championship, fupan.place.keys, persons, count, warn, receipt)


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

    playing = asyncio.create_task(host(fupan, championship, count, say, accepted))
    with display() as show:
        following = asyncio.create_task(follow(fupan, championship, show))
        try:
            await asyncio.wait((playing, following), return_when=asyncio.FIRST_COMPLETED)
            if playing.done():
                playing.result()
            await following
        finally:
            # Whoever has not heard yet that it is over need not.
            playing.cancel()
            following.cancel()
            await asyncio.gather(playing, following, return_exceptions=True)
    say(pick(f"{count.answers} decisions by robots", f"机器人共作出 {count.answers} 次决定"))
    return receipts
