"""What appellants wrote: encrypted under keys of an appeal's own in Postgres; the log holds a digest, which means nothing without.

The digest is HMAC-SHA256 under a key of the appeal, so that a short text cannot be guessed from the log, and nobody can tell what
it was once the key is erased. Appeals filed by older versions have the plain SHA-256.
"""

from __future__ import annotations

import hmac
import os
from hashlib import sha256

import asyncpg

from services.ledger import keys


class Grounds:
    """The grounds of all appeals."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def keep(self, championship: str, appeal: str, text: str) -> bytes:
        """Keep the grounds of an appeal, the same text once; the digest by which the log names them."""
        sealing_key, place = os.urandom(keys.KEY), (championship, appeal)
        sealed = keys.lock(sealing_key, os.urandom(keys.NONCE), _context(*place), text.encode())
        async with self._pool.acquire() as connection, connection.transaction():
            await connection.execute(
                "INSERT INTO grounds_keys VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
                *(*place, os.urandom(keys.KEY)),
            )
            key = await _digest_key(connection, *place)
            assert key is not None
            digest = _digest(key, text)
            await connection.execute(
                "INSERT INTO grounds VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
                *(*place, digest, sealing_key, sealed),
            )
        return digest

    async def digests(self, championship: str, appeal: str, text: str) -> frozenset[bytes]:
        """By which digests the log may name this text, if it was filed in this appeal."""
        key = await _digest_key(self._pool, championship, appeal)
        plain = sha256(text.encode()).digest()
        return frozenset({plain} if key is None else {plain, _digest(key, text)})

    async def read(self, championship: str, appeal: str, digest: bytes) -> str:
        """The grounds; empty when they were erased."""
        row = await self._pool.fetchrow(
            "SELECT key, sealed FROM grounds WHERE championship = $1 AND appeal = $2 AND digest = $3",
            *(championship, appeal, digest),
        )
        if row is None:
            return ""
        plain = keys.unlock({"": bytes(row["key"])}, "", _context(championship, appeal), bytes(row["sealed"]))
        return plain.decode()

    async def discard(self, championship: str, appeal: str, digest: bytes) -> None:
        """Delete a text that was not filed after all."""
        await self._pool.execute(
            "DELETE FROM grounds WHERE championship = $1 AND appeal = $2 AND digest = $3",
            *(championship, appeal, digest),
        )

    async def erase(self, championship: str, appeal: str) -> None:
        """Delete everything that was written in an appeal, with its keys."""
        async with self._pool.acquire() as connection, connection.transaction():
            for table in ("grounds", "grounds_keys"):
                await connection.execute(
                    f"DELETE FROM {table} WHERE championship = $1 AND appeal = $2", championship, appeal
                )


async def _digest_key(
    connection: asyncpg.Connection | asyncpg.Pool, championship: str, appeal: str
) -> bytes | None:
    key = await connection.fetchval(
        "SELECT key FROM grounds_keys WHERE championship = $1 AND appeal = $2", championship, appeal
    )
    return None if key is None else bytes(key)


def _digest(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


def _context(championship: str, appeal: str) -> bytes:
    return f"fupan grounds {championship} {appeal}".encode()
