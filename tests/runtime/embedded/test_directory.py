"""A data directory: one holder, kept ports and secrets, leftovers of a killed holder."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from services.runtime.embedded.directory import DataDirectory, DirectoryInUse, is_free

SLEEPER = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture
def directory(tmp_path: Path) -> Iterator[DataDirectory]:
    held = DataDirectory(tmp_path / "data")
    held.lock()
    yield held
    held.release()


def test_a_second_holder_is_told_who_the_first_is(directory: DataDirectory) -> None:
    with pytest.raises(DirectoryInUse, match=f"in use by process {os.getpid()}"):
        DataDirectory(directory.path).lock()


def test_a_released_directory_can_be_held_again(directory: DataDirectory) -> None:
    directory.release()
    again = DataDirectory(directory.path)
    again.lock()
    again.release()


def test_ports_are_chosen_once(directory: DataDirectory) -> None:
    ports = {name: directory.port(name) for name in ("a", "b", "c")}
    assert len(set(ports.values())) == 3
    assert {name: DataDirectory(directory.path).port(name) for name in ports} == ports
    assert json.loads((directory.path / "ports.json").read_text()) == ports


def test_ports_lie_below_those_of_outgoing_connections(directory: DataDirectory) -> None:
    low = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    assert directory.port("a") < low


def test_a_port_that_is_listened_on_is_not_free() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert not is_free(server.getsockname()[1])


def test_secrets_are_random_kept_and_private(directory: DataDirectory) -> None:
    assert not directory.has_secret("a")
    first = directory.secret("a")
    assert len(first) == 43
    assert directory.secret("b") != first
    assert DataDirectory(directory.path).secret("a") == first
    assert stat.S_IMODE((directory.path / "secrets.json").stat().st_mode) == 0o600


def test_leftovers_of_a_killed_holder_are_ended(directory: DataDirectory) -> None:
    with subprocess.Popen(SLEEPER) as child:
        directory.note_child("nats", child.pid)
        directory.release()
        again = DataDirectory(directory.path)
        again.lock()
        again.release()
        assert not psutil.pid_exists(child.pid)


def test_a_stranger_with_a_leftovers_number_is_left_alone(directory: DataDirectory) -> None:
    with subprocess.Popen(SLEEPER) as child:
        (directory.path / "children.json").write_text(json.dumps({"nats": [child.pid, 12345.0]}))
        directory.release()
        again = DataDirectory(directory.path)
        again.lock()
        again.release()
        assert child.poll() is None
        child.kill()
