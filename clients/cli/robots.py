"""`fupan robots`: AI players in the seats of those who do not come, over the public API."""

from __future__ import annotations

from collections.abc import Callable, Collection
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from clients.cli.connection import Fupan, championship_of, run
from clients.cli.entrants import listed
from clients.cli.options import LINK, Link
from clients.cli.output import FAILED, OK, USAGE, Problem, say
from clients.cli.tokens import checked_person, signing_key
from clients.cli.words import pick
from clients.robot.crowd import play_all
from clients.robot.player import Count
from clients.robot.tokens import Signer


def robots(
    *,
    but: Annotated[
        list[str] | None,
        Parameter(help="person who plays without one; may be given several times", negative=()),
    ] = None,
    link: Link = LINK,
) -> int:
    """Play for everybody entered, until the championship has ended: AI players, by the keys of a local platform."""
    alone = {checked_person(person) for person in but or ()}
    count = Count()

    async def work(fupan: Fupan) -> None:
        championship = await championship_of(fupan, link)
        keys = Path(link.keys) if link.keys else fupan.place.keys
        if keys is None:
            raise Problem(pick("robots need the keys of a local platform", "机器人需要本地平台的密钥"), USAGE)
        persons = await entered(fupan, championship)
        if strangers := alone - set(persons):
            raise Problem(
                pick(
                    f"not entered: {', '.join(sorted(strangers))}", f"未报名：{'、'.join(sorted(strangers))}"
                )
            )
        say(pick("robots play; Ctrl-C takes them away", "机器人已入座；按 Ctrl-C 撤下"))
        await seat(fupan, championship, keys, [one for one in persons if one not in alone], count, say)

    run(link, work)
    say(pick(f"{count.answers} decisions by robots", f"机器人共作出 {count.answers} 次决定"))
    return FAILED if count.refused else OK


async def entered(fupan: Fupan, championship: str) -> list[str]:
    """Every person entered."""
    return [member.person_id for one in await listed(fupan, championship) for member in one.entrant.members]


async def seat(
    fupan: Fupan,
    championship: str,
    keys: Path,
    persons: Collection[str],
    count: Count,
    warn: Callable[[str], None],
    receipt: Callable[[bytes], None] = lambda _: None,
) -> None:
    """Play for persons, by the keys that sign their tokens, until the championship has ended."""
    key = signing_key(keys)
    signers = [Signer(key, person) for person in persons]
    await play_all(fupan.place.services["table"], championship, signers, count, warn, receipt)
