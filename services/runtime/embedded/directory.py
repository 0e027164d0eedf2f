"""The data directory of an embedded platform: who holds it, its ports, its secrets, its logs.

| file | what |
|---|---|
| `lock` | held by the running supervisor; its process id |
| `ports.json` | a port by name, chosen once |
| `secrets.json` | random passwords by name, mode 0600 |
| `children.json` | running child processes, so that a killed supervisor's leftovers can be ended |
| `logs/<name>.log` | what each child wrote |
"""

from __future__ import annotations

import fcntl
import json
import os
import random
import secrets
import socket
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

# Below the range from which the kernel draws the ports of outgoing connections: a client that keeps knocking at
# a stopped server of that range ends up connected to itself, and the server cannot come back.
_PORTS = range(20_000, 32_000)
_LEFTOVER_SECONDS = 5.0
_PORTS_FILE = "ports.json"


class DirectoryInUse(Exception):
    """Another supervisor runs on the directory."""


class NoPort(Exception):
    """No port is free, or a port of the directory is used by somebody else."""


class DataDirectory:
    """A directory and its files; `lock` it before anything is started on it."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._lock: int | None = None

    def lock(self) -> None:
        """Make the directory where it is missing, hold it, and end what a killed holder left running.

        Raises DirectoryInUse. The lock ends with the process."""
        if not self.path.exists():
            # Root's PostgreSQL runs as another user, who must pass through.
            self.path.mkdir(parents=True, mode=0o711 if os.geteuid() == 0 else 0o700)
        (self.path / "logs").mkdir(exist_ok=True, mode=0o700)
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(descriptor, 32, 0).decode().strip() or "unknown"
            os.close(descriptor)
            raise DirectoryInUse(
                f"{self.path} is in use by process {holder}; stop it, or choose another directory"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self._lock = descriptor
        self._end_leftovers()

    def release(self) -> None:
        """Give the directory up."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def port(self, name: str) -> int:
        """The directory's port for `name`, chosen at the first call. Raises NoPort."""
        ports = self._read(_PORTS_FILE)
        if name not in ports:
            ports[name] = free_port(exclude=frozenset(ports.values()))
            self._write(_PORTS_FILE, ports)
        port: int = ports[name]
        return port

    def chose(self, port: int) -> bool:
        """Whether it is one of the directory's own ports."""
        return port in self._read(_PORTS_FILE).values()

    @property
    def ports(self) -> Path:
        """Where its ports are kept."""
        return self.path / _PORTS_FILE

    def secret(self, name: str) -> str:
        """The directory's random password for `name`: 43 letters, digits, '-' and '_'."""
        kept = self._read("secrets.json")
        if name not in kept:
            kept[name] = secrets.token_urlsafe(32)
            self._write("secrets.json", kept)
        secret: str = kept[name]
        return secret

    def has_secret(self, name: str) -> bool:
        """Whether `secret` was ever asked for this name."""
        return name in self._read("secrets.json")

    def log(self, name: str) -> Path:
        """Where a child's output goes."""
        return self.path / "logs" / f"{name}.log"

    def note_child(self, name: str, pid: int | None) -> None:
        """Remember a child that runs, or with None forget it."""
        children = self._read("children.json")
        children.pop(name, None)
        if pid is not None:
            with suppress(psutil.NoSuchProcess):
                children[name] = [pid, psutil.Process(pid).create_time()]
        self._write("children.json", children)

    def _end_leftovers(self) -> None:
        """End children of a supervisor that was killed. On Linux they ended with it; elsewhere they may not."""
        left = []
        for pid, created in self._read("children.json").values():
            try:
                process = psutil.Process(pid)
                # A process id alone may have gone to a stranger since; a zombie ended already.
                same = abs(process.create_time() - created) < 0.01
                if same and process.status() != psutil.STATUS_ZOMBIE:
                    process.terminate()
                    left.append(process)
            except psutil.NoSuchProcess:
                continue
        _, alive = psutil.wait_procs(left, timeout=_LEFTOVER_SECONDS)
        for process in alive:
            process.kill()
        psutil.wait_procs(alive, timeout=_LEFTOVER_SECONDS)
        self._write("children.json", {})

    def _read(self, name: str) -> dict[str, Any]:
        try:
            found: dict[str, Any] = json.loads((self.path / name).read_text())
        except FileNotFoundError:
            return {}
        return found

    def _write(self, name: str, value: dict[str, Any]) -> None:
        """Replace a file whole, readable by its owner alone."""
        fresh = self.path / f"{name}.new"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(value, file, indent=2)
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self.path / name)


def free_port(exclude: frozenset[int] = frozenset()) -> int:
    """A loopback port that nobody listens on now, other than those in `exclude`. Raises NoPort."""
    for port in _candidates():
        if port not in exclude and is_free(port):
            return port
    raise NoPort("no free port was found")


def is_free(port: int) -> bool:
    """Whether a server could listen on this loopback port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def _candidates() -> Iterator[int]:
    return iter(random.sample(_PORTS, 1000))
