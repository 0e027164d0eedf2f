"""What may be contested: it exists, its table is done with it, and whoever contests it may know of it (C10.1)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

import grpc

from fupan.table.v1 import service_pb2 as table
from services.appeals.conflicts import seated_at, sits_at
from services.appeals.desk import PEER_SECONDS
from services.appeals.matters import FIRST_ATTEMPT
from services.appeals.model import events as e
from services.appeals.windows import Windows
from services.directory import Championship
from services.domain import Rejected
from services.runtime.errors import Malformed, NotFound

if TYPE_CHECKING:  # a stub class that exists for the type checker only
    from fupan.table.v1.service_pb2_grpc import TableServiceAsyncStub


class Contesting:
    """Looks up and checks what is contested."""

    def __init__(self, windows: Windows, table_stub: TableServiceAsyncStub) -> None:
        self._windows = windows
        self._table = table_stub

    async def located(self, known: Championship, contested: e.Contested) -> e.Contested:
        """What is contested; a ruling with the board on which it was made, as its table tells. Raises Malformed, NotFound,
        AioRpcError."""
        if not isinstance(contested, e.ContestedRuling):
            return contested
        if not contested.ruling:
            raise Malformed("contested.ruling", "must name the ruling")
        name, _, _ = contested.ruling.rpartition(".")
        if name not in known.replays and not any(name in one.tables for one in known.rounds.values()):
            raise NotFound("ruling", contested.ruling)
        try:
            request = table.ListRulingsRequest(championship=known.id, table=name)
            told = await self._table.ListRulings(request, timeout=PEER_SECONDS)
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.NOT_FOUND:
                raise NotFound("ruling", contested.ruling) from None
            raise
        for one in told.rulings:
            if one.ruling == contested.ruling:
                return replace(contested, at=e.ContestedBoard(name, one.round, one.board, one.attempt))
        raise NotFound("ruling", contested.ruling)

    def check(self, known: Championship, person: str, contested: e.Contested) -> None:
        """Whether what is contested exists, and a `person` may know of it. Raises NotFound, Rejected."""
        match contested:
            case e.ContestedPairing():
                if contested.round not in known.rounds or not known.rounds[contested.round].paired:
                    raise NotFound("round", contested.round)
            case e.ContestedPublication():
                if not self._windows.published(known.id, contested.publication):
                    raise NotFound("publication", contested.publication)
        board = e.board_of(contested)
        if board is not None:
            self._check_board(known, person, board)

    def _check_board(self, known: Championship, person: str, board: e.ContestedBoard) -> None:
        if board.attempt != _attempt(known, board):
            raise NotFound("board", f"{board.round}/{board.board}/{board.attempt}")
        # How far another table has come is nobody's business while that can still be of use, nor that of one's own team.
        own = sits_at(known, person, board.round, board.table)
        known_to_it = own or self._windows.revealed(known, board)
        if not (known_to_it and self._windows.closed(known.id, board.table, board.board)):
            detail = "a board is appealed once its table has closed it, of another table once all have"
            raise Rejected("BOARD_OPEN", "C10.1", detail)


def check_seats(contested: e.Contested, sought: Iterable[e.Remedy]) -> None:
    """Whether other seats are asked for in the round whose pairing is contested, and only there. Raises Rejected."""
    if any(isinstance(one, e.ReseatRound) and contested != e.ContestedPairing(one.round) for one in sought):
        raise Rejected(
            "SEATING_WRONG", "C10.6", "other seats are asked for where the pairing of that round is contested"
        )


def alone(known: Championship, contested: e.ContestedBoard, sought: Iterable[e.Remedy]) -> bool:
    """Whether remedies concern no board but the contested one, and nobody's result there but those of its table."""
    seated = {0, *seated_at(known, contested.round, contested.table)}
    return all(
        (one.round, one.board) == (contested.round, contested.board) and seated.issuperset(_whose(known, one))
        for one in sought
        if not isinstance(one, e.SetPenalty | e.CorrectMatch | e.ReseatRound)
    )


def _whose(
    known: Championship, remedy: e.CorrectResult | e.VoidBoard | e.AssignPercent | e.ReplayBoard
) -> Iterable[int]:
    """The entrants whose results on a board a remedy is about."""
    if isinstance(remedy, e.AssignPercent):
        return (remedy.entrant,)
    return seated_at(known, remedy.round, remedy.table)


def _attempt(known: Championship, board: e.ContestedBoard) -> int:
    """The attempt at a board that is played at its table, 0: none at that table. Raises NotFound."""
    played, replay = known.rounds.get(board.round), known.replays.get(board.table)
    if replay is not None and replay.round == board.round:
        return replay.attempt if replay.board == board.board else 0
    if played is None or board.table not in played.tables:
        raise NotFound("table", board.table)
    return FIRST_ATTEMPT
