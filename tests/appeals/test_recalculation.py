"""Nobody corrects what a committee has ruled, except its arithmetic: by the chief referee, with its workings (C9.2, C10.7)."""

from __future__ import annotations

from typing import Any

from grpc import StatusCode

from fupan.appeals.v1 import events_pb2 as events
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as pb
from services.ledger.audit.report import Check
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.ledger.record import Stored
from tests.cup import ARBITRATORS, CHIEF, Cup
from tests.platform import OPERATOR, Platform, refused

BOARD = events.Contested(board=events.ContestedBoard(table="r1-t1", round=1, board=1, attempt=1))
SCORES = scoring_events.Remedy(
    correct_result=scoring_events.CorrectResult(
        table="r1-t1", round=1, board=1, attempt=1, scores=[10, -5, -5]
    )
)
WORKING = ["10 + 2*5", "-5 - 5", "-5 - 5"]


def ask(
    appeal: str, *working: str, command_id: str = "reckon", **changed: Any
) -> pb.RecalculateRulingRequest:
    asked = {"remedy": 1, "reason": "the bonus was added once", **changed}
    return pb.RecalculateRulingRequest(
        championship="cup", command_id=command_id, appeal=appeal, working=working, **asked
    )


async def test_arithmetic_of_a_ruling_is_put_right(platform: Platform) -> None:
    """As an event linked to the ruling, with reason and workings, never touching the vote; both standings show it."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1, BOARD, [SCORES])
    decided = await cup.panel(filed.appeal)
    await platform.events.wait("standings_published", number=2)
    chief = platform.of(CHIEF).scoring
    for person in (OPERATOR, ARBITRATORS[0], "p-1"):
        told = await refused(platform.of(person).scoring.RecalculateRuling(ask(filed.appeal, *WORKING)))
        assert told.code is StatusCode.PERMISSION_DENIED, person
    other = await refused(chief.RecalculateRuling(ask(filed.appeal, "-5 - 5", "5 + 5", "-0")))
    assert (other.reason, other.clause) == ("NOT_ARITHMETIC", "C10.7")
    assert (await refused(chief.RecalculateRuling(ask("a-none", *WORKING)))).reason == "NO_SUCH_RULING"
    done = await chief.RecalculateRuling(ask(filed.appeal, *WORKING))
    assert list(done.figures) == [20, -10, -10]
    assert await chief.RecalculateRuling(ask(filed.appeal, *WORKING)) == done
    # What the panel voted on is what it was.
    assert (await cup.case(filed.appeal)).decision == decided.decision
    event = (await platform.events.wait("ruling_recalculated")).event
    assert (event.ruling, list(event.working), event.authority.by) == (1, WORKING, "chief_referee")
    assert (event.authority.appeal, event.authority.reason) == (filed.appeal, "the bonus was added once")
    # As published at either time, and as now known.
    await platform.events.wait("standings_published", number=3)
    board = await cup.boss.scoring.GetBoard(pb.GetBoardRequest(championship="cup", round=1, board=1))
    assert list(board.results[0].scores) == [20, -10, -10]
    since = await cup.boss.scoring.CompareStandings(pb.CompareStandingsRequest(championship="cup", since="1"))
    ruling, arithmetic = since.steps
    assert (ruling.cause, arithmetic.cause) == ("ruling", "arithmetic")
    assert arithmetic.recalculated == event
    assert list(arithmetic.events[0].result_corrected.scores) == [20, -10, -10]
    for number in (2, 3):
        rebuilt = await cup.boss.scoring.RebuildStandings(
            pb.RebuildStandingsRequest(championship="cup", publication=number)
        )
        assert rebuilt.same
    # The board is final all the same, and an outsider works all of it out.
    told = await refused(
        chief.CorrectResult(
            pb.CorrectResultRequest(
                command_id="c",
                championship="cup",
                table="r1-t1",
                round=1,
                board=1,
                scores=[2, -1, -1],
                reason="x",
            )
        )
    )
    assert told.reason == "RULING_FINAL"
    stored = await platform.events.stored()
    assert standings(stored).findings == ()
    assert standings(stored).done == 3


async def test_an_appeal_that_is_rejected_leaves_as_it_is_what_its_committee_judged_and_no_more(
    platform: Platform,
) -> None:
    """C10.7: not what another committee has ruled, though it was asked for, too: the arithmetic of that may be put right yet."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    fine = scoring_events.Remedy(
        set_penalty=scoring_events.SetPenalty(penalty="late-1", entrant=2, tenths=50)
    )
    other = await cup.file(3, None, [fine, SCORES])
    filed = await cup.file(1, BOARD, [SCORES])
    await cup.panel(filed.appeal)
    await platform.events.wait("standings_published", number=2)
    decision = (await cup.panel(other.appeal, (False, False, False))).decision
    assert [one.WhichOneof("kind") for one in decision.left] == ["set_penalty"]
    left = (await platform.events.wait("results_confirmed")).event
    assert [(one.penalty, one.table) for one in left.confirmed] == [("late-1", "")]
    chief = platform.of(CHIEF).scoring
    done = await chief.RecalculateRuling(ask(filed.appeal, *WORKING))
    assert list(done.figures) == [20, -10, -10]
    asked = pb.SetPenaltyRequest(
        command_id="p", championship="cup", penalty="late-1", entrant=2, tenths=10, reason="x"
    )
    assert (await refused(chief.SetPenalty(asked))).reason == "RULING_FINAL"
    await platform.events.wait("standings_published", number=3)
    stored = await platform.events.stored()
    assert standings(stored).findings == ()


def standings(stored: list[Stored]) -> Check:
    file = AuditFile(About("championship", "cup", "cup"), tuple(stored))
    return next(check for check in verify_file(file, ()).checks if check.name == "standings")
