"""What a table shows and when; frames never show more than the log says by then (P6.4, P13)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Meta
from services.ledger.record import Stored
from services.runtime.log import Applied
from services.table import views
from services.table.model import commands as c
from services.table.model.events import Event
from services.table.model.state import Table
from services.table.stage import Stage, frames, newest
from tests.table.given import RULES, SUBJECT, Script, deal, facts

S, MS = 1_000_000, 1_000


def applied(script: Script, before: Table, events: tuple[Event, ...]) -> Applied[Table, Event]:
    """A record that was written just now."""
    meta = Meta(SUBJECT, script.version, script.now_us, "", "")
    return Applied(Stored("", 0, SUBJECT, b""), None, meta, events, before, script.table)  # type: ignore[arg-type]


class Watched(Script):
    """A script whose table is shown on a stage; `seen` are the times at which each seat's view changed."""

    def start(self, number: int) -> Watched:
        self.stage = Stage(self.table)
        self.seen: dict[int, list[tuple[int, views.Shown]]] = {0: [], 1: [], 2: []}
        self.dealt(number)
        return self

    def when(self, command: c.Command, actor: str = "service:table") -> tuple[Event, ...]:
        before = self.table
        events = super().when(command, actor)
        if events and hasattr(self, "stage"):
            self.stage.take(applied(self, before, events))
            self.look()
        return events

    def look(self) -> None:
        while self.stage.next_us:
            at_us = max(self.now_us, self.stage.next_us)
            self.now_us = at_us
            self.stage.advance(at_us)
            for seat, seen in self.seen.items():
                shown = views.seat(self.table, self.stage.frame, seat)
                if not seen or seen[-1][1] != shown:
                    seen.append((at_us, shown))


def at_three_claims() -> Watched:
    script = Watched().start(3)
    while len(script.asked()) < 3:
        (seat, *_) = script.asked()
        script.answer(seat, script.choose(seat))
    return script


def test_an_answer_to_a_claim_is_seen_by_nobody_but_its_own_seat_and_not_before_the_floor() -> None:
    script = at_three_claims()
    tile_us = script.board.beat_us
    before = {seat: len(seen) for seat, seen in script.seen.items()}
    script.answer(0, script.choose(0))
    assert [len(script.seen[seat]) - before[seat] for seat in range(3)] == [1, 0, 0]
    at_us, shown = script.seen[0][-1]
    assert (at_us, shown.ask, shown.view.options) == (tile_us + 800 * MS, 0, ())


def test_an_answer_to_a_claim_is_seen_at_once_when_the_floor_is_over() -> None:
    script = at_three_claims()
    script.now_us = script.board.beat_us + S
    script.answer(0, script.choose(0))
    at_us, shown = script.seen[0][-1]
    assert (at_us, shown.ask) == (script.board.beat_us + S, 0)


@pytest.mark.parametrize("decided", [(), (0,), (1,), (0, 1)])
def test_what_came_of_an_answer_is_told_at_the_same_time_whatever_others_have_decided(
    decided: tuple[int, ...],
) -> None:
    """P6.4: a claim of seat 1 outranks everybody's, which seat 2 learns when it is shown."""
    script = at_three_claims()
    stage, tile_us = script.stage, script.board.beat_us
    question = script.board.question(2)
    assert question is not None
    asked = (2, script.board.slot.board, question.ask)
    del script.stage  # what is decided is not shown yet
    for seat in decided:
        before = script.table
        events = script.answer(seat, script.choose(seat))
        stage.take(applied(script, before, events))
    assert script.now_us == tile_us
    assert stage.told_us(script.table, *asked) == tile_us + 800 * MS
    stage.advance(tile_us + 799 * MS)
    assert stage.told_us(script.table, *asked) == tile_us + 800 * MS
    stage.advance(tile_us + 800 * MS)
    assert stage.told_us(script.table, *asked) in (0, tile_us + 800 * MS)


def test_what_came_of_a_play_is_told_at_once() -> None:
    script = Watched().start(3)
    (seat,) = script.asked()
    assert script.stage.told_us(script.table, seat, 1, 1) == 0
    script = at_three_claims()
    (one, *_) = script.board.questions
    assert script.stage.told_us(script.table, one.seat, 1, one.ask) > 0
    for seat, board, ask in ((one.seat, 1, one.ask + 1), (one.seat, 2, one.ask)):
        assert script.stage.told_us(script.table, seat, board, ask) == 0


def test_the_award_is_seen_by_all_at_once_and_not_before_the_floor() -> None:
    script = at_three_claims()
    tile_us = script.board.beat_us
    script.answer(0, script.choose(0))
    script.answer(1, script.choose(1))  # outranks everybody
    assert [script.seen[seat][-1][0] for seat in range(3)] == [tile_us + 800 * MS] * 3
    assert script.seen[1][-1][1].question == "play"
    assert script.seen[2][-1][1].ask == 0


def test_every_frame_but_the_last_asks_nothing_new() -> None:
    script = Script().dealt(3)
    while not script.board.closed:
        (seat, *_) = script.asked()
        before, action = script.table, script.choose(seat)
        events = script.answer(seat, action)
        meta = Meta(SUBJECT, script.version, script.now_us, "", "")
        found = frames(before, script.table, events, meta)
        assert found[-1].frame == newest(script.table)
        for timed in found[:-1]:
            assert before.board is not None
            assert set(timed.frame.questions) <= set(before.board.questions)
        assert [timed.at_us for timed in found] == sorted(timed.at_us for timed in found)


def test_frames_are_the_same_for_a_replica_that_only_reads() -> None:
    script = Script().dealt(3)
    while not script.board.closed:
        (seat, *_) = script.asked()
        before, action = script.table, script.choose(seat)
        events = script.answer(seat, action)
        meta = Meta(SUBJECT, script.version, script.now_us, "", "")
        again = before
        bare = before.board._replace(game=before.board.game._replace(memo=type(before.board.game.memo)()))  # type: ignore[union-attr]
        again = before._replace(board=bare)
        after = again
        for event in events:
            after = script.decider.evolve(after, event, meta)
        assert frames(again, after, events, meta) == frames(before, script.table, events, meta)


def test_the_last_board_stays_to_be_seen_until_the_next_one_is_dealt() -> None:
    script = Watched().start(3)
    script.play_out()
    over = script.stage.frame
    assert over is not None
    assert RULES.outcome(over.game) is not None
    script.now_us += 5 * S
    script.when(c.OpenBoard(2, 1))
    assert script.stage.frame == over
    script.when(c.DealBoard(deal(9)))
    assert script.stage.frame is not None
    assert script.stage.frame.board == 2


def test_a_resumed_table_shows_the_new_deadlines() -> None:
    script = Watched().start(3)
    script.when(c.PauseTable(""), "ref")
    assert views.seat(script.table, script.stage.frame, 0).paused
    script.now_us += 30 * S
    script.when(c.ResumeTable(), "ref")
    shown = views.seat(script.table, script.stage.frame, 0)
    assert (shown.paused, shown.deadline_us) == (False, script.now_us + 15 * S)


def swapped(table: Table, seat: int, other: int) -> Table | None:
    """The table with a hidden tile of one hand and one of another's exchanged; None where both are alike."""
    game = table.board.game  # type: ignore[union-attr]
    mine, theirs = game.seats[seat].hand, game.seats[other].hand
    pairs = [
        (a, b)
        for a in range(1, 21)
        for b in range(1, 21)
        if a != b and mine[a] in (1, 2) and theirs[b] in (1, 2) and mine[b] < 2 and theirs[a] < 2
    ]
    if not pairs:
        return None
    a, b = pairs[0]
    hands = {}
    for number, (gone, come) in {seat: (a, b), other: (b, a)}.items():
        hand = bytearray(game.seats[number].hand)
        hand[gone] -= 1
        hand[come] += 1
        hands[number] = bytes(hand)
    seats = tuple(
        one._replace(hand=hands[number]) if number in hands else one for number, one in enumerate(game.seats)
    )
    changed = game._replace(seats=seats, memo=type(game.memo)())
    return table._replace(board=table.board._replace(game=changed))  # type: ignore[union-attr]


@settings(max_examples=30, deadline=None)
@given(number=st.integers(0, 500), moves=st.integers(0, 12))
def test_what_a_seat_is_shown_does_not_depend_on_tiles_that_others_hold(number: int, moves: int) -> None:
    script = Script(facts(claim_floor_ms=0)).dealt(number)
    for _ in range(moves):
        if script.board.closed:
            return
        seat = RULES.asked(script.board.game)[0]
        script.answer(seat, script.choose(seat))
    other = swapped(script.table, 1, 2)
    if other is not None:
        assert views.seat(script.table, newest(script.table), 0) == views.seat(other, newest(other), 0)
        assert views.seat(script.table, newest(script.table), None) == views.seat(other, newest(other), None)


@settings(max_examples=25, deadline=None)
@given(number=st.integers(0, 300), data=st.data())
def test_what_a_seat_answers_shows_nobody_anything_before_it_counts(number: int, data: st.DataObject) -> None:
    """At every claim that leaves others waited for: whatever is answered, the others are shown the same."""
    script = Script().dealt(number)
    for _ in range(30):
        if script.board.closed:
            return
        waited = RULES.asked(script.board.game)
        seat = data.draw(st.sampled_from(waited))
        question, before = script.board.question(seat), script.table
        assert question is not None
        options = RULES.options(script.board.game, seat)
        now_us = max(script.now_us, question.shown_us)
        meta = Meta(SUBJECT, script.version + 1, now_us, script.table.people[seat], "")
        shown = {}
        for action in options if len(waited) > 1 else ():
            command = c.Act(script.board.slot.board, seat, question.ask, action, received_us=now_us)
            events = tuple(script.decider.decide(before, command, meta))
            after = before
            for event in events:
                after = script.decider.evolve(after, event, meta)
            at_once = [timed.frame for timed in frames(before, after, events, meta) if timed.at_us == now_us]
            floor_us = before.board.beat_us + 800 * MS  # type: ignore[union-attr]
            if now_us < floor_us:
                shown[action] = [
                    views.seat(after, frame, other)
                    for frame in at_once
                    for other in range(3)
                    if other != seat
                ]
        assert len({repr(seen) for seen in shown.values()}) <= 1
        script.answer(seat, script.choose(seat))


@settings(max_examples=25, deadline=None)
@given(number=st.integers(0, 300), data=st.data())
def test_a_replica_that_begins_in_the_middle_shows_nothing_before_one_that_looked_on(
    number: int, data: st.DataObject
) -> None:
    """P6.4: a decision within the claim floor waits for it also where the table was not looked after when it was made."""
    script = Watching(number)
    for _ in range(30):
        if script.board.closed:
            return
        seat = data.draw(st.sampled_from(RULES.asked(script.board.game)))
        script.answer(seat, data.draw(st.sampled_from(RULES.options(script.board.game, seat))))
        if data.draw(st.booleans()):
            script.when(c.CallReferee(0, ""), "anna")
        late = Stage(Table())
        for one in script.applied:
            late.note(one)
        late.restart(script.table)
        for at_us in (script.now_us, script.now_us + 400 * MS, script.now_us + 800 * MS):
            live = script.live()
            live.advance(at_us)
            late.advance(at_us)
            assert (late.frame, late.next_us, late.shown_us) == (live.frame, live.next_us, live.shown_us)


class Watching(Script):
    """A script whose records are kept, for stages that look on."""

    def __init__(self, number: int) -> None:
        self.applied: list[Applied[Table, Event]] = []
        super().__init__()
        self.dealt(number)

    def when(self, command: c.Command, actor: str = "service:table") -> tuple[Event, ...]:
        before = self.table
        events = super().when(command, actor)
        if events:
            self.applied.append(applied(self, before, events))
        return events

    def live(self) -> Stage:
        """A stage that looked on all the time."""
        stage = Stage(Table())
        for one in self.applied:
            assert one.meta is not None
            stage.advance(one.meta.time_us)
            stage.take(one)
        return stage


def test_a_question_whose_time_was_given_back_is_shown_when_it_counts_from() -> None:
    script = Watching(3)
    while script.board.questions[0].shown_us <= script.now_us:
        (seat, *_) = script.asked()
        script.answer(seat, script.choose(seat))
    script.when(c.ExtendClocks(30 * S, "restart"))
    stage, (question, *_) = script.live(), script.board.questions
    stage.advance(question.shown_us - 1)
    assert stage.frame != newest(script.table)
    stage.advance(question.shown_us)
    assert stage.frame == newest(script.table)
