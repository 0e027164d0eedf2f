"""The bytes of case files, kept in Postgres under their SHA-256. An appeal's log names the digest: nobody changes a file unseen."""

from __future__ import annotations

from hashlib import sha256

import asyncpg


class Files:
    """The frozen bytes of all case files."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def keep(self, championship: str, appeal: str, file: bytes) -> bytes:
        """Keep a file; its SHA-256."""
        digest = sha256(file).digest()
        await self._pool.execute(
            "INSERT INTO cases VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING",
            *(championship, appeal, digest, file),
        )
        return digest

    async def read(self, championship: str, appeal: str, digest: bytes) -> bytes | None:
        """The file of that digest, None where it is not kept."""
        found = await self._pool.fetchval(
            "SELECT file FROM cases WHERE championship = $1 AND appeal = $2 AND digest = $3",
            *(championship, appeal, digest),
        )
        return None if found is None else bytes(found)

    async def drop(self, championship: str, appeal: str, digest: bytes) -> None:
        """Delete a file that was not frozen after all."""
        await self._pool.execute(
            "DELETE FROM cases WHERE championship = $1 AND appeal = $2 AND digest = $3",
            *(championship, appeal, digest),
        )
