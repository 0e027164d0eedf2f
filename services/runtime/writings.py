"""What people wrote, kept outside the log: encrypted in Postgres under keys of each writing's own; the log holds a digest, which
means nothing without.

The digest is HMAC-SHA256 under a key of the writing, so that a short text cannot be guessed from the log, and nobody can tell what
it was once the key is erased. What older versions kept is named by its plain SHA-256.

A text is kept before the record that names it, so that no record is ever without. What a process leaves that dies in between is
named by no record, and vanishes once it has waited for one longer than any append can take.
"""

from __future__ import annotations

import asyncio
import hmac
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from contextlib import asynccontextmanager
from datetime import timedelta
from hashlib import sha256
from typing import Any

import asyncpg

from services.domain import Rejected
from services.ledger import keys
from services.runtime.errors import NotFound
from services.runtime.worklist import Worklist

WAITS = timedelta(hours=1)
"""How long a text waits for its record, by the database's clock: an append is given up after seconds, and is never sent later."""

SWEEP_SECONDS = 600.0

Connection = Any
"""asyncpg's, from a pool."""

Named = Callable[[str, str], Awaitable[Collection[bytes]]]
"""The digests by which the log names what is written in something, of a championship. Raises NotFound, Rejected where that cannot
be told: the championship is of another epoch, or its log is not whole."""


class Writings:
    """Texts of one kind. Of a kind `grounds`, each of an `appeal`, the tables are grounds (championship, appeal, digest, key,
    sealed, since) and grounds_keys (championship, appeal, key)."""

    def __init__(self, pool: asyncpg.Pool, kind: str, of: str) -> None:
        self._pool = pool
        self._kind = kind
        self._at = f"championship = $1 AND {of} = $2"
        self._of = of

    @asynccontextmanager
    async def kept(self, championship: str, name: str, text: str) -> AsyncIterator[bytes]:
        """Keep what is written in `name` while its record is written; yields the digest by which that names it.

        Refused, it is deleted again: this copy, and not another's who sent the same text at the same time. Whatever else stands in
        the way, the record may have been written, and `sweep` will see.
        """
        digest, key = await self._keep(championship, name, text)
        try:
            yield digest
        except Rejected:
            await self._delete(championship, name, digest, key)
            raise

    async def _keep(self, championship: str, name: str, text: str) -> tuple[bytes, bytes]:
        """Keep a copy of a text; its digest, and the key that is this copy's alone."""
        place, sealing_key = (championship, name), os.urandom(keys.KEY)
        sealed = keys.lock(sealing_key, os.urandom(keys.NONCE), self._context(*place), text.encode())
        async with self._pool.acquire() as connection, connection.transaction():
            # Written also where it is there: whoever erases waits, and finds the text.
            key = await connection.fetchval(
                f"INSERT INTO {self._kind}_keys AS kept VALUES ($1, $2, $3)"
                f" ON CONFLICT (championship, {self._of}) DO UPDATE SET key = kept.key RETURNING key",
                *(*place, os.urandom(keys.KEY)),
            )
            digest = _digest(bytes(key), text)
            await connection.execute(
                f"INSERT INTO {self._kind} VALUES ($1, $2, $3, $4, $5)", *place, digest, sealing_key, sealed
            )
        return digest, sealing_key

    async def digests(self, championship: str, name: str, text: str) -> frozenset[bytes]:
        """By which digests the log may name this text, if it was written in `name`."""
        key = await self._pool.fetchval(
            f"SELECT key FROM {self._kind}_keys WHERE {self._at}", championship, name
        )
        plain = sha256(text.encode()).digest()
        return frozenset({plain} if key is None else {plain, _digest(bytes(key), text)})

    async def read(self, championship: str, name: str, digest: bytes) -> str:
        """A text; empty when it was erased."""
        return (await self.texts(championship, {digest: name})).get(digest, "")

    async def texts(self, championship: str, named: Mapping[bytes, str]) -> Mapping[bytes, str]:
        """By digest the texts of those that stand in what each is written in; what was erased is missing."""
        rows = await self._pool.fetch(
            f"SELECT {self._of}, digest, key, sealed FROM {self._kind} WHERE championship = $1 AND digest = ANY($2)",
            *(championship, list(named)),
        )
        return {
            bytes(digest): keys.unlock(
                {"": bytes(key)}, "", self._context(championship, name), bytes(sealed)
            ).decode()
            for name, digest, key, sealed in rows
            if named[bytes(digest)] == name
        }

    async def erase(self, championship: str, *names: str) -> None:
        """Delete everything that was written in these, with its keys."""
        async with self._pool.acquire() as connection, connection.transaction():
            for table in (f"{self._kind}_keys", self._kind):  # in the order in which they are kept
                await connection.execute(
                    f"DELETE FROM {table} WHERE championship = $1 AND {self._of} = ANY($2)",
                    *(championship, names),
                )

    async def sweep(self, caught_up: Callable[[], Awaitable[None]], named: Named) -> None:
        """Delete what waited for its record long enough, and has none. `caught_up` returns when all that is in the log was read.

        Of others that have one it is noted, and nobody looks again; of several copies of a text one is left. Any replica may do so
        at any time.
        """
        await self._drop_keys()
        waited = await self._pool.fetch(
            f"SELECT championship, {self._of}, digest, key FROM {self._kind} WHERE since < now() - $1::interval",
            WAITS,
        )
        if not waited:
            return
        await caught_up()
        for championship, name, digest, key in waited:
            try:
                found = bytes(digest) in await named(championship, name)
            except (NotFound, Rejected):
                continue
            if not (found and await self._note(championship, name, digest, key)):
                await self._delete(championship, name, digest, key)

    async def _note(self, *copy: str | bytes) -> bool:
        """Note that a copy's record was found; False where that is noted of another copy."""
        async with self._alone(*copy[:2]) as connection:
            other = (
                f"SELECT FROM {self._kind} WHERE {self._at} AND digest = $3 AND key <> $4 AND since IS NULL"
            )
            if await connection.fetchrow(other, *copy) is not None:
                return False
            await connection.execute(
                f"UPDATE {self._kind} SET since = NULL WHERE {self._at} AND digest = $3 AND key = $4", *copy
            )
        return True

    async def _delete(self, *copy: str | bytes) -> None:
        """Delete a copy, with the last one of what is written in something its key."""
        async with self._alone(*copy[:2]) as connection:
            await connection.execute(
                f"DELETE FROM {self._kind} WHERE {self._at} AND digest = $3 AND key = $4", *copy
            )
            await self._drop_key(connection, *copy[:2])

    async def _drop_keys(self) -> None:
        """Delete the keys that older versions left where nothing is written."""
        unused = await self._pool.fetch(
            f"SELECT championship, {self._of} FROM {self._kind}_keys AS kept WHERE NOT EXISTS (SELECT FROM {self._kind} AS one"
            f" WHERE one.championship = kept.championship AND one.{self._of} = kept.{self._of})"
        )
        for place in unused:
            async with self._alone(*place) as connection:
                await self._drop_key(connection, *place)

    async def _drop_key(self, connection: Connection, *place: str | bytes) -> None:
        nothing = f"NOT EXISTS (SELECT FROM {self._kind} WHERE {self._at})"
        await connection.execute(f"DELETE FROM {self._kind}_keys WHERE {self._at} AND {nothing}", *place)

    @asynccontextmanager
    async def _alone(self, *place: str | bytes) -> AsyncIterator[Connection]:
        """A transaction while which nobody keeps, erases or sweeps what is written in something. What others have done before shows
        in statements after the one that waits for them."""
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute(f"SELECT FROM {self._kind}_keys WHERE {self._at} FOR UPDATE", *place)
            yield connection

    def _context(self, championship: str, name: str) -> bytes:
        return f"fupan {self._kind} {championship} {name}".encode()


def _digest(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


class Sweep:
    """Sweeps writings at the start and from time to time."""

    def __init__(self, writings: Writings, caught_up: Callable[[], Awaitable[None]], named: Named) -> None:
        self._due: Worklist[str] = Worklist("texts that no record names", self._sweep)
        self._writings = writings
        self._caught_up = caught_up
        self._named = named

    async def _sweep(self, _: str) -> None:
        await self._writings.sweep(self._caught_up, self._named)

    async def run(self, stopping: asyncio.Event) -> None:
        """Sweep until `stopping` is set."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self._due.run(stopping))
            while not stopping.is_set():
                self._due.add("all")
                try:
                    async with asyncio.timeout(SWEEP_SECONDS):
                        await stopping.wait()
                except TimeoutError:
                    continue
