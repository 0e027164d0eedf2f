"""What was written stays outside the log, which names it by a digest; by the grounds of appeals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from hashlib import sha256

import asyncpg
import pytest

from services.appeals.app import MIGRATIONS
from services.domain import Rejected
from services.runtime.errors import NotFound
from services.runtime.postgres import Database, migrate
from services.runtime.writings import Writings


@pytest.fixture
async def pool(database: str) -> AsyncIterator[asyncpg.Pool]:
    async with asyncpg.create_pool(database, server_settings={"search_path": "appeals"}) as found:
        await migrate(Database(found), "appeals", MIGRATIONS)
        yield found


TEXT = "第一副记错了"
REFUSED = Rejected("WINDOW_CLOSED", "C10.1", "too late")


@pytest.fixture
def grounds(pool: asyncpg.Pool) -> Writings:
    return Writings(pool, "grounds", "appeal")


async def keep(grounds: Writings, appeal: str = "a-1", text: str = TEXT) -> bytes:
    """Keep what somebody files."""
    async with grounds.kept("cup", appeal, text) as digest:
        return digest


async def test_grounds_are_kept_encrypted_under_their_digest(pool: asyncpg.Pool, grounds: Writings) -> None:
    digest, again = [await keep(grounds) for _ in range(2)]
    assert digest == again
    assert await grounds.read("cup", "a-1", digest) == TEXT
    assert await grounds.read("cup", "a-1", bytes(32)) == ""
    assert await grounds.read("cup", "a-2", digest) == ""
    for row in await pool.fetch("SELECT sealed FROM grounds"):
        assert "记错".encode() not in row["sealed"]


async def test_whoever_guesses_a_text_cannot_tell_from_its_digest_that_it_is_the_one(
    grounds: Writings,
) -> None:
    first, second = [await keep(grounds, appeal) for appeal in ("a-1", "a-2")]
    assert len({first, second, sha256(TEXT.encode()).digest()}) == 3


async def test_a_text_is_known_again_by_its_digest_until_it_is_erased(
    pool: asyncpg.Pool, grounds: Writings
) -> None:
    before = sha256(TEXT.encode()).digest()
    assert await grounds.digests("cup", "a-1", TEXT) == {before}, "as older versions filed it"
    digest = await keep(grounds)
    assert await grounds.digests("cup", "a-1", TEXT) == {before, digest}
    assert digest not in await grounds.digests("cup", "a-1", "other")
    await grounds.erase("cup", "a-1")
    assert await grounds.read("cup", "a-1", digest) == ""
    assert digest not in await grounds.digests("cup", "a-1", TEXT)
    assert await _rows(pool) == 0
    assert await pool.fetchval("SELECT count(*) FROM grounds_keys") == 0


async def test_what_was_filed_by_an_older_version_is_read_still(
    pool: asyncpg.Pool, grounds: Writings
) -> None:
    digest, older = await keep(grounds), sha256(TEXT.encode()).digest()
    await pool.execute("UPDATE grounds SET digest = $2 WHERE digest = $1", digest, older)
    assert await grounds.read("cup", "a-1", older) == TEXT


@pytest.mark.parametrize("text", [TEXT, "refused"])
async def test_what_is_refused_is_taken_back_and_nothing_of_who_files_at_the_same_time(
    pool: asyncpg.Pool, grounds: Writings, text: str
) -> None:
    """Under one command id, with the same text too; whichever comes first."""

    async def refused(meanwhile: bool) -> None:
        async with grounds.kept("cup", "a-1", text):
            if meanwhile:
                await keep(grounds)
            raise REFUSED

    for meanwhile in (False, True):
        async with grounds.kept("cup", "a-1", TEXT) as filed:
            with pytest.raises(Rejected):
                await refused(meanwhile)
    assert await grounds.read("cup", "a-1", filed) == TEXT
    assert [bytes(one["digest"]) for one in await pool.fetch("SELECT digest FROM grounds")] == 3 * [filed]


async def test_what_may_have_been_recorded_stays(grounds: Writings) -> None:
    with pytest.raises(TimeoutError):
        async with grounds.kept("cup", "a-1", TEXT) as digest:
            raise TimeoutError
    assert await grounds.read("cup", "a-1", digest) == TEXT


async def test_whoever_erases_waits_for_who_is_keeping(pool: asyncpg.Pool, grounds: Writings) -> None:
    """A second copy of what is erased, which the log names by the same digest, is erased with it."""
    await keep(grounds)
    async with pool.acquire() as connection:
        at_work = connection.transaction()
        await at_work.start()
        await connection.execute("UPDATE grounds_keys SET key = key")
        await connection.execute(
            "INSERT INTO grounds SELECT championship, appeal, digest, '\\x00', sealed FROM grounds"
        )
        erasing = asyncio.create_task(grounds.erase("cup", "a-1"))
        while not await _waiting(pool):  # noqa: ASYNC110  # until the database says so
            await asyncio.sleep(0.01)
        await at_work.commit()
        await erasing
    assert await _rows(pool) == 0


async def test_what_no_record_names_vanishes_once_it_has_waited_long_enough(
    pool: asyncpg.Pool, grounds: Writings
) -> None:
    filed, orphan, doubtful, elsewhere = [await keep(grounds, f"a-{n}") for n in range(1, 5)]
    read = []

    async def caught_up() -> None:
        read.append(await _rows(pool))

    async def named(championship: str, appeal: str) -> Collection[bytes]:
        assert read, "what is in the log is read before anything is judged by it"
        if appeal == "a-3":
            raise Rejected("SUBJECT_SUSPENDED", "", "its log is not whole")
        if appeal == "a-4":
            raise NotFound("championship", championship)
        return {"a-1": [filed]}.get(appeal, ())

    await grounds.sweep(caught_up, named)
    assert (await _rows(pool), read) == (4, []), "their records may be on their way"
    await pool.execute("UPDATE grounds SET since = now() - interval '61 minutes'")
    fresh = await keep(grounds, "a-2", "sent again")
    await grounds.sweep(caught_up, named)
    assert await grounds.read("cup", "a-2", orphan) == ""
    assert await grounds.read("cup", "a-2", fresh) == "sent again"
    for appeal, digest in (("a-1", filed), ("a-3", doubtful), ("a-4", elsewhere)):
        assert await grounds.read("cup", appeal, digest) == TEXT
    assert [row["appeal"] for row in await pool.fetch("SELECT appeal FROM grounds WHERE since IS NULL")] == [
        "a-1"
    ]


@pytest.mark.parametrize("sweeps", [1, 2])
async def test_of_a_text_that_was_sent_to_two_replicas_one_copy_is_left(
    pool: asyncpg.Pool, grounds: Writings, sweeps: int
) -> None:
    """Whichever is noted first, by one replica or by both at once."""
    digest, *_ = [await keep(grounds) for _ in range(3)]
    await pool.execute("UPDATE grounds SET since = now() - interval '61 minutes'")

    async def named(championship: str, appeal: str) -> Collection[bytes]:
        return [digest]

    await asyncio.gather(*(grounds.sweep(nothing, named) for _ in range(sweeps)))
    assert await _rows(pool) == 1
    assert await grounds.read("cup", "a-1", digest) == TEXT
    # A copy that comes later is one too many, too.
    assert await keep(grounds) == digest
    await pool.execute("UPDATE grounds SET since = now() - interval '61 minutes' WHERE since IS NOT NULL")
    await grounds.sweep(nothing, named)
    assert await _rows(pool) == 1
    assert await grounds.read("cup", "a-1", digest) == TEXT


async def test_of_what_is_refused_or_swept_no_key_is_left(pool: asyncpg.Pool, grounds: Writings) -> None:
    with pytest.raises(Rejected):
        async with grounds.kept("cup", "a-1", TEXT):
            raise REFUSED
    assert await _keys(pool) == []
    await keep(grounds, "a-2")
    await pool.execute("UPDATE grounds SET since = now() - interval '61 minutes'")
    # As older versions left one; and one of an appeal that was filed.
    await pool.execute("INSERT INTO grounds_keys VALUES ('cup', 'a-3', '\\x00')")
    filed = await keep(grounds, "a-4")

    async def none(championship: str, appeal: str) -> Collection[bytes]:
        return ()

    await grounds.sweep(nothing, none)
    assert await _keys(pool) == ["a-4"]
    assert filed in await grounds.digests("cup", "a-4", TEXT)


async def test_a_key_under_which_somebody_keeps_a_text_just_then_stays(
    pool: asyncpg.Pool, grounds: Writings
) -> None:
    async with pool.acquire() as connection:
        at_work = connection.transaction()

        async def refused() -> None:
            async with grounds.kept("cup", "a-1", TEXT):
                await at_work.start()
                await connection.execute("UPDATE grounds_keys SET key = key")
                await connection.execute(
                    "INSERT INTO grounds SELECT championship, appeal, digest, '\\x00', sealed FROM grounds"
                )
                raise REFUSED

        refusing = asyncio.create_task(refused())
        while not await _waiting(pool):  # noqa: ASYNC110  # until the database says so
            await asyncio.sleep(0.01)
        await at_work.commit()
        with pytest.raises(Rejected):
            await refusing
    assert (await _rows(pool), await _keys(pool)) == (1, ["a-1"])


async def nothing() -> None:
    """All was read."""


async def _keys(pool: asyncpg.Pool) -> list[str]:
    """The appeals whose digests have a key."""
    return [one["appeal"] for one in await pool.fetch("SELECT appeal FROM grounds_keys ORDER BY appeal")]


async def _rows(pool: asyncpg.Pool) -> int:
    return int(await pool.fetchval("SELECT count(*) FROM grounds"))


async def _waiting(pool: asyncpg.Pool) -> bool:
    """Whether somebody waits for a lock of this database."""
    return bool(
        await pool.fetchval(
            "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock')"
        )
    )
