"""Names and contacts of people, encrypted under a key per person, in Postgres and nowhere else.

The log knows person ids only. Erasing a person deletes its key: what was encrypted under it can never be read again, and every
chain of the log stays whole.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

import asyncpg
import msgspec

from services.ledger import keys

BATCH = 2_000

AT_ONCE = 2
"""Imports of this replica that are under way or wait for another one: each holds a connection of the pool meanwhile."""


@dataclass(frozen=True, slots=True)
class Person:
    """What is known of a person beside its id."""

    person_id: str
    name: str
    contact: str


class Persons:
    """The people of all championships."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool
        self._room = asyncio.Semaphore(AT_ONCE)

    @asynccontextmanager
    async def entering(self, championship: str) -> AsyncIterator[None]:
        """Alone with the people of a championship, whichever replica others ask: what an import that is refused leaves behind, or
        takes away again, is nobody else's."""
        lock = "SELECT pg_advisory_xact_lock(hashtextextended($1, 0))"
        async with self._room, self._pool.acquire() as connection, connection.transaction():
            await connection.execute(lock, f"fupan entering {championship}")
            yield

    async def keep(self, championship: str, people: Sequence[Person]) -> None:
        """Encrypt and keep; a person that is known already keeps its key and gets the new data."""
        for start in range(0, len(people), BATCH):
            batch = people[start : start + BATCH]
            ids = [person.person_id for person in batch]
            async with self._pool.acquire() as connection, connection.transaction():
                await connection.execute(
                    "INSERT INTO person_keys SELECT $1, * FROM unnest($2::text[], $3::bytea[]) ON CONFLICT DO NOTHING",
                    championship,
                    ids,
                    [os.urandom(keys.KEY) for _ in batch],
                )
                known = await self._keys(connection, championship, ids)
                await connection.execute(
                    "INSERT INTO persons SELECT $1, * FROM unnest($2::text[], $3::bytea[])"
                    " ON CONFLICT (championship, person_id) DO UPDATE SET sealed = excluded.sealed",
                    championship,
                    ids,
                    [self._seal(championship, known[person.person_id], person) for person in batch],
                )

    async def names(self, championship: str, ids: Iterable[str]) -> Mapping[str, str]:
        """Name by person id; people that were erased or never given are missing."""
        wanted = list(ids)
        async with self._pool.acquire() as connection:
            known = await self._keys(connection, championship, wanted)
            rows = await connection.fetch(
                "SELECT person_id, sealed FROM persons WHERE championship = $1 AND person_id = ANY($2)",
                championship,
                wanted,
            )
        found = {}
        for row in rows:
            person_id = row["person_id"]
            if person_id in known:
                plain = keys.unlock(known, person_id, _context(championship, person_id), bytes(row["sealed"]))
                found[person_id] = msgspec.json.decode(plain)["name"]
        return found

    async def erase(self, championship: str, *ids: str) -> None:
        """Delete keys and data of people."""
        async with self._pool.acquire() as connection, connection.transaction():
            for table in ("person_keys", "persons"):
                await connection.execute(
                    f"DELETE FROM {table} WHERE championship = $1 AND person_id = ANY($2)", championship, ids
                )

    async def _keys(
        self, connection: asyncpg.Connection, championship: str, ids: Sequence[str]
    ) -> dict[str, bytes]:
        rows = await connection.fetch(
            "SELECT person_id, key FROM person_keys WHERE championship = $1 AND person_id = ANY($2)",
            championship,
            ids,
        )
        return {row["person_id"]: bytes(row["key"]) for row in rows}

    def _seal(self, championship: str, key: bytes, person: Person) -> bytes:
        plain = msgspec.json.encode({"name": person.name, "contact": person.contact})
        return keys.lock(key, os.urandom(keys.NONCE), _context(championship, person.person_id), plain)


def _context(championship: str, person_id: str) -> bytes:
    return f"fupan person {championship} {person_id}".encode()
