from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.appeals.app import MIGRATIONS
from services.appeals.grounds import Grounds, digest_of
from services.runtime.postgres import Database, migrate


@pytest.fixture
async def pool(database: str) -> AsyncIterator[asyncpg.Pool]:
    async with asyncpg.create_pool(database, server_settings={"search_path": "appeals"}) as found:
        await migrate(Database(found), "appeals", MIGRATIONS)
        yield found


async def test_grounds_are_kept_encrypted_under_their_digest(pool: asyncpg.Pool) -> None:
    grounds = Grounds(pool)
    for _ in range(2):
        await grounds.keep("cup", "a-1", "第一副记错了")
    assert await pool.fetchval("SELECT count(*) FROM grounds") == 1
    assert await grounds.read("cup", "a-1", digest_of("第一副记错了")) == "第一副记错了"
    assert await grounds.read("cup", "a-1", digest_of("other")) == ""
    assert await grounds.read("cup", "a-2", digest_of("第一副记错了")) == ""
    sealed = await pool.fetchval("SELECT sealed FROM grounds")
    assert "记错".encode() not in sealed


async def test_what_was_refused_does_not_take_the_place_of_what_was_filed(pool: asyncpg.Pool) -> None:
    grounds = Grounds(pool)
    await grounds.keep("cup", "a-1", "filed")
    await grounds.keep("cup", "a-1", "refused")
    await grounds.erase("cup", "a-1", digest_of("refused"))
    assert await grounds.read("cup", "a-1", digest_of("filed")) == "filed"
    assert await grounds.read("cup", "a-1", digest_of("refused")) == ""
