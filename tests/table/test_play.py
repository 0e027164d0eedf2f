"""Decisions, clocks and display times of a board (P6.4, P12, C2.2, C4.3)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Rejected
from services.games.paohuzi.actions import PASS, PENG, WIN, Eat, Play
from services.games.paohuzi.melds import Meld
from services.table.decider import clocks
from services.table.model import commands as c
from services.table.model.events import Acted, Asked, BoardFinished, Paced, Seat
from tests.table.given import PEOPLE, RULES, START_US, Script, facts
from tests.table.test_opening import refused

S = 1_000_000
MS = 1_000


def at_claims(seats: int = 2, number: int = 3) -> Script:
    """A board at the first moment at which that many seats are asked at once."""
    script = Script().dealt(number)
    while len(script.asked()) < seats:
        (seat, *_) = script.asked()
        script.answer(seat, script.choose(seat))
    return script


def acted(events: tuple[object, ...]) -> Acted:
    assert isinstance(events[0], Acted)
    return events[0]


def test_every_seat_with_a_choice_is_asked_at_once_and_one_answer_leaves_the_others_as_they_were() -> None:
    script = at_claims(3)
    before = script.board.questions
    assert [question.question for question in before] == ["claim"] * 3
    assert {question.deadline_us - question.shown_us for question in before} == {8 * S}
    events = script.answer(0, script.choose(0))
    assert not any(isinstance(event, Asked) for event in events)
    assert script.board.questions == before[1:]


def test_a_question_is_answered_once_by_who_sits_there() -> None:
    script = Script().dealt()
    play = script.choose(0)
    assert refused(script, c.Act(1, 0, 1, play), "bo") == "NOT_YOUR_SEAT"
    assert refused(script, c.Act(1, 0, 1, play)) == "NOT_YOUR_SEAT"
    script.answer(0, play)
    assert refused(script, c.Act(1, 0, 1, play), "anna") == "QUESTION_OVER P6.4"


@pytest.mark.parametrize(
    ("board", "seat", "ask"), [(2, 0, 1), (1, 0, 0), (1, 0, 2), (1, 1, 1), (1, 3, 1), (1, -1, 1), (0, 0, 1)]
)
def test_questions_that_are_not_open_are_over(board: int, seat: int, ask: int) -> None:
    script = Script().dealt()
    assert refused(script, c.Act(board, seat, ask, script.choose(0)), "anna") == "QUESTION_OVER P6.4"


@pytest.mark.parametrize("action", [PASS, PENG, Play(0), Play(99), None, "play s1"])
def test_what_is_no_option_is_refused_by_the_rules(action: object) -> None:
    script = Script().dealt()
    assert refused(script, c.Act(1, 0, 1, action), "anna") != ""


def test_a_tile_is_shown_no_earlier_than_the_claim_floor_after_the_one_before() -> None:
    script = Script().dealt(3)
    last = 0
    while not script.board.closed:
        (seat, *_) = script.asked()
        events = script.answer(seat, script.choose(seat))
        beats = [event for event in events if RULES.is_beat(event)]
        paced = [event for event in events if isinstance(event, Paced)]
        assert sum(len(event.shown_us) for event in paced) == len(beats)
        for event in paced:
            for shown_us in event.shown_us:
                assert shown_us >= script.now_us
                assert shown_us >= last + 800 * MS or not last
                last = shown_us


def test_what_follows_a_tile_waits_for_the_floor_and_so_does_the_next_question() -> None:
    script = Script().dealt(3)
    script.answer(0, script.choose(0))  # a tile that seat 1 may claim, shown at once
    shown_us = script.board.beat_us
    (question,) = script.board.questions
    assert question.shown_us == shown_us == script.now_us
    script.answer(1, PENG)
    (question,) = script.board.questions
    assert (question.question, question.shown_us) == ("play", shown_us + 800 * MS)
    assert question.deadline_us == question.shown_us + 15 * S


def test_nobody_answers_a_question_before_it_is_shown() -> None:
    script = Script().dealt(3)
    script.answer(0, script.choose(0))
    script.answer(1, PENG)
    command = c.Act(1, 1, 2, script.choose(1), received_us=script.now_us)
    assert refused(script, command, "bo") == "QUESTION_OVER P6.4"


def test_without_a_floor_everything_is_shown_at_once_and_nothing_is_said_about_it() -> None:
    script = Script(facts(claim_floor_ms=0)).dealt(3)
    script.play_out()
    assert not any(isinstance(event, Paced) for events in script.log for event in events)
    assert script.now_us == START_US


def test_thinking_counts_from_when_the_question_was_seen() -> None:
    script = Script().dealt()
    shown_us = script.board.questions[0].shown_us
    script.now_us = shown_us + 3 * S
    events = script.answer(0, script.choose(0), delivered_us=shown_us + 40 * MS, rtt_us=80 * MS, reconnects=1)
    assert acted(events) == Acted(
        0, False, 3 * S - 40 * MS, "play", shown_us, shown_us + 40 * MS, shown_us + 3 * S, 80 * MS, 1
    )
    assert script.board.thinking_us == (3 * S - 40 * MS, 0, 0)
    assert script.board.playing_us == script.board.thinking_us


def test_an_acknowledgement_held_back_saves_no_more_than_a_slow_line() -> None:
    script = Script().dealt()
    script.now_us += 10 * S
    events = script.answer(0, script.choose(0), delivered_us=script.now_us - 1)
    assert acted(events).thinking_us == 10 * S - 500 * MS


def test_claims_count_as_thinking_but_not_as_playing() -> None:
    script = at_claims(2)
    seat = script.asked()[0]
    before = script.board
    script.now_us = before.questions[0].shown_us + S
    script.answer(seat, script.choose(seat))
    assert script.board.thinking_us[seat] == before.thinking_us[seat] + S
    assert script.board.playing_us == before.playing_us


def test_an_answer_received_by_the_deadline_counts_though_decided_after_it() -> None:
    script = Script().dealt()
    deadline_us = script.board.questions[0].deadline_us
    script.now_us = deadline_us + 200 * MS
    late = c.Act(1, 0, 1, script.choose(0), received_us=deadline_us + 1)
    assert refused(script, late, "anna") == "CLOCK_RUN_OUT P12"
    assert acted(script.answer(0, script.choose(0), received_us=deadline_us)).thinking_us == 15 * S


def test_the_clock_expires_after_its_grace_and_the_fallback_player_answers() -> None:
    script = Script().dealt()
    deadline_us = script.board.questions[0].deadline_us
    script.now_us = deadline_us + clocks.GRACE_US - 1
    assert refused(script, c.ExpireClock(0, 1)) == "CLOCK_RUNNING P12"
    script.now_us += 1
    fallback = RULES.fallback(script.board.game, 0)
    events = script.when(c.ExpireClock(0, 1))
    assert acted(events).automatic
    assert acted(events).thinking_us == 15 * S
    assert Play(events[1].tile) == fallback
    assert refused(script, c.ExpireClock(0, 1)) == "QUESTION_OVER P6.4"


def test_house_ai_answers_at_no_cost_and_is_automatic_only_for_an_entrants_seat() -> None:
    script = Script(facts(seats=(Seat(0, ""), Seat(2, ""), Seat(3, "chen")))).dealt(3)
    script.now_us += S
    first = acted(script.answer(0, script.choose(0)))
    assert (first.automatic, first.thinking_us) == (False, 0)
    second = acted(script.answer(1, script.choose(1)))
    assert (second.automatic, second.thinking_us) == (True, 0)
    assert script.board.taken_over == (1,)


def test_a_finished_board_tells_scores_times_and_who_was_taken_over() -> None:
    script = Script().dealt(3)
    script.when(c.ReplaceSeat(2, "", "withdrawn"), "ref")
    script.play_out()
    finished = script.log[-1][-1]
    assert isinstance(finished, BoardFinished)
    assert sum(finished.scores) == 0
    assert finished.taken_over == (2,)
    assert finished.thinking_us == script.board.thinking_us
    assert (script.table.closed, script.board.closed, script.asked()) == (1, True, ())


def test_a_closed_board_takes_no_answers() -> None:
    script = Script().dealt()
    script.when(c.CloseBoard("deadline"))
    assert refused(script, c.Act(1, 0, 1, Play(1)), "anna") == "QUESTION_OVER P6.4"
    assert refused(script, c.ExpireClock(0, 1)) == "QUESTION_OVER P6.4"


@settings(max_examples=25, deadline=None)
@given(number=st.integers(0, 10_000), picks=st.lists(st.integers(0, 2), max_size=60))
def test_in_a_demo_neither_result_nor_times_depend_on_the_order_of_answers(
    number: int, picks: list[int]
) -> None:
    demo = facts(demo=True, demo_seed=7, claim_floor_ms=0)
    straight, shuffled = Script(demo).dealt(number), Script(demo).dealt(number)
    straight.play_out()
    shuffled.play_out(picks)
    assert straight.table.result == shuffled.table.result
    assert straight.table.result is not None
    assert sum(straight.table.result.thinking_us) > 0


def test_demo_thinking_times_are_whole_milliseconds_within_the_clock() -> None:
    script = Script(facts(demo=True, demo_seed=1, claim_clock_ms=10)).dealt(3)
    script.play_out()
    asked = [
        q for events in script.log for event in events if isinstance(event, Asked) for q in event.questions
    ]
    assert all(q.demo_thinking_us % MS == 0 for q in asked)
    assert all(MS <= q.demo_thinking_us <= (5_000 if q.question == "play" else 10) * MS for q in asked)


TILES = st.lists(st.integers(-3, 30), max_size=5).map(tuple)
MELDS = st.builds(Meld, st.sampled_from(["run", "kan", "", "x"]), TILES)
ACTIONS = st.one_of(
    st.none(),
    st.just(PASS),
    st.just(PENG),
    st.just(WIN),
    st.builds(Play, st.integers(-3, 30)),
    st.builds(Eat, TILES, st.lists(MELDS, max_size=3).map(tuple)),
)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_hostile_commands_are_refused_or_folded_but_never_raise_anything_else(data: st.DataObject) -> None:
    script = Script().dealt(data.draw(st.integers(0, 50)))
    numbers = st.integers(-2, 2**32)
    words = st.text(max_size=5)
    commands = st.one_of(
        st.builds(c.JoinSeat, numbers),
        st.builds(c.OpenBoard, numbers, numbers),
        st.builds(c.DealBoard, st.binary(max_size=90)),
        st.builds(c.Act, st.integers(0, 2), st.integers(-1, 3), st.integers(0, 3), ACTIONS, numbers, numbers),
        st.builds(c.ExpireClock, st.integers(-1, 3), st.integers(0, 3)),
        st.builds(c.CloseBoard, words),
        st.builds(c.PauseTable, words),
        st.builds(c.ResumeTable),
        st.builds(c.ExtendClocks, st.integers(-(10**9), 10**9), words),
        st.builds(
            c.RecordInfringement, numbers, st.sampled_from(["A1", "x"]), st.sampled_from(["fine", ""]), words
        ),
        st.builds(c.MakeRuling, words, words, words),
        st.builds(c.ReplaceSeat, st.integers(-1, 3), st.sampled_from(["", "dora", "bo"]), words),
        st.builds(c.CallReferee, st.integers(-1, 3), words),
        st.builds(c.SealTable, numbers, st.binary(), st.binary(), words, st.binary()),
    )
    for command in data.draw(st.lists(commands, max_size=30)):
        script.now_us += data.draw(st.integers(0, 20 * S))
        before = script.table
        try:
            script.when(command, data.draw(st.sampled_from([*PEOPLE, "service:table", "eve"])))
        except Rejected:
            assert script.table is before
