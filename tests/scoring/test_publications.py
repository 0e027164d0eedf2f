"""When standings are published, and how far that reaches (C9.2)."""

from __future__ import annotations

from fupan.scoring.v1 import service_pb2 as pb
from services.runtime.streams import stream_of
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


async def test_whoever_publishes_does_not_count_what_open_tables_write(platform: Platform) -> None:
    """P13: a cut is public, and an organiser who plays may enter somebody and publish as often as it likes."""
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=2)
    await cup.pair()
    await platform.events.wait("round_started")
    player, names = f"p-{(await cup.at('r1-t2'))[0]}", ("r1-t1", "r1-t2", "r1-t3")
    await cup.officials((player, "organiser"))
    calls = platform.of(player).scoring

    async def cut(late: int) -> dict[str, int]:
        """How far a publication reaches that is asked for once somebody has entered."""
        await cup.enter([late])
        asked = pb.PublishStandingsRequest(command_id=f"publish-{late}", championship="cup")
        published = await calls.PublishStandings(asked)
        listing = pb.ListPublicationsRequest(championship="cup", min_position=published.receipt.position)
        told = (await calls.ListPublications(listing)).publications[-1].published.cut.positions
        return {one.stream: one.sequence for one in told}

    def of_tables(one: dict[str, int]) -> dict[str, int]:
        return {stream: sequence for stream, sequence in one.items() if stream.startswith("TABLE-")}

    for name in names:
        await cup.tables.open(name, 1, 1, await cup.at(name), 2)
    before = await cut(20)
    for late, name in enumerate(names[:2], 21):
        opened = await cup.tables.open_board(name, 1)
        leaf = await cup.tables.leaf(name, 1, 1, opened.sequence)
        await cup.tables.close_board(name, 1, 1, leaf, (-6, 12, -6))
        after = await cut(late)
        assert of_tables(after) == of_tables(before)
        assert after.keys() == before.keys()
        assert after != before
    opened = await cup.tables.open_board(names[2], 1)
    leaf = await cup.tables.leaf(names[2], 1, 1, opened.sequence)
    closed = await cup.tables.close_board(names[2], 1, 1, leaf, (-6, 12, -6))
    stream = stream_of(cup.tables.subject(names[2]))
    assert (await cut(30))[stream] >= closed.sequence
    rebuilt = await calls.RebuildStandings(pb.RebuildStandingsRequest(championship="cup"))
    assert rebuilt.same
    assert {one.units for one in rebuilt.standings.rows} == {0, 1}
