"""A player's line: what goes out on one Play stream, newest view only, but how every board ended.

A view that is not sent yet is overtaken by the next one, so a slow client costs no memory and is never shown the past.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable

from fupan.table.v1 import service_pb2 as pb
from services.runtime.errors import Limited
from services.table import codec
from services.table.joining import Field
from services.table.views import NOTHING, Shown

BACKLOG = 256
"""Messages that may wait for a client to read."""

_UPDATE = Field(pb.PlayResponse, "update")
_ACCEPTED = Field(pb.Update, "accepted")


class Line:
    """One stream of one person in one championship. `cursor` is that of the last update the client has seen."""

    __slots__ = (
        "_asked",
        "_asked_cursor",
        "_fresh",
        "_game",
        "_now_us",
        "_out",
        "_sent_us",
        "_shown",
        "_waiter",
        "championship",
        "cursor",
        "ended",
        "new",
        "person",
        "seat",
        "subject",
        "told",
        "unanswered",
    )

    def __init__(self, championship: str, person: str, cursor: int, now_us: Callable[[], int]) -> None:
        self.championship = championship
        self.person = person
        self.cursor = cursor
        self.subject = ""
        """Where the person sits; empty: nowhere."""
        self.seat = 0
        self.new = False
        """Whether it was shown no board yet since it sat down."""
        self.told: dict[int, int] = {}
        """By board, the cursor of the update that told its person how it ended at this table."""
        self.ended: str | BaseException | None = None
        """Why the stream ends: a reason for its last message, an error, or "" when the client has gone."""
        self.unanswered = 0
        """Answers it sent whose outcome is not known yet."""
        self._now_us = now_us
        self._game = ""
        self._shown = NOTHING
        self._fresh = False
        self._asked = (0, 0)
        self._asked_cursor = 0
        self._sent_us = 0
        self._out: list[pb.PlayResponse | bytes] = []
        self._waiter: asyncio.Future[None] | None = None

    def sit(self, subject: str, seat: int, game: str, seated: pb.Seated, told: dict[int, int]) -> None:
        """The person sits at a table from here on; `told` as the field."""
        self._keep()
        self.subject, self.seat, self._game = subject, seat, game
        self._shown, self._fresh = NOTHING, False
        self.new, self.told = True, told
        self.put(pb.PlayResponse(seated=seated))

    def rise(self, reason: str) -> None:
        """The person sits nowhere."""
        self._keep()
        self.subject = ""
        self._shown, self._fresh = NOTHING, False
        self.put(pb.PlayResponse(waiting=pb.Waiting(reason=reason)))

    def show(self, shown: Shown) -> None:
        """Send what the seat sees, if it changed."""
        if shown != self._shown:
            if shown.result is None or shown.board != self._shown.board:
                self._keep()
            self._shown, self._fresh = shown, True
            self._wake()

    def _keep(self) -> None:
        """How a board ended is not overtaken by what comes after it."""
        if self._fresh and self._shown.result is not None:
            self.put(_UPDATE.holding(self._update()))

    def put(self, response: pb.PlayResponse | bytes) -> None:
        """Send something that must not be left out; a client that sends and never reads is cut off."""
        self._out.append(response)
        if len(self._out) > BACKLOG:
            self.close(Limited("RATE_LIMITED", 1.0))
        self._wake()

    def close(self, why: str | BaseException) -> None:
        """End the stream: with a reason as its last message, with an error, or in silence ("")."""
        if self.ended is None:
            self.ended = why
            self._wake()

    def acknowledged(self, cursor: int) -> tuple[int, int, int] | None:
        """Board, ask and round trip (µs) of the question that the client says it has shown; None when it is no news."""
        if not self._asked_cursor or not self._asked_cursor <= cursor <= self.cursor:
            return None
        self._asked_cursor = 0
        return (*self._asked, self._now_us() - self._sent_us)

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        """The stream's next PlayResponse, serialised; Closed is the last one. Raises the error it was closed with."""
        while True:
            ended = self.ended
            if isinstance(ended, BaseException):
                raise ended
            if self._out or self._fresh:
                return self._next()
            if ended is not None:
                if not ended:
                    raise StopAsyncIteration
                self.ended = ""
                return pb.PlayResponse(closed=pb.Closed(reason=ended)).SerializeToString()
            self._waiter = asyncio.get_running_loop().create_future()
            await self._waiter

    def _next(self) -> bytes:
        """What goes out next. The receipt of an answer goes with the view it led to: every message costs a client and us the same,
        however small it is."""
        first = self._out.pop(0) if self._out else None
        if first is None:
            return _UPDATE.holding(self._update())
        if isinstance(first, bytes):
            return first
        if self._fresh and not self._out and first.HasField("accepted"):
            return _UPDATE.holding(self._update() + _ACCEPTED.holding(first.accepted.SerializeToString()))
        return first.SerializeToString()

    def _update(self) -> bytes:
        shown, self._fresh = self._shown, False
        self.cursor += 1
        if shown.result is not None:
            self.told[shown.board] = self.cursor
        if shown.ask and self._asked != (shown.board, shown.ask):
            self._asked, self._asked_cursor = (shown.board, shown.ask), self.cursor
            self._sent_us = self._now_us()
        return codec.update(self.cursor, self._game, shown)

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
