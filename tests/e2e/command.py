"""The `fupan` command as its users run it: processes of their own, data directories of their own."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.runtime.embedded import postgres
from services.runtime.embedded.directory import DataDirectory

FUPAN = Path(sysconfig.get_path("scripts")) / "fupan"
SECONDS = 120.0
"""More than any step takes on a busy machine; whoever waits so long waits in vain."""

# What a user's shell would not set for a test must not decide it.
_ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("FUPAN_")} | {
    "FUPAN_LANG": "en"
}


def surroundings(others: Mapping[str, str] | None = None) -> dict[str, str]:
    """The environment of a user's shell, in English, and `others` with it."""
    return _ENVIRONMENT | dict(others or {})


@dataclass(frozen=True)
class Ended:
    """A command that has ended."""

    code: int
    out: str
    err: str

    @property
    def told(self) -> Any:
        """The one JSON value on its stdout; its messages when there is none."""
        assert self.out, f"exit code {self.code}: {self.err}"
        return json.loads(self.out)


def fupan(*arguments: object, environment: dict[str, str] | None = None) -> Ended:
    """Run the command to its end."""
    done = subprocess.run(
        [FUPAN, *map(str, arguments)],
        env=surroundings(environment),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    return Ended(done.returncode, done.stdout, done.stderr)


@contextmanager
def folder() -> Iterator[Path]:
    """A folder for data directories, which root's PostgreSQL can pass through; removed with all that lies in it."""
    made = Path(tempfile.mkdtemp(prefix="fupan-e2e-"))
    made.chmod(0o711)
    try:
        yield made
    finally:
        for directory in made.iterdir():
            if (directory / "lock").exists():
                with suppress(FileNotFoundError):
                    postgres.remove(DataDirectory(directory))
        shutil.rmtree(made)


class Running:
    """A command that goes on. `async with` ends it, however the test ended."""

    def __init__(self, *arguments: object, environment: dict[str, str] | None = None) -> None:
        self.messages: list[str] = []
        """Lines on its stderr so far."""
        self._arguments = [str(one) for one in arguments]
        self._environment = surroundings(environment)
        self._process: asyncio.subprocess.Process | None = None
        self._said = asyncio.Condition()
        self._reading: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Running:
        self._process = await asyncio.create_subprocess_exec(
            FUPAN,
            *self._arguments,
            env=self._environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            limit=16 * 1024 * 1024,
        )
        self._reading = asyncio.create_task(self._read(self._process.stderr))
        return self

    async def __aexit__(self, *_: object) -> None:
        if self.process.returncode is None:
            # Its children end with it.
            self.process.kill()
        await self.process.wait()
        assert self._reading is not None
        await self._reading

    @property
    def process(self) -> asyncio.subprocess.Process:
        """The running process."""
        assert self._process is not None
        return self._process

    async def _read(self, stream: asyncio.StreamReader | None) -> None:
        assert stream is not None
        async for line in stream:
            async with self._said:
                self.messages.append(line.decode().rstrip("\n"))
                self._said.notify_all()
        async with self._said:
            self.messages.append("")
            self._said.notify_all()

    async def says(self, text: str) -> str:
        """The first line on stderr that holds `text`, once it comes. Raises AssertionError when it never does."""

        def found() -> str | None:
            return next((line for line in self.messages if text in line), None)

        def over() -> bool:
            return self._reading is not None and self.messages[-1:] == [""]

        async with asyncio.timeout(SECONDS), self._said:
            await self._said.wait_for(lambda: found() is not None or over())
        line = found()
        assert line is not None, "\n".join(self.messages)
        return line

    async def prints(self) -> Any:
        """The JSON object of its next line on stdout."""
        assert self.process.stdout is not None
        async with asyncio.timeout(SECONDS):
            line = await self.process.stdout.readline()
        assert line, "\n".join(self.messages)
        return json.loads(line)

    async def ended(self) -> Ended:
        """Its result, once it has ended by itself."""
        assert self.process.stdout is not None
        assert self._reading is not None
        async with asyncio.timeout(SECONDS):
            out = await self.process.stdout.read()
            await self._reading
            code = await self.process.wait()
        return Ended(code, out.decode(), "\n".join(self.messages))

    async def interrupt(self) -> Ended:
        """What Ctrl-C leads to."""
        self.process.send_signal(signal.SIGINT)
        return await self.ended()

    async def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self.process.kill()
        await self.process.wait()
