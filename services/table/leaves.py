"""Leaves of boards, asked from the dealer in batches and kept in memory only (design: deals nobody can doubt).

A table asks when it has opened a board; many open the same one within moments, and all that ask within `WINDOW` seconds go
into one call. What the dealer has revealed in its log need not be asked for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass

from services.runtime.errors import Unavailable
from services.runtime.streams import parse

WINDOW = 0.005
"""Seconds that the first who asks waits for others."""

BATCH = 500
"""Boards a call asks for at most."""


@dataclass(frozen=True, slots=True)
class Opened:
    """A board by the path of its leaf, and the record in which the table of a subject opened it."""

    subject: str
    path: str
    sequence: int

    @property
    def key(self) -> tuple[str, str]:
        """Championship and path: what its leaf is known by."""
        return parse(self.subject).championship, self.path


@dataclass(frozen=True, slots=True, repr=False)
class Leaf:
    """A board's leaf, and the public entropy of its batch where some was named."""

    leaf: bytes
    entropy: bytes = b""


Ask = Callable[[Sequence[Opened]], Awaitable[Sequence[Leaf]]]
"""Asks the dealer; the answer is aligned with the request, one leaf a board. Raises Unavailable, Refused."""


class Refused(Exception):
    """The dealer does not give a leaf out, and will not if asked again in the same way."""


class Leaves:
    """All leaves this replica knows."""

    def __init__(self, ask: Ask) -> None:
        self._ask = ask
        self._held: dict[tuple[str, str], Leaf] = {}
        self._revealed: dict[tuple[str, str], Leaf] = {}
        self._panels: dict[tuple[str, str], dict[str, frozenset[str]]] = {}
        """By championship and path: who sees an unrevealed board, by appeal."""
        self._waiting: dict[tuple[str, str], asyncio.Future[Leaf]] = {}
        self._next: list[Opened] = []
        self._calls: set[asyncio.Task[None]] = set()

    def held(self, championship: str, path: str) -> Leaf | None:
        """A leaf that was asked for before."""
        return self._held.get((championship, path))

    def revealed(self, championship: str, path: str) -> Leaf | None:
        """A leaf that everybody may know."""
        return self._revealed.get((championship, path))

    def known(self, championship: str, path: str) -> Leaf | None:
        """A leaf that need not be asked for."""
        return self.held(championship, path) or self.revealed(championship, path)

    def reveal(self, championship: str, path: str, leaf: bytes) -> None:
        """The dealer's log says that a leaf is public."""
        self._revealed[championship, path] = Leaf(leaf)

    def open_to(self, championship: str, path: str, appeal: str, panel: Iterable[str]) -> None:
        """The dealer's log says that this panel, and nobody else of that appeal, sees a board before it is revealed."""
        self._panels.setdefault((championship, path), {})[appeal] = frozenset(panel)

    def judges(self, championship: str, path: str, person: str) -> bool:
        """Whether a board is open to somebody who judges it."""
        return any(person in panel for panel in self._panels.get((championship, path), {}).values())

    async def fetch(self, board: Opened) -> Leaf:
        """The leaf of an opened board. Raises Unavailable while the dealer is away, or does not give it out."""
        key = board.key
        known = self.known(*key)
        if known is not None:
            self._held[key] = known
            return known
        waiting = self._waiting.get(key)
        if waiting is None:
            loop = asyncio.get_running_loop()
            waiting = self._waiting[key] = loop.create_future()
            waiting.add_done_callback(_seen)
            self._next.append(board)
            if len(self._next) == 1:
                loop.call_later(WINDOW, self._send)
        return await asyncio.shield(waiting)

    async def stop(self) -> None:
        """Wait for calls under way."""
        if self._calls:
            await asyncio.wait(self._calls)

    def _send(self) -> None:
        boards, self._next = self._next, []
        for start in range(0, len(boards), BATCH):
            task = asyncio.create_task(self._call(boards[start : start + BATCH]))
            self._calls.add(task)
            task.add_done_callback(self._calls.discard)

    async def _call(self, boards: Sequence[Opened]) -> None:
        try:
            leaves = await self._ask(boards)
        except Refused as refusal:
            if len(boards) > 1:  # one of them may spoil it for the others
                await asyncio.gather(*(self._call([board]) for board in boards))
            else:
                self._fail(boards, Unavailable("PEER_UNAVAILABLE", str(refusal)))
        except Exception as error:
            self._fail(boards, error)
        else:
            for board, leaf in zip(boards, leaves, strict=True):
                self._held[board.key] = leaf
                self._waiting.pop(board.key).set_result(leaf)

    def _fail(self, boards: Sequence[Opened], error: Exception) -> None:
        for board in boards:
            self._waiting.pop(board.key).set_exception(error)


def _seen(future: asyncio.Future[Leaf]) -> None:
    """A failure nobody waits for any more is no news."""
    if not future.cancelled():
        future.exception()
