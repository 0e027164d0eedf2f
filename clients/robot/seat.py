"""A person's seat in a championship: one Play stream that outlives restarts of servers and networks.

`moments` gives what the server tells, `answer` answers a question. After a break the stream begins anew with the seat's current
view, so an answer that was lost is asked for again; its command id follows from the seat and the question, so that it never counts
twice, and nobody else can guess it.
"""

from __future__ import annotations

import asyncio
import random
import secrets
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import grpc
from grpc import aio

from fupan.table.v1 import service_pb2 as pb
from services.games import registry
from services.games.shengji.bids import DRAWN
from services.games.shengji.view import SeatView as ShengjiView
from services.ledger.games import GAMES

if TYPE_CHECKING:
    from fupan.table.v1.service_pb2_grpc import TableServiceAsyncStub

STREAM_SECONDS = 24 * 3600.0
"""Deadline of a stream: servers want one on every call."""

RENEWAL_SECONDS = 240.0
"""How often a fresh token goes into the stream."""

PATIENCE = 20.0
"""Seconds that a refused stream is tried again: who has just been entered may not be known everywhere yet."""

_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 2.0
_RETRY_PAUSE = 0.2
_NEVER = frozenset({grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.INVALID_ARGUMENT})
_REFUSED = frozenset(
    {
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.NOT_FOUND,
        grpc.StatusCode.FAILED_PRECONDITION,
    }
)
_SIGNED_OUT = grpc.StatusCode.UNAUTHENTICATED


class Replaced(Exception):
    """Another stream of the same person took over."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What the seat sees from here on. `view` is the game's own view, None before the first board; `ask` is the number of
    the open question, 0 for none; `due` says that it waits for an answer: it is not paused, nor answered already."""

    table: str
    round: int
    seat: int
    ruleset: str
    boards: int
    board: int
    view: Any
    ask: int
    question: str
    deadline_us: int
    paused: bool
    due: bool
    command_id: str
    """Of the answer: a question is answered once, and nobody can guess the id and take it first."""
    result: pb.BoardResult | None = None
    """How the board in view ended, once it has."""
    match: pb.MatchView | None = None
    """Where the match stands, at a table that plays one."""

    @property
    def may_bid(self) -> bool:
        """Whether a bid may be made that nobody asks for: in Shengji while cards are drawn (S4.1)."""
        view = self.view
        return not self.paused and isinstance(view, ShengjiView) and view.drawn < DRAWN and bool(view.offers)


@dataclass(frozen=True, slots=True)
class Refused:
    """The server did not take an answer; message in English and Chinese."""

    reason: str
    clause: str
    message: str
    message_zh: str


@dataclass(frozen=True, slots=True)
class Waiting:
    """No table yet."""

    reason: str


@dataclass(frozen=True, slots=True)
class Seated:
    """Sat down at a table, which may still wait for its others."""

    table: str
    round: int
    seat: int


@dataclass(frozen=True, slots=True)
class Away:
    """The stream broke or was refused, and is tried again."""

    detail: str
    refused: bool = False
    """The server answered, and the person has no part in the championship that it knows of."""
    signed_out: bool = False
    """The server does not take the token: it has expired, say."""


Told = Moment | Refused | Waiting | Seated | Away


class Seat:
    """One person's stream. `token` gives a bearer token that is good now; `receipt` gets the hash of every accepted record."""

    def __init__(
        self,
        stub: TableServiceAsyncStub,
        championship: str,
        token: Callable[[], str],
        receipt: Callable[[bytes], None] = lambda _: None,
    ) -> None:
        self._stub = stub
        self._championship = championship
        self._token = token
        self._receipt = receipt
        self._secret = secrets.token_hex(8)
        self._call: Any = None
        self._writing = asyncio.Lock()
        self._seated = pb.Seated()
        self._cursor = 0
        self._boards: list[int] = []
        """Boards of the table it has seen, the newest last."""
        self._sent: pb.Answer | None = None
        self._tasks: set[asyncio.Task[None]] = set()

    async def moments(self) -> AsyncGenerator[Told, None]:
        """What the server tells, until the championship has ended. Raises Replaced, and AioRpcError when the server goes on
        refusing the stream."""
        loop = asyncio.get_running_loop()
        pause, good = _FIRST_PAUSE, loop.time()
        while True:
            broken: aio.AioRpcError | None = None
            try:
                async for message in self._open():
                    pause, good = _FIRST_PAUSE, loop.time()
                    if message.WhichOneof("kind") == "closed":
                        if message.closed.reason == "CHAMPIONSHIP_ENDED":
                            return
                        if message.closed.reason == "REPLACED":
                            raise Replaced
                        break
                    told = self._told(message)
                    if told is not None:
                        yield told
            except aio.AioRpcError as error:
                tired = error.code() in (*_REFUSED, _SIGNED_OUT) and loop.time() - good > PATIENCE
                if tired or error.code() in _NEVER:
                    raise
                broken = error
            finally:
                self._leave()
            if broken is not None and pause > _FIRST_PAUSE:
                # Not of the first time: a stream that comes back at once was hardly away.
                code = broken.code()
                yield Away(broken.details() or code.name, code in _REFUSED, code is _SIGNED_OUT)
            self._sent = None
            await asyncio.sleep(pause * random.uniform(0.5, 1.0))
            pause = min(2 * pause, _LONGEST_PAUSE)

    async def answer(self, moment: Moment, action: Any) -> None:
        """Answer the moment's question, or bid while cards are drawn, when there is none. An answer that cannot be sent is asked
        for again; such a bid is not."""
        game = GAMES[registry.find(moment.ruleset).game]
        self._sent = pb.Answer(
            # Of bids that nobody asks for there may be several.
            command_id=moment.command_id if moment.ask else f"{moment.command_id}.{secrets.token_hex(4)}",
            board=moment.board,
            ask=moment.ask,
            **{game.field: game.actions.to_proto(action)},
        )
        await self._write(pb.PlayRequest(answer=self._sent))

    def _open(self) -> Any:
        """A new stream, its hello on the way."""
        metadata = (("authorization", f"Bearer {self._token()}"),)
        self._call = self._stub.Play(metadata=metadata, timeout=STREAM_SECONDS)  # type: ignore[call-arg]  # we write by hand
        hello = pb.Hello(championship=self._championship, cursor=self._cursor)
        self._spawn(self._write(pb.PlayRequest(hello=hello)))
        self._spawn(self._renew())
        return self._call

    def _leave(self) -> None:
        """End the stream, and what was under way on it: one that is only left would be kept for ever."""
        self._call.cancel()
        for task in self._tasks:
            task.cancel()

    def _told(self, message: pb.PlayResponse) -> Told | None:
        match message.WhichOneof("kind"):
            case "seated":
                moved = message.seated.table != self._seated.table
                self._seated = message.seated
                if moved:
                    self._sent, self._boards = None, []
                    return Seated(message.seated.table, message.seated.round, message.seated.seat)
            case "update":
                self._cursor = message.update.cursor
                for accepted in message.update.accepted:
                    self._receipt(accepted.receipt.hash)
                if message.update.ask:
                    delivered = pb.PlayRequest(delivered=pb.Delivered(cursor=self._cursor))
                    self._spawn(self._write(delivered))
                return None if self._over(message.update) else self._moment(message.update)
            case "accepted":
                self._receipt(message.accepted.receipt.hash)
            case "refused":
                return self._refused(message.refused)
            case "waiting":
                return Waiting(message.waiting.reason)
        return None

    def _over(self, update: pb.Update) -> bool:
        """Whether the end of a board has long been seen: after a restart the server does not know, and tells of all again."""
        if update.board in self._boards[:-1]:
            if update.HasField("result"):
                return True
            self._boards.remove(update.board)  # it is played yet: what was told since is of boards before it
        if update.board not in self._boards:
            self._boards.append(update.board)
        return False

    def _moment(self, update: pb.Update) -> Moment:
        seated = self._seated
        game = GAMES[registry.find(seated.ruleset).game]
        shown = update.view.HasField(game.field)  # type: ignore[arg-type]  # a field of every game there is
        answered = self._sent is not None and (self._sent.board, self._sent.ask) == (update.board, update.ask)
        return Moment(
            table=seated.table,
            round=seated.round,
            seat=seated.seat,
            ruleset=seated.ruleset,
            boards=seated.boards,
            board=update.board,
            view=game.views.from_proto(getattr(update.view, game.field)) if shown else None,
            ask=update.ask,
            question=update.question,
            deadline_us=update.deadline_us,
            paused=update.paused,
            due=update.ask > 0 and not update.paused and not answered,
            command_id=f"{self._secret}.{update.board}.{update.ask}",
            result=update.result if update.HasField("result") else None,
            match=update.match if update.HasField("match") else None,
        )

    def _refused(self, refused: pb.Refused) -> Refused | None:
        sent = self._sent
        if refused.retry and sent is not None and sent.command_id == refused.command_id:
            self._spawn(self._again(sent))
            return None
        # Should the question stand after all (the table was paused, say), it waits for an answer again.
        self._sent = None
        return Refused(refused.reason, refused.clause, refused.message, refused.message_zh)

    async def _again(self, answer: pb.Answer) -> None:
        await asyncio.sleep(_RETRY_PAUSE)
        await self._write(pb.PlayRequest(answer=answer))

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(RENEWAL_SECONDS)
            await self._write(pb.PlayRequest(renewal=pb.TokenRenewal(token=self._token())))

    async def _write(self, request: pb.PlayRequest) -> None:
        """Send; what a broken stream does not take is lost, and its reader finds out."""
        async with self._writing:
            try:
                await self._call.write(request)
            except (aio.AioRpcError, asyncio.InvalidStateError):
                return

    def _spawn(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
