"""House AI in a process of its own, so that a long thought keeps nobody waiting."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from typing import Any

import structlog

from services.games.rules import Ruleset
from services.runtime.errors import Unavailable
from services.table import thinking

_log = structlog.get_logger(__name__)


class House:
    """The thinking process: begun with the first question, and again when it has died."""

    def __init__(self) -> None:
        self._process: asyncio.subprocess.Process | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: deque[asyncio.Future[bytes]] = deque()
        self._starting = asyncio.Lock()

    async def choose(self, rules: Ruleset, view: Any) -> Any:
        """House AI's action in a view. Raises Unavailable when the process died over it."""
        request = thinking.request(rules, view)
        process = await self._running()
        answer: asyncio.Future[bytes] = asyncio.get_running_loop().create_future()
        self._waiting.append(answer)
        assert process.stdin is not None
        process.stdin.write(request)
        return thinking.action(await answer)

    async def stop(self) -> None:
        """End the process."""
        if self._process is not None and self._process.stdin is not None:
            self._process.stdin.close()
        if self._reading is not None:
            await self._reading

    async def _running(self) -> asyncio.subprocess.Process:
        async with self._starting:
            if self._process is None or self._process.returncode is not None:
                pipe = asyncio.subprocess.PIPE
                command = (sys.executable, "-m", thinking.__name__)
                self._process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe)
                self._reading = asyncio.create_task(self._read(self._process), name="house AI")
            return self._process

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        try:
            while True:
                size = int.from_bytes(await process.stdout.readexactly(thinking.LENGTH), "big")
                data = await process.stdout.readexactly(size)
                self._waiting.popleft().set_result(data)
        except (asyncio.IncompleteReadError, ConnectionError):
            code = await process.wait()
        if code:
            _log.error("house_died", code=code, unanswered=len(self._waiting))
        while self._waiting:
            self._waiting.popleft().set_exception(Unavailable("TIMED_OUT"))


async def at_once(rules: Ruleset, view: Any) -> Any:
    """House AI in this process, where nobody minds waiting."""
    return rules.choose(view)
