"""An appeals service in a process of its own, which is killed without warning and begins anew."""

from __future__ import annotations

import multiprocessing
import os
from multiprocessing.process import BaseProcess
from typing import Self

from services.appeals.app import build
from services.runtime.app import main
from tests.platform import Platform

_FORKED = multiprocessing.get_context("forkserver")
_FORKED.set_forkserver_preload(["services.appeals.app", "services.runtime.app"])


def live(environment: dict[str, str]) -> None:
    """Run the service, as `python -m services.appeals` does."""
    os.environ.update(environment)
    main({"appeals": build})


class Lives:
    """One life after the other, as long as the context lasts."""

    def __init__(self, platform: Platform) -> None:
        self._platform = platform
        self._process: BaseProcess | None = None

    async def __aenter__(self) -> Self:
        await self.begin()
        return self

    async def __aexit__(self, *raised: object) -> None:
        self.end()

    async def begin(self) -> None:
        """Start, and return when it answers."""
        environment = self._platform.environment("appeals", self._platform.ports["appeals"])
        self._process = _FORKED.Process(target=live, args=(environment,), daemon=True)
        self._process.start()
        await self._platform.reached("appeals")

    def end(self) -> None:
        """SIGKILL, whatever it is doing."""
        assert self._process is not None
        self._process.kill()
        self._process.join()
