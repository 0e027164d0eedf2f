"""A supervisor of child processes: start in order, watch, restart, stop in reverse order.

A child ends with its supervisor even when that is killed (Linux; elsewhere the next supervisor on the same
directory ends it). The supervisor must run on its process's main thread: the kernel watches the thread that
started a child.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self

from services.runtime.embedded import launch
from services.runtime.embedded.directory import DataDirectory, NoPort, is_free

log = logging.getLogger(__name__)

_FIRST_BACKOFF = 0.2
_LONGEST_BACKOFF = 10.0
# A child that ran this long was well; its next restart waits as little as the first.
_WELL_SECONDS = 30.0
_POLL_SECONDS = 0.05
_PORT_SECONDS = 5.0
_TAIL_LINES = 20


@dataclass(frozen=True, slots=True)
class Identity:
    """A user and group to drop to."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Child:
    """A program to keep running. `ready` tells whether it serves; `before` runs before each start.

    `ports` must be free before it starts. `stop_signal` asks it to end, SIGKILL follows after `grace` seconds;
    `orphan_signal` comes from the kernel when the supervisor dies. Times in seconds.
    """

    name: str
    program: tuple[str, ...]
    ready: Callable[[], Awaitable[bool]]
    environment: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    identity: Identity | None = None
    ports: tuple[int, ...] = ()
    before: Callable[[], None] | None = None
    stop_signal: signal.Signals = signal.SIGTERM
    orphan_signal: signal.Signals = signal.SIGKILL
    grace: float = 10.0
    start_timeout: float = 60.0


class ChildFailed(Exception):
    """A child ended or did not serve in time; the message ends with the last lines of its log."""


def launched(
    program: tuple[str, ...],
    identity: Identity | None = None,
    orphan_signal: signal.Signals = signal.SIGKILL,
) -> tuple[str, ...]:
    """The command line that runs `program` as `identity` and ends it with this process."""
    uid, gid = (identity.uid, identity.gid) if identity else (-1, -1)
    numbers = (os.getpid(), int(orphan_signal), uid, gid)
    return (sys.executable, "-I", "-S", launch.__file__, *map(str, numbers), *program)


class Supervisor:
    """Children of one data directory. `async with` holds the directory and stops the children at the end."""

    def __init__(self, directory: DataDirectory, say: Callable[[str], None] = log.warning) -> None:
        self.directory = directory
        self._say = say
        self._children: dict[str, Child] = {}
        self._processes: dict[str, asyncio.subprocess.Process] = {}
        self._keepers: dict[str, asyncio.Task[None]] = {}

    async def __aenter__(self) -> Self:
        self.directory.lock()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.stop()
        self.directory.release()

    def pid(self, name: str) -> int | None:
        """Process id of a child, None while it is down."""
        process = self._processes.get(name)
        return process.pid if process is not None and process.returncode is None else None

    async def start(self, child: Child) -> None:
        """Start a child, return when it serves, and from then on restart it when it ends. Raises ChildFailed."""
        await self._ports_free(child)
        try:
            await self._run(child)
        except ChildFailed:
            self.directory.note_child(child.name, None)
            raise
        self._children[child.name] = child
        self._keepers[child.name] = asyncio.create_task(self._keep(child), name=f"keep {child.name}")

    async def stop(self) -> None:
        """Stop all children, the last one started first; each has its grace."""
        for name in reversed(self._children):
            await self._stop(self._children[name])
        self._children.clear()

    async def dismiss(self, name: str) -> None:
        """Stop one child."""
        await self._stop(self._children.pop(name))

    def signal(self, name: str, number: signal.Signals) -> None:
        """Send a signal to a running child (SIGHUP makes NATS read its configuration again)."""
        if self.pid(name) is not None:
            self._processes[name].send_signal(number)

    async def _stop(self, child: Child) -> None:
        keeper = self._keepers.pop(child.name)
        keeper.cancel()
        await asyncio.gather(keeper, return_exceptions=True)
        await self._end(child)

    async def _end(self, child: Child) -> None:
        """End the child's process, if it runs, and forget it."""
        process = self._processes.pop(child.name, None)
        if process is None:
            return
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.send_signal(child.stop_signal)
            try:
                async with asyncio.timeout(child.grace):
                    await process.wait()
            except TimeoutError:
                self._say(f"{child.name} did not stop within {child.grace:g} s and is killed")
                with suppress(ProcessLookupError):
                    process.kill()
                await process.wait()
        self.directory.note_child(child.name, None)

    async def _keep(self, child: Child) -> None:
        """Restart the child whenever it ends, ever more slowly while it does not stay up."""
        loop = asyncio.get_running_loop()
        backoff, since = _FIRST_BACKOFF, loop.time()
        while True:
            code = await self._processes[child.name].wait()
            if loop.time() - since > _WELL_SECONDS:
                backoff = _FIRST_BACKOFF
            self._say(f"{child.name} ended ({_reason(code)}) and is started again")
            since = loop.time()
            try:
                await asyncio.sleep(backoff)
                await self._run(child)
                self._say(f"{child.name} serves again")
            except ChildFailed as error:
                log.warning("%s", error)
            backoff = min(2 * backoff, _LONGEST_BACKOFF)

    async def _run(self, child: Child) -> None:
        """Start the process and wait until it serves. Raises ChildFailed; the process has ended then."""
        if child.before is not None:
            child.before()
        with self.directory.log(child.name).open("ab") as output:
            process = await asyncio.create_subprocess_exec(
                *launched(child.program, child.identity, child.orphan_signal),
                stdin=asyncio.subprocess.DEVNULL,
                stdout=output,
                stderr=asyncio.subprocess.STDOUT,
                cwd=child.folder,
                env={**os.environ, **child.environment},
                # Ctrl-C at the terminal is for the supervisor, which stops its children in order.
                start_new_session=True,
            )
        self._processes[child.name] = process
        self.directory.note_child(child.name, process.pid)
        try:
            async with asyncio.timeout(child.start_timeout):
                while process.returncode is None:
                    if await child.ready():
                        return
                    await asyncio.sleep(_POLL_SECONDS)
        except TimeoutError:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
            raise ChildFailed(self._failure(child, f"did not serve in {child.start_timeout:g} s")) from None
        except BaseException:
            await self._end(child)
            raise
        raise ChildFailed(self._failure(child, f"ended ({_reason(process.returncode)})"))

    async def _ports_free(self, child: Child) -> None:
        """Wait a little for ports that a killed supervisor's children may hold. Raises NoPort."""
        for _ in range(int(_PORT_SECONDS / _POLL_SECONDS)):
            held = [port for port in child.ports if not is_free(port)]
            if not held:
                return
            await asyncio.sleep(_POLL_SECONDS)
        other = f"remove {self.directory.ports} to have others chosen"
        if not self.directory.chose(held[0]):
            other = "name another port"
        raise NoPort(f"port {held[0]} of {child.name} is used by another process; end that, or {other}")

    def _failure(self, child: Child, what: str) -> str:
        path = self.directory.log(child.name)
        lines = path.read_text(errors="replace").splitlines()[-_TAIL_LINES:]
        return "\n".join([f"{child.name} {what}; the end of {path}:", *lines])


def _reason(code: int) -> str:
    return f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"
