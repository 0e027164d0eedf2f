"""A panel sees the board it judges before it is revealed, through the dealer, whose log says to whom (design: deals)."""

from __future__ import annotations

from typing import Any

from grpc import StatusCode

from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.common.v1 import log_service_pb2 as log_pb
from fupan.common.v1.log_service_pb2_grpc import LogServiceStub
from fupan.dealer.v1 import events_pb2 as dealer_events
from fupan.dealer.v1 import service_pb2 as dealer
from fupan.scoring.v1 import events_pb2 as scoring_events
from fupan.table.v1 import events_pb2 as table_events
from tests.appeals.courts import WORSE
from tests.cup import ARBITRATORS, CHIEF, Cup
from tests.platform import Caller, Platform, refused

BOARD = events.Contested(board=events.ContestedBoard(table="r1-t1", round=1, board=1, attempt=1))
PATH = dealer_events.BoardPath(round=1, board=1, attempt=1)
A, B, C, D, _ = ARBITRATORS


async def contested(platform: Platform, *more: str) -> tuple[Cup, str]:
    """An event in which one table has closed its boards and another has not, and an appeal with its fee; `more` arbitrators."""
    await platform.start()
    officials = [(CHIEF, "chief_referee"), *((one, "arbitrator") for one in (*ARBITRATORS, *more))]
    cup = await Cup.create(platform, entrants=9, rounds=1, officials=officials)
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play(1, only=[1])
    filed = await cup.file((await cup.at("r1-t1"))[0], BOARD)
    await cup.pay(filed.appeal)
    return cup, filed.appeal


async def test_the_board_is_open_to_the_panel_as_it_stands(platform: Platform) -> None:
    """C10.3, C10.4: from its appointment; a reserve takes the place of who stepped back."""
    cup, appeal = await contested(platform)
    await cup.appoint(appeal, (A, B, C), (D,))
    opened = await platform.events.wait("board_opened_to_panel")
    assert (opened.event.appeal, opened.event.path, list(opened.event.panel)) == (appeal, PATH, [A, B, C])
    assert opened.body.actor == "service:appeals"
    back = pb.DeclareConflictRequest(command_id="b", championship="cup", appeal=appeal, reason="my nephew")
    await platform.of(B).appeals.DeclareConflict(back)
    opened = await platform.events.wait("board_opened_to_panel", count=2)
    assert list(opened.event.panel) == [A, D, C]
    # It is no reveal: nobody else may verify, or reads a leaf anywhere.
    told = await refused(
        platform.of("p-1").dealer.VerifyDeal(dealer.VerifyDealRequest(championship="cup", path=PATH))
    )
    assert told.reason == "BOARD_OPEN"
    assert await platform.events.of("board_revealed") == []


async def test_two_boards_are_open_to_the_same_panel(platform: Platform) -> None:
    """Appeals that have come as far as each other."""
    cup, first = await contested(platform)
    second = events.ContestedBoard(table="r1-t1", round=1, board=2, attempt=1)
    void = scoring_events.VoidBoard(table="r1-t1", round=1, board=2, attempt=1, tenths=[600] * 3)
    filed = await cup.file(
        (await cup.at("r1-t1"))[1], events.Contested(board=second), [scoring_events.Remedy(void_board=void)]
    )
    await cup.pay(filed.appeal)
    await platform.events.wait("case_assembled", count=2)
    for appeal in (first, filed.appeal):
        await cup.appoint(appeal, (A, B, C))
    await platform.events.wait("board_opened_to_panel", count=2)
    opened = await platform.events.of("board_opened_to_panel")
    assert {(one.event.appeal, one.event.path.board) for one in opened} == {(first, 1), (filed.appeal, 2)}


async def test_what_everybody_may_see_needs_no_opening(platform: Platform) -> None:
    cup, appeal = await contested(platform)
    await cup.tables.play(1, only=[2, 3])
    await platform.events.wait("board_revealed", count=2)
    await cup.appoint(appeal, (A, B, C))
    for member in (A, B, C):
        await cup.vote(appeal, member, uphold=False)
    await platform.events.wait("appeal_decided")
    assert await platform.events.of("board_opened_to_panel") == []


async def test_the_dealer_opens_a_board_to_nobody_but_the_panel_that_judges_it(platform: Platform) -> None:
    cup, appeal = await contested(platform)
    await cup.appoint(appeal, (A, B, C))
    await platform.events.wait("board_opened_to_panel")

    def ask(who: str, **changed: Any) -> Any:
        fields = {"appeal": appeal, "path": PATH, "panel": [A, B], **changed}
        request = dealer.OpenBoardToPanelRequest(command_id=cup.command(), championship="cup", **fields)
        return platform.of(who).dealer.OpenBoardToPanel(request)

    for who in ("operator", CHIEF, A, "p-1", "service:table"):
        assert (await refused(ask(who))).code is StatusCode.PERMISSION_DENIED
    for changed, reason in (
        ({"panel": [A, D]}, "NOT_ON_PANEL"),
        ({"panel": ["p-1"]}, "NOT_ON_PANEL"),
        ({"path": dealer_events.BoardPath(round=1, board=2, attempt=1)}, "BOARD_NOT_CONTESTED"),
        (
            {"path": dealer_events.BoardPath(round=1, board=1, attempt=1, match="r1-t2")},
            "BOARD_NOT_CONTESTED",
        ),
        ({"appeal": "a-none"}, "BOARD_NOT_CONTESTED"),
    ):
        told = await refused(ask("service:appeals", **changed))
        assert (told.code, told.reason) == (StatusCode.PERMISSION_DENIED, reason), changed
    assert len(await platform.events.of("board_opened_to_panel")) == 1


async def test_a_ruling_on_a_board_that_others_still_play_waits_for_them(platform: Platform) -> None:
    """C10.6: it is checked for sense when it is filed, and applied once the board is closed everywhere."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play(1, only=[1])
    sender = (await cup.at("r1-t1"))[0]
    nonsense = scoring_events.Remedy()
    nonsense.CopyFrom(WORSE)
    nonsense.correct_result.scores[:] = [1, 1, 1]
    assert (await refused(cup.file(sender, BOARD, [nonsense]))).reason == "SCORES_NOT_ZERO"
    nonsense.correct_result.scores[:] = [1, -1]
    assert (await refused(cup.file(sender, BOARD, [nonsense]))).reason == "RULING_OF_WRONG_LENGTH"
    other = scoring_events.Remedy()
    other.CopyFrom(WORSE)
    other.correct_result.board = 2
    assert (await refused(cup.file(sender, BOARD, [other]))).reason == "BOARD_OPEN"
    filed = await cup.file(sender, BOARD, [WORSE])
    await cup.panel(filed.appeal)
    await platform.events.wait("fee_refunded")
    assert await platform.events.of("result_corrected") == []
    await platform.replicas[-1].stop()
    await platform.start()
    await cup.tables.play(1, only=[2])
    corrected = await platform.events.wait("result_corrected")
    assert list(corrected.event.scores) == [-10, 20, -10]
    assert await platform.events.of("correction_refused") == []
    assert (await platform.events.wait("standings_published", after_round=1)).event.number == 1


async def test_who_has_played_in_an_entrants_place_is_shown_no_board_that_others_still_play(
    platform: Platform,
) -> None:
    """C1.6, C10.3: one of the panel that sat at a table of nobody concerned judges by what everybody may see."""
    await platform.start()
    officials = [(CHIEF, "chief_referee"), *((one, "arbitrator") for one in ARBITRATORS)]
    cup = await Cup.create(platform, entrants=12, officials=officials)
    await cup.pair()
    seated = {table: set(await cup.at(table)) for table in ("r1-t1", "r1-t2", "r1-t3", "r1-t4")}
    await cup.play(1)
    await platform.events.wait("round_started", round=2)
    own = await cup.at("r2-t1")
    apart = next(table for table, entrants in seated.items() if not entrants.intersection(own))
    given = table_events.Event(seat_replaced=table_events.SeatReplaced(seat=0, person_id="eva"))
    await cup.tables.write(cup.tables.subject(apart), [given])
    await cup.officials(("eva", "arbitrator"))
    await cup.tables.play(2, only=[1])
    board = events.ContestedBoard(table="r2-t1", round=2, board=1, attempt=1)
    appeal = (await cup.file(own[0], events.Contested(board=board))).appeal
    await cup.pay(appeal)
    await cup.appoint(appeal, (A, B, "eva"))
    opened = await platform.events.wait("board_opened_to_panel")
    assert list(opened.event.panel) == [A, B]
    path = dealer_events.BoardPath(round=2, board=1, attempt=1)
    asked = dealer.OpenBoardToPanelRequest(
        command_id="c", championship="cup", appeal=appeal, path=path, panel=[A, B, "eva"]
    )
    told = await refused(platform.of("service:appeals").dealer.OpenBoardToPanel(asked))
    assert (told.code, told.reason) == (StatusCode.PERMISSION_DENIED, "PLAYS_THE_EVENT")
    # Nor does the dealer's log tell which board it is.
    log = Caller(LogServiceStub(platform._channel(platform.ports["dealer"])), platform.token("eva"))
    subject = platform.epoch.subject("dealer", "cup")
    told = await refused(anext(aiter(log.ReadLog(log_pb.ReadLogRequest(subject=subject)))))
    assert told.reason == "LOG_NOT_OPEN"
