"""The demo's appeal: the runner-up contests its worst board, a panel upholds it, the ranking is rebuilt (C10).

Board and remedy follow from the standings alone, so that the same seed gives the same appeal. Every step is looked up before it
is taken: a demo that was interrupted goes on where it was.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from clients.cli.appeals import cast
from clients.cli.connection import Fupan
from clients.cli.local.event import ARBITRATORS, PANEL
from clients.cli.tokens import signing_key
from clients.robot.tokens import Signer
from fupan.appeals.v1 import events_pb2 as appeals_events
from fupan.appeals.v1 import service_pb2 as appeals_pb
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring_pb

GROUNDS = "The recorded score of this board is not the one that was played."
OVER = ("upheld", "rejected", "lapsed", "withdrawn", "dismissed")
"""Phases of an appeal in which nothing happens any more."""

_POLL_SECONDS = 0.2
_WAIT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Case:
    """Who contests which board, and the scores it asks for."""

    person: str
    board: appeals_events.ContestedBoard
    scores: tuple[int, ...]

    @property
    def remedy(self) -> scoring_events.Remedy:
        """The corrected result."""
        board = self.board
        return scoring_events.Remedy(
            correct_result=scoring_events.CorrectResult(
                table=board.table,
                round=board.round,
                board=board.board,
                attempt=board.attempt,
                scores=self.scores,
            )
        )


async def choose(fupan: Fupan, championship: str, rows: Sequence[scoring_pb.StandingRow]) -> Case | None:
    """The first case, from the runner-up down, whose remedy lifts its entrant; None where none would."""
    for row in (*rows[1:], *rows[:1]):
        async for case in _cases(fupan, championship, row):
            request = scoring_pb.WhatIfRequest(championship=championship, remedies=[case.remedy])
            told = await fupan.scoring.WhatIf(request)
            if _place(told.after, row.entrant) < _place(told.before, row.entrant):
                return case
    return None


async def _cases(fupan: Fupan, championship: str, row: scoring_pb.StandingRow) -> AsyncIterator[Case]:
    """An entrant's boards, worst first, each with scores by which it would have beaten everybody."""
    explained = await fupan.scoring.ExplainScore(
        scoring_pb.ExplainScoreRequest(championship=championship, entrant=row.entrant)
    )
    for played in _worst_first(explained):
        told = await fupan.scoring.GetBoard(
            scoring_pb.GetBoardRequest(championship=championship, round=played.round, board=played.board)
        )
        result = next((one for one in told.results if one.table == played.table), None)
        if result is None or len(result.scores) != len(result.entrants):
            continue
        loss = 1 + played.behind + max(abs(score) for one in told.results for score in one.scores)
        scores = _won(list(result.entrants).index(row.entrant), len(result.scores), loss)
        contested = appeals_events.ContestedBoard(
            table=played.table, round=played.round, board=played.board, attempt=result.attempt
        )
        yield Case(row.persons[0], contested, scores)


class _Played(NamedTuple):
    """A board that an entrant played. `behind`: by how much its team lost the match, board by board (C7.2)."""

    round: int
    board: int
    table: str
    behind: int = 0


def _worst_first(explained: scoring_pb.ExplainScoreResponse) -> Iterator[_Played]:
    """The boards that an entrant played itself; of teams those of lost matches first, in the open room."""
    units = [one for one in explained.units if not one.assigned]
    for unit in sorted(units, key=lambda one: (one.percent_tenths, one.round, one.board)):
        yield _Played(unit.round, unit.board, unit.table)
    for match in sorted(explained.matches, key=lambda one: (one.points, one.round)):
        for swing in sorted(match.swings, key=lambda one: (one.difference, one.board)):
            yield _Played(match.round, swing.board, match.table, abs(match.net))


def _won(seat: int, seats: int, loss: int) -> tuple[int, ...]:
    """Scores with which `seat` wins, at four seats with its partner opposite; each of the others loses `loss`."""
    winners = {seat, (seat + 2) % 4} if seats == 4 else {seat}
    gain = loss * (seats - len(winners)) // len(winners)
    return tuple(gain if one in winners else -loss for one in range(seats))


async def hold(
    fupan: Fupan, championship: str, rows: Sequence[scoring_pb.StandingRow]
) -> appeals_pb.Appeal | None:
    """File a case, pay, appoint, vote, wait for the ruling; or go on with the appeal there is, which may be decided already.

    The appeal as decided; None where no remedy would lift anybody in `rows`.
    """
    known = await fupan.appeals.ListAppeals(appeals_pb.ListAppealsRequest(championship=championship))
    if known.appeals:
        appeal = known.appeals[0]
    elif (case := await choose(fupan, championship, rows)) is not None:
        appeal = await _file(fupan, championship, case)
    else:
        return None
    async with asyncio.timeout(_WAIT_SECONDS):
        while appeal.phase not in OVER:
            await _step(fupan, championship, appeal)
            appeal = await _read(fupan, championship, appeal.appeal)
    return appeal


async def _file(fupan: Fupan, championship: str, case: Case) -> appeals_pb.Appeal:
    async with acting(fupan, case.person) as appellant:
        filed = await appellant.appeals.FileAppeal(
            appeals_pb.FileAppealRequest(
                command_id="demo-file",
                championship=championship,
                contested=appeals_events.Contested(board=case.board),
                grounds=GROUNDS,
                sought=[case.remedy],
            )
        )
    return await _read(fupan, championship, filed.appeal, filed.receipt.position)


async def _step(fupan: Fupan, championship: str, appeal: appeals_pb.Appeal) -> None:
    """What the phase asks for; the services do the rest."""
    match appeal.phase:
        case "filed":
            await fupan.appeals.RecordFee(
                appeals_pb.RecordFeeRequest(
                    command_id="demo-fee",
                    championship=championship,
                    appeal=appeal.appeal,
                    amount=appeal.filed.fee_amount,
                    currency=appeal.filed.fee_currency,
                    reference="demo",
                )
            )
        case "received":
            await fupan.appeals.AppointPanel(
                appeals_pb.AppointPanelRequest(
                    command_id="demo-panel",
                    championship=championship,
                    appeal=appeal.appeal,
                    members=ARBITRATORS[:PANEL],
                    reserves=ARBITRATORS[PANEL:],
                )
            )
        case "voting" if waiting := [one for one in appeal.members if one not in appeal.voted]:
            member = waiting[0]
            async with acting(fupan, member) as arbitrator:
                # A minority of one yields to the majority (C10.4).
                uphold = member != appeal.members[-1]
                await cast(arbitrator, championship, appeal.appeal, uphold)
        case _:
            await asyncio.sleep(_POLL_SECONDS)


async def _read(fupan: Fupan, championship: str, appeal: str, position: str = "") -> appeals_pb.Appeal:
    request = appeals_pb.GetAppealRequest(championship=championship, appeal=appeal, min_position=position)
    return (await fupan.appeals.GetAppeal(request)).appeal


def acting(fupan: Fupan, person: str) -> Fupan:
    """The services as another person, by the platform's own keys."""
    assert fupan.place.keys is not None
    return Fupan(fupan.place, Signer(signing_key(fupan.place.keys), person), fupan.patience)


def _place(rows: Iterable[scoring_pb.StandingRow], entrant: int) -> int:
    return next(place for place, row in enumerate(rows) if row.entrant == entrant)
