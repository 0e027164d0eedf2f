"""Real servers for tests: started, killed and started again at will."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

from services.runtime.embedded.processes import Child, launched

SECONDS = 60.0
"""How long a test waits for what must come: so long that only what never comes is missed, also on a slow machine that has much
else to do."""


class Server:
    """A child process of the tests. It ends with them, even when they are killed."""

    def __init__(self, child: Child, log: Path) -> None:
        self.child = child
        self.log = log
        self._process: subprocess.Popen[bytes] | None = None

    def spawn(self) -> None:
        """Start the process without waiting for it to serve."""
        if self.child.before is not None:
            self.child.before()
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                launched(self.child.program, self.child.identity, self.child.orphan_signal),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                cwd=self.child.folder,
                env={**os.environ, **self.child.environment},
                start_new_session=True,
            )

    async def up(self) -> None:
        """Start the process where it is down, return when it serves."""
        async with asyncio.timeout(SECONDS):
            while True:
                if self._process is None or self._process.poll() is not None:
                    # Also when it did not come up: what a killed one left behind may still be ending.
                    self.spawn()
                if await self.child.ready():
                    return
                await asyncio.sleep(0.02)

    def start(self) -> None:
        """`up` for fixtures, which have no loop."""
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(self.up())
        finally:
            loop.close()

    def kill(self) -> None:
        """SIGKILL, and wait until it is gone."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it properly."""
        self._end(self.child.stop_signal)

    def drop(self) -> None:
        """End it at once; its data is not needed any more."""
        self._end(self.child.orphan_signal)

    def reload(self) -> None:
        """Make it read its configuration again."""
        assert self._process
        self._process.send_signal(signal.SIGHUP)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(number)
            self._process.wait(30)
            self._process = None
