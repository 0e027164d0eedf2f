"""What a ruling would change, told before it is made, on real servers (C6.2, C10.6)."""

from __future__ import annotations

from typing import Any

import pytest
from grpc import StatusCode

from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as events
from fupan.scoring.v1 import service_pb2 as pb
from tests.cup import CHIEF, Cup
from tests.platform import OPERATOR, Platform, refused
from tests.scoring.cups import fixed, played, standings


async def test_an_operator_publishes_and_asks_what_if(platform: Platform) -> None:
    cup = await played(platform)
    publish = pb.PublishStandingsRequest(command_id="p", championship="cup")
    first = await cup.boss.scoring.PublishStandings(publish)
    assert (await cup.boss.scoring.PublishStandings(publish)) == first
    assert first.number == 2
    event = await platform.events.wait("standings_published", number=2)
    assert (event.event.cause, event.body.actor, event.event.after_round) == ("operator", OPERATOR, 1)
    assert event.body.authority.endswith("@1")
    told = await refused(
        cup.boss.scoring.PublishStandings(
            pb.PublishStandingsRequest(command_id="q", championship="cup", cause="ruling")
        )
    )
    assert told.reason == "MALFORMED"

    def what_if(*remedies: events.Remedy) -> Any:
        return cup.boss.scoring.WhatIf(pb.WhatIfRequest(championship="cup", remedies=remedies))

    zero = events.Remedy(
        correct_result=events.CorrectResult(table="r1-t1", round=1, board=1, attempt=1, scores=[0, 0, 0])
    )
    answer = await what_if(zero)
    assert [row.entrant for row in answer.before] != [row.entrant for row in answer.after]
    assert (await standings(cup)).rows == answer.before
    crossed = await cup.boss.scoring.WhatIf(
        pb.WhatIfRequest(championship="cup", remedies=[zero], only_changes=True, lines=[1, 6])
    )
    assert [(line.rank, list(line.gained)) for line in crossed.lines] == [(1, [answer.after[0].entrant])]
    first, second, *_ = answer.before
    assert first.percent_tenths == second.percent_tenths
    light = events.Remedy(set_penalty=events.SetPenalty(penalty="late", entrant=first.entrant, tenths=1))
    short = await cup.boss.scoring.WhatIf(
        pb.WhatIfRequest(championship="cup", remedies=[light], only_changes=True)
    )
    assert list(short.before) == [first, second]
    assert [(row.entrant, row.penalty_tenths) for row in short.after] == [
        (second.entrant, 0),
        (first.entrant, 1),
    ]
    assert len(await platform.events.of("result_corrected")) == 0
    for lines in ([0], [1] * 65):
        asked = pb.WhatIfRequest(championship="cup", remedies=[zero], lines=lines)
        assert (await refused(cup.boss.scoring.WhatIf(asked))).reason == "MALFORMED"
    for wrong in ([], [events.Remedy()], [events.Remedy(void_board=events.VoidBoard())], [zero] * 65):
        told = await refused(what_if(*wrong))
        assert told.code in (StatusCode.INVALID_ARGUMENT, StatusCode.FAILED_PRECONDITION)


def lines(round_: int, board: int, number: int) -> tuple[int, ...]:
    """Every table's first line wins, by more at each."""
    return number, -number, number, -number


@pytest.mark.parametrize(
    ("document", "entrants", "members", "scores", "at"),
    [
        ({}, 7, 1, fixed, 0),
        ({"game": "shengji", "format": "pairs", "rounds": 3}, 7, 2, lines, -1),
        ({"game": "shengji", "format": "teams", "rounds": 3}, 5, 4, lines, -1),
    ],
    ids=["individual", "pairs", "teams"],
)
async def test_a_ruling_seats_the_next_round_as_was_foretold(
    platform: Platform, document: dict[str, Any], entrants: int, members: int, scores: Any, at: int
) -> None:
    """C6.2, C7.1, C7.2: whoever asks what if sees the round as pairing lays it out afterwards."""
    await platform.start()
    cup = await Cup.create(platform, entrants=entrants, members=members, automatic_rounds="false", **document)
    await cup.pair()
    await cup.boss.pairing.StartRound(
        pairing.StartRoundRequest(command_id="start", championship="cup", round=1)
    )
    await cup.play(1, scores=scores)
    told = await cup.boss.pairing.GetRound(pairing.GetRoundRequest(championship="cup", round=1))
    ruled = told.tables[at].table
    seats = len(ruled.entrants)
    turned = [-60, 60, -60, 60] if seats == 4 else [-30, 60, -30]
    remedy = events.Remedy(
        correct_result=events.CorrectResult(table=ruled.table, round=1, board=1, attempt=1, scores=turned)
    )
    asked = pb.WhatIfRequest(championship="cup", remedies=[remedy], only_changes=True, seating=True)
    foretold = (await cup.boss.scoring.WhatIf(asked)).seating
    assert foretold.round == 2
    done = await platform.of(CHIEF).scoring.CorrectResult(
        pb.CorrectResultRequest(
            command_id="c", championship="cup", round=1, table=ruled.table, board=1, scores=turned, reason="x"
        )
    )
    assert done.receipt.position
    await platform.events.wait("standings_published", number=2)
    await cup.pair()
    paired = await platform.events.wait("round_paired", round=2)
    second = await cup.boss.pairing.GetRound(pairing.GetRoundRequest(championship="cup", round=2))
    seated = {one.table.table: list(one.table.entrants) for one in second.tables}
    assert foretold.tables == len(seated)
    assert foretold.changes
    for change in foretold.changes:
        assert list(change.after) == seated[change.table]
        assert change.before != change.after
    assert list(foretold.byes_after) == list(paired.event.byes)


async def test_whether_a_case_matters_is_told_before_it_is_heard(platform: Platform) -> None:
    """C10.6."""
    cup = await played(platform)

    def ask(**about: Any) -> Any:
        return cup.boss.scoring.Materiality(
            pb.MaterialityRequest(championship="cup", **{"round": 1, "table": "r1-t1", "board": 1, **about})
        )

    told = await ask(lines=[1])
    assert told.material
    assert {one.remedy.WhichOneof("kind") for one in told.tried} == {
        "void_board",
        "correct_result",
        "assign_percent",
        "replay_board",
        "set_penalty",
    }
    assert {goal for one in told.tried for goal in one.smallest} == {0, 1}
    for example in told.tried:
        answer = await cup.boss.scoring.WhatIf(
            pb.WhatIfRequest(championship="cup", remedies=[example.remedy], only_changes=True, lines=[1])
        )
        assert answer.lines == example.lines
        old = {row.entrant: row.rank for row in answer.before}
        moved = [row for row in answer.after if old[row.entrant] != row.rank]
        assert len(moved) == example.ranks_changed
        assert [(one.entrant, one.before, one.after) for one in example.ranks] == [
            (row.entrant, old[row.entrant], row.rank) for row in moved
        ]
        # A replay at one table is known to come to 50 % (C3.3).
        again = example.remedy.WhichOneof("kind") == "replay_board"
        assert (answer.replays_alone, answer.replays_open) == (again, 0)
    pairing_told = await ask(table="", board=0, round=0, pairing=1, entrant=1)
    assert {one.remedy.WhichOneof("kind") for one in pairing_told.tried} == {"assign_percent"}
    assert {len(one.further) for one in pairing_told.tried} == {1}
    for changed, code in (
        ({"penalty": "late"}, StatusCode.INVALID_ARGUMENT),
        ({"table": "", "penalty": "late"}, StatusCode.NOT_FOUND),
        ({"table": "", "pairing": 9, "entrant": 1}, StatusCode.NOT_FOUND),
        ({"table": "", "pairing": 1, "entrant": 99}, StatusCode.NOT_FOUND),
    ):
        assert (await refused(ask(**changed))).code is code
    # Without its table the board is that of an entrant's.
    told = await ask(lines=[1])
    assert await ask(table="", entrant=(await cup.at("r1-t1"))[0], lines=[1]) == told
    assert (await refused(ask(table="", entrant=99))).reason == "MALFORMED"
    assert (await refused(ask(table="r1-t9"))).code is StatusCode.NOT_FOUND
    assert (await refused(ask(board=0))).reason == "MALFORMED"
    assert (await refused(ask(board=9))).reason == "BOARD_OPEN"
    assert (await refused(platform.of("p-1").scoring.Materiality(pb.MaterialityRequest()))).code in (
        StatusCode.PERMISSION_DENIED,
        StatusCode.INVALID_ARGUMENT,
        StatusCode.NOT_FOUND,
    )
