"""A TCP proxy before a server that can swallow answers, to lose what a server has already done."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager


class Proxy:
    """Forwards connections to a local port. While `swallowing`, what the server answers is lost."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self.swallowing = False
        self.swallowed = asyncio.Event()
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One client's connection."""
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._target)
        self._writers |= {writer, server_writer}
        for pair in ((reader, server_writer, False), (server_reader, writer, True)):
            task = asyncio.create_task(self._forward(*pair))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _forward(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, answers: bool
    ) -> None:
        try:
            while data := await reader.read(65536):
                if answers and self.swallowing:
                    self.swallowed.set()
                    continue
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    def cut(self) -> None:
        """Close every connection; new ones are served in full again."""
        self.swallowing = False
        self.swallowed.clear()
        for writer in self._writers:
            writer.close()
        self._writers.clear()


@asynccontextmanager
async def proxied(target: int) -> AsyncIterator[Proxy]:
    """A proxy before a local port."""
    proxy = Proxy(target)
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
