"""The RPCs of score sheets: parse, handle, reply."""

from __future__ import annotations

from typing import Any, TypeVar

from fupan.common.v1.record_pb2 import Receipt
from fupan.table.v1 import sheet_pb2
from fupan.table.v1 import sheet_service_pb2 as pb
from fupan.table.v1.sheet_service_pb2_grpc import SheetServiceServicer
from services.access import Roles
from services.directory import Directory
from services.domain import Rejected
from services.runtime.answers import receipt
from services.runtime.errors import Denied, Malformed
from services.runtime.identity import caller
from services.runtime.log import Answer
from services.runtime.streams import ID
from services.table.hall import Hall
from services.table.model import sheets as s
from services.table.model.events import Event
from services.table.model.state import Table
from services.table.orders import Orders, Request
from services.table.sheets.codec import FIGURES, INFRINGEMENT, RESULT
from services.table.sheets.shown import infringement, shown

E = TypeVar("E")

_REFEREES = ("chief_referee", "deputy", "referee")


class SheetApi(SheetServiceServicer):
    """See protos/fupan/table/v1/sheet_service.proto. Who may call what is in `services.access`."""

    def __init__(self, hall: Hall, directory: Directory, roles: Roles, orders: Orders) -> None:
        self._hall = hall
        self._directory = directory
        self._roles = roles
        self._orders = orders

    # Referees

    async def EnterInfringement(
        self, request: pb.EnterInfringementRequest, context: Any
    ) -> pb.EnterInfringementResponse:
        answer = await self._order(request, INFRINGEMENT.from_proto(request.infringement))
        entered = infringement(_the(s.InfringementEntered, answer))
        return pb.EnterInfringementResponse(receipt=receipt(answer), infringement=entered)

    async def LiftInfringement(
        self, request: pb.LiftInfringementRequest, context: Any
    ) -> pb.LiftInfringementResponse:
        act = request.infringement
        command = s.LiftInfringement(act.deal, act.seat, act.act, act.reason)
        return pb.LiftInfringementResponse(receipt=receipt(await self._order(request, command)))

    async def EnterSheet(self, request: pb.EnterSheetRequest, context: Any) -> pb.EnterSheetResponse:
        command = s.EnterSheet(_figures(request.figures), request.reason)
        answer = await self._order(request, command)
        result = RESULT.to_proto(_the(s.SheetEntered, answer).result)
        return pb.EnterSheetResponse(receipt=receipt(answer), result=result)

    async def RefuseSignature(
        self, request: pb.RefuseSignatureRequest, context: Any
    ) -> pb.RefuseSignatureResponse:
        command = s.RefuseSignature(request.person, request.reason)
        answer = await self._order(request, command, request.person)
        return pb.RefuseSignatureResponse(receipt=receipt(answer))

    async def ConfirmSheet(self, request: pb.ConfirmSheetRequest, context: Any) -> pb.ConfirmSheetResponse:
        answer = await self._order(request, s.ConfirmSheet())
        return pb.ConfirmSheetResponse(receipt=receipt(answer), result=shown(self._table(request)).result)

    async def DecideSheet(self, request: pb.DecideSheetRequest, context: Any) -> pb.DecideSheetResponse:
        figures = _figures(request.figures) if request.HasField("figures") else None
        winner = request.winner if request.HasField("winner") else None
        answer = await self._order(request, s.DecideSheet(figures, winner, request.clause, request.reason))
        result = RESULT.to_proto(_the(s.SheetDecided, answer).result)
        return pb.DecideSheetResponse(receipt=receipt(answer), result=result)

    # Players, and referees for them

    async def SignSheet(self, request: pb.SignSheetRequest, context: Any) -> pb.SignSheetResponse:
        person = self._person(request)
        command = s.SignSheet(person, request.capacity or "player")  # type: ignore[arg-type]
        answer = await self._order(request, command, person)
        return pb.SignSheetResponse(receipt=self._receipt(request, answer))

    async def DisputeSheet(self, request: pb.DisputeSheetRequest, context: Any) -> pb.DisputeSheetResponse:
        person = self._person(request)
        answer = await self._order(request, s.DisputeSheet(person, request.reason), person)
        return pb.DisputeSheetResponse(receipt=self._receipt(request, answer))

    # Everybody with a token

    async def GetSheet(self, request: pb.GetSheetRequest, context: Any) -> pb.GetSheetResponse:
        return pb.GetSheetResponse(sheet=shown(self._table(request)))

    async def ListSheets(self, request: pb.ListSheetsRequest, context: Any) -> pb.ListSheetsResponse:
        self._directory.get(request.championship)
        subjects = self._hall.seating.tables(request.championship, request.round)
        tables = [self._hall.table(subject) for subject in subjects]
        return pb.ListSheetsResponse(sheets=[shown(table) for table in tables if table.has_sheet])

    # How

    def _person(self, request: pb.SignSheetRequest | pb.DisputeSheetRequest) -> str:
        """Whose act it is: the caller's own, or, on a referee's device, somebody else's (C9.4). Raises Denied, Malformed."""
        me = caller().person
        person: str = request.person or me
        if not ID.fullmatch(person):
            raise Malformed("person", "must be a person's id")
        roles = self._roles.roles(request.championship, me)
        if person != me and (not roles & set(_REFEREES) or self._roles.plays(request.championship, me)):
            raise Denied(
                "NOT_YOURS", "one signs for oneself, or a referee who does not play takes the signature"
            )
        return person

    def _table(self, request: Any) -> Table:
        """The table that a request names, which must be one with a score sheet."""
        table = self._hall.table(self._orders.subject(request.championship, request.table))
        if not table.has_sheet:
            raise Rejected("NO_SCORE_SHEET", "C8.6", "this table keeps its own record and has no score sheet")
        return table

    def _receipt(self, request: Request, answer: Answer[Event]) -> Receipt:
        """The receipt of an act of a player, to whom a position would count what tables have written, or of an official."""
        if self._roles.plays(request.championship, caller().person):
            return Receipt(hash=answer.hash)
        return receipt(answer)

    async def _order(self, request: Request, command: s.SheetCommand, person: str = "") -> Answer[Event]:
        """Handle a command of the caller's, or one that it gives for a `person`."""
        return await self._orders.handle(request, command, (*_REFEREES, "player"), person)


def _figures(message: sheet_pb2.SheetFigures) -> s.SheetFigures:
    """The figures of a request. Raises Malformed."""
    if len(message.place) > 200 or not message.place.isprintable():
        raise Malformed("figures.place", "must be one line of at most 200 characters")
    return FIGURES.from_proto(message)


def _the(kind: type[E], answer: Answer[Event]) -> E:
    """The event of that kind in an answer."""
    return next(event for event in answer.events if isinstance(event, kind))
