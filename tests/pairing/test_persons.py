"""Personal data outside the log, under a key per person."""

from __future__ import annotations

from collections.abc import AsyncIterator

import asyncpg
import pytest

from services.pairing.app import MIGRATIONS
from services.pairing.persons import BATCH, Person, Persons
from services.runtime.postgres import Database, migrate


@pytest.fixture
async def pool(database: str) -> AsyncIterator[asyncpg.Pool]:
    async with asyncpg.create_pool(database, server_settings={"search_path": "pairing"}) as found:
        await migrate(Database(found), "pairing", MIGRATIONS)
        yield found


async def test_people_are_kept_encrypted_and_known_by_their_ids(pool: asyncpg.Pool) -> None:
    persons = Persons(pool)
    await persons.keep("cup", [Person("li", "李雷", "138"), Person("han", "韩梅梅", "")])
    assert await persons.names("cup", ["li", "han", "nobody"]) == {"li": "李雷", "han": "韩梅梅"}
    assert await persons.names("other", ["li"]) == {}
    rows = await pool.fetch("SELECT sealed FROM persons")
    assert not [row for row in rows if "李雷".encode() in bytes(row["sealed"])]


async def test_new_data_of_a_person_replaces_the_old_under_the_same_key(pool: asyncpg.Pool) -> None:
    persons = Persons(pool)
    await persons.keep("cup", [Person("li", "李雷", "")])
    key = await pool.fetchval("SELECT key FROM person_keys")
    await persons.keep("cup", [Person("li", "李蕾", "")])
    assert await persons.names("cup", ["li"]) == {"li": "李蕾"}
    assert await pool.fetchval("SELECT key FROM person_keys") == key


async def test_an_erased_person_cannot_be_read_from_an_old_copy_either(pool: asyncpg.Pool) -> None:
    persons = Persons(pool)
    await persons.keep("cup", [Person("li", "李雷", ""), Person("han", "韩梅梅", "")])
    copy = await pool.fetchval("SELECT sealed FROM persons WHERE person_id = 'li'")
    await persons.erase("cup", "li")
    await pool.execute("INSERT INTO persons VALUES ('cup', 'li', $1)", copy)
    assert await persons.names("cup", ["li", "han"]) == {"han": "韩梅梅"}


async def test_more_people_than_one_batch(pool: asyncpg.Pool) -> None:
    persons = Persons(pool)
    people = [Person(f"p-{number}", f"选手{number}", "") for number in range(BATCH + 1)]
    await persons.keep("cup", people)
    assert len(await persons.names("cup", [one.person_id for one in people])) == BATCH + 1
