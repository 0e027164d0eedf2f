"""PostgreSQL for projections and what lies outside the log: a pool, and numbered migrations.

A connection is handed out together with a transaction, never without, and never to two tasks.
"""

from __future__ import annotations

import asyncio
import hashlib
import re
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

# Errors after which the same transaction may succeed: the server is away, or could not take it just now.
TRANSIENT: tuple[type[BaseException], ...] = (
    OSError,
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,
    asyncpg.InsufficientResourcesError,
    asyncpg.TransactionRollbackError,
    asyncpg.InterfaceError,
    # What asyncpg calls some losses of a connection in the middle of an operation.
    asyncpg.InternalClientError,
)

# Waits for a server that holds a connection but no longer answers, seconds.
_COMMAND_SECONDS = 60.0
_MIGRATION = re.compile(r"(\d{4})_([a-z0-9_]+)\.sql")


class MigrationError(Exception):
    """Migrations are numbered wrongly, or one that was applied has been edited or removed since."""


class Database:
    """A pool of connections of one role. Errors are asyncpg's."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    @classmethod
    async def connect(cls, dsn: str, search_path: Sequence[str] = (), size: int = 10) -> Database:
        """Connect. `search_path`: schemas in which queries find their tables, the role's default when empty;
        `size`: most connections at once."""
        settings = {"search_path": ", ".join(map(quoted, search_path))} if search_path else {}
        return cls(await make_pool(dsn, settings, min_size=0, max_size=size))

    @asynccontextmanager
    async def transaction(
        self, schema: str = "", readonly: bool = False
    ) -> AsyncIterator[asyncpg.Connection]:
        """A connection in a transaction, committed at the end of the block and rolled back by an error.

        In a `readonly` one all queries see the same moment. With `schema`, names are found there."""
        # Every question costs both sides the same, however small it is: what begins a transaction is one.
        begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" if readonly else "BEGIN"
        if schema:
            begin += f"; SET LOCAL search_path TO {quoted(schema)}"
        async with self._pool.acquire() as connection:
            try:
                await connection.execute(begin)
                yield connection
            except BaseException:
                if not connection.is_closed():
                    await connection.execute("ROLLBACK")
                raise
            await connection.execute("COMMIT")

    async def close(self, limit: float = 5.0) -> None:
        """Close when all connections are given back, but after `limit` seconds without them."""
        try:
            async with asyncio.timeout(limit):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()


async def make_pool(dsn: str, settings: Mapping[str, str], **options: Any) -> asyncpg.Pool:
    """A pool as all of them are: the one place that makes one. `settings` of the server's, `options` of asyncpg's, whose errors
    it raises."""
    return await asyncpg.create_pool(
        dsn,
        command_timeout=_COMMAND_SECONDS,
        server_settings={"timezone": "UTC", **settings},
        reset=_given_back,
        **options,
    )


async def _given_back(connection: asyncpg.Connection) -> None:
    """What is set or locked here ends with its transaction, so there is nothing to ask the server for in between."""
    if connection.is_in_transaction():
        await connection.reset()


def quoted(name: str) -> str:
    """An SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True)
class Migration:
    """One file of SQL statements. `digest` is the SHA-256 of its text, hexadecimal."""

    number: int
    name: str
    sql: str

    @property
    def digest(self) -> str:
        """What tells an edited migration from the one that was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def read_migrations(folder: Path) -> list[Migration]:
    """The files `0001_<name>.sql`, `0002_…` of a folder, in order. Raises MigrationError."""
    migrations = []
    for path in sorted(folder.glob("*.sql")):
        if not (parts := _MIGRATION.fullmatch(path.name)):
            raise MigrationError(f"{path} is not called NNNN_name.sql")
        migrations.append(Migration(int(parts[1]), parts[2], path.read_text("utf-8")))
    numbers = [migration.number for migration in migrations]
    if numbers != list(range(1, len(numbers) + 1)):
        raise MigrationError(f"{folder} must number its migrations 0001, 0002 … without gap or double")
    return migrations


async def migrate(database: Database, schema: str, folder: Path) -> list[str]:
    """Apply the migrations that `schema` (made where it is missing) lacks; returns their names.

    All in one transaction and one at a time among replicas that start together. Statements find their tables
    in `schema`. Raises MigrationError."""
    migrations = read_migrations(folder)
    lock = int.from_bytes(hashlib.sha256(f"migrate {schema}".encode()).digest()[:8], "big", signed=True)
    async with database.transaction(schema) as connection:
        await connection.execute("SELECT pg_advisory_xact_lock($1)", lock)
        if not await connection.fetchval("SELECT 1 FROM pg_namespace WHERE nspname = $1", schema):
            await connection.execute(f"CREATE SCHEMA {quoted(schema)}")
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS migrations (number int PRIMARY KEY, name text NOT NULL,"
            " digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT now())"
        )
        rows = await connection.fetch("SELECT number, name, digest FROM migrations ORDER BY number")
        applied = [(row["number"], row["digest"]) for row in rows]
        known = [(migration.number, migration.digest) for migration in migrations]
        if known[: len(applied)] != applied:
            raise MigrationError(
                f"the migrations in {folder} are not those applied to {schema} ({len(applied)});"
                " an applied migration is never edited or removed, a change is a new one"
            )
        pending = migrations[len(applied) :]
        for migration in pending:
            await connection.execute(migration.sql)
            await connection.execute(
                "INSERT INTO migrations (number, name, digest) VALUES ($1, $2, $3)",
                *(migration.number, migration.name, migration.digest),
            )
    return [migration.name for migration in pending]
