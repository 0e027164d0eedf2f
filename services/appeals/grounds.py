"""What appellants wrote: encrypted under a key per appeal in Postgres; the log holds the digest only."""

from __future__ import annotations

import os
from hashlib import sha256

import asyncpg

from services.ledger import keys


def digest_of(text: str) -> bytes:
    """The digest by which the log names grounds."""
    return sha256(text.encode()).digest()


class Grounds:
    """The grounds of all appeals."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def keep(self, championship: str, appeal: str, text: str) -> None:
        """Keep the grounds of an appeal; the same text is kept once."""
        key = os.urandom(keys.KEY)
        sealed = keys.lock(key, os.urandom(keys.NONCE), _context(championship, appeal), text.encode())
        await self._pool.execute(
            "INSERT INTO grounds VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING",
            *(championship, appeal, digest_of(text), key, sealed),
        )

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

    async def erase(self, championship: str, appeal: str, digest: bytes) -> None:
        """Delete grounds with their key."""
        await self._pool.execute(
            "DELETE FROM grounds WHERE championship = $1 AND appeal = $2 AND digest = $3",
            *(championship, appeal, digest),
        )


def _context(championship: str, appeal: str) -> bytes:
    return f"fupan grounds {championship} {appeal}".encode()
