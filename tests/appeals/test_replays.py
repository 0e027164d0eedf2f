"""A board that a ruling has played again: another deal, a table of its own, the same seats, and what it comes to counts (C10.6)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fupan.appeals.v1 import events_pb2 as events
from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from tests.cup import ARBITRATORS, CHIEF, HOUR_US, SEALABLE_US, Cup
from tests.platform import Platform, refused

BOARD = events.Contested(board=events.ContestedBoard(table="r1-t1", round=1, board=1, attempt=1))
REPLAY = scoring_events.Remedy(
    replay_board=scoring_events.ReplayBoard(table="r1-t1", round=1, board=1, attempt=1)
)
AGAIN = dealer_events.BoardPath(round=1, board=1, attempt=2)
NEW = "r1-t1-a2"


async def ordered(platform: Platform) -> tuple[Cup, int]:
    """An event that has ended, and a committee that has ruled that a board is played again; when it ended."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    at = await cup.ended()
    filed = await cup.file(1, BOARD, [REPLAY])
    await cup.panel(filed.appeal)
    await platform.events.wait("replay_seated")
    return cup, at


async def played_again(cup: Cup, scores: tuple[int, ...] = (30, -15, -15)) -> bytes:
    """The table service's part; the leaf of the new deal."""
    (seated,) = await cup.platform.events.of("replay_seated")
    return await replayed(cup, NEW, 2, scores, seated.event.table.entrants)


async def replayed(
    cup: Cup, table: str, attempt: int, scores: tuple[int, ...], entrants: Iterable[int]
) -> bytes:
    await cup.tables.open(table, 1, 1, entrants, 1, attempt)
    opened = await cup.tables.open_board(table, 1, attempt=attempt)
    leaf = await cup.tables.leaf(table, 1, 1, opened.sequence, attempt=attempt)
    await cup.tables.close_board(table, 1, 1, leaf, scores, attempt=attempt)
    await cup.tables.seal(table)
    return leaf


async def traveller(cup: Cup) -> dict[str, Any]:
    request = scoring.GetBoardRequest(championship="cup", round=1, board=1)
    return {one.table: one for one in (await cup.boss.scoring.GetBoard(request)).results}


async def test_a_board_is_played_again_and_the_ruled_attempt_counts(platform: Platform) -> None:
    """C10.6 from the ruling to the standings."""
    cup, _ = await ordered(platform)
    first = (await traveller(cup))["r1-t1"]
    # The ruling says at once which attempt counts; the first one is void from here on.
    ruled = await platform.events.wait("board_superseded")
    assert (ruled.event.by_table, ruled.event.by_attempt, ruled.event.authority.by) == (NEW, 2, "arbitration")
    assert first.voided
    # Its deal stands committed before anybody is seated, and it is another one.
    committed = await platform.events.wait("deals_committed", purpose="replay")
    seated = await platform.events.wait("replay_seated")
    assert list(committed.event.boards) == [AGAIN]
    assert committed.header.time_us < seated.header.time_us
    assert seated.body.cause is not None
    assert seated.body.cause.subject == ruled.header.subject
    assert (seated.event.replaces, seated.event.table.table) == ("r1-t1", NEW)
    assert list(seated.event.table.entrants) == list(first.entrants)
    leaf = await played_again(cup)
    old = await platform.events.wait(
        "board_revealed", path=dealer_events.BoardPath(round=1, board=1, attempt=1)
    )
    new = await platform.events.wait("board_revealed", path=AGAIN)
    assert (new.event.leaf, new.event.leaf != old.event.leaf) == (leaf, True)
    # What it came to counts, published by itself, and is rebuilt from the log.
    await platform.events.wait("board_replayed", table=NEW)
    published = await platform.events.wait("standings_published", number=3)
    assert published.event.cause == "ruling"
    shown = await traveller(cup)
    assert list(shown[NEW].scores) == [30, -15, -15]
    assert list(shown[NEW].entrants) == list(first.entrants)
    assert (shown[NEW].voided, shown["r1-t1"].voided, shown["r1-t2"].voided) == (False, True, False)
    # Nobody else had these cards: compared with nobody (C3.3).
    assert list(shown[NEW].percent_tenths) == [500, 500, 500]
    explained = await cup.boss.scoring.ExplainScore(
        scoring.ExplainScoreRequest(championship="cup", entrant=first.entrants[0])
    )
    units = {(one.board, one.table, one.score) for one in explained.units}
    assert (1, NEW, 30) in units
    rebuilt = await cup.boss.scoring.RebuildStandings(
        scoring.RebuildStandingsRequest(championship="cup", publication=3)
    )
    assert rebuilt.same
    # Each change since the first publication is the ruling's or the replay's; since the third there is none.
    since = await cup.boss.scoring.CompareStandings(
        scoring.CompareStandingsRequest(championship="cup", since="1")
    )
    ruling, replay = since.steps
    assert (ruling.cause, ruling.events[0].WhichOneof("kind")) == ("ruling", "board_superseded")
    assert (ruling.record.subject, ruling.record.version) == (ruled.header.subject, ruled.header.version)
    assert (replay.cause, replay.table, replay.attempt) == ("replay", NEW, 2)
    now = await cup.boss.scoring.GetStandings(scoring.GetStandingsRequest(championship="cup"))
    changed = {row.entrant for row in since.after}
    assert list(since.after) == [row for row in now.rows if row.entrant in changed]
    third = scoring.CompareStandingsRequest(championship="cup", since="3")
    assert not (await cup.boss.scoring.CompareStandings(third)).steps


async def test_a_board_is_played_again_once_at_a_time_whoever_ordered_it(platform: Platform) -> None:
    """C9.2, C10.6: a ruling waits for the replay that the chief referee has ordered, an order is refused while a ruling's runs."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1, BOARD, [REPLAY])
    first = (await traveller(cup))["r1-t1"]
    chief = platform.of(CHIEF).scoring
    await chief.OrderReplay(order("order"))
    await platform.events.wait("replay_seated")
    asked = scoring.WhatIfRequest(championship="cup", remedies=[REPLAY])
    told = await refused(platform.of(ARBITRATORS[0]).scoring.WhatIf(asked))
    assert (told.reason, told.clause) == ("REPLAY_RUNNING", "C10.6")
    await cup.panel(filed.appeal)
    await taken_up(cup)
    # What waits is final (C10.7): nothing is told as carried out that it will undo.
    at: Any = {"championship": "cup", "command_id": "undo", "round": 1, "board": 1, "reason": "otherwise"}
    for undo in (
        chief.AssignPercent(scoring.AssignPercentRequest(entrant=first.entrants[0], tenths=900, **at)),
        chief.CorrectResult(scoring.CorrectResultRequest(table="r1-t1", scores=[2, -1, -1], **at)),
    ):
        told = await refused(undo)
        assert (told.reason, told.clause) == ("RULING_FINAL", "C10.7")
    await replayed(cup, NEW, 2, (30, -15, -15), first.entrants)
    over = await platform.events.wait("board_replayed", table=NEW)
    ruled = await platform.events.wait("board_superseded")
    assert (ruled.event.by_table, ruled.event.authority.by) == ("r1-t1-a3", "arbitration")
    assert ruled.header.time_us > over.header.time_us
    await platform.events.wait("replay_seated", count=2)
    assert (await refused(chief.OrderReplay(order("more")))).reason == "REPLAY_RUNNING"
    await replayed(cup, "r1-t1-a3", 3, (12, -6, -6), first.entrants)
    await platform.events.wait("board_replayed", table="r1-t1-a3")
    position = (await platform.events.wait("standings_published", number=6)).position
    await cup.boss.scoring.GetStandings(
        scoring.GetStandingsRequest(championship="cup", min_position=position)
    )
    shown = await traveller(cup)
    assert [shown[one].voided for one in ("r1-t1", NEW, "r1-t1-a3")] == [True, True, False]
    assert await platform.events.of("correction_refused") == []


async def taken_up(cup: Cup) -> None:
    """Scoring has looked at all that was ruled: it takes it up in the order of the log, and here is one more."""
    penalty = scoring_events.SetPenalty(penalty="late", entrant=2, tenths=10)
    filed = await cup.file(2, sought=[scoring_events.Remedy(set_penalty=penalty)])
    await cup.panel(filed.appeal)
    await cup.platform.events.wait("penalty_set")


def order(command_id: str, *tables: str) -> scoring.OrderReplayRequest:
    again = tables or ("r1-t1",)
    return scoring.OrderReplayRequest(
        championship="cup", command_id=command_id, round=1, board=1, tables=again, reason="misdealt"
    )


async def test_a_ruling_on_a_replay_waits_until_all_who_share_its_deal_have_played_it(
    platform: Platform,
) -> None:
    """C10.6: as one on a board of the round does; what others still play is shown to nobody."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    first = await traveller(cup)
    await platform.of(CHIEF).scoring.OrderReplay(order("order", "r1-t1", "r1-t2"))
    await platform.events.wait("replay_seated", count=2)
    await replayed(cup, NEW, 2, (30, -15, -15), first["r1-t1"].entrants)
    again = events.ContestedBoard(table=NEW, round=1, board=1, attempt=2)
    fix = scoring_events.CorrectResult(table=NEW, round=1, board=1, attempt=2, scores=[12, -6, -6])
    remedy = scoring_events.Remedy(correct_result=fix)
    filed = await cup.file(first["r1-t1"].entrants[0], events.Contested(board=again), [remedy])
    await cup.panel(filed.appeal)
    await taken_up(cup)
    # Nor does pairing's log, which anybody reads, tell that one table has played it.
    assert await platform.events.of("board_replayed") == []
    await replayed(cup, "r1-t2-a2", 2, (8, -4, -4), first["r1-t2"].entrants)
    over = await platform.events.wait("board_replayed", table="r1-t2-a2")
    ruled = await platform.events.wait("result_corrected")
    assert (ruled.event.table, list(ruled.event.scores)) == (NEW, [12, -6, -6])
    assert ruled.header.time_us > over.header.time_us
    assert await platform.events.of("correction_refused") == []


async def test_no_seal_before_a_replay_is_played_published_and_uncontested(platform: Platform) -> None:
    """C10.1, C10.8: what it came to may be contested within three hours, too, and is ruled on by itself."""
    cup, at = await ordered(platform)
    await platform.events.wait("standings_published", number=2)
    platform.clock.advance((at + 4 * HOUR_US - platform.clock()) / 1e6)

    def seal(command_id: str) -> Any:
        request = pairing.SealChampionshipRequest(command_id=command_id, championship="cup")
        return platform.of(CHIEF).pairing.SealChampionship(request)

    told = await refused(seal("early"))
    assert (told.reason, told.clause) == ("TABLES_NOT_SEALED", "C10.8")
    await played_again(cup)
    await platform.events.wait("standings_published", number=3)
    told = await refused(seal("soon"))
    assert (told.reason, told.clause) == ("APPEAL_WINDOW_OPEN", "C10.8")
    again = events.ContestedBoard(table=NEW, round=1, board=1, attempt=2)
    wrong = events.ContestedBoard(table=NEW, round=1, board=2, attempt=2)
    told = await refused(cup.file(1, events.Contested(board=wrong)))
    assert told.reason == "NOT_FOUND"
    fix = scoring_events.CorrectResult(table=NEW, round=1, board=1, attempt=2, scores=[12, -6, -6])
    filed = await cup.file(
        1, events.Contested(board=again), [scoring_events.Remedy(correct_result=fix)], "again"
    )
    assert filed.window_ends_us > at + 4 * HOUR_US
    await cup.panel(filed.appeal)
    await platform.events.wait("standings_published", number=4)
    shown = await traveller(cup)
    assert (list(shown[NEW].scores), shown["r1-t1"].voided) == ([12, -6, -6], True)
    platform.clock.advance(SEALABLE_US / 1e6)
    assert (await seal("late")).seal.publication == 4


async def test_an_outsider_computes_the_same_standings(platform: Platform) -> None:
    cup, _ = await ordered(platform)
    await played_again(cup)
    await platform.events.wait("standings_published", number=3)
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    checks = {check.name: check for check in verify_file(file, ()).checks}
    for name in ("chain", "commitments", "draw", "rulings", "standings"):
        assert checks[name].findings == (), name
    assert checks["standings"].done == 3


async def test_no_table_but_the_replays_gets_its_leaf(platform: Platform) -> None:
    """Neither the table whose board it was, nor the replay's for another deal."""
    cup, _ = await ordered(platform)
    await cup.tables.open(NEW, 1, 1, (1, 2, 3), 1, 2)
    opened = await cup.tables.open_board(NEW, 1, attempt=3)
    for attempt in (1, 3):
        told = await refused(cup.tables.leaf(NEW, 1, 1, opened.sequence, attempt=attempt))
        assert told.reason == "BOARD_NOT_OPENED"


async def test_what_cannot_be_played_again(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    for changed, reason in (({"table": "r1-t9"}, "NOT_FOUND"), ({"board": 9}, "BOARD_OPEN")):
        sought = scoring_events.Remedy()
        sought.CopyFrom(REPLAY)
        sought.MergeFrom(scoring_events.Remedy(replay_board=scoring_events.ReplayBoard(**changed)))
        assert (await refused(cup.file(1, BOARD, [sought]))).reason == reason
    assert await platform.events.of("appeal_filed") == []


async def test_a_restart_seats_a_replay_once(platform: Platform) -> None:
    cup, _ = await ordered(platform)
    for _ in range(2):
        await platform.replicas[-1].stop()
        await platform.start()
    await played_again(cup)
    await platform.events.wait("standings_published", number=3)
    await platform.replicas[-1].stop()
    await platform.start()
    await cup.boss.scoring.GetStandings(scoring.GetStandingsRequest(championship="cup"))
    for kind in ("replay_seated", "board_replayed", "board_superseded"):
        assert len(await platform.events.of(kind)) == 1, kind
    assert len(await platform.events.of("standings_published")) == 3
    assert [one.event.purpose for one in await platform.events.of("deals_committed")] == ["boards", "replay"]
