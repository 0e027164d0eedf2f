"""What appellants wrote: encrypted under a key per appeal in Postgres; the log holds the digest only."""

from __future__ import annotations

import os

import asyncpg

from services.ledger import keys


class Grounds:
    """The grounds of all appeals."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def keep(self, championship: str, appeal: str, text: str) -> None:
        """Keep the grounds of an appeal; what was kept first stays."""
        key = os.urandom(keys.KEY)
        sealed = keys.lock(key, os.urandom(keys.NONCE), _context(championship, appeal), text.encode())
        await self._pool.execute(
            "INSERT INTO grounds VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            championship,
            appeal,
            key,
            sealed,
        )

    async def read(self, championship: str, appeal: str) -> str:
        """The grounds; empty when they were erased."""
        row = await self._pool.fetchrow(
            "SELECT key, sealed FROM grounds WHERE championship = $1 AND appeal = $2", championship, appeal
        )
        if row is None:
            return ""
        plain = keys.unlock({"": bytes(row["key"])}, "", _context(championship, appeal), bytes(row["sealed"]))
        return plain.decode()


def _context(championship: str, appeal: str) -> bytes:
    return f"fupan grounds {championship} {appeal}".encode()
