"""Boards with real cards: a referee enters how each came out, once both sides have agreed (C1.3, C8.6, S9.6)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from services.domain import Rejected
from services.ledger.record import BoardClosing
from services.table import codec
from services.table.agenda import next_duty
from services.table.model import commands as c
from services.table.model import sheets as s
from services.table.model.events import BoardEntered, BoardFinished, BoardOpened, InfringementRecorded
from tests.ledger.test_audit_table import FRAMING
from tests.table.four import PAIRS, boards
from tests.table.given import Script, facts
from tests.table.test_opening import refused

REAL = boards(seats=PAIRS, real_cards=True)
"""Two boards of anna and chen against bo and dan."""
BOTH = ("anna", "dan")


def entered(points: int, board: int = 1, agreed: tuple[str, ...] = BOTH, reason: str = "") -> c.EnterBoard:
    return c.EnterBoard(board, points, agreed, reason)


def test_S9_6_the_declarers_seat_and_the_points_make_the_scores() -> None:
    script = Script(REAL)
    opened, told, finished = script.when(entered(65), "ref")
    assert opened == BoardOpened(1, 1)
    assert told == BoardEntered(1, 1, 65, BOTH, "")
    assert isinstance(finished, BoardFinished)
    assert (finished.scores, finished.drawn, set(finished.thinking_us)) == ((15, -15, 15, -15), False, {0})
    # Seat 1 declares on the second board.
    *_, finished = script.when(entered(65, board=2), "ref")
    assert finished.scores == (-15, 15, -15, 15)
    assert script.table.slot is None


def test_C1_3_its_records_are_clear_and_close_the_board() -> None:
    script = Script(REAL)
    before = script.table
    assert FRAMING.seals(before) == ""
    script.when(entered(80), "ref")
    assert FRAMING.seals(script.table) == ""
    nothing = (0, 0, 0, 0)
    assert FRAMING.closing(before, script.table) == BoardClosing(
        1, 1, 1, False, nothing, nothing, (), nothing, script.table.people
    )
    for command in (entered(-5, reason="left"), c.EnterBoard(1, 80, ())):
        assert codec.COMMANDS.decode(codec.COMMANDS.encode(command)) == command


@pytest.mark.parametrize(
    ("command", "refusal"),
    [
        (entered(65, board=2), "NOT_THE_NEXT_BOARD C1.1"),
        (entered(65, agreed=("anna", "chen")), "SIDE_NOT_AGREED C8.6"),
        (entered(65, agreed=(), reason=" "), "SIDE_NOT_AGREED C8.6"),
        (entered(65, agreed=("anna", "eve")), "NOT_AT_THIS_TABLE C8.6"),
        (entered(655_681), "POINTS_OUT_OF_RANGE S9.1"),
        (entered(-201, reason="fined"), "POINTS_OUT_OF_RANGE S9.1"),
        (entered(56), "POINTS_OUT_OF_RANGE S9.2"),
        (entered(-3, reason=" "), "POINTS_OUT_OF_RANGE S9.2"),
        (c.OpenBoard(1, 1), "PLAYED_WITH_REAL_CARDS C1.3"),
        (c.DealBoard(bytes(108)), "PLAYED_WITH_REAL_CARDS C1.3"),
        (s.ConfirmSheet(), "NO_SCORE_SHEET C8.6"),
    ],
)
def test_what_a_table_with_real_cards_refuses(command: c.Command, refusal: str) -> None:
    assert refused(Script(REAL), command, "ref") == refusal


@pytest.mark.parametrize(
    "command",
    [
        entered(655_680),
        entered(-200),
        entered(-5),
        entered(56, reason="9 points fined, S10.15"),
    ],
)
def test_S9_1_S9_2_what_cards_and_fines_can_make_is_entered(command: c.EnterBoard) -> None:
    _, told, _ = Script(REAL).when(command, "ref")
    assert isinstance(told, BoardEntered)
    assert told.points == command.points


def test_S9_2_by_fives_only_where_the_fines_of_the_event_are() -> None:
    opened = boards(seats=PAIRS, real_cards=True)
    odd = replace(opened, params=json.dumps(json.loads(opened.params) | {"throw_fine": 3}))
    _, told, _ = Script(odd).when(entered(62), "ref")
    assert isinstance(told, BoardEntered)


def test_S10_what_can_happen_with_real_cards_alone_is_recorded_and_moves_no_points() -> None:
    """They are entered with the board's."""
    script = Script(REAL)
    for code, outcome, fine in (("S10.5", "fine", 10), ("S10.15", "fine", 20), ("S10.16", "forfeit", 0)):
        command = c.RecordInfringement(1, code, outcome, "seen", fine)
        assert script.when(command, "ref") == (InfringementRecorded(1, code, outcome, "seen", fine),)
    no_row = c.RecordInfringement(1, "S10.99", "fine", "seen", 10)
    assert refused(script, no_row, "ref") == "NO_SUCH_INFRINGEMENT S10"


def test_C8_6_a_side_that_does_not_agree_is_passed_over_with_a_reason() -> None:
    _, told, _ = Script(REAL).when(entered(65, agreed=("anna",), reason="bo and dan have left"), "ref")
    assert told == BoardEntered(1, 1, 65, ("anna",), "bo and dan have left")


def test_C1_7_a_seat_that_nobody_has_any_more_does_not_count() -> None:
    script = Script(REAL)
    script.when(c.ReplaceSeat(1, "", "ill"), "ref")
    *_, finished = script.when(entered(65, agreed=("chen", "dan")), "ref")
    assert finished.taken_over == (1,)


def test_C1_3_the_service_opens_nothing_and_closes_what_the_deadline_finds_open() -> None:
    script = Script(boards(seats=PAIRS, real_cards=True, board_deadline_us=9))
    assert next_duty(Script(REAL).table, 0, 1) is None
    duty = next_duty(script.table, 0, 10)
    assert duty is not None
    assert duty.kind == "close"
    script.when(c.CloseBoard("deadline"))
    script.when(entered(65, board=2), "ref")
    last = next_duty(script.table, 0, 1)
    assert last is not None
    assert last.kind == "seal"


def test_boards_that_the_platform_deals_are_not_entered() -> None:
    assert refused(Script(boards(seats=PAIRS)), entered(65), "ref") == "DEALT_HERE C1.3"


def test_P0_paohuzi_is_played_by_software_on_site_too() -> None:
    with pytest.raises(Rejected) as refusal:
        Script(facts(real_cards=True))
    assert (refusal.value.reason, refusal.value.clause) == ("MALFORMED_TABLE", "P0")
