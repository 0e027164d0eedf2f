"""Who may be given a seat, as far as the tables tell (C1.6, C6.4)."""

from __future__ import annotations

import pytest

from services.directory import Directory
from services.domain import Rejected
from services.runtime.identity import Caller, set_caller
from services.table.model import commands as c
from services.table.model.events import Seat
from services.table.openness import Openness
from services.table.players import Players
from tests.runtime.serving import EPOCH, PairingLog, appointed, created
from tests.table.four import match
from tests.table.halls import Room


async def nothing() -> None:
    """All is folded."""


@pytest.mark.parametrize("rounds", [(1, 1), (1, 2)])
async def test_nobody_sits_at_two_tables_at_once_though_their_deals_are_their_own(
    rounds: tuple[int, int],
) -> None:
    """Of several rounds neither: between rounds boards of each may be played again."""
    room = await Room().start()
    directory = Directory(room.store, EPOCH)
    await PairingLog(room.store).write("cup", created("cup"))
    await directory.start()
    players = Players(directory, room.hall, nothing)
    seats = [tuple(Seat(n, f"p-{n}") for n in range(first, first + 4)) for first in (1, 5)]
    one, other = [
        await room.open(match(table=name, seats=seated, round=number))
        for name, seated, number in zip("ab", seats, rounds, strict=True)
    ]
    await players.check_substitute(one, 0, "dora")
    await room.send(one, c.ReplaceSeat(0, "dora", "illness"), "ref")
    with pytest.raises(Rejected, match="CANNOT_SUBSTITUTE"):
        await players.check_substitute(other, 0, "dora")
    await room.send(one, c.ReplaceSeat(0, "p-1", "well again"), "ref")
    await players.check_substitute(other, 0, "dora")
    await directory.stop()
    await room.stop()


async def test_whoever_was_given_a_seat_just_now_reads_no_table_that_plays() -> None:
    """C1.6, P13: another replica has written so, which this one reads before it opens records."""
    room = await Room().start()
    directory = Directory(room.store, EPOCH)
    await PairingLog(room.store).write("cup", created("cup"), appointed("ref", "referee"))
    await directory.start()
    tables = [
        await room.open(match(table=name, seats=tuple(Seat(n, f"p-{n}") for n in seats)))
        for name, seats in (("a", range(1, 5)), ("b", range(5, 9)))
    ]
    given: list[str] = []

    async def catch_up() -> None:
        for person in given:
            await room.send(tables[0], c.ReplaceSeat(0, person, "illness"), "chief")

    players = Players(directory, room.hall, catch_up)
    openness = Openness(room.log, room.leaves, directory, players)
    set_caller(Caller("ref"))
    assert await openness.may_read(tables[1])
    given.append("ref")
    assert players.watches("cup", Caller("ref"))
    assert not await openness.may_read(tables[1])
    set_caller(Caller("service:scoring"))
    assert await openness.may_read(tables[1])
    await directory.stop()
    await room.stop()
