"""Acts of referees, replaced seats and clocks after an outage (C1.6, C1.7, C9, C11)."""

from __future__ import annotations

import pytest

from services.games.championship.conduct import CATALOGUE, OUTCOMES
from services.table.agenda import next_duty
from services.table.decider.clocks import GRACE_US
from services.table.decider.play import SERVICE
from services.table.model import commands as c
from services.table.model.events import (
    BoardSlot,
    ClockExtended,
    InfringementRecorded,
    RefereeCalled,
    RulingMade,
    Seat,
    SeatConfirmed,
    SeatReplaced,
    TablePaused,
    TableResumed,
)
from tests.table.given import Script, facts
from tests.table.test_opening import refused

S = 1_000_000


def test_a_paused_table_stands_still() -> None:
    script = Script().dealt()
    assert script.when(c.PauseTable("power cut"), "ref") == (TablePaused("power cut"),)
    assert refused(script, c.PauseTable("again"), "ref") == "TABLE_PAUSED C9.3"
    assert refused(script, c.Act(1, 0, 1, script.choose(0)), "anna") == "TABLE_PAUSED C9.3"
    script.now_us += 60 * S
    assert refused(script, c.ExpireClock(0, 1)) == "TABLE_PAUSED C9.3"
    assert script.when(c.ExtendClocks(5 * S, "outage")) == ()


def test_a_paused_table_opens_and_deals_no_board() -> None:
    script = Script()
    script.now_us += 60 * S
    script.when(c.PauseTable(""), "ref")
    assert refused(script, c.OpenBoard(1, 1)) == "TABLE_PAUSED C9.3"
    script.when(c.ResumeTable(), "ref")
    script.when(c.OpenBoard(1, 1))
    script.when(c.PauseTable(""), "ref")
    assert refused(script, c.DealBoard(b"")) == "TABLE_PAUSED C9.3"


def test_after_a_pause_every_question_has_what_it_had_left_and_the_pause_is_no_thinking() -> None:
    script = Script().dealt()
    (before,) = script.board.questions
    script.now_us += 4 * S
    script.when(c.PauseTable(""), "ref")
    script.now_us += 100 * S
    (resumed,) = script.when(c.ResumeTable("light again"), "ref")
    assert isinstance(resumed, TableResumed)
    assert resumed.reason == "light again"
    (after,) = script.board.questions
    assert after.deadline_us == script.now_us + 11 * S
    assert after.ask == before.ask
    script.now_us += S
    script.answer(0, script.choose(0))
    assert script.board.thinking_us[0] == 5 * S
    assert refused(script, c.ResumeTable(), "ref") == "TABLE_NOT_PAUSED C9.3"


def test_an_outage_of_ours_gives_the_rest_back_and_ten_seconds_at_least() -> None:
    script = Script().dealt()
    script.now_us += 2 * S + 30 * S  # two seconds of thinking, then thirty away
    (extended,) = script.when(c.ExtendClocks(30 * S, "restart"))
    assert isinstance(extended, ClockExtended)
    assert script.board.questions[0].deadline_us == script.now_us + 13 * S
    script.now_us += 11 * S + 30 * S
    script.when(c.ExtendClocks(30 * S, "restart"))
    (question,) = script.board.questions
    assert question.deadline_us == script.now_us + 10 * S
    assert refused(script, c.ExpireClock(0, 1)) == "CLOCK_RUNNING P12"
    script.now_us = question.deadline_us + GRACE_US
    script.when(c.ExpireClock(0, 1))
    assert script.board.thinking_us[0] == 15 * S  # never more than the clock


def test_an_outage_while_no_clock_runs_changes_nothing() -> None:
    script = Script()
    assert script.when(c.ExtendClocks(S, "restart")) == ()
    assert script.dealt().when(c.ExtendClocks(0, "restart")) == ()


@pytest.mark.parametrize(
    "code", [code for code, row in CATALOGUE.items() if row.who in ("player", "anybody")]
)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_C11_1_every_row_that_is_of_a_seat_can_be_recorded_with_every_outcome(
    code: str, outcome: str
) -> None:
    script = Script().dealt()
    assert script.when(c.RecordInfringement(1, code, outcome, "seen"), "ref") == (
        InfringementRecorded(1, code, outcome, "seen"),
    )


def test_what_the_catalogue_does_not_know_is_refused() -> None:
    script = Script()
    assert refused(script, c.RecordInfringement(1, "S3", "warning", ""), "ref") == "NOT_OF_A_SEAT C11.1"
    assert refused(script, c.RecordInfringement(1, "R1", "warning", ""), "ref") == "NOT_OF_A_SEAT C11.1"
    assert refused(script, c.RecordInfringement(1, "A9", "fine", ""), "ref") == "UNKNOWN_INFRINGEMENT C11.1"
    assert refused(script, c.RecordInfringement(1, "A1", "prison", ""), "ref") == "UNKNOWN_OUTCOME C11.1"
    assert refused(script, c.RecordInfringement(3, "A1", "fine", ""), "ref") == "NO_SUCH_SEAT P2"


def test_a_called_referee_answers_with_a_ruling() -> None:
    script = Script().dealt()
    assert script.when(c.CallReferee(2, "A3"), "chen") == (RefereeCalled(2, "A3"),)
    assert script.when(c.CallReferee(0, "me too"), "anna") == ()
    assert refused(script, c.CallReferee(0, ""), "bo") == "NOT_YOUR_SEAT"
    assert script.table.referee_called
    assert script.table.call == RefereeCalled(2, "A3")
    assert script.when(c.MakeRuling("r-1", "warned", "C11.1"), "ref") == (
        RulingMade("r-1", "warned", "C11.1"),
    )
    assert not script.table.referee_called
    assert script.table.call is None


@pytest.mark.parametrize("clause", ["P99", "C9.9", "p5.1", "C9.3 ", "C9.3 and more"])
def test_a_ruling_cites_a_clause_that_there_is(clause: str) -> None:
    script = Script().dealt()
    assert refused(script, c.MakeRuling("r-1", "warned", clause), "ref") == "NO_SUCH_CLAUSE C9.3"
    for known in ("", "C11", "S8.3a", "P6.4"):
        made = script.when(c.MakeRuling("r-1", "warned", known), "ref")
        assert made == (RulingMade("r-1", "warned", known),)


def test_C9_2_a_ruling_is_overturned_with_a_reason() -> None:
    script = Script().dealt()
    assert refused(script, c.MakeRuling("r-2", "no warning", "", "r-1"), "judge") == "REASON_MISSING C9.4"
    made = script.when(c.MakeRuling("r-2", "no warning", "", "r-1", "his phone was off"), "judge")
    assert made == (RulingMade("r-2", "no warning", "", "r-1", "his phone was off"),)


def test_house_ai_takes_a_seat_over_from_the_next_decision_on() -> None:
    script = Script().dealt()
    assert script.when(c.ReplaceSeat(0, "", "withdrawn"), "ref") == (SeatReplaced(0, "", "withdrawn"),)
    assert script.when(c.ReplaceSeat(0, "", "withdrawn"), "ref") == ()
    assert script.board.taken_over == (0,)
    assert refused(script, c.Act(1, 0, 1, script.choose(0)), "anna") == "NOT_YOUR_SEAT"
    assert script.answer(0, script.choose(0))


def test_a_substitute_plays_on_and_the_board_stays_the_entrants() -> None:
    script = Script().dealt()
    script.give(0, "dora")
    assert script.board.taken_over == ()
    assert refused(script, c.Act(1, 0, 1, script.choose(0)), "anna") == "NOT_YOUR_SEAT"
    script.answer(0, script.choose(0))
    assert refused(script, c.ReplaceSeat(1, "dora", ""), "ref") == "SITS_ALREADY C1.6"


def test_a_seat_that_is_nobodys_cannot_be_given_away() -> None:
    script = Script(facts(seats=(Seat(1, "anna"), Seat(2, "bo"), Seat(0, ""))))
    assert refused(script, c.ReplaceSeat(2, "dora", ""), "ref") == "HOUSE_SEAT C1.5"


def test_closing_a_board_ends_the_pause_it_was_under() -> None:
    script = Script().dealt()
    script.when(c.PauseTable(""), "ref")
    script.when(c.CloseBoard("no light"), "ref")
    script.now_us += 5 * S
    assert script.when(c.OpenBoard(2, 1))


def test_a_seat_that_did_not_count_is_as_if_it_had_not_been_given() -> None:
    """C1.6: of two that somebody was given at once; who has sat down has it."""
    script = Script().dealt()
    assert script.when(c.GiveSeatBack(0, "dora", "t2", 1)) == ()
    script.when(c.ReplaceSeat(0, "dora", "illness"), "ref")
    back = c.GiveSeatBack(0, "dora", "t2", script.table.given_us[0])
    (given_back,) = script.when(back)
    assert given_back == SeatReplaced(0, "anna", "dora was given a seat at t2 at the same time", "t2")
    assert (script.table.people[0], script.board.left) == ("anna", ("anna",))
    script.when(c.ConfirmSeat(0, "anna", script.table.given_us[0]))
    script.now_us += 1
    script.when(c.ReplaceSeat(0, "dora", "illness"), "ref")
    assert script.when(back) == ()
    late = c.GiveSeatBack(0, "dora", "t2", script.table.given_us[0])
    assert script.when(c.ConfirmSeat(0, "dora", back.given_us)) == ()
    confirm = c.ConfirmSeat(0, "dora", late.given_us)
    assert script.when(confirm) == (SeatConfirmed(0),)
    assert script.when(confirm) == script.when(late) == ()


def test_C9_2_rulings_are_overturned_at_a_table_until_it_is_signed() -> None:
    """Also when nothing is left to play there: once it is signed, they are after the round."""
    script = Script().dealt()
    script.when(c.MakeRuling("t1.a", "a warning", ""), "ref")
    for board in (1, 2):
        script.when(c.CloseBoard(f"no light on board {board}"), "ref")
    script.when(c.MakeRuling("t1.b", "none", "", "t1.a", "his phone was off"), "judge")
    again = c.MakeRuling("t1.c", "none", "", "t1.a", "his phone was off")
    assert refused(script, again, "dep") == "RULING_OVERTURNED C9.2"
    script.when(c.SealTable(script.version, b"h" * 32, b"s" * 64, "key", b"p" * 32))
    assert refused(script, c.MakeRuling("t1.d", "one", "", "t1.b", "it rang"), "judge") == "TABLE_SEALED C9.4"


def test_a_seat_that_is_not_confirmed_is_nobodys_to_act_from_and_nobodys_to_give() -> None:
    """C1.6, C6.4: neither does its person answer, sit down or call, nor does another order take it."""
    script = Script().dealt()
    seat = script.asked()[0]
    script.when(c.ReplaceSeat(seat, "dora", "illness"), "ref")
    asked = script.board.question(seat)
    assert asked is not None
    script.now_us = asked.shown_us
    act = c.Act(1, seat, asked.ask, script.choose(seat), received_us=script.now_us)
    for command in (act, c.JoinSeat(seat), c.CallReferee(seat, "where am I?")):
        assert refused(script, command, "dora") == "NOT_YOUR_SEAT"
    for person in ("", "egon", "dora"):
        taken = c.ReplaceSeat(seat, person, "recovered")
        assert refused(script, taken, "ref") == "SEAT_NOT_CONFIRMED C1.6"
    script.when(c.ConfirmSeat(seat, "dora", script.table.given_us[seat]))
    assert script.when(c.CallReferee(seat, "here I am"), "dora")
    assert script.when(act, "dora")
    assert script.when(c.ReplaceSeat(seat, "", "gone"), "ref")


def test_a_table_is_not_signed_while_a_seat_is_not_confirmed() -> None:
    """C1.6: afterwards nobody could say whether it counts."""
    script = Script(facts(boards=(BoardSlot(1, 1),))).dealt()
    script.when(c.ReplaceSeat(0, "dora", "illness"), "ref")
    script.when(c.CloseBoard("no light"), "ref")
    seal = c.SealTable(script.version, b"h" * 32, b"s" * 64, "key", b"p" * 32)
    assert refused(script, seal, SERVICE) == "SEAT_NOT_CONFIRMED C1.6"
    assert next_duty(script.table, 0, script.now_us) is None
    script.when(c.ConfirmSeat(0, "dora", script.table.given_us[0]))
    duty = next_duty(script.table, 0, script.now_us)
    assert duty is not None
    assert duty.kind == "seal"


def test_a_seat_goes_back_to_who_had_it_last_and_counted() -> None:
    """C1.6: and to house AI where that one's own did not."""
    script = Script().dealt()
    script.give(0, "egon")
    script.when(c.ReplaceSeat(0, "dora", "illness"), "ref")
    for person, instead in (("dora", "egon"), ("egon", "")):
        assert (script.table.people[0], script.table.instead[0]) == (person, instead)
        script.now_us += 1
        script.when(c.GiveSeatBack(0, person, "t2", script.table.given_us[0]))
    assert script.table.people[0] == ""
