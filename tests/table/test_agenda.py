"""What the service does by itself at a table, and when (P12, C1.5, C2.2)."""

from __future__ import annotations

from services.table.agenda import Duty, next_duty
from services.table.decider.clocks import GRACE_US
from services.table.model import commands as c
from services.table.model.events import Seat
from tests.table.given import PEOPLE, START_US, Script, facts

S = 1_000_000


def duty(script: Script, shown_us: int = 0) -> Duty | None:
    return next_duty(script.table, shown_us, script.now_us)


def test_a_board_is_opened_when_all_are_there_or_were_waited_for() -> None:
    script = Script()
    assert duty(script) == Duty(START_US + 60 * S, "open")
    for seat, person in enumerate(PEOPLE):
        script.when(c.JoinSeat(seat), person)
    assert duty(script) == Duty(0, "open")
    script.when(c.OpenBoard(1, 1))
    assert duty(script) == Duty(0, "deal")


def test_clocks_are_expired_after_their_grace_and_house_ai_answers_when_it_is_shown_the_question() -> None:
    script = Script(facts(seats=(Seat(1, "anna"), Seat(0, ""), Seat(3, "chen")))).dealt(3)
    deadline_us = script.board.questions[0].deadline_us
    assert duty(script) == Duty(deadline_us + GRACE_US, "expire", 0, 1)
    script.answer(0, script.choose(0))
    assert duty(script) == Duty(script.board.questions[0].shown_us, "house", 1, 1)


def test_a_question_that_was_outranked_is_nobodys_duty() -> None:
    script = Script().dealt(3)
    while len(script.asked()) < 3:
        (seat, *_) = script.asked()
        script.answer(seat, script.choose(seat))
    script.when(c.ReplaceSeat(2, "", "withdrawn"), "ref")
    assert duty(script) == Duty(script.board.questions[2].shown_us, "house", 2, 1)


def test_the_next_board_waits_for_what_is_still_to_be_shown_and_the_pause() -> None:
    script = Script().dealt(3)
    script.play_out()
    shown_us = script.now_us + S
    assert duty(script, shown_us) == Duty(shown_us + 5 * S, "open")
    assert duty(script) == Duty(script.now_us + 5 * S, "open")


def test_boards_past_their_deadline_are_closed_even_when_paused() -> None:
    script = Script(facts(board_deadline_us=START_US + 100 * S)).dealt(3)
    script.when(c.PauseTable(""), "ref")
    assert duty(script) == Duty(START_US + 100 * S, "close")
    script.now_us = START_US + 100 * S
    for _ in range(2):
        assert duty(script) == Duty(START_US + 100 * S, "close")
        script.when(c.CloseBoard("deadline"))
    assert duty(script) == Duty(0, "seal")


def test_a_paused_table_has_no_duties_but_its_deadline() -> None:
    script = Script().dealt(3)
    script.when(c.PauseTable(""), "ref")
    assert duty(script) is None


def test_a_finished_table_is_sealed_unless_a_referee_is_still_wanted() -> None:
    script = Script()
    script.when(c.CloseBoard(""))
    script.when(c.CloseBoard(""))
    script.when(c.CallReferee(0, ""), "anna")
    assert duty(script) is None
    script.when(c.MakeRuling("r", "", ""), "ref")
    assert duty(script, 7) == Duty(7, "seal")
    script.when(c.SealTable(script.version, b"", b"", "", b""))
    assert duty(script) is None
