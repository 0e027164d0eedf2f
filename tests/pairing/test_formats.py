"""Championships of every format of Shengji from the draw to the seal, over gRPC on real servers (C1.4, C1.5, C7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from fupan.pairing.v1 import events_pb2 as events
from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring
from tests.cup import CHIEF, Cup
from tests.pairing.formats import (
    byes_of,
    check_certificate,
    check_meetings,
    check_rebuilt_and_audited,
    explained,
    matches_of,
    played,
    seal,
    standings,
    tables_of,
)
from tests.platform import Platform, refused
from tests.tables import lines


async def test_individuals_of_shengji(platform: Platform) -> None:
    """C1.5, C3.0, C3.1, C6: tables of four, house AI fills the last one, sessions compare within the group."""
    await platform.start()
    cup = await Cup.create(
        platform,
        entrants=14,
        game="shengji",
        groups=2,
        boards_per_round=4,
        scoring="{boards_per_session: 2}",
    )
    await cup.pair()
    first = await played(cup, 1)
    assert [len(one.entrants) for one in first] == [4] * 4
    assert [one.group for one in first] == [1, 1, 2, 2]
    assert sum(number == 0 for one in first for number in one.entrants) == 2
    told = await explained(cup, first[0].entrants[0])
    # Two sessions of two boards, compared with the other table of the group in the same seat.
    assert [(unit.board, unit.group_size, unit.score) for unit in told.units] == [
        (session, 2, sum(lines(1, board, 1)[0] for board in boards))
        for session, boards in ((1, (1, 2)), (2, (3, 4)))
    ]
    await played(cup, 2)
    await seal(cup)
    await check_rebuilt_and_audited(cup, 2)


async def test_pairs_by_the_swiss_movement(platform: Platform, tmp_path: Path) -> None:
    """C7.1, C1.5: neighbours meet, the two lines compare, an odd pair has a bye."""
    await platform.start()
    cup = await Cup.create(platform, entrants=7, members=2, game="shengji", format="pairs", rounds=3)
    await cup.pair()
    rounds = []
    for round_ in (1, 2, 3):
        tables = await played(cup, round_)
        assert {tuple(one.members) for one in tables} == {(0, 0, 1, 1)}
        rounds.append((tables, await byes_of(cup, round_)))
    check_meetings(rounds, 7)
    assert [len(free) for _, free in rounds] == [1, 1, 1]
    await check_certificate(cup, tmp_path)
    now = await standings(cup)
    assert sorted(row.entrant for row in now.rows) == list(range(1, 8))
    # Of three tables, the best of its line has 4 of 4 on a board.
    board = await platform.of(None).scoring.GetBoard(
        scoring.GetBoardRequest(championship="cup", round=1, board=1)
    )
    scores = [lines(1, 1, number)[0] for number in (1, 2, 3)]
    best = board.results[scores.index(max(scores))]
    assert (best.mp[0], best.top[0], best.mp[1], best.mp[2]) == (4, 4, 0, 4)
    # Who had a bye has its other results' mean, or 50 % where that is more.
    for _, free in rounds:
        told = await explained(cup, free[0])
        assert list(told.byes) == [number for number, (_, one) in enumerate(rounds, 1) if one == free]
        given = [unit for unit in told.units if unit.assigned]
        mine = [Fraction(unit.mp, unit.top) for unit in told.units if not unit.assigned]
        assert bool(given) == (sum(mine) / len(mine) < Fraction(1, 2))
        assert {unit.percent_tenths for unit in given} <= {500}
        assert told.row.byes == len(told.byes)
    assert sum(row.byes for row in now.rows) == 3
    await seal(cup)
    await check_rebuilt_and_audited(cup, 3)


@pytest.mark.parametrize(("movement", "entrants"), [("mitchell", 6), ("howell", 5)])
async def test_pairs_by_a_fixed_movement(
    movement: str, entrants: int, platform: Platform, tmp_path: Path
) -> None:
    """C7.3: the draw decides all rounds; nobody enters later, and who should meet somebody that withdrew has a bye."""
    await platform.start()
    cup = await Cup.create(
        platform, entrants=entrants, members=2, game="shengji", format="pairs", rounds=3, movement=movement
    )
    await cup.pair()
    tables = await played(cup, 1)
    check_meetings([(tables, await byes_of(cup, 1))], entrants)
    await check_certificate(cup, tmp_path)
    assert (await refused(cup.enter([99]))).reason == "MOVEMENT_FIXED"
    await platform.events.wait("round_paired", round=2)
    second = await tables_of(cup, 2)
    gone, left = second[0].entrants[:2]
    await cup.boss.pairing.WithdrawEntrant(
        pb.WithdrawEntrantRequest(command_id="w", championship="cup", entrant=gone, reason="ill")
    )
    await played(cup, 2)
    await played(cup, 3)
    third, byes = await tables_of(cup, 3), await byes_of(cup, 3)
    seated = {number for one in third for number in one.entrants}
    assert gone not in seated | set(byes)
    assert seated | set(byes) | {gone} == set(range(1, entrants + 1))
    assert left in seated | set(byes)
    paired = await platform.events.wait("round_paired", round=3)
    assert (paired.event.basis, paired.event.publication) == ("draw", 0)
    await seal(cup)
    await check_rebuilt_and_audited(cup, 3)


@pytest.mark.parametrize(("movement", "entrants"), [("swiss", 5), ("round_robin", 4)])
async def test_teams(movement: str, entrants: int, platform: Platform, tmp_path: Path) -> None:
    """C7.2: a match at two tables on the same boards; the difference of the rooms decides."""
    await platform.start()
    cup = await Cup.create(
        platform, entrants=entrants, members=4, game="shengji", format="teams", rounds=3, movement=movement
    )
    await cup.pair()
    rounds = []
    for round_ in (1, 2, 3):
        tables = await played(cup, round_)
        rounds.append((tables, await byes_of(cup, round_)))
        for opened, closed in zip(tables[::2], tables[1::2], strict=True):
            assert (opened.table[-4:], closed.table[-6:]) == ("open", "closed")
            assert list(closed.entrants) == [*opened.entrants[1:], opened.entrants[0]]
            assert (list(opened.members), list(closed.members)) == ([0, 0, 1, 1], [2, 2, 3, 3])
    check_meetings(rounds, entrants)
    await check_certificate(cup, tmp_path)
    # Match points and differences, reckoned by hand.
    points: Counter[int] = Counter()
    net: Counter[int] = Counter()
    for round_, (tables, _) in enumerate(rounds, 1):
        for number in range(0, len(tables), 2):
            one, other = tables[number].entrants[:2]
            swings = [lines(round_, b, number + 1)[0] - lines(round_, b, number + 2)[0] for b in (1, 2)]
            net.update({one: sum(swings), other: -sum(swings)})
            points.update({one: 1 + (sum(swings) > 0) - (sum(swings) < 0)})
            points.update({other: 1 + (sum(swings) < 0) - (sum(swings) > 0)})
    now = await standings(cup)
    for row in now.rows:
        byes = sum(row.entrant in free for _, free in rounds)
        matches = row.won + row.drawn + row.lost
        assert (matches, row.byes) == (3 - byes, byes)
        worth = byes * max(Fraction(points[row.entrant], matches), Fraction(1)) if byes else 0
        assert (Fraction(row.points), row.net) == (points[row.entrant] + worth, net[row.entrant])
        told = await explained(cup, row.entrant)
        assert told.row == row
        assert sum(match.net for match in told.matches) == row.net
        assert all(sum(s.difference for s in match.swings) == match.net for match in told.matches)
    assert [row.place for row in now.rows] == list(range(1, entrants + 1))
    listed = await matches_of(cup, 1)
    assert [(one.table, list(one.entrants)) for one in listed] == [
        (one.table, list(one.entrants[:2])) for one in rounds[0][0][::2]
    ]
    assert all(sum(one.points) == 2 for one in listed)
    await seal(cup)
    await check_rebuilt_and_audited(cup, 3)


async def test_rulings_on_boards_of_teams(platform: Platform) -> None:
    """C7.2, C10.6: a board is corrected or void; percentages are refused."""
    await platform.start()
    cup = await Cup.create(
        platform, entrants=2, members=4, game="shengji", format="teams", rounds=1, boards_per_round=2
    )
    await cup.pair()
    opened, _ = await played(cup, 1)
    one = opened.entrants[0]
    before = (await explained(cup, one)).matches[0]
    chief = platform.of(CHIEF).scoring
    where: dict[str, Any] = {
        "championship": "cup",
        "round": 1,
        "table": opened.table,
        "board": 1,
        "reason": "x",
    }

    def void(*tenths: int) -> Any:
        return chief.VoidBoard(scoring.VoidBoardRequest(command_id=cup.command(), tenths=tenths, **where))

    def correct(*scores: int) -> Any:
        return chief.CorrectResult(
            scoring.CorrectResultRequest(command_id=cup.command(), scores=scores, **where)
        )

    fine = scoring.SetPenaltyRequest(
        command_id="f", championship="cup", penalty="late", entrant=one, tenths=10, reason="x"
    )
    for call in (void(500, 500, 500, 500), chief.SetPenalty(fine)):
        told = await refused(call)
        assert (told.reason, told.clause) == ("RULING_OF_OTHER_FORMAT", "C7.2")
    told = await refused(correct(80, -80, 60, -60))
    assert (told.reason, told.clause) == ("NO_PAIRS", "C7.1")
    match = scoring.CorrectMatchRequest(
        command_id="m",
        championship="cup",
        round=1,
        table=opened.table,
        winner=0,
        levels=["A", "7"],
        reason="x",
    )
    assert (await refused(chief.CorrectMatch(match))).reason == "RULING_OF_OTHER_FORMAT"
    await correct(80, -80, 80, -80)
    await platform.events.wait("standings_published", number=2)
    swing = (await explained(cup, one)).matches[0].swings[0]
    assert swing.difference == 80 - lines(1, 1, 2)[0]
    await void()
    await platform.events.wait("standings_published", number=3)
    after = (await explained(cup, one)).matches[0]
    assert [swing.board for swing in after.swings] == [2]
    assert after.net == before.net - before.swings[0].difference
    await check_rebuilt_and_audited(cup, 3)


async def test_a_chief_referee_moves_persons_not_pairs_apart(platform: Platform) -> None:
    """C9.2, C7.1: seats may be changed as long as two pairs sit in two lines."""
    await platform.start()
    cup = await Cup.create(
        platform, entrants=4, members=2, game="shengji", format="pairs", automatic_rounds="false"
    )
    await cup.pair()
    one, two = await tables_of(cup, 1)
    (a, b), (c, d) = one.entrants[:2], two.entrants[:2]

    def override(first: Sequence[int], second: Sequence[int], members: Sequence[int] = ()) -> Any:
        tables = [
            events.SeatedTable(table=one.table, group=1, entrants=first, members=members),
            events.SeatedTable(table=two.table, group=1, entrants=second),
        ]
        request = pb.OverrideSeatingRequest(
            command_id=cup.command(), championship="cup", round=1, tables=tables, reason="friends"
        )
        return platform.of(CHIEF).pairing.OverrideSeating(request)

    for first, second, members in (
        ((a, b, b, a), (c, d, c, d), ()),
        ((a, a, a, a), (c, d, c, d), ()),
        ((a, b, a, b), (a, c, a, c), ()),
        ((a, c, a, c), (b, d, b, d), (0, 0, 0, 1)),
        ((a, c, a, c), (b, d, b, d), (0, 0, 2, 1)),
    ):
        assert (await refused(override(first, second, members))).reason == "SEATING_WRONG"
    await override((a, c, a, c), (b, d, b, d), (1, 0, 0, 1))
    moved = await tables_of(cup, 1)
    assert [(list(table.entrants), list(table.members)) for table in moved] == [
        ([a, c, a, c], [1, 0, 0, 1]),
        ([b, d, b, d], [0, 0, 1, 1]),
    ]


async def test_a_field_that_cannot_be_paired_stays_open(platform: Platform) -> None:
    """C7.3: entrants may still come, since the draw has not been made."""
    await platform.start()
    cup = await Cup.create(
        platform, entrants=4, members=2, game="shengji", format="pairs", movement="mitchell", rounds=3
    )
    told = await refused(cup.pair())
    assert (told.reason, told.clause) == ("ROUNDS_OUT_OF_RANGE", "C7.3")
    assert await platform.events.of("registration_closed") == []
    await cup.enter([5, 6])
    await cup.pair()
    await platform.events.wait("round_paired")


@pytest.mark.parametrize(("form", "members"), [("points", 2), ("teams", 4), ("pairs", 2)])
async def test_services_that_start_anew_in_the_middle_of_a_round(
    form: str, members: int, platform: Platform
) -> None:
    """Nothing but the logs is needed to go on: two replicas take over while a table has finished and others have not."""
    first = await platform.start()
    cup = await Cup.create(platform, entrants=5, members=members, game="shengji", format=form, rounds=2)

    async def play(round_: int, only: Sequence[int]) -> None:
        if form == "points":
            await cup.tables.play_matches(round_, only=only)
        else:
            await cup.tables.play(round_, scores=lines, only=only)

    await cup.pair()
    await platform.events.wait("round_started", round=1)
    tables = len(await tables_of(cup, 1))
    await play(1, [1])
    await first.stop()
    await platform.start(replica="r1")
    await platform.start(replica="r2")
    await play(1, range(2, tables + 1))
    await platform.events.wait("round_started", round=2)
    await play(2, range(1, tables + 1))
    await platform.events.wait("standings_published", after_round=2)
    rounds = [(await tables_of(cup, number), await byes_of(cup, number)) for number in (1, 2)]
    check_meetings(rounds, 5)
    assert (
        len(await platform.events.of("round_paired"))
        == len(await platform.events.of("standings_published"))
        == 2
    )
    await check_rebuilt_and_audited(cup, 2)
