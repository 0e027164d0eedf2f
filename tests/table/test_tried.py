"""What seats tried, kept beside the log: sealed, for a while, and never in anybody's way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.games.paohuzi.actions import PENG, Eat, Play
from services.runtime.postgres import Database
from services.table.app import noting
from services.table.tried import MOST, SCHEMA, Tried, Tries, is_action
from tests.servers import SECONDS
from tests.table.given import RULES
from tests.table.halls import Room
from tests.table.test_hall import seated

SUBJECT, PATH, KEY = "fupan.e2026.table.0.cup.t1", "1/1/1", bytes(range(32))


def a_try(time_us: int = 1, seat: int = 0) -> Tried:
    return Tried(seat, "play s5", "KAN_TILE", "P5.6", time_us)


@pytest.fixture
async def tries(database: str) -> AsyncIterator[Tries]:
    pool = await Database.connect(database)
    tries = Tries(pool, gather=0, forget=0)
    tries.start()
    yield tries
    await tries.stop()
    await pool.close()


async def test_they_come_back_in_their_order_for_the_board_and_the_key(tries: Tries) -> None:
    for time_us in (3, 1, 2):
        tries.note(SUBJECT, PATH, KEY, a_try(time_us))
    await tries.idle()
    assert await tries.of(SUBJECT, PATH, KEY) == [a_try(1), a_try(2), a_try(3)]
    assert await tries.of(SUBJECT, "1/2/1", KEY) == []
    assert await tries.of(SUBJECT, PATH, bytes(32)) == []


async def test_nobody_fills_the_disk(tries: Tries) -> None:
    for time_us in range(MOST + 20):
        tries.note(SUBJECT, PATH, KEY, a_try(time_us))
    tries.note(SUBJECT, PATH, KEY, a_try(seat=1))
    await tries.idle()
    assert len(await tries.of(SUBJECT, PATH, KEY)) == MOST + 1


async def test_they_are_shown_for_a_month_even_where_nothing_was_tried_since(tries: Tries) -> None:
    tries.note(SUBJECT, PATH, KEY, a_try())
    await tries.idle()
    await _days_pass(tries, 29)
    assert await tries.of(SUBJECT, PATH, KEY) == [a_try()]
    await _days_pass(tries, 2)
    assert await tries.of(SUBJECT, PATH, KEY) == []


async def test_they_are_deleted_when_something_else_was_tried(tries: Tries) -> None:
    tries.note(SUBJECT, PATH, KEY, a_try())
    await tries.idle()
    await _days_pass(tries, 31)
    tries.note(SUBJECT, "1/2/1", KEY, a_try())
    await tries.idle()
    await _until(tries, 1)
    assert len(await tries.of(SUBJECT, "1/2/1", KEY)) == 1


async def test_they_are_deleted_when_the_service_starts_again(tries: Tries) -> None:
    for path in (PATH, "1/2/1"):
        tries.note(SUBJECT, path, KEY, a_try())
    await tries.stop()
    await _days_pass(tries, 31)
    again = Tries(tries._database, gather=0)
    again.start()
    await _until(tries, 0)
    await again.stop()


async def test_what_waits_when_the_service_stops_is_written(tries: Tries) -> None:
    tries.note(SUBJECT, PATH, KEY, a_try(1))
    tries.note(SUBJECT, PATH, KEY, a_try(2))
    await tries.stop()
    assert await tries.of(SUBJECT, PATH, KEY) == [a_try(1), a_try(2)]


async def test_without_a_database_there_are_none_and_nothing_fails() -> None:
    away = Database(await _nowhere())
    tries = Tries(away, gather=0)
    tries.start()
    tries.note(SUBJECT, PATH, KEY, a_try())
    await tries.idle()
    assert await tries.of(SUBJECT, PATH, KEY) == []
    await tries.stop()
    await away.close()


async def _nowhere() -> asyncpg.Pool:
    return await asyncpg.create_pool("postgresql://nobody@127.0.0.1:1/none", min_size=0)


async def _days_pass(tries: Tries, days: int) -> None:
    async with tries._database.transaction(SCHEMA) as connection:
        await connection.execute("UPDATE tried SET tried_at = tried_at - make_interval(days => $1)", days)


async def _until(tries: Tries, rows: int) -> None:
    """Only so many are left; deleting is done by the way, whenever the writer comes to it."""
    async with asyncio.timeout(SECONDS):
        left = None
        while left != rows:
            async with tries._database.transaction(SCHEMA) as connection:
                left = await connection.fetchval("SELECT count(*) FROM tried")


async def test_of_what_nobody_can_read_nothing_is_kept() -> None:
    """Whoever replays the board is shown it: pages broke over `play ??`."""
    room = await Room().start()
    _, players = await seated(room)
    away = Database(await _nowhere())
    tries = Tries(away)  # not started: what is noted waits
    room.answers.on_refused = noting(room.log, room.leaves, tries, room.time)
    asked = next(player for player in players if player.view.ask)
    for action in (Play(0), Play(99), Eat((1,) * 5, ()), Eat((0, 1), ())):
        assert (await asked.answer(action)).refused.clause
    assert tries._waiting.qsize() == 0
    assert (await asked.answer(PENG)).refused.clause
    assert tries._waiting.qsize() == 1
    await away.close()
    await room.stop()


@pytest.mark.parametrize("text", ["play ??", "eat s1 s1 s1 s1 s1", "", "play SA"])
def test_what_older_versions_kept_is_shown_where_it_can_be_read(text: str) -> None:
    assert not is_action(RULES, text)
    assert is_action(RULES, "play s5")
