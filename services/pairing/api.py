"""Pairing's RPCs: parse, handle, reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from fupan.pairing.v1 import events_pb2, service_pb2_grpc
from fupan.pairing.v1 import service_pb2 as pb
from services.domain import Rejected
from services.games.championship.tables import plan_of
from services.pairing import document, intake, seating
from services.pairing.codec import EVENTS
from services.pairing.desk import Desk
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.state import Regulations
from services.pairing.overturning import ruling_id
from services.pairing.watching import Watching, changes_of, current_of
from services.runtime.answers import Waits, reached, receipt
from services.runtime.errors import Denied, Malformed, NotFound, Unauthenticated
from services.runtime.identity import caller

T = TypeVar("T")

WATCH_SECONDS = 0.25
"""Shortest time between two messages of a watch."""

PAGE = 1_000
_OPEN = ("paired", "running")
"""Phases of a round that is still to be played: after the competition, a play-off."""
_ORGANISERS = ("organiser",)
_RUNNING = ("organiser", "chief_referee", "deputy")
_HEADS = ("chief_referee", "deputy")
_REFEREES = ("chief_referee", "deputy", "referee")


class PairingApi(service_pb2_grpc.PairingServiceServicer):
    """Championships, entrants, officials, rounds, seats."""

    def __init__(self, desk: Desk, waits: Waits, stopping: asyncio.Event) -> None:
        self._desk = desk
        self._waits = waits
        self._stopping = stopping
        self._rounds = Watching(desk)

    # Championships

    async def CreateChampionship(self, request: pb.CreateChampionshipRequest, context: Any) -> Any:
        settings = document.resolve(request.document, self._desk.demo_allowed)
        command = c.CreateChampionship(settings, self._desk.trusted_keys)
        answer = await self._desk.handle(settings.championship, command, request.command_id)
        return pb.CreateChampionshipResponse(receipt=receipt(answer), settings=_settings(settings))

    async def GetChampionship(self, request: pb.GetChampionshipRequest, context: Any) -> Any:
        await reached(request.min_position, self._waits)
        return self._described(request.championship)

    async def ListChampionships(self, request: pb.ListChampionshipsRequest, context: Any) -> Any:
        page, token = _page(sorted(self._desk.championships()), request.page_size, request.page_token)
        return pb.ListChampionshipsResponse(
            championships=[self._described(one) for one in page], next_page_token=token
        )

    def _described(self, championship: str) -> pb.GetChampionshipResponse:
        state = self._desk.rounds.state(championship)
        return pb.GetChampionshipResponse(
            settings=_settings(state.settings),
            organiser=state.organiser,
            phase=state.phase,
            entrants=len(state.entrants),
            current_round=state.newest.number if state.newest else 0,
            officials=[EVENTS.to_proto(one).official_appointed for one in state.officials],
            created_us=state.created_us,
            ended_us=state.ended_us,
            seal=EVENTS.to_proto(state.seal).championship_sealed if state.seal else None,
            epoch=state.epoch,
            rounds=[one.number for one in state.rounds if one.pairing],
            regulations=[
                _regulations(replace(one, published=replace(one.published, text="")))
                for one in state.regulations
            ],
            being_sealed=bool(state.sealing),
        )

    # People

    async def ImportEntrants(
        self, request_iterator: AsyncIterator[pb.ImportEntrantsRequest], context: Any
    ) -> Any:
        header, rows = await _received(request_iterator)
        answer, count = await self._desk.enter(header.championship, header.command_id, rows)
        return pb.ImportEntrantsResponse(receipt=receipt(answer), imported=count)

    async def CheckEntrants(
        self, request_iterator: AsyncIterator[pb.CheckEntrantsRequest], context: Any
    ) -> Any:
        header, rows = await _received(request_iterator)
        state = self._desk.rounds.state(header.championship)
        told, more = await asyncio.to_thread(intake.told, state, rows)
        return pb.CheckEntrantsResponse(bad=told, more=more)

    async def ListEntrants(self, request: pb.ListEntrantsRequest, context: Any) -> Any:
        await reached(request.min_position, self._waits)
        state = self._desk.rounds.state(request.championship)
        page, token = _page(sorted(state.entrants), request.page_size, request.page_token)
        entrants = [state.entrants[number] for number in page]
        ids = [member.person_id for one in entrants for member in one.members]
        names = await self._desk.persons.names(request.championship, ids)
        return pb.ListEntrantsResponse(
            entrants=[
                pb.ListedEntrant(
                    entrant=_entrant(one),
                    names=[names.get(member.person_id, "") for member in one.members],
                    withdrawn=one.number in state.withdrawn,
                )
                for one in entrants
            ],
            next_page_token=token,
        )

    async def WithdrawEntrant(self, request: pb.WithdrawEntrantRequest, context: Any) -> Any:
        person = caller(context).person
        state = self._desk.rounds.state(request.championship)
        runs = any(one.person_id == person and one.role in _RUNNING for one in state.officials)
        if not runs and state.persons.get(person) != request.entrant:
            raise Denied("NOT_YOURS", "a player withdraws nobody but itself")
        command = c.WithdrawEntrant(request.entrant, request.reason)
        answer = await self._desk.handle(
            request.championship, command, request.command_id, *_RUNNING, "player"
        )
        return pb.WithdrawEntrantResponse(receipt=receipt(answer))

    async def ErasePerson(self, request: pb.ErasePersonRequest, context: Any) -> Any:
        answer = await self._desk.erase(request.championship, request.command_id, request.person_id)
        return pb.ErasePersonResponse(receipt=receipt(answer))

    async def AppointOfficial(self, request: pb.AppointOfficialRequest, context: Any) -> Any:
        command = c.AppointOfficial(request.person_id, request.role, request.unit_id, request.reason)
        answer = await self._desk.handle(request.championship, command, request.command_id, *_ORGANISERS)
        return pb.AppointOfficialResponse(receipt=receipt(answer))

    async def SuspendOfficial(self, request: pb.SuspendOfficialRequest, context: Any) -> Any:
        person = caller(context).person
        state = self._desk.rounds.state(request.championship)
        organises = any((one.person_id, one.role) == (person, "organiser") for one in state.officials)
        if not organises and request.role != "referee":
            raise Denied("NOT_IN_ROLE", "C9.2 lets the chief referee end a referee's commission, no other")
        command = c.SuspendOfficial(request.person_id, request.role, request.reason)
        answer = await self._desk.handle(
            request.championship, command, request.command_id, "organiser", "chief_referee"
        )
        return pb.SuspendOfficialResponse(receipt=receipt(answer))

    async def PublishRegulations(self, request: pb.PublishRegulationsRequest, context: Any) -> Any:
        command = c.PublishRegulations(request.text)
        answer = await self._desk.handle(request.championship, command, request.command_id, *_ORGANISERS)
        published = next(one for one in answer.events if isinstance(one, e.RegulationsPublished))
        return pb.PublishRegulationsResponse(receipt=receipt(answer), version=published.version)

    async def GetRegulations(self, request: pb.GetRegulationsRequest, context: Any) -> Any:
        await reached(request.min_position, self._waits)
        published = self._desk.rounds.state(request.championship).regulations
        wanted = request.version or len(published)
        if not 0 < wanted <= len(published):
            raise NotFound("version of the regulations", wanted or 1)
        return pb.GetRegulationsResponse(regulations=_regulations(published[wanted - 1]))

    async def ConfirmVenue(self, request: pb.ConfirmVenueRequest, context: Any) -> Any:
        command = c.ConfirmVenue(tuple(request.items))
        answer = await self._desk.handle(request.championship, command, request.command_id, *_REFEREES)
        return pb.ConfirmVenueResponse(receipt=receipt(answer))

    async def RecordConduct(self, request: pb.RecordConductRequest, context: Any) -> Any:
        command = c.RecordConduct(
            request.code,
            request.outcome,
            entrant=request.entrant,
            person_id=request.person_id,
            round=request.round,
        )
        answer = await self._desk.record_conduct(
            request.championship, command, request.reason, request.command_id, *_REFEREES
        )
        return pb.RecordConductResponse(receipt=receipt(answer))

    async def ListConduct(self, request: pb.ListConductRequest, context: Any) -> Any:
        await reached(request.min_position, self._waits)
        championship = request.championship
        watches = await self._desk.substitutes.watches_now(championship, caller(context))
        return pb.ListConductResponse(
            conduct=[
                pb.Conduct(
                    recorded=EVENTS.to_proto(one.recorded).conduct_recorded,
                    referee=one.referee,
                    time_us=one.time_us,
                    reason=reason,
                )
                for one, reason in await self._desk.conduct(championship, caller(context).person, watches)
            ]
        )

    async def OverturnRuling(self, request: pb.OverturnRulingRequest, context: Any) -> Any:
        championship, overturns = request.championship, request.overturns
        envelope = self._desk.envelope(championship, request.command_id, *_HEADS)
        name = f"{envelope.actor} {request.command_id}"
        ruling = ruling_id(overturns.rpartition(".")[0], self._desk.subject(championship), name)
        command = c.OverturnRuling(ruling, overturns, request.text, request.clause, request.reason)
        state = self._desk.rounds.state(championship)
        answer = await self._desk.overturning.overturn(state, command, envelope)
        return pb.OverturnRulingResponse(receipt=receipt(answer), ruling=ruling)

    # Rounds

    async def PairRound(self, request: pb.PairRoundRequest, context: Any) -> Any:
        # Standings that were published before the call came count.
        await self._desk.catch_up()
        envelope = self._desk.envelope(request.championship, request.command_id, *_RUNNING)
        answer, paired = await self._desk.rounds.pair(request.championship, request.round, envelope)
        return pb.PairRoundResponse(receipt=receipt(answer), round=paired.round, tables=paired.tables)

    async def StartRound(self, request: pb.StartRoundRequest, context: Any) -> Any:
        command = c.StartRound(request.round)
        answer = await self._desk.handle(request.championship, command, request.command_id, *_RUNNING)
        return pb.StartRoundResponse(receipt=receipt(answer))

    async def CloseRound(self, request: pb.CloseRoundRequest, context: Any) -> Any:
        command = c.CloseRound(request.round, request.reason)
        answer = await self._desk.handle(request.championship, command, request.command_id, *_RUNNING)
        return pb.CloseRoundResponse(receipt=receipt(answer))

    async def EndCompetition(self, request: pb.EndCompetitionRequest, context: Any) -> Any:
        command = c.EndCompetition(request.reason)
        answer = await self._desk.handle(request.championship, command, request.command_id, *_RUNNING)
        return pb.EndCompetitionResponse(receipt=receipt(answer))

    async def OverrideSeating(self, request: pb.OverrideSeatingRequest, context: Any) -> Any:
        tables = tuple(
            e.SeatedTable(one.table, one.group, tuple(one.entrants), tuple(one.members))
            for one in request.tables
        )
        command = c.OverrideSeating(request.round, tables, request.reason)
        answer = await self._desk.handle(request.championship, command, request.command_id, *_HEADS)
        return pb.OverrideSeatingResponse(receipt=receipt(answer))

    async def OrderPlayoff(self, request: pb.OrderPlayoffRequest, context: Any) -> Any:
        # Standings that were published before the call came count.
        await self._desk.catch_up()
        envelope = self._desk.envelope(request.championship, request.command_id, *_HEADS)
        answer, seated = await self._desk.playoffs.order(
            request.championship, request.rank, request.reason, envelope
        )
        entrants = sorted({number for one in seated.tables for number in one.entrants if number})
        return pb.OrderPlayoffResponse(receipt=receipt(answer), round=seated.round, entrants=entrants)

    async def GetRound(self, request: pb.GetRoundRequest, context: Any) -> Any:
        full = self._desk.watches(request.championship)
        await reached(request.min_position, self._waits, full)
        state = self._desk.rounds.state(request.championship)
        current = current_of(state, request.round)
        return pb.GetRoundResponse(
            round=current.number,
            phase=current.phase,
            tables=self._rounds.tables(request.championship, state, current, full),
            pairing=EVENTS.to_proto(current.pairing).round_paired if current.pairing else None,
            started_us=current.started_us,
            board_deadline_us=current.board_deadline_us,
            changes=changes_of(current),
        )

    async def WatchRound(self, request: pb.WatchRoundRequest, context: Any) -> AsyncIterator[Any]:
        if caller(context).person:  # who was appointed a moment ago is told as much from the first message on
            await self._desk.directory.refresh()
        last = None
        stopped = asyncio.create_task(self._stopping.wait())
        try:
            while not self._stopping.is_set():
                full = self._desk.watches(request.championship)
                if full and caller(context).expires_at * 1_000_000 <= self._desk.clock():
                    raise Unauthenticated("TOKEN_EXPIRED")
                message = self._rounds.watch(request.championship, request.round, full)
                # Before the message is sent, lest a change meanwhile is missed.
                moved = asyncio.create_task(self._desk.moved(request.championship).wait())
                try:
                    if message is not last:
                        last = message
                        yield message
                    if message.championship_phase in ("ended", "sealed") and message.phase not in _OPEN:
                        return
                    await asyncio.wait({moved, stopped}, return_when=asyncio.FIRST_COMPLETED)
                finally:
                    moved.cancel()
                await asyncio.sleep(WATCH_SECONDS)
        finally:
            stopped.cancel()

    async def GetSeatingCertificate(self, request: pb.GetSeatingCertificateRequest, context: Any) -> Any:
        state = self._desk.rounds.state(request.championship)
        first = state.round(1)
        if first is None or first.pairing is None or state.settings is None:
            raise Rejected("ROUND_NOT_PAIRED", "C6.1", "round 1 has not been drawn yet")
        revealed = await self._desk.rounds.revealed_draw(request.championship)
        certificate = seating.certificate(
            plan_of(state.settings),
            request.championship,
            [state.entrants[number] for number in state.registered],
            first.paired,
            first.pairing.byes,
            revealed,
        )
        return pb.GetSeatingCertificateResponse(certificate=certificate)

    async def DecideFork(self, request: pb.DecideForkRequest, context: Any) -> Any:
        answer, decided = await self._desk.decide_fork(request)
        return pb.DecideForkResponse(receipt=receipt(answer), stands=decided.stands)

    async def SealChampionship(self, request: pb.SealChampionshipRequest, context: Any) -> Any:
        answer, seal = await self._desk.seal(request.championship, request.command_id)
        return pb.SealChampionshipResponse(
            receipt=receipt(answer), seal=EVENTS.to_proto(seal).championship_sealed
        )


async def _received(
    messages: AsyncIterator[pb.ImportEntrantsRequest] | AsyncIterator[pb.CheckEntrantsRequest],
) -> tuple[pb.ImportHeader, list[pb.ImportRow]]:
    """A list of entrants as it is sent, one header and then rows. Raises Malformed."""
    header: pb.ImportHeader | None = None
    rows: list[pb.ImportRow] = []
    async for message in messages:
        if message.HasField("header") and header is None:
            header = message.header
        elif message.HasField("row") and header is not None:
            rows.append(message.row)
            if len(rows) > intake.MAX_ROWS:
                raise Malformed("row", f"must be one of at most {intake.MAX_ROWS}")
        else:
            raise Malformed("kind", "must be one header, then rows")
    if header is None:
        raise Malformed("header", "must come first")
    return header, rows


def _settings(settings: e.Settings | None) -> Any:
    created = e.ChampionshipCreated(settings, "", "", ()) if settings else None
    return EVENTS.to_proto(created).championship_created.settings if created else None


def _regulations(one: Regulations) -> pb.Regulations:
    published = EVENTS.to_proto(one.published).regulations_published
    return pb.Regulations(published=published, organiser=one.organiser, time_us=one.time_us)


def _entrant(one: e.Entrant) -> events_pb2.Entrant:
    members = [events_pb2.Member(person_id=each.person_id, unit_id=each.unit_id) for each in one.members]
    return events_pb2.Entrant(number=one.number, members=members)


def _page(items: Sequence[T], size: int, token: str) -> tuple[Sequence[T], str]:
    """A page of a sorted list; tokens are offsets. Raises Malformed."""
    if token and not (token.isascii() and token.isdigit() and len(token) < 10):
        raise Malformed("page_token", "must be passed back exactly as it was given out")
    start = int(token) if token else 0
    end = start + min(size or PAGE, 10 * PAGE)
    return items[start:end], str(end) if end < len(items) else ""
