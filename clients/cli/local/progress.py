"""The running rounds on the terminal: a bar on a screen, plain lines elsewhere; on stderr."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from types import TracebackType
from typing import Protocol, Self

import grpc
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from clients.cli.connection import Fupan
from clients.cli.local.event import OVER
from clients.cli.output import say
from clients.cli.rounds import progress_line, slowest, watched
from clients.cli.words import pick
from fupan.pairing.v1 import service_pb2 as pb

_AGAIN_SECONDS = 0.5
_LINE_SECONDS = 5.0


class Display(Protocol):
    """Shows how far a round is."""

    def __enter__(self) -> Self:
        """Begin to show."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Show no more."""

    def __call__(self, told: pb.WatchRoundResponse) -> None:
        """Show this."""


async def follow(fupan: Fupan, championship: str, show: Callable[[pb.WatchRoundResponse], None]) -> None:
    """Show every change of the running round until the championship has ended. A service that is away is waited for with the
    client's patience; then raises AioRpcError."""
    request = pb.WatchRoundRequest(championship=championship)
    loop = asyncio.get_running_loop()
    heard = loop.time()
    while True:
        try:
            async for told in watched(fupan, request):
                heard = loop.time()
                show(told)
                if told.championship_phase in OVER:
                    return
        except grpc.aio.AioRpcError:
            if loop.time() - heard > fupan.patience:
                raise
        await asyncio.sleep(_AGAIN_SECONDS)


def display() -> Display:
    """What suits stderr."""
    return _Bar() if sys.stderr.isatty() else _Lines()


class _Bar:
    """One bar a round, with the tables that hold it up."""

    def __init__(self) -> None:
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("{task.fields[slow]}"),
            console=Console(stderr=True),
        )
        self._tasks: dict[int, TaskID] = {}

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._bar.stop()

    def __call__(self, told: pb.WatchRoundResponse) -> None:
        if not told.round:
            return
        for number in range(1, told.round + 1):
            if number not in self._tasks:
                self._tasks[number] = self._bar.add_task(_name(told, number), total=_of(told), slow="")
        for number, task in self._tasks.items():
            now = number == told.round
            # A round that was never seen to end has ended when a later one runs.
            self._bar.update(
                task, completed=_done(told) if now else _of(told), slow=slowest(told) if now else ""
            )


def _name(told: pb.WatchRoundResponse, number: int) -> str:
    if told.boards:
        return pick(f"round {number}, boards", f"第 {number} 轮（副）")
    return pick(f"round {number}, matches", f"第 {number} 轮（场）")


def _of(told: pb.WatchRoundResponse) -> int:
    """What a round consists of: boards, or matches of nobody knows how many deals."""
    return told.boards or told.tables


def _done(told: pb.WatchRoundResponse) -> int:
    return told.boards_closed if told.boards else told.tables_done


class _Lines:
    """A line when a round's phase changes, and every few seconds."""

    def __init__(self) -> None:
        self._last: tuple[int, str] = (0, "")
        self._due = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing to end."""

    def __call__(self, told: pb.WatchRoundResponse) -> None:
        now = asyncio.get_running_loop().time()
        if not told.round or ((told.round, told.phase) == self._last and now < self._due):
            return
        self._last, self._due = (told.round, told.phase), now + _LINE_SECONDS
        say(progress_line(told))
