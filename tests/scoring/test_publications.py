"""What is corrected before any round is published is published at once (C9.2)."""

from __future__ import annotations

from fupan.scoring.v1 import service_pb2 as pb
from tests.cup import CHIEF, Cup
from tests.platform import Platform
from tests.scoring.cups import fixed, standings


async def test_a_correction_during_the_first_round_is_published_at_once(platform: Platform) -> None:
    """C9.2: with the boards that are closed everywhere, before any round is; what the round comes to has it, too."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    tables, leaves = ("r1-t1", "r1-t2"), {}
    for number, table in enumerate(tables, 1):
        await cup.tables.open(table, 1, 1, (), 2)
        leaves[table] = await cup.tables.leaf(table, 1, 1, (await cup.tables.open_board(table, 1)).sequence)
        await cup.tables.close_board(table, 1, 1, leaves[table], fixed(1, 1, number))
    chief = platform.of(CHIEF).scoring
    correct = pb.CorrectResultRequest(
        command_id="c",
        championship="cup",
        round=1,
        table="r1-t1",
        board=1,
        scores=[0, 0, 0],
        reason="counted again",
    )
    await chief.CorrectResult(correct)
    first = (await platform.events.wait("standings_published")).event
    assert (first.number, first.cause, first.after_round) == (1, "correction", 0)
    published = await standings(cup, "1")
    assert {row.units for row in published.rows} == {1}
    for number, table in enumerate(tables, 1):
        leaf = await cup.tables.leaf(table, 1, 2, (await cup.tables.open_board(table, 2)).sequence)
        await cup.tables.close_board(table, 1, 2, leaf, fixed(1, 2, number))
    second = (await platform.events.wait("standings_published", number=2)).event
    assert (second.cause, second.after_round) == ("round", 1)
    ruled = pb.ExplainScoreRequest(championship="cup", entrant=(await cup.at("r1-t1"))[0], as_of="2")
    kinds = [[one.kind for one in unit.rulings] for unit in (await chief.ExplainScore(ruled)).units]
    assert kinds == [["corrected"], []]
    assert await standings(cup, "1") == published


async def test_a_penalty_before_the_first_round_is_published_at_once(platform: Platform) -> None:
    """C9.2: nobody has played; the first round is drawn all the same (C6.1)."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    late = pb.SetPenaltyRequest(
        command_id="p", championship="cup", penalty="late", entrant=4, tenths=50, reason="late"
    )
    await platform.of(CHIEF).scoring.SetPenalty(late)
    first = (await platform.events.wait("standings_published")).event
    assert (first.number, first.cause, first.after_round, first.entrants) == (1, "correction", 0, 6)
    assert {row.entrant: row.penalty_tenths for row in (await standings(cup, "1")).rows}[4] == 50
    await cup.pair()
    assert (await platform.events.wait("round_paired", round=1)).event.basis == "draw"
    await cup.play(1)
    published = [one.event for one in await platform.events.of("standings_published")]
    assert [(one.number, one.cause, one.after_round) for one in published] == [
        (1, "correction", 0),
        (2, "round", 1),
    ]
