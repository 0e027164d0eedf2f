"""What was written stays outside the log, which names it by a digest; by the grounds of appeals."""

from __future__ import annotations

from collections.abc import AsyncIterator
from hashlib import sha256

import asyncpg
import pytest

from services.appeals.app import MIGRATIONS
from services.runtime.postgres import Database, migrate
from services.runtime.writings import Writings


@pytest.fixture
async def pool(database: str) -> AsyncIterator[asyncpg.Pool]:
    async with asyncpg.create_pool(database, server_settings={"search_path": "appeals"}) as found:
        await migrate(Database(found), "appeals", MIGRATIONS)
        yield found


TEXT = "第一副记错了"


async def test_grounds_are_kept_encrypted_under_their_digest(pool: asyncpg.Pool) -> None:
    grounds = Writings(pool, "grounds", "appeal")
    digest, again = [await grounds.keep("cup", "a-1", TEXT) for _ in range(2)]
    assert digest == again
    assert await pool.fetchval("SELECT count(*) FROM grounds") == 1
    assert await grounds.read("cup", "a-1", digest) == TEXT
    assert await grounds.read("cup", "a-1", bytes(32)) == ""
    assert await grounds.read("cup", "a-2", digest) == ""
    sealed = await pool.fetchval("SELECT sealed FROM grounds")
    assert "记错".encode() not in sealed


async def test_whoever_guesses_a_text_cannot_tell_from_its_digest_that_it_is_the_one(
    pool: asyncpg.Pool,
) -> None:
    grounds = Writings(pool, "grounds", "appeal")
    first, second = [await grounds.keep("cup", appeal, TEXT) for appeal in ("a-1", "a-2")]
    assert len({first, second, sha256(TEXT.encode()).digest()}) == 3


async def test_a_text_is_known_again_by_its_digest_until_it_is_erased(pool: asyncpg.Pool) -> None:
    grounds = Writings(pool, "grounds", "appeal")
    before = sha256(TEXT.encode()).digest()
    assert await grounds.digests("cup", "a-1", TEXT) == {before}, "as older versions filed it"
    digest = await grounds.keep("cup", "a-1", TEXT)
    assert await grounds.digests("cup", "a-1", TEXT) == {before, digest}
    assert digest not in await grounds.digests("cup", "a-1", "other")
    await grounds.erase("cup", "a-1")
    assert await grounds.read("cup", "a-1", digest) == ""
    assert digest not in await grounds.digests("cup", "a-1", TEXT)


async def test_what_was_filed_by_an_older_version_is_read_still(pool: asyncpg.Pool) -> None:
    grounds = Writings(pool, "grounds", "appeal")
    digest, older = await grounds.keep("cup", "a-1", TEXT), sha256(TEXT.encode()).digest()
    await pool.execute("UPDATE grounds SET digest = $2 WHERE digest = $1", digest, older)
    assert await grounds.read("cup", "a-1", older) == TEXT


async def test_what_was_refused_does_not_take_the_place_of_what_was_filed(pool: asyncpg.Pool) -> None:
    grounds = Writings(pool, "grounds", "appeal")
    filed = await grounds.keep("cup", "a-1", "filed")
    refused = await grounds.keep("cup", "a-1", "refused")
    await grounds.discard("cup", "a-1", refused)
    assert await grounds.read("cup", "a-1", filed) == "filed"
    assert await grounds.read("cup", "a-1", refused) == ""
