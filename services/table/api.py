"""The table service's RPCs: parse, handle, reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any, TypeVar

from fupan.common.v1.record_pb2 import Receipt
from fupan.table.v1 import events_pb2
from fupan.table.v1 import service_pb2 as pb
from fupan.table.v1.service_pb2_grpc import TableServiceServicer
from services.directory import Directory
from services.domain import Rejected
from services.runtime.answers import receipt
from services.runtime.errors import Denied, Malformed, Unauthenticated
from services.runtime.even import evenly
from services.runtime.identity import Caller, Identity, caller
from services.runtime.log import Answer, Envelope
from services.table import codec, views
from services.table.admission import Admission
from services.table.answering import Answers
from services.table.ear import Ear
from services.table.gallery import Gallery
from services.table.hall import Hall
from services.table.line import Line
from services.table.messages import seated
from services.table.model import commands as c
from services.table.model.events import BoardFinished, Event
from services.table.orders import Orders, Request
from services.table.overturning import Overturning
from services.table.players import Players, unfit
from services.table.replay import evenly_read
from services.table.replays import Replays
from services.table.rulings import Rulings, act_told, ruling_id, rulings_told
from services.table.seating import Place
from services.table.shadow import ShadowReferee
from services.table.timekeeper import Timekeeper
from services.table.watch import Seen, Watcher

T = TypeVar("T")

MAX_CURSOR = 2**62
"""More updates than any stream can bring; what is above was never given out."""

_OFFICES = ("chief_referee", "deputy", "referee", "organiser")


class TableApi(TableServiceServicer):
    """See protos/fupan/table/v1/service.proto. Who may call what is in `services.access`."""

    def __init__(
        self,
        hall: Hall,
        answers: Answers,
        directory: Directory,
        players: Players,
        admission: Admission,
        identity: Identity,
        orders: Orders,
        time: Timekeeper,
        shadow: ShadowReferee,
        gallery: Gallery,
        rulings: Rulings,
        overturning: Overturning,
        replays: Replays,
    ) -> None:
        self._hall = hall
        self._answers = answers
        self._directory = directory
        self._players = players
        self._admission = admission
        self._identity = identity
        self._orders = orders
        self._time = time
        self._shadow = shadow
        self._gallery = gallery
        self._rulings = rulings
        self._overturning = overturning
        self._replays = replays

    # Players

    async def Play(  # type: ignore[override]  # serialised already: see `Gate`
        self, request_iterator: AsyncIterator[pb.PlayRequest], context: Any
    ) -> AsyncIterator[pb.PlayResponse | bytes]:
        """A player's stream; see `Line`."""
        who, requests = caller(context), aiter(request_iterator)
        first = await anext(requests)
        if first.WhichOneof("kind") != "hello":
            raise Malformed("hello", "must be a stream's first message")
        if first.hello.cursor > MAX_CURSOR:
            raise Malformed("hello.cursor", "must be that of an update")
        if self._directory.get(first.hello.championship).played:
            yield pb.PlayResponse(closed=pb.Closed(reason="CHAMPIONSHIP_ENDED"))
            return
        line = Line(first.hello.championship, who.person, first.hello.cursor, self._time.now_us)
        ear = Ear(self._hall, self._answers, line, self._identity, self._time, who)
        self._hall.attach(line)
        listening = asyncio.create_task(ear.listen(requests))
        try:
            async for response in line:
                yield response
        finally:
            self._hall.detach(line)
            ear.stop()
            listening.cancel()

    async def Join(self, request: pb.JoinRequest, context: Any) -> pb.JoinResponse:
        """Sit down by a call of one's own."""
        who = caller(context)
        place = await self._place(request.championship, who)
        envelope = Envelope(who.person, request.command_id)
        await evenly(self._hall.log.handle(place.subject, c.JoinSeat(place.seat), envelope))
        return pb.JoinResponse(seated=seated(self._hall.table(place.subject), place.seat))

    async def Act(self, request: pb.ActRequest, context: Any) -> pb.ActResponse:
        """Answer by a call of one's own."""
        who = caller(context)
        await self._hall.place(request.championship, who.person)
        sent = self._answers.send(request.championship, who.person, request.answer)
        try:
            answer = await evenly(asyncio.shield(sent.task), at_once=lambda answer: not answer.repeated)
        finally:
            shown = asyncio.Event()
            self._hall.when_shown(sent.subject, sent.told_us, shown.set)
            await shown.wait()
        return pb.ActResponse(receipt=Receipt(hash=answer.hash))

    async def GetView(self, request: pb.GetViewRequest, context: Any) -> pb.GetViewResponse:
        """What one's seat sees now."""
        who = caller(context)
        place = await self._place(request.championship, who)
        shown, table = await self._hall.view(place), self._hall.table(place.subject)
        response = pb.GetViewResponse(seated=seated(table, place.seat))
        response.update.MergeFromString(codec.update(0, table.rules.game, shown))
        return response

    async def CallReferee(self, request: pb.CallRefereeRequest, context: Any) -> pb.CallRefereeResponse:
        """Ask for a referee (C9.3)."""
        who = caller(context)
        place = await self._place(request.championship, who)
        command = c.CallReferee(place.seat, request.reason)
        envelope = Envelope(who.person, request.command_id)
        await evenly(self._hall.log.handle(place.subject, command, envelope))
        return pb.CallRefereeResponse()

    async def _place(self, championship: str, who: Caller) -> Place:
        """Where the caller sits; whether a seat that it was given counts is found out first, at an even time."""
        place = await self._hall.place(championship, who.person)
        idle = place is None or self._hall.table(place.subject).slot is None
        if idle and self._hall.waiting(championship, who.person) is not None:
            await evenly(self._admission.settled(championship, who.person))
            place = self._hall.seating.place(championship, who.person)
        if place is None:
            raise _not_seated()
        return place

    # Officials

    async def WatchTable(
        self, request: pb.WatchTableRequest, context: Any
    ) -> AsyncIterator[pb.WatchTableResponse]:
        """A table as an official sees it, from now on and as long as the token is good."""
        subject = self._orders.subject(request.championship, request.table)
        game = self._hall.table(subject).rules.game
        watcher = Watcher[Seen]()
        self._hall.watch(subject, watcher)
        expires_us = int(caller(context).expires_at * 1_000_000)
        expiry = self._time.alarm(expires_us, lambda: watcher.refuse(Unauthenticated("TOKEN_EXPIRED")))
        try:
            cursor = 0
            async for seen in watcher.changes():
                self._players.check_watches(request.championship, caller(context))
                cursor += 1
                response = _watched(cursor, game, seen)
                response.status.doubted.extend(slot.board for slot in self._shadow.differs(subject))
                yield response
        finally:
            expiry.cancel()
            self._hall.unwatch(subject, watcher)

    async def WatchMatch(
        self, request: pb.WatchMatchRequest, context: Any
    ) -> AsyncIterator[pb.WatchMatchResponse]:
        """A match as spectators see it, late; how late is told at once. Nothing else is told of them or to them."""
        subject = self._orders.subject(request.championship, request.table)
        game = self._hall.table(subject).rules.game
        self._gallery.check(subject)
        yield pb.WatchMatchResponse(late_us=self._gallery.late_us)
        cursor = 0
        async for shown in self._gallery.watch(subject):
            cursor += 1
            response = pb.WatchMatchResponse(late_us=self._gallery.late_us)
            response.update.MergeFromString(codec.update(cursor, game, shown))
            yield response

    async def ListTables(self, request: pb.ListTablesRequest, context: Any) -> pb.ListTablesResponse:
        """A round's tables and where they stand."""
        self._directory.get(request.championship)
        found = []
        for subject in self._hall.seating.tables(request.championship, request.round):
            status = _status(views.status(self._hall.table(subject)), self._hall.connected(subject))
            status.doubted.extend(slot.board for slot in self._shadow.differs(subject))
            found.append(status)
        return pb.ListTablesResponse(tables=found)

    async def GetRoles(self, request: pb.GetRolesRequest, context: Any) -> pb.GetRolesResponse:
        """What the caller is in a championship: whoever has become something before is told so."""
        who, championship = caller(context), request.championship
        await self._players.refresh()
        self._directory.get(championship)
        roles = sorted(self._players.roles(championship, who.person))
        return pb.GetRolesResponse(roles=roles, watches=self._players.watches(championship, who))

    async def ListRefereeActs(
        self, request: pb.ListRefereeActsRequest, context: Any
    ) -> pb.ListRefereeActsResponse:
        """What was done at a table beside the play, and why a referee was called."""
        subject = self._orders.subject(request.championship, request.table)
        return pb.ListRefereeActsResponse(acts=map(act_told, await self._rulings.acts(subject)))

    async def PauseTable(self, request: pb.PauseTableRequest, context: Any) -> pb.PauseTableResponse:
        """Stop play and clocks."""
        answer = await self._order(request, c.PauseTable(_stated(request.reason)))
        return pb.PauseTableResponse(receipt=receipt(answer))

    async def ResumeTable(self, request: pb.ResumeTableRequest, context: Any) -> pb.ResumeTableResponse:
        """Let play go on."""
        answer = await self._order(request, c.ResumeTable(request.reason))
        return pb.ResumeTableResponse(receipt=receipt(answer))

    async def RecordInfringement(
        self, request: pb.RecordInfringementRequest, context: Any
    ) -> pb.RecordInfringementResponse:
        """Record an infringement (C11.1)."""
        reason = _stated(request.reason)
        command = c.RecordInfringement(request.seat, request.code, request.outcome, reason, request.fine)
        return pb.RecordInfringementResponse(receipt=receipt(await self._order(request, command)))

    async def MakeRuling(self, request: pb.MakeRulingRequest, context: Any) -> pb.MakeRulingResponse:
        """Rule, in place of an earlier ruling too (C9.2); the answer names the ruling for an appeal (C10.1)."""
        subject = self._orders.subject(request.championship, request.table)
        ruling, overturns = ruling_id(subject, request.command_id), request.overturns
        if overturns:
            await self._overturning.check(subject, ruling, overturns, caller(context))
        text = _stated(request.text)
        command = c.MakeRuling(ruling, text, request.clause, overturns, request.reason)
        answer = await self._order(request, command)
        return pb.MakeRulingResponse(receipt=receipt(answer), ruling=ruling)

    async def ReplaceSeat(self, request: pb.ReplaceSeatRequest, context: Any) -> pb.ReplaceSeatResponse:
        """Give a seat to a substitute, or to house AI (C1.6)."""
        person, reason = request.person_id, _stated(request.reason)
        place = Place(self._orders.subject(request.championship, request.table), request.seat)
        order = c.ReplaceSeat(place.seat, person, reason)
        try:
            if person:
                await self._players.check_substitute(*place, person)
        except Rejected:
            if not await self._orders.accepted(request, order):
                raise
        answer = await self._admission.patiently(place, lambda: self._order(request, order))
        if person and answer.events and not await self._admission.counts(place, answer):
            raise unfit(f"{person} was given a seat at another table at the same time")
        return pb.ReplaceSeatResponse(receipt=receipt(answer))

    async def CloseBoard(self, request: pb.CloseBoardRequest, context: Any) -> pb.CloseBoardResponse:
        """Close the open board, or the next one, without a result (C2.2)."""
        answer = await self._order(request, c.CloseBoard(_stated(request.reason)))
        return pb.CloseBoardResponse(receipt=receipt(answer))

    async def EnterBoard(self, request: pb.EnterBoardRequest, context: Any) -> pb.EnterBoardResponse:
        """Enter how a board with real cards came out (C1.3)."""
        command = c.EnterBoard(request.board, request.points, tuple(request.agreed), request.reason)
        answer = await self._order(request, command)
        finished = next(event for event in answer.events if isinstance(event, BoardFinished))
        return pb.EnterBoardResponse(receipt=receipt(answer), scores=finished.scores)

    # Everybody

    async def ListRulings(self, request: pb.ListRulingsRequest, context: Any) -> pb.ListRulingsResponse:
        """What referees ruled at a table, as far as the caller may know."""
        subject = self._orders.subject(request.championship, request.table)
        table = self._hall.table(subject)
        found = await evenly_read(table, self._rulings.of(subject, caller(context)))
        return pb.ListRulingsResponse(rulings=rulings_told(found, table.facts.round))

    async def ReplayBoard(
        self, request: pb.ReplayBoardRequest, context: Any
    ) -> AsyncIterator[pb.ReplayBoardResponse]:
        """A revealed board step by step; one that is not for the panel that judges it alone."""
        subject = self._orders.subject(request.championship, request.table)
        async for step in self._replays.board(subject, request):
            yield step

    async def _order(self, request: Request, command: c.Command) -> Answer[Event]:
        """An official's command to the table that the request names."""
        return await self._orders.handle(request, command, _OFFICES)


def _not_seated() -> Denied:
    return Denied("NOT_SEATED", "you sit at no table of this championship")


def _stated(reason: str) -> str:
    """The reason of an official's act. Raises Rejected (C9.4)."""
    if not reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
    return reason


def _watched(cursor: int, game: str, seen: Seen) -> pb.WatchTableResponse:
    shown, status, connected = seen
    response = pb.WatchTableResponse(status=_status(status, connected))
    response.update.MergeFromString(codec.update(cursor, game, shown))
    return response


def _status(status: views.TableStatus, connected: tuple[bool, ...]) -> pb.TableStatus:
    return pb.TableStatus(
        table=status.table,
        round=status.round,
        group=status.group,
        seats=[events_pb2.Seat(entrant=seat.entrant, person_id=seat.person_id) for seat in status.seats],
        boards=status.boards,
        boards_closed=status.boards_closed,
        board=status.board,
        paused=status.paused,
        referee_called=status.referee_called,
        finished=status.finished,
        thinking=status.thinking,
        deadline_us=status.deadline_us,
        connected=connected,
        call=None if status.call is None else codec.EVENTS.to_proto(status.call).referee_called,
    )
