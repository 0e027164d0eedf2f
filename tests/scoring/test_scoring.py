"""Standings, publications, corrections on real servers (C2.2, C3, C9.2, C10.8)."""

from __future__ import annotations

import re
from typing import Any

import pytest
from grpc import StatusCode

from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as pb
from services.runtime.clock import shown
from services.runtime.projector import Projector
from tests.cup import CHIEF, Cup
from tests.platform import OPERATOR, Platform, refused
from tests.scoring.cups import cut_of, fixed, played, standings


async def test_only_boards_closed_everywhere_are_shown(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    watch = aiter(platform.of(None).scoring.WatchStandings(pb.WatchStandingsRequest(championship="cup")))
    assert {row.units for row in (await anext(watch)).standings.rows} <= {0}
    await cup.pair()
    await platform.events.wait("round_started")
    for table in ("r1-t1", "r1-t2"):
        await cup.tables.open(table, 1, 1, (), 2)
    leaves = {}
    for board in (1, 2):
        for table in ("r1-t1", "r1-t2"):
            opened = await cup.tables.open_board(table, board)
            leaves[table] = await cup.tables.leaf(table, 1, board, opened.sequence)
        await cup.tables.close_board("r1-t1", 1, board, leaves["r1-t1"], fixed(1, board, 1))
        get = pb.GetBoardRequest(championship="cup", round=1, board=board)
        told = await refused(platform.of(CHIEF).scoring.GetBoard(get))
        assert told.reason == "BOARD_OPEN"
        assert {row.units for row in (await standings(cup)).rows} == {board - 1}
        correct = pb.CorrectResultRequest(
            command_id=f"c{board}",
            championship="cup",
            round=1,
            table="r1-t1",
            board=board,
            scores=[2, -1, -1],
            reason="x",
        )
        assert (await refused(platform.of(CHIEF).scoring.CorrectResult(correct))).reason == "BOARD_OPEN"
        await cup.tables.close_board("r1-t2", 1, board, leaves["r1-t2"], fixed(1, board, 2))
        async for seen in watch:
            if {row.units for row in seen.standings.rows} == {board}:
                break
        assert len((await platform.of(None).scoring.GetBoard(get)).results) == 2


async def test_a_replica_that_is_behind_shows_whole_what_another_has_projected(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = await played(platform)
    monkeypatch.setattr(Projector, "sequence", lambda projector, stream: 0)
    told = await platform.of(None).scoring.GetBoard(pb.GetBoardRequest(championship="cup", round=1, board=1))
    assert [(one.table, sum(one.top) > 0) for one in told.results] == [("r1-t1", True), ("r1-t2", True)]
    penalty = pb.SetPenaltyRequest(
        command_id="p", championship="cup", penalty="late", entrant=1, tenths=50, reason="late"
    )
    await platform.of(CHIEF).scoring.SetPenalty(penalty)
    rows = (await standings(cup)).rows
    assert {row.units for row in rows} == {2}


async def test_standings_as_of_a_number_a_time_and_a_cut(platform: Platform) -> None:
    cup = await played(platform)
    first = await standings(cup, "1")
    assert (first.publication, first.after_round, first.cause, first.provisional) == (1, 1, "round", True)
    penalty = pb.SetPenaltyRequest(
        command_id="p",
        championship="cup",
        penalty="late",
        entrant=first.rows[0].entrant,
        tenths=900,
        reason="late",
    )
    done = await platform.of(CHIEF).scoring.SetPenalty(penalty)
    second = await platform.events.wait("standings_published", number=2)
    assert second.event.cause == "correction"
    now = await standings(cup, position=done.receipt.position)
    fined = next(row for row in now.rows if row.entrant == first.rows[0].entrant)
    assert (fined.place, fined.penalty_tenths, fined.percent_tenths) == (4, 900, 100)
    assert (await standings(cup, "2")).digest == now.digest
    # By time: the last publication at or before it.
    zone = "Asia/Shanghai"
    published = second.header.time_us
    assert (await standings(cup, shown(published + 1_000_000, zone))).publication == 2
    listed = await platform.of(None).scoring.ListPublications(pb.ListPublicationsRequest(championship="cup"))
    assert [one.published.number for one in listed.publications] == [1, 2]
    # By its own cut, to the byte, whatever was ruled since.
    cuts = [cut_of(one.published) for one in listed.publications]
    for number, cut in enumerate(cuts, 1):
        assert await standings(cup, cut) == await standings(cup, str(number))
    scoring_stream = platform.epoch.stream("scoring")
    assert [one.published.cut.positions[-1].stream for one in listed.publications] == [scoring_stream] * 2
    # By any cut: everything as it was before any board was closed, or before the penalty.
    ruled = listed.publications[1].published.cut.positions[-1].sequence
    nothing = re.sub("(TABLE-[^@]+)@[0-9]+", r"\1@0", cuts[1])
    assert {row.units for row in (await standings(cup, nothing)).rows} == {0}
    unruled = cuts[1].replace(f"{scoring_stream}@{ruled}", f"{scoring_stream}@{ruled - 1}")
    told = await standings(cup, unruled)
    assert (told.digest, told.publication) == (first.digest, 0)
    for text, code in (
        ("7", StatusCode.NOT_FOUND),
        ("1999-01-01T00:00:00Z", StatusCode.NOT_FOUND),
        ("TABLE-none-0@1", StatusCode.NOT_FOUND),
        ("yesterday", StatusCode.INVALID_ARGUMENT),
        (cuts[1].rpartition(",")[0], StatusCode.INVALID_ARGUMENT),
        ("9" * 5000, StatusCode.INVALID_ARGUMENT),
        ("@", StatusCode.INVALID_ARGUMENT),
    ):
        assert (await refused(standings(cup, text))).code is code, text
    for number in (0, 1, 2):
        rebuilt = await platform.of("p-1").scoring.RebuildStandings(
            pb.RebuildStandingsRequest(championship="cup", publication=number)
        )
        assert rebuilt.same
        assert rebuilt.standings.digest == (first if number == 1 else now).digest


async def test_every_term_of_a_result(platform: Platform) -> None:
    cup = await played(platform)
    board = await platform.of(None).scoring.GetBoard(pb.GetBoardRequest(championship="cup", round=1, board=1))
    table = board.results[0]
    assert (list(table.scores), list(table.mp), list(table.top)) == ([9, -4, -5], [2, 0, 1], [2, 2, 2])
    best = next(row for row in (await standings(cup)).rows if row.entrant == table.entrants[0])
    told = await platform.of(None).scoring.ExplainScore(
        pb.ExplainScoreRequest(championship="cup", entrant=best.entrant)
    )
    assert told.row == best
    assert [(unit.round, unit.board, unit.table) for unit in told.units] == [(1, 1, "r1-t1"), (1, 2, "r1-t1")]
    assert [(unit.mp, unit.top, unit.rank, unit.group_size) for unit in told.units] == [(2, 2, 1, 2)] * 2
    assert (told.exact, best.percent_tenths) == ("1", 1000)
    assert {one.entrant for one in told.beaten} <= set(range(1, 7))
    assert (
        await refused(
            platform.of(None).scoring.ExplainScore(pb.ExplainScoreRequest(championship="cup", entrant=99))
        )
    ).code is StatusCode.NOT_FOUND


async def test_the_chief_referee_corrects_and_everything_is_published_anew(platform: Platform) -> None:
    """C9.2, C9.4, C2.2."""
    cup = await played(platform)
    before = await standings(cup)
    chief = platform.of(CHIEF).scoring
    correct = pb.CorrectResultRequest(
        command_id="c",
        championship="cup",
        round=1,
        table="r1-t2",
        board=1,
        scores=[20, -10, -10],
        reason="miscounted",
    )
    first = await chief.CorrectResult(correct)
    ruled = await platform.events.wait("result_corrected")
    assert (ruled.body.actor, ruled.event.authority.by) == (CHIEF, "chief_referee")
    assert ruled.body.authority.endswith("@2")
    assert ruled.event.authority.reason == "miscounted"
    await platform.events.wait("standings_published", cause="correction")
    # Sent again it is answered again, and written once.
    assert (await chief.CorrectResult(correct)).receipt == first.receipt
    assert len(await platform.events.of("result_corrected")) == 1
    correct.scores[:] = [0, 0, 0]
    assert (await refused(chief.CorrectResult(correct))).reason == "COMMAND_ID_REUSED"
    await chief.VoidBoard(
        pb.VoidBoardRequest(
            command_id="v",
            championship="cup",
            round=1,
            table="r1-t1",
            board=2,
            tenths=[600, 500, 400],
            reason="shown",
        )
    )
    await platform.events.wait("standings_published", number=3)
    after = await standings(cup)
    assert after.digest != before.digest
    board = await chief.GetBoard(pb.GetBoardRequest(championship="cup", round=1, board=2))
    voided = board.results[0]
    assert (voided.voided, list(voided.percent_tenths), list(voided.mp)) == (True, [600, 500, 400], [0, 0, 0])
    void = pb.BoardRuling(kind="voided", by="chief_referee", publication=2)
    assert [list(one.rulings) for one in board.results] == [[void], []]
    board = await chief.GetBoard(pb.GetBoardRequest(championship="cup", round=1, board=1))
    assert (board.results[1].corrected, list(board.results[1].scores)) == (True, [20, -10, -10])
    correction = pb.BoardRuling(kind="corrected", by="chief_referee", publication=1)
    assert [list(one.rulings) for one in board.results] == [[], [correction]]
    await chief.AssignPercent(
        pb.AssignPercentRequest(
            command_id="a",
            championship="cup",
            entrant=voided.entrants[0],
            round=1,
            board=2,
            tenths=400,
            reason="x",
        )
    )
    board = await chief.GetBoard(pb.GetBoardRequest(championship="cup", round=1, board=2))
    assert [(one.kind, one.entrant) for one in board.results[0].rulings] == [
        ("voided", 0),
        ("assigned", voided.entrants[0]),
    ]
    await platform.events.wait("standings_published", number=4)
    rows = {row.entrant: row for row in (await standings(cup)).rows}
    told = await chief.ExplainScore(pb.ExplainScoreRequest(championship="cup", entrant=voided.entrants[0]))
    assert [unit.assigned for unit in told.units] == [False, True]
    assert told.row == rows[voided.entrants[0]]
    # Beside the result of each stands what was decided about it, and in no standings from before.
    given = pb.BoardRuling(kind="assigned", by="chief_referee", publication=3, entrant=voided.entrants[0])
    assert [list(unit.rulings) for unit in told.units] == [[], [void, given]]
    other = pb.ExplainScoreRequest(championship="cup", entrant=board.results[1].entrants[0])
    told = await chief.ExplainScore(other)
    assert [list(unit.rulings) for unit in told.units] == [[correction], []]
    other.as_of = "1"
    assert [list(unit.rulings) for unit in (await chief.ExplainScore(other)).units] == [[], []]


async def test_a_correction_that_does_not_fit_the_facts_is_refused(platform: Platform) -> None:
    cup = await played(platform)
    chief = platform.of(CHIEF).scoring

    def correct(**changed: Any) -> pb.CorrectResultRequest:
        fields = {"round": 1, "table": "r1-t1", "board": 1, "scores": [2, -1, -1], "reason": "x", **changed}
        return pb.CorrectResultRequest(command_id=cup.command(), championship="cup", **fields)

    for request, reason in (
        (correct(round=9), "BOARD_OPEN"),
        (correct(board=2**32 - 1), "BOARD_OPEN"),
        (correct(table="r1-t9"), "NOT_FOUND"),
        (correct(table=""), "NOT_FOUND"),
        (correct(scores=[]), "RULING_OF_WRONG_LENGTH"),
        (correct(scores=[1, -1]), "RULING_OF_WRONG_LENGTH"),
        (correct(scores=[1, 1, 1]), "SCORES_NOT_ZERO"),
        (correct(scores=[3, -1, -2]), "SCORES_OF_NO_BOARD"),
        (correct(scores=[1, 1, -2]), "SCORES_OF_NO_BOARD"),
        (correct(scores=[2**31 - 1, -(2**31) + 1, 0]), "SCORE_OUT_OF_RANGE"),
        (correct(reason=""), "REASON_MISSING"),
    ):
        assert (await refused(chief.CorrectResult(request))).reason == reason
    void = pb.VoidBoardRequest(
        command_id="v", championship="cup", round=1, table="r1-t1", board=1, tenths=[1], reason="x"
    )
    assert (await refused(chief.VoidBoard(void))).reason == "RULING_OF_WRONG_LENGTH"
    for entrant, penalty, tenths, reason in (
        (99, "late", 10, "NOT_FOUND"),
        (1, "", 10, "PENALTY_MISSING"),
        (1, "late", 2**32 - 1, "PERCENT_OUT_OF_RANGE"),
    ):
        fine = pb.SetPenaltyRequest(
            command_id=cup.command(),
            championship="cup",
            entrant=entrant,
            penalty=penalty,
            tenths=tenths,
            reason="x",
        )
        assert (await refused(chief.SetPenalty(fine))).reason == reason
    for person in (OPERATOR, "p-1", "arbiter-1"):
        told = await refused(platform.of(person).scoring.CorrectResult(correct()))
        assert told.reason == "NOT_IN_ROLE"
    assert await platform.events.of("result_corrected") == []
    assert len(await platform.events.of("standings_published")) == 1


async def test_penalties_never_take_more_than_there_is(platform: Platform) -> None:
    """Several of 100 % leave 0."""
    cup = await played(platform)
    for penalty in ("one", "two", "three"):
        await platform.of(CHIEF).scoring.SetPenalty(
            pb.SetPenaltyRequest(
                command_id=penalty, championship="cup", entrant=1, penalty=penalty, tenths=1000, reason="x"
            )
        )
    rows = {row.entrant: row for row in (await standings(cup)).rows}
    assert (rows[1].percent_tenths, rows[1].penalty_tenths) == (0, 3000)


async def test_what_changed_since_a_publication_names_the_record_that_changed_it(platform: Platform) -> None:
    """C9.4, C10.8: and what was published stays as it was published."""
    cup = await played(platform, lines="[1]")
    first = await standings(cup, "1")

    def since(text: str) -> Any:
        return platform.of("p-1").scoring.CompareStandings(
            pb.CompareStandingsRequest(championship="cup", since=text)
        )

    same = await since("1")
    assert (list(same.before), list(same.steps), same.after_round) == ([], [], 1)
    best = first.rows[0].entrant
    chief = platform.of(CHIEF).scoring
    penalty = pb.SetPenaltyRequest(
        command_id="p", championship="cup", penalty="late", entrant=best, tenths=900, reason="late"
    )
    fined = await chief.SetPenalty(penalty)
    correct = pb.CorrectResultRequest(
        command_id="c",
        championship="cup",
        round=1,
        table="r1-t1",
        board=1,
        scores=[0, 0, 0],
        reason="miscounted",
    )
    await chief.CorrectResult(correct)
    now = await standings(cup)
    told = await since("1")
    assert [(one.cause, one.events[0].WhichOneof("kind")) for one in told.steps] == [
        ("correction", "penalty_set"),
        ("correction", "result_corrected"),
    ]
    assert {one.record.subject for one in told.steps} == {platform.epoch.subject("scoring", "cup")}
    assert told.steps[0].record.version < told.steps[1].record.version
    assert fined.receipt.position
    assert best in {row.entrant for row in told.steps[0].after}
    published = {row.entrant: row for row in first.rows}
    known = {row.entrant: row for row in now.rows}
    assert [published[row.entrant] for row in told.before] == list(told.before)
    assert [known[row.entrant] for row in told.after] == list(told.after)
    assert best in told.lines[0].lost
    assert (await standings(cup, "1")) == first
    for text, code in (("9", StatusCode.NOT_FOUND), ("x", StatusCode.INVALID_ARGUMENT)):
        assert (await refused(since(text))).code is code


async def test_nothing_is_known_of_a_championship_that_there_is_not(platform: Platform) -> None:
    await platform.start()
    anybody = platform.of("p-1").scoring
    for name in ("none", ""):
        for call in (
            anybody.GetStandings(pb.GetStandingsRequest(championship=name)),
            anybody.ListPublications(pb.ListPublicationsRequest(championship=name)),
            anybody.GetBoard(pb.GetBoardRequest(championship=name)),
            anybody.ExplainScore(pb.ExplainScoreRequest(championship=name)),
            anybody.RebuildStandings(pb.RebuildStandingsRequest(championship=name)),
        ):
            assert (await refused(call)).code is StatusCode.NOT_FOUND
        stream = aiter(anybody.WatchStandings(pb.WatchStandingsRequest(championship=name)))
        assert (await refused(anext(stream))).code is StatusCode.NOT_FOUND
    told = await refused(anybody.GetStandings(pb.GetStandingsRequest(championship="No Id")))
    assert told.reason == "MALFORMED"


async def test_a_board_or_round_that_there_is_not_is_not_one_that_is_still_played(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=2)
    await cup.pair()
    anybody = platform.of("p-1").scoring
    for round_, board, reason in (
        (1, 2, "BOARD_OPEN"),
        (1, 3, "NOT_FOUND"),
        (1, 0, "NOT_FOUND"),
        (2, 1, "NOT_FOUND"),
    ):
        asked = pb.GetBoardRequest(championship="cup", round=round_, board=board)
        assert (await refused(anybody.GetBoard(asked))).reason == reason, (round_, board)


async def test_a_session_is_compared_as_one(platform: Platform) -> None:
    """C3.0: the sum of its boards."""
    await played(platform, scoring="{mp_unit: session, boards_per_session: 2}")
    board = await platform.of(None).scoring.GetBoard(pb.GetBoardRequest(championship="cup", round=1, board=2))
    assert [list(one.mp) for one in board.results] == [[2, 0, 1], [0, 2, 1]]
    told = await platform.of(None).scoring.ExplainScore(
        pb.ExplainScoreRequest(championship="cup", entrant=board.results[0].entrants[0])
    )
    assert ([unit.score for unit in told.units], told.row.units) == ([18], 1)


async def test_C2_2_a_board_closed_unfinished_is_corrected_where_plays_alone_are_timed(
    platform: Platform,
) -> None:
    """C4.3: it has no times, of plays neither."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1, scoring="{thinking_time: plays}")
    await cup.pair()
    await cup.play(1, scores=lambda *at: () if at == (1, 1, 1) else fixed(*at))
    corrected = pb.CorrectResultRequest(
        command_id="c", championship="cup", round=1, table="r1-t1", board=1, scores=[2, -1, -1], reason="x"
    )
    await platform.of(CHIEF).scoring.CorrectResult(corrected)
    await platform.events.wait("standings_published", number=2)
    board = pb.GetBoardRequest(championship="cup", round=1, board=1)
    told = {one.table: one for one in (await cup.boss.scoring.GetBoard(board)).results}
    assert list(told["r1-t1"].percent_tenths) == [0, 1000, 1000]  # 2, -1, -1 beside 8, -3, -5


async def test_a_withdrawn_entrant_is_marked(platform: Platform) -> None:
    cup = await played(platform)
    before = await standings(cup)
    withdrawn = await cup.boss.pairing.WithdrawEntrant(
        pairing.WithdrawEntrantRequest(command_id="w", championship="cup", entrant=4, reason="x")
    )
    after = await standings(cup, position=withdrawn.receipt.position)
    assert [row.entrant for row in after.rows if row.withdrawn] == [4]
    assert after.digest == before.digest
