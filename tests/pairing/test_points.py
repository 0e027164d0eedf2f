"""Championships in the points format over gRPC on real servers (C8)."""

from __future__ import annotations

import asyncio
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from services.games.championship.netlevels import net_levels
from tests.cup import CHIEF, Cup
from tests.e2e.command import fupan
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
from tests.tables import first_wins


async def test_the_points_format(platform: Platform, tmp_path: Path) -> None:
    """C8.1, C8.2, C8.4, C8.5: five rounds of matches, three points for the winner, net levels, nobody meets twice."""
    await platform.start()
    cup = await Cup.create(
        platform, entrants=9, members=2, game="shengji", format="points", rounds=5, automatic_rounds="false"
    )
    committed = await platform.events.wait("deals_committed")
    assert (list(committed.event.boards), list(committed.event.draws)) == ([], ["round-1"])
    rounds = []
    points: Counter[int] = Counter()
    net: Counter[int] = Counter()
    for round_ in range(1, 6):
        await cup.pair()
        await cup.boss.pairing.StartRound(
            pb.StartRoundRequest(command_id=f"s{round_}", championship="cup", round=round_)
        )
        tables = await played(cup, round_)
        rounds.append((tables, await byes_of(cup, round_)))
        for number, one in enumerate(tables, 1):
            winner, loser = one.entrants[:2]
            gained = net_levels(*first_wins(round_, number)[1])
            points.update({winner: 3})
            net.update({winner: gained, loser: -gained})
    check_meetings(rounds, 9)
    await check_certificate(cup, tmp_path)
    now = await standings(cup)
    for row in now.rows:
        worth = sum(row.entrant in free for _, free in rounds)
        matches = 5 - worth
        bye = max(Fraction(points[row.entrant], matches), Fraction(3, 2)) * worth
        assert (Fraction(row.points), row.net) == (points[row.entrant] + bye, net[row.entrant])
    assert [(Fraction(row.points), row.net) for row in now.rows] == sorted(
        ((Fraction(row.points), row.net) for row in now.rows), reverse=True
    )
    winner, loser = rounds[0][0][0].entrants[:2]
    term = (await explained(cup, loser)).matches[0]
    _, levels = first_wins(1, 1)
    assert (term.opponent, term.points, list(term.levels), term.clause, term.deals) == (
        winner,
        0,
        [levels[1], "A"],
        "S9.5",
        9,
    )
    assert term.net == -net_levels(*levels)
    told = await refused(
        platform.of(None).scoring.GetBoard(scoring.GetBoardRequest(championship="cup", round=1, board=1))
    )
    assert (told.reason, told.clause) == ("NO_COMMON_BOARDS", "C8.2")
    second = await matches_of(cup, 2)
    assert [(one.round, one.table, list(one.entrants), list(one.points)) for one in second] == [
        (2, one.table, list(one.entrants[:2]), [3, 0]) for one in rounds[1][0]
    ]
    assert len(await matches_of(cup, 0)) == 20
    server = ",".join(f"{name}=127.0.0.1:{port}" for name, port in platform.ports.items())
    asked = ("score", "matches", "--round", 2, "-c", "cup", "--server", server, "--json")
    listed = await asyncio.to_thread(fupan, *asked)
    assert [(one["entrants"], one["points"]) for one in listed.told] == [
        (list(one.entrants), list(one.points)) for one in second
    ]
    assert {one.round for one in await matches_of(cup, 0, as_of="1")} == {1}
    await seal(cup)
    await check_rebuilt_and_audited(cup, 5)


async def test_a_match_is_corrected_as_a_whole(platform: Platform) -> None:
    """C9.2, C10.0: the chief referee's word is final, and nobody files an appeal."""
    await platform.start()
    cup = await Cup.create(platform, entrants=4, members=2, game="shengji", format="points", rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    (table, other) = await tables_of(cup, 1)
    # Their first deals were committed before the round was paired.
    paired = (await platform.events.wait("round_paired")).event
    asked = dealer.GetCommitmentsRequest(championship="cup")
    batch = (await platform.of(None).dealer.GetCommitments(asked)).batches[paired.deals_batch - 1]
    assert (batch.purpose, batch.merkle_root) == ("match", paired.deals_root)
    assert {path.match for path in batch.boards} == {table.table, other.table}
    chief = platform.of(CHIEF).scoring

    def correct(**changed: Any) -> scoring.CorrectMatchRequest:
        fields = {"table": table.table, "round": 1, "winner": 1, "levels": ["7", "A"], "reason": "x"}
        return scoring.CorrectMatchRequest(
            command_id=cup.command(), championship="cup", **{**fields, **changed}
        )

    assert (await refused(chief.CorrectMatch(correct()))).reason == "MATCH_RUNNING"
    await cup.tables.play_matches(1, only=[1])
    # A match counts as soon as it has ended: no other table plays its deals.
    watch = platform.of(None).scoring.WatchStandings(scoring.WatchStandingsRequest(championship="cup"))
    async for seen in watch:
        if any((row.entrant, row.points) == (table.entrants[0], "3") for row in seen.standings.rows):
            break
    progress = platform.of("p-1-1").pairing.WatchRound(pb.WatchRoundRequest(championship="cup"))
    async for far in progress:
        if far.tables_done == 1:
            break
    now = await cup.boss.pairing.GetRound(pb.GetRoundRequest(championship="cup"))
    assert [(one.done, one.boards) for one in now.tables] == [(True, 0), (False, 0)]
    assert [one.table.table for one in far.slowest] == ["r1-t2"]
    # Nothing decided the other match: it counts for nobody.
    await cup.tables.play_matches(1, lambda *_: (None, ("2", "2")), only=[2])
    await platform.events.wait("standings_published", number=1)
    rows = {row.entrant: row for row in (await standings(cup)).rows}
    assert {rows[number].points for number in other.entrants} == {"0"}
    for request, reason in (
        (correct(table="r1-t9"), "NOT_FOUND"),
        (correct(winner=2), "NO_SUCH_SIDE"),
        (correct(levels=["A"]), "NO_SUCH_SIDE"),
        (correct(levels=["1", "A"]), "NO_SUCH_LEVEL"),
        (correct(reason=""), "REASON_MISSING"),
    ):
        assert (await refused(chief.CorrectMatch(request))).reason == reason
    void = scoring.VoidBoardRequest(
        command_id="v", championship="cup", round=1, table=table.table, board=1, tenths=[500] * 4, reason="x"
    )
    told = await refused(chief.VoidBoard(void))
    assert (told.reason, told.clause) == ("RULING_OF_OTHER_FORMAT", "C8.2")
    await chief.CorrectMatch(correct())
    await platform.events.wait("standings_published", cause="correction")
    after = {row.entrant: row for row in (await standings(cup)).rows}
    first, second = table.entrants[:2]
    # C8.4, the example: the winner at A against 7 gives 6.
    assert [(after[one].points, after[one].net) for one in (second, first)] == [("3", 6), ("0", -6)]
    assert (await explained(cup, second)).matches[0].clause == "C9.2"
    await check_rebuilt_and_audited(cup, 2)


async def test_an_appeal_on_a_match(platform: Platform) -> None:
    """C10.0, C10.6: where the committee has the last word, it gives a match to the other side."""
    await platform.start()
    cup = await Cup.create(
        platform,
        entrants=4,
        members=2,
        game="shengji",
        format="points",
        rounds=1,
        appeals="{final_authority: arbitration}",
    )
    await cup.pair()
    table, _ = await played(cup, 1)
    winner, loser = table.entrants[:2]
    remedy = scoring_events.CorrectMatch(table=table.table, round=1, winner=1, levels=["9", "T"])
    wrong = scoring_events.CorrectResult(table=table.table, round=1, board=1, attempt=1, scores=[0, 0, 0, 0])
    told = await refused(cup.file(loser, sought=[scoring_events.Remedy(correct_result=wrong)]))
    assert told.reason == "RULING_OF_OTHER_FORMAT"
    filed = await cup.file(loser, sought=[scoring_events.Remedy(correct_match=remedy)])
    await cup.panel(filed.appeal)
    await platform.events.wait("match_corrected")
    await platform.events.wait("standings_published", cause="ruling")
    rows = {row.entrant: (row.points, row.net) for row in (await standings(cup)).rows}
    assert (rows[loser], rows[winner]) == (("3", 1), ("0", -1))
    # The committee's word is final (C10.7).
    match = scoring.CorrectMatchRequest(
        command_id="m",
        championship="cup",
        round=1,
        table=table.table,
        winner=0,
        levels=["A", "7"],
        reason="x",
    )
    assert (await refused(platform.of(CHIEF).scoring.CorrectMatch(match))).reason == "RULING_FINAL"
    await check_rebuilt_and_audited(cup, 2)
