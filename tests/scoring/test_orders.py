"""A board that a fault or a ruling damaged is played again on the chief referee's order, without an appeal (C9.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any

from grpc import StatusCode

from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as pb
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.scoring.api import MAX_TABLES
from tests.cup import ARBITRATORS, CHIEF, Cup
from tests.platform import OPERATOR, Platform, refused
from tests.tables import lines

AGAIN = dealer_events.BoardPath(round=1, board=1, attempt=2)


def order(*tables: str, command_id: str = "order", **changed: Any) -> pb.OrderReplayRequest:
    asked = {"round": 1, "board": 1, "reason": "dealt face up", **changed}
    return pb.OrderReplayRequest(championship="cup", command_id=command_id, tables=tables, **asked)


async def replay(
    cup: Cup, table: str, scores: tuple[int, ...], entrants: Iterable[int], attempt: int = 2
) -> None:
    """The table service's part."""
    await cup.tables.open(table, 1, 1, entrants, 1)
    opened = await cup.tables.open_board(table, 1, attempt=attempt)
    leaf = await cup.tables.leaf(table, 1, 1, opened.sequence, attempt=attempt)
    await cup.tables.close_board(table, 1, 1, leaf, scores, attempt=attempt)
    await cup.tables.seal(table)


async def traveller(cup: Cup) -> dict[str, Any]:
    request = pb.GetBoardRequest(championship="cup", round=1, board=1)
    return {one.table: one for one in (await cup.boss.scoring.GetBoard(request)).results}


async def test_a_damaged_board_is_played_again_by_the_whole_field(platform: Platform) -> None:
    """C9.2, C3.1: all with one new deal, so that they are compared; nothing is shown before all have closed it."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    scoring = platform.of(CHIEF).scoring
    first = await traveller(cup)
    # Ordered in two windows at once: one of them is told that it is done.
    windows = {one: scoring.OrderReplay(order(command_id=one)) for one in ("order", "window")}
    answers = await asyncio.gather(*windows.values(), return_exceptions=True)
    ((command_id, told),) = (
        (one, answer)
        for one, answer in zip(windows, answers, strict=True)
        if isinstance(answer, pb.OrderReplayResponse)
    )
    (late,) = (call for one, call in windows.items() if one != command_id)
    assert (await refused(late)).reason == "REPLAY_RUNNING"
    assert (told.attempt, list(told.tables)) == (2, ["r1-t1-a2", "r1-t2-a2"])
    assert await scoring.OrderReplay(order(command_id=command_id)) == told
    seated = [await platform.events.wait("replay_seated", count=number) for number in (1, 2)]
    assert [(one.event.attempt, one.event.tables) for one in seated] == [(2, 2), (2, 2)]
    assert len(await platform.events.of("deals_committed")) == 2
    assert (await refused(scoring.OrderReplay(order("r1-t1", command_id="more")))).reason == "REPLAY_RUNNING"
    await replay(cup, "r1-t1-a2", (9, -4, -5), first["r1-t1"].entrants)
    assert not [one for one in await platform.events.of("board_revealed") if one.event.path == AGAIN]
    assert {*(await traveller(cup))} == {"r1-t1", "r1-t2"}
    correct = pb.CorrectResultRequest(
        command_id="early",
        championship="cup",
        table="r1-t1-a2",
        round=1,
        board=1,
        scores=[2, -1, -1],
        reason="x",
    )
    assert (await refused(scoring.CorrectResult(correct))).reason == "BOARD_OPEN"
    await replay(cup, "r1-t2-a2", (8, -3, -5), first["r1-t2"].entrants)
    await platform.events.wait("board_revealed", path=AGAIN)
    published = await platform.events.wait("standings_published", number=3)
    shown = await traveller(cup)
    assert [one.voided for one in shown.values()] == [True, True, False, False]
    assert list(shown["r1-t1-a2"].percent_tenths) == [1000, 0, 500]
    assert list(shown["r1-t2-a2"].percent_tenths) == [0, 1000, 500]
    # Once for the order, once for the new deal; and a correction at the replay's own table.
    since = await cup.boss.scoring.CompareStandings(pb.CompareStandingsRequest(championship="cup", since="1"))
    assert [(one.cause, list(one.tables)) for one in since.steps] == [
        ("correction", []),
        ("replay", ["r1-t1-a2", "r1-t2-a2"]),
    ]
    correct.command_id, correct.scores[:] = "late", [6, -3, -3]
    done = await scoring.CorrectResult(correct)
    fourth = await platform.events.wait("standings_published", number=4)
    assert (fourth.event.cause, published.event.cause) == ("correction", "ruling")
    corrected = await platform.events.wait("result_corrected")
    assert (corrected.event.table, corrected.event.attempt) == ("r1-t1-a2", 2)
    assert done.receipt.position
    assert (await traveller(cup))["r1-t2-a2"].percent_tenths[0] == 1000
    # Once more at one table: what it came to at the second attempt is void, too.
    third = await scoring.OrderReplay(order("r1-t1", command_id="third"))
    assert (third.attempt, list(third.tables)) == (3, ["r1-t1-a3"])
    await platform.events.wait("replay_seated", count=3)
    for table in ("r1-t1", "r1-t1-a2", "r1-t1-a3"):  # all of them are that table
        fourth = scoring.OrderReplay(order(table, command_id="fourth"))
        assert (await refused(fourth)).reason == "REPLAY_RUNNING"
    await replay(cup, "r1-t1-a3", (2, -1, -1), first["r1-t1"].entrants, attempt=3)
    await platform.events.wait("standings_published", number=6)
    voided = {table: one.voided for table, one in (await traveller(cup)).items()}
    assert voided == {
        "r1-t1": True,
        "r1-t2": True,
        "r1-t1-a2": True,
        "r1-t2-a2": False,
        "r1-t1-a3": False,
    }
    now = await cup.boss.scoring.GetStandings(pb.GetStandingsRequest(championship="cup"))
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    checks = {check.name: check for check in verify_file(file, ()).checks}
    assert (checks["standings"].findings, checks["standings"].done) == ((), 6)
    rebuilt = await cup.boss.scoring.RebuildStandings(pb.RebuildStandingsRequest(championship="cup"))
    assert (rebuilt.same, rebuilt.standings.digest) == (True, now.digest)


async def test_a_board_is_played_again_between_rounds(platform: Platform) -> None:
    """C9.2, C10.6: nobody is at two tables at once, and the next round is seated by what it came to."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=3)
    await cup.pair()
    await cup.play(1)
    await platform.events.wait("round_started", round=2)
    entrants = (await traveller(cup))["r1-t1"].entrants
    told = await platform.of(CHIEF).scoring.OrderReplay(order("r1-t1"))
    assert told.after_round == 2
    await platform.events.wait("deals_committed", purpose="replay")
    await cup.tables.play(2)
    closed = await platform.events.wait("round_closed", round=2)
    seated = await platform.events.wait("replay_seated")
    assert seated.header.version > closed.header.version
    # Paired by whoever cannot wait, a round begins no sooner.
    assert (await refused(start(cup, 3))).reason == "NO_SUCH_ROUND"
    await platform.events.wait("standings_published", after_round=2)
    await replay(cup, "r1-t1-a2", (9, -4, -5), entrants)
    over = await platform.events.wait("board_replayed", table="r1-t1-a2")
    paired = await platform.events.wait("round_paired", round=3)
    assert paired.header.version > over.header.version
    by = await platform.events.wait("standings_published", number=paired.event.publication)
    read = {one.stream: one.sequence for one in by.event.cut.positions}
    assert read[over.stored.stream] >= over.stored.sequence
    await platform.events.wait("round_started", round=3)


def start(cup: Cup, round_: int) -> Any:
    request = pairing.StartRoundRequest(command_id=cup.command(), championship="cup", round=round_)
    return cup.boss.pairing.StartRound(request)


async def test_who_may_order_what(platform: Platform) -> None:
    """C9.2, C9.4."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    assert (await refused(platform.of(CHIEF).scoring.OrderReplay(order()))).reason == "BOARD_OPEN"
    await cup.play(1)
    for person in (OPERATOR, ARBITRATORS[0], "p-1"):
        told = await refused(platform.of(person).scoring.OrderReplay(order()))
        assert told.code is StatusCode.PERMISSION_DENIED, person
    for changed, reason in (
        ({"round": 9}, "NOT_FOUND"),
        ({"board": 9}, "BOARD_OPEN"),
        ({"reason": ""}, "REASON_MISSING"),
    ):
        told = await refused(platform.of(CHIEF).scoring.OrderReplay(order(**changed)))
        assert told.reason == reason
    assert (await refused(platform.of(CHIEF).scoring.OrderReplay(order("r1-t9")))).reason == "NOT_FOUND"
    many = [f"r1-t{number}" for number in range(1, MAX_TABLES + 2)]
    told = await refused(platform.of(CHIEF).scoring.OrderReplay(order(*many)))
    assert (told.reason, "others in an order" in told.message) == ("MALFORMED", True)
    assert await platform.events.of("replay_ordered") == []


async def test_both_rooms_of_a_match_of_teams_play_the_board_again(platform: Platform) -> None:
    """C7.2: with the same new deal, and the match result is that of the boards that count."""
    await platform.start()
    cup = await Cup.create(platform, 2, members=4, game="shengji", format="teams", rounds=1)
    await cup.pair()
    await cup.play(1, scores=lines)
    await platform.events.wait("competition_ended")
    told = await platform.of(CHIEF).scoring.OrderReplay(order("r1-t1-open"))
    assert {*told.tables} == {"r1-t1-open-a2", "r1-t1-closed-a2"}
    await platform.events.wait("replay_seated", count=2)
    by_table = {one.event.table.table: one.event.table for one in await platform.events.of("replay_seated")}
    for table, score in (("r1-t1-open-a2", 40), ("r1-t1-closed-a2", -20)):
        await replay(cup, table, (score, -score, score, -score), by_table[table].entrants)
    await platform.events.wait("standings_published", number=3)
    played = await cup.boss.scoring.ListMatches(pb.ListMatchesRequest(championship="cup"))
    swings = {one.board: one.difference for one in played.matches[0].swings}
    assert swings[1] == 60
    assert len(swings) == 2


async def test_no_deal_of_a_match_is_played_again(platform: Platform) -> None:
    """C8.2: the refusal says what to do instead."""
    await platform.start()
    cup = await Cup.create(platform, 2, members=2, game="shengji", format="points", rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play_matches(1)
    told = await refused(platform.of(CHIEF).scoring.OrderReplay(order()))
    assert (told.reason, told.clause) == ("RULING_OF_OTHER_FORMAT", "C8.2")
    assert "correct the match as a whole" in told.message
