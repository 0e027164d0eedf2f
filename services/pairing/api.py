"""Pairing's RPCs: parse, handle, reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from fupan.common.v1 import record_pb2
from fupan.pairing.v1 import events_pb2, service_pb2_grpc
from fupan.pairing.v1 import service_pb2 as pb
from services.domain import Rejected
from services.games import registry
from services.pairing import document, intake, seating
from services.pairing import model as m
from services.pairing.codec import EVENTS
from services.pairing.desk import Desk
from services.runtime.errors import Denied, Malformed
from services.runtime.identity import caller
from services.runtime.log import Answer

WATCH_SECONDS = 0.25
"""Shortest time between two messages of a watch."""

SLOWEST = 10
PAGE = 1_000


class PairingApi(service_pb2_grpc.PairingServiceServicer):
    """Championships, entrants, officials, rounds, seats."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk

    # Championships

    async def CreateChampionship(self, request: pb.CreateChampionshipRequest, context: Any) -> Any:
        settings = document.resolve(request.document, self._desk.demo_allowed)
        command = m.CreateChampionship(settings, self._desk.trusted_keys)
        answer = await self._desk.handle(settings.championship, command, request.command_id)
        return pb.CreateChampionshipResponse(receipt=receipt(answer), settings=_settings(settings))

    async def GetChampionship(self, request: pb.GetChampionshipRequest, context: Any) -> Any:
        await self._desk.reached(request.min_position)
        return self._describe(request.championship)

    async def ListChampionships(self, request: pb.ListChampionshipsRequest, context: Any) -> Any:
        ids = sorted(self._desk.championships())
        page, token = _page(ids, request.page_size, request.page_token)
        return pb.ListChampionshipsResponse(
            championships=[self._describe(one) for one in page], next_page_token=token
        )

    def _describe(self, championship: str) -> pb.GetChampionshipResponse:
        state = self._desk.rounds.state(championship)
        paired = [one for one in state.rounds if one.pairing]
        seal = state.seal
        return pb.GetChampionshipResponse(
            settings=_settings(state.settings),
            organiser=state.organiser,
            phase=state.phase,
            entrants=len(state.entrants),
            current_round=len(paired),
            officials=[EVENTS.to_proto(one).official_appointed for one in state.officials],
            created_us=state.created_us,
            ended_us=state.ended_us,
            seal=None if seal is None else EVENTS.to_proto(seal).championship_sealed,
            epoch=state.epoch,
        )

    # People

    async def ImportEntrants(
        self, request_iterator: AsyncIterator[pb.ImportEntrantsRequest], context: Any
    ) -> Any:
        header: pb.ImportHeader | None = None
        rows: list[pb.ImportRow] = []
        async for message in request_iterator:
            if message.HasField("header") and header is None:
                header = message.header
            elif message.HasField("row") and header is not None:
                rows.append(message.row)
                if len(rows) > intake.MAX_ROWS:
                    raise Malformed("row", f"an import has at most {intake.MAX_ROWS} rows")
            else:
                raise Malformed("kind", "must be one header, then rows")
        if header is None:
            raise Malformed("header", "must come first")
        answer, count = await self._desk.enter(header.championship, header.command_id, rows)
        return pb.ImportEntrantsResponse(receipt=receipt(answer), imported=count)

    async def ListEntrants(self, request: pb.ListEntrantsRequest, context: Any) -> Any:
        await self._desk.reached(request.min_position)
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
        offices = {one.role for one in state.officials if one.person_id == person}
        if (
            not offices & {"organiser", "chief_referee", "deputy"}
            and state.persons.get(person) != request.entrant
        ):
            raise Denied("NOT_YOURS", "a player withdraws nobody but itself")
        command = m.WithdrawEntrant(request.entrant, request.reason)
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.WithdrawEntrantResponse(receipt=receipt(answer))

    async def AppointOfficial(self, request: pb.AppointOfficialRequest, context: Any) -> Any:
        command = m.AppointOfficial(request.person_id, request.role, request.unit_id)
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.AppointOfficialResponse(receipt=receipt(answer))

    async def SuspendOfficial(self, request: pb.SuspendOfficialRequest, context: Any) -> Any:
        person = caller(context).person
        state = self._desk.rounds.state(request.championship)
        organises = any((one.person_id, one.role) == (person, "organiser") for one in state.officials)
        if not organises and request.role != "referee":
            raise Denied("NOT_IN_ROLE", "C9.2 lets the chief referee end a referee's commission, no other")
        command = m.SuspendOfficial(request.person_id, request.role, request.reason)
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.SuspendOfficialResponse(receipt=receipt(answer))

    async def PublishRegulations(self, request: pb.PublishRegulationsRequest, context: Any) -> Any:
        command = m.PublishRegulations(request.text)
        answer = await self._desk.handle(request.championship, command, request.command_id)
        published = next(one for one in answer.events if isinstance(one, m.RegulationsPublished))
        return pb.PublishRegulationsResponse(receipt=receipt(answer), version=published.version)

    async def ConfirmVenue(self, request: pb.ConfirmVenueRequest, context: Any) -> Any:
        command = m.ConfirmVenue(tuple(request.items))
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.ConfirmVenueResponse(receipt=receipt(answer))

    # Rounds

    async def PairRound(self, request: pb.PairRoundRequest, context: Any) -> Any:
        answer, number = await self._desk.rounds.pair(
            request.championship, request.round, caller(context).person
        )
        current = self._desk.rounds.state(request.championship).round(number)
        return pb.PairRoundResponse(
            receipt=receipt(answer), round=number, tables=len(current.tables) if current else 0
        )

    async def StartRound(self, request: pb.StartRoundRequest, context: Any) -> Any:
        answer = await self._desk.handle(
            request.championship, m.StartRound(request.round), request.command_id
        )
        return pb.StartRoundResponse(receipt=receipt(answer))

    async def CloseRound(self, request: pb.CloseRoundRequest, context: Any) -> Any:
        if not request.reason:
            raise Rejected(
                "REASON_MISSING", "C9.4", "a round closes by itself; closing it early needs a reason"
            )
        command = m.CloseRound(request.round, request.reason)
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.CloseRoundResponse(receipt=receipt(answer))

    async def OverrideSeating(self, request: pb.OverrideSeatingRequest, context: Any) -> Any:
        tables = tuple(m.SeatedTable(one.table, one.group, tuple(one.entrants)) for one in request.tables)
        command = m.OverrideSeating(request.round, tables, request.reason)
        answer = await self._desk.handle(request.championship, command, request.command_id)
        return pb.OverrideSeatingResponse(receipt=receipt(answer))

    async def GetRound(self, request: pb.GetRoundRequest, context: Any) -> Any:
        await self._desk.reached(request.min_position)
        state = self._desk.rounds.state(request.championship)
        current = _current(state, request.round)
        assert state.settings is not None
        return pb.GetRoundResponse(
            round=current.number,
            phase=current.phase,
            tables=[
                self._progress(request.championship, state.settings, current, one) for one in current.tables
            ],
            pairing=EVENTS.to_proto(current.pairing).round_paired if current.pairing else None,
            started_us=current.started_us,
            board_deadline_us=current.board_deadline_us,
        )

    async def WatchRound(self, request: pb.WatchRoundRequest, context: Any) -> AsyncIterator[Any]:
        last = b""
        while not self._desk.stopping.is_set():
            moved = self._desk.moved(request.championship)
            message = self._watched(request.championship, request.round)
            data = message.SerializeToString()
            if data != last:
                last = data
                yield message
            if message.championship_phase in ("ended", "sealed"):
                return
            await self._desk.first_of(moved)
            await asyncio.sleep(WATCH_SECONDS)

    def _watched(self, championship: str, number: int) -> pb.WatchRoundResponse:
        state = self._desk.rounds.state(championship)
        settings = state.settings
        assert settings is not None
        if not state.rounds:
            return pb.WatchRoundResponse(phase="unpaired", championship_phase=state.phase)
        current = _current(state, number)
        progress = self._desk.progress
        boards = settings.boards_per_round
        open_tables = (
            one
            for one in current.tables
            if len(progress.of(championship, current.number, one.table).boards) < boards
        )
        slowest = sorted(
            open_tables, key=lambda one: len(progress.of(championship, current.number, one.table).boards)
        )
        return pb.WatchRoundResponse(
            round=current.number,
            phase=current.phase,
            tables=len(current.tables),
            tables_done=len(current.tables) - len(slowest),
            boards_closed=progress.boards_closed(championship, current.number),
            boards=len(current.tables) * boards,
            slowest=[self._progress(championship, settings, current, one) for one in slowest[:SLOWEST]],
            championship_phase=state.phase,
        )

    def _progress(
        self, championship: str, settings: m.Settings, current: m.Round, one: m.SeatedTable
    ) -> pb.TableProgress:
        progress = self._desk.progress.of(championship, current.number, one.table)
        return pb.TableProgress(
            table=events_pb2.SeatedTable(table=one.table, group=one.group, entrants=one.entrants),
            boards_closed=len(progress.boards),
            boards=settings.boards_per_round,
            last_closed_us=progress.last_us,
        )

    async def GetSeatingCertificate(self, request: pb.GetSeatingCertificateRequest, context: Any) -> Any:
        state = self._desk.rounds.state(request.championship)
        first = state.round(1)
        if first is None or first.pairing is None or state.settings is None:
            raise Rejected("ROUND_NOT_PAIRED", "C6.1", "round 1 has not been drawn yet")
        revealed = await self._desk.rounds.revealed_draw(request.championship, state)
        draw: dict[str, object] = {
            "name": "round-1",
            "leaf": revealed.leaf.hex(),
            "entropy": revealed.entropy.hex(),
            "proof": [one.hex() for one in revealed.proof],
            "batch": revealed.batch,
            "index": revealed.index,
            "size": revealed.size,
            "merkle_root": revealed.merkle_root.hex(),
        }
        listed = [state.entrants[number] for number in state.registered]
        seats = registry.find(state.settings.ruleset).seats
        return pb.GetSeatingCertificateResponse(
            certificate=seating.certificate(state.settings, seats, listed, first.tables, draw)
        )

    async def SealChampionship(self, request: pb.SealChampionshipRequest, context: Any) -> Any:
        answer, seal = await self._desk.seal(request.championship, request.command_id)
        return pb.SealChampionshipResponse(
            receipt=receipt(answer), seal=EVENTS.to_proto(seal).championship_sealed
        )


def receipt(answer: Answer[Any]) -> record_pb2.Receipt:
    """The receipt of an accepted command."""
    return record_pb2.Receipt(hash=answer.hash, position=answer.position)


def _current(state: m.Championship, number: int) -> m.Round:
    current = state.round(number or len(state.rounds))
    if current is None:
        raise Rejected("NO_SUCH_ROUND", "C1.1", f"round {number} does not exist yet")
    return current


def _settings(settings: m.Settings | None) -> Any:
    return (
        EVENTS.to_proto(m.ChampionshipCreated(settings, "", "", ())).championship_created.settings
        if settings
        else None
    )


def _entrant(one: m.Entrant) -> events_pb2.Entrant:
    members = [events_pb2.Member(person_id=each.person_id, unit_id=each.unit_id) for each in one.members]
    return events_pb2.Entrant(number=one.number, members=members)


def _page(items: list[Any], size: int, token: str) -> tuple[list[Any], str]:
    """A page of a sorted list; tokens are offsets. Raises Malformed."""
    if token and not (token.isascii() and token.isdigit()):
        raise Malformed("page_token", "must be passed back exactly as it was given out")
    start = int(token) if token else 0
    end = start + min(size or PAGE, 10 * PAGE)
    return items[start:end], str(end) if end < len(items) else ""
