"""What people wrote, kept outside the log: encrypted in Postgres under keys of each writing's own; the log holds a digest, which
means nothing without.

The digest is HMAC-SHA256 under a key of the writing, so that a short text cannot be guessed from the log, and nobody can tell what
it was once the key is erased. What older versions kept is named by its plain SHA-256.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Mapping
from hashlib import sha256

import asyncpg

from services.ledger import keys


class Writings:
    """Texts of one kind. Of a kind `grounds`, each of an `appeal`, the tables are grounds (championship, appeal, digest, key,
    sealed) and grounds_keys (championship, appeal, key)."""

    def __init__(self, pool: asyncpg.Pool, kind: str, of: str) -> None:
        self._pool = pool
        self._kind = kind
        self._at = f"championship = $1 AND {of} = $2"
        self._of = of

    async def keep(self, championship: str, name: str, text: str) -> bytes:
        """Keep what was written in `name`, the same text once; the digest by which the log names it."""
        sealing_key, place = os.urandom(keys.KEY), (championship, name)
        sealed = keys.lock(sealing_key, os.urandom(keys.NONCE), self._context(*place), text.encode())
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute(
                f"INSERT INTO {self._kind}_keys VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                *(*place, os.urandom(keys.KEY)),
            )
            key = await self._digest_key(connection, *place)
            assert key is not None
            digest = _digest(key, text)
            await connection.execute(
                f"INSERT INTO {self._kind} VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                *(*place, digest, sealing_key, sealed),
            )
        return digest

    async def digests(self, championship: str, name: str, text: str) -> frozenset[bytes]:
        """By which digests the log may name this text, if it was written in `name`."""
        key = await self._digest_key(self._pool, championship, name)
        plain = sha256(text.encode()).digest()
        return frozenset({plain} if key is None else {plain, _digest(key, text)})

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

    async def discard(self, championship: str, name: str, digest: bytes) -> None:
        """Delete a text that nobody's log names after all."""
        await self._pool.execute(
            f"DELETE FROM {self._kind} WHERE {self._at} AND digest = $3", championship, name, digest
        )

    async def erase(self, championship: str, *names: str) -> None:
        """Delete everything that was written in these, with its keys."""
        async with self._pool.acquire() as connection, connection.transaction():
            for table in (self._kind, f"{self._kind}_keys"):
                await connection.execute(
                    f"DELETE FROM {table} WHERE championship = $1 AND {self._of} = ANY($2)",
                    *(championship, names),
                )

    async def _digest_key(
        self, connection: asyncpg.Connection | asyncpg.Pool, championship: str, name: str
    ) -> bytes | None:
        key = await connection.fetchval(
            f"SELECT key FROM {self._kind}_keys WHERE {self._at}", championship, name
        )
        return None if key is None else bytes(key)

    def _context(self, championship: str, name: str) -> bytes:
        return f"fupan {self._kind} {championship} {name}".encode()


def _digest(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")
