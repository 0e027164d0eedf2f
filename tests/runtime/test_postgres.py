"""The pool and the migrations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import asyncpg
import pytest

from services.runtime.config import Config
from services.runtime.connections import open_pool
from services.runtime.postgres import Database, MigrationError, migrate, read_migrations
from tests.runtime.serving import settings
from tests.servers import SECONDS


@pytest.fixture
async def db(database: str) -> AsyncIterator[Database]:
    connected = await Database.connect(database)
    yield connected
    await connected.close()


def write(folder: Path, **files: str) -> Path:
    folder.mkdir(exist_ok=True)
    for name, sql in files.items():
        (folder / f"{name.removeprefix('m')}.sql").write_text(sql)
    return folder


async def test_an_error_rolls_everything_back(db: Database) -> None:
    async with db.transaction() as connection:
        await connection.execute("CREATE TABLE t (n int)")

    async def insert_and_fail() -> None:
        async with db.transaction() as connection:
            await connection.execute("INSERT INTO t VALUES (1)")
            raise LookupError

    with pytest.raises(LookupError):
        await insert_and_fail()
    async with db.transaction() as connection:
        assert await connection.fetchval("SELECT count(*) FROM t") == 0


async def test_a_readonly_transaction_sees_one_moment_and_writes_nothing(db: Database) -> None:
    async with db.transaction() as connection:
        await connection.execute("CREATE TABLE t (n int)")
    async with db.transaction(readonly=True) as reader:
        assert await reader.fetchval("SELECT count(*) FROM t") == 0
        async with db.transaction() as writer:
            await writer.execute("INSERT INTO t VALUES (1)")
        assert await reader.fetchval("SELECT count(*) FROM t") == 0
        with pytest.raises(asyncpg.ReadOnlySQLTransactionError):
            await reader.execute("INSERT INTO t VALUES (2)")


async def test_tasks_never_share_a_connection(db: Database) -> None:
    async def backend() -> int:
        async with db.transaction() as connection:
            await connection.execute("SELECT pg_sleep(0.01)")
            pid: int = await connection.fetchval("SELECT pg_backend_pid()")
            return pid

    assert len(set(await asyncio.gather(*(backend() for _ in range(5))))) == 5


async def test_a_connection_left_in_a_transaction_is_given_back_without_it(database: str) -> None:
    db = await Database.connect(database, size=1)
    async with db._pool.acquire() as connection:
        await connection.execute("BEGIN; CREATE TABLE left_behind (n int)")
    async with db.transaction() as connection:
        assert await connection.fetchval("SELECT to_regclass('left_behind')") is None
    await db.close()


async def test_nothing_is_asked_between_two_transactions_of_a_service(database: str, tmp_path: Path) -> None:
    asked: list[str] = []
    pool = await open_pool(Config.read("table", settings(tmp_path, FUPAN_POSTGRES_DSN=database)))
    db = Database(pool)
    async with db.transaction() as connection:
        connection.add_query_logger(lambda record: asked.append(record.query))
    async with db.transaction() as connection:
        assert await connection.fetchval("SELECT 1") == 1
    await pool.close()
    assert asked[:4] == ["COMMIT", "BEGIN", "SELECT 1", "COMMIT"]


async def test_closing_does_not_wait_for_ever_for_a_held_connection(database: str) -> None:
    db = await Database.connect(database)
    holding = db.transaction()
    connection = await holding.__aenter__()
    async with asyncio.timeout(SECONDS):
        await db.close(limit=0.05)
    with pytest.raises(asyncpg.InterfaceError):
        await connection.execute("SELECT 1")


async def test_the_search_path_finds_tables(database: str) -> None:
    db = await Database.connect(database, search_path=("one", "two"))
    async with db.transaction() as connection:
        await connection.execute("CREATE SCHEMA one; CREATE SCHEMA two; CREATE TABLE two.t (n int)")
    async with db.transaction() as connection:
        assert await connection.fetchval("SELECT count(*) FROM t") == 0
    async with db.transaction("one") as connection:
        with pytest.raises(asyncpg.UndefinedTableError):
            await connection.fetchval("SELECT count(*) FROM t")
    await db.close()


async def test_migrations_are_applied_once_and_in_order(db: Database, tmp_path: Path) -> None:
    folder = write(tmp_path, m0001_first="CREATE TABLE t (n int)", m0002_more="ALTER TABLE t ADD m int")
    assert await migrate(db, "scoring", folder) == ["first", "more"]
    assert await migrate(db, "scoring", folder) == []
    write(folder, m0003_last="INSERT INTO t VALUES (1, 2); INSERT INTO t VALUES (3, 4)")
    assert await migrate(db, "scoring", folder) == ["last"]
    async with db.transaction() as connection:
        assert await connection.fetchval("SELECT sum(n * m) FROM scoring.t") == 14


async def test_replicas_that_start_together_migrate_once(db: Database, tmp_path: Path) -> None:
    folder = write(tmp_path, m0001_first="CREATE TABLE t (n int)")
    applied = await asyncio.gather(*(migrate(db, "scoring", folder) for _ in range(5)))
    assert sorted(applied) == [[], [], [], [], ["first"]]


async def test_a_failing_migration_leaves_nothing(db: Database, tmp_path: Path) -> None:
    folder = write(tmp_path, m0001_first="CREATE TABLE t (n int)", m0002_wrong="CREATE TABLE t (n int)")
    with pytest.raises(asyncpg.DuplicateTableError):
        await migrate(db, "scoring", folder)
    async with db.transaction() as connection:
        assert not await connection.fetchval("SELECT 1 FROM pg_namespace WHERE nspname = 'scoring'")


async def test_an_edited_or_removed_migration_is_refused(db: Database, tmp_path: Path) -> None:
    folder = write(tmp_path, m0001_first="CREATE TABLE t (n int)", m0002_more="ALTER TABLE t ADD m int")
    await migrate(db, "scoring", folder)
    write(folder, m0001_first="CREATE TABLE t (n bigint)")
    with pytest.raises(MigrationError, match="never edited"):
        await migrate(db, "scoring", folder)
    write(folder, m0001_first="CREATE TABLE t (n int)")
    (folder / "0002_more.sql").unlink()
    with pytest.raises(MigrationError, match="never edited"):
        await migrate(db, "scoring", folder)


@pytest.mark.parametrize(
    "names", [["0002_a"], ["0001_a", "0003_b"], ["0001_a", "0001_b"], ["1_a"], ["0001-a"], ["0001_A"]]
)
def test_migrations_numbered_wrongly_are_refused(tmp_path: Path, names: list[str]) -> None:
    for name in names:
        (tmp_path / f"{name}.sql").write_text("SELECT 1")
    with pytest.raises(MigrationError):
        read_migrations(tmp_path)
