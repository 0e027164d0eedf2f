"""The supervisor: order, restarts, failures, and what remains when it is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from services.runtime.embedded.directory import DataDirectory, NoPort
from services.runtime.embedded.processes import Child, ChildFailed, Supervisor
from tests.servers import SECONDS

ROOT = Path(__file__).parents[3]
# Says that it runs, says so when it is asked to end, and then ends.
PROGRAM = """
import pathlib, signal, sys, time
name, notes = sys.argv[1], pathlib.Path(sys.argv[2])
def say(what):
    with notes.open("a") as file:
        file.write(f"{what} {name}\\n")
def end(*_):
    say("end")
    sys.exit()
signal.signal(signal.SIGTERM, end)
say("run")
print("hello from", name, flush=True)
time.sleep(60)
"""


def sleeper(name: str, notes: Path) -> Child:
    """A child that serves as soon as it has noted that it runs."""
    noted = 0

    def runs() -> int:
        return notes.read_text().count(f"run {name}\n") if notes.exists() else 0

    def before() -> None:
        nonlocal noted
        noted = runs()

    async def ready() -> bool:
        return runs() > noted

    return Child(name, (sys.executable, "-c", PROGRAM, name, str(notes)), ready, before=before)


async def always() -> bool:
    return True


async def never() -> bool:
    return False


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(SECONDS):
        while True:
            if true():
                return
            await asyncio.sleep(0.01)


async def test_children_start_in_order_and_stop_in_reverse(tmp_path: Path) -> None:
    notes = tmp_path / "notes"
    async with Supervisor(DataDirectory(tmp_path / "data")) as supervisor:
        for name in ("nats", "postgres", "table"):
            await supervisor.start(sleeper(name, notes))
    assert notes.read_text().split("\n")[:6] == [
        *("run nats", "run postgres", "run table"),
        *("end table", "end postgres", "end nats"),
    ]
    assert "hello from nats" in (tmp_path / "data/logs/nats.log").read_text()


async def test_a_killed_child_is_started_again(tmp_path: Path) -> None:
    said: list[str] = []
    notes = tmp_path / "notes"
    async with Supervisor(DataDirectory(tmp_path / "data"), said.append) as supervisor:
        await supervisor.start(sleeper("nats", notes))
        first = supervisor.pid("nats")
        assert first
        os.kill(first, signal.SIGKILL)
        await until(lambda: supervisor.pid("nats") not in (first, None) and len(said) == 2)
        assert said == ["nats ended (killed by SIGKILL) and is started again", "nats serves again"]
        assert notes.read_text() == "run nats\nrun nats\n"


async def test_a_child_that_ends_at_once_fails_with_its_last_words(tmp_path: Path) -> None:
    program = (sys.executable, "-c", "import sys; sys.exit('no disk left')")
    async with Supervisor(DataDirectory(tmp_path / "data")) as supervisor:
        with pytest.raises(ChildFailed, match=r"(?s)postgres ended \(exit code 1\).*no disk left"):
            await supervisor.start(Child("postgres", program, never))
        assert supervisor.pid("postgres") is None


async def test_a_child_that_never_serves_is_ended(tmp_path: Path) -> None:
    program = (sys.executable, "-c", "import time; time.sleep(60)")
    async with Supervisor(DataDirectory(tmp_path / "data")) as supervisor:
        with pytest.raises(ChildFailed, match=r"did not serve in 0\.3 s"):
            await supervisor.start(Child("postgres", program, never, start_timeout=0.3))
        assert supervisor.pid("postgres") is None


async def test_a_child_deaf_to_its_stop_signal_is_killed(tmp_path: Path) -> None:
    program = (
        sys.executable,
        "-c",
        "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(60)",
    )
    log = tmp_path / "data/logs/nats.log"

    async def deaf() -> bool:
        return "deaf" in log.read_text()

    said: list[str] = []
    async with Supervisor(DataDirectory(tmp_path / "data"), said.append) as supervisor:
        await supervisor.start(Child("nats", program, deaf, grace=0.2))
        pid = supervisor.pid("nats")
    assert said == ["nats did not stop within 0.2 s and is killed"]
    assert not psutil.pid_exists(pid or 0)


async def test_a_held_port_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("services.runtime.embedded.processes._PORT_SECONDS", 0.1)
    directory = DataDirectory(tmp_path / "data")
    async with Supervisor(directory) as supervisor:
        own = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", directory.port("nats"))
        asked = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
        for server, advice in ((own, r"remove .*ports\.json"), (asked, "name another port$")):
            port = server.sockets[0].getsockname()[1]
            with pytest.raises(NoPort, match=rf"port {port} of nats .*{advice}"):
                await supervisor.start(Child("nats", ("/bin/true",), always, ports=(port,)))
            server.close()


SUPERVISOR = """
import asyncio, pathlib, sys
from services.runtime.embedded.directory import DataDirectory
from services.runtime.embedded.processes import Child, Identity, Supervisor
async def ready():
    return True
async def main():
    async with Supervisor(DataDirectory(pathlib.Path(sys.argv[1]))) as supervisor:
        identity = Identity(int(sys.argv[2]), int(sys.argv[2])) if len(sys.argv) > 2 else None
        await supervisor.start(Child("nats", ("/bin/sleep", "60"), ready, identity=identity))
        print(supervisor.pid("nats"), flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


def supervised(directory: Path, user: list[str]) -> subprocess.Popen[bytes]:
    """A supervisor in a process of its own, which prints its child's number."""
    program = [sys.executable, "-c", SUPERVISOR, str(directory), *user]
    return subprocess.Popen(program, cwd=ROOT, stdout=subprocess.PIPE)


@pytest.mark.parametrize(
    "user",
    [
        pytest.param([], id="same user"),
        pytest.param(
            ["65534"],
            id="another user",
            marks=pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else"),
        ),
    ],
)
@pytest.mark.skipif(sys.platform != "linux", reason="the kernel's signal exists on Linux alone")
async def test_children_die_with_a_killed_supervisor(tmp_path: Path, user: list[str]) -> None:
    with supervised(tmp_path / "data", user) as supervisor:
        assert supervisor.stdout
        child = psutil.Process(int(supervisor.stdout.readline()))
        await until(lambda: child.name() == "sleep")
        if user:
            assert child.uids().real == int(user[0])
        supervisor.kill()
        supervisor.wait()
        await until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)
    async with Supervisor(DataDirectory(tmp_path / "data")) as again:
        assert again.pid("nats") is None
