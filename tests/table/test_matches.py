"""A match at a table: past A, or to the end of its time or its deals (C8.2-C8.4)."""

from __future__ import annotations

from typing import Any

import pytest

from services.domain import Meta, Rejected
from services.games.shengji.events import DealEnded, DealVoided
from services.ledger.record import BoardClosing
from services.table.agenda import Duty, next_duty
from services.table.decider.clocks import GRACE_US
from services.table.decider.evolve import evolve
from services.table.framing import TableFraming
from services.table.leaves import Leaves
from services.table.model import commands as c
from services.table.model import events as e
from services.table.model.matches import Course
from tests.table.four import boards, match
from tests.table.given import START_US, SUBJECT, Script, deal, facts
from tests.table.logs import StandInDealer

S = 1_000_000
MINUTE = 60 * S


class Playing(Script):
    """A match whose deals come out as the test says."""

    def __init__(self, opened: e.TableOpened | None = None) -> None:
        super().__init__(opened or match())

    @property
    def course(self) -> Course:
        assert self.table.course is not None
        return self.table.course

    @property
    def levels(self) -> tuple[str, str]:
        return self.course.match.levels

    def begin(self, number: int = 1) -> Playing:
        """The next deal, as far as the first lead."""
        self.now_us += 5 * S
        self.dealt(number)
        while self.board.questions[0].question != "play":
            seat = self.table.rules.asked(self.board.game)[0]
            self.answer(seat, self.choose(seat))
        return self

    def end(self, points: int | None) -> Playing:
        """The running deal ends with so many points to the defenders, whatever was played; None: a revolution voids it."""
        (seat,) = self.asked()
        told = DealVoided(seat) if points is None else DealEnded(points, 0, (0, 0, 0, 0))
        deal = self.board.slot.board
        finished = e.BoardFinished(deal, 1, (0, 0, 0, 0), points is None, (0,) * 4, (0,) * 4, ())
        meta = Meta(SUBJECT, self.version + 1, self.now_us, "", "")
        for event in (e.Acted(seat, False, 0, "play", 1, 0, self.now_us, 0, 0), told, finished):
            self.table = evolve(self.table, event, meta)
        self.version += 1
        return self

    def deal(self, points: int | None) -> Playing:
        """A deal from the first card to the last."""
        return self.begin().end(points)

    def won(self, side: int) -> Playing:
        """A deal that a side wins by two levels."""
        declarer = self.begin().board.game.declarer
        return self.end(40 if declarer % 2 == side else 120)

    def duty(self) -> Duty | None:
        return next_duty(self.table, 0, self.now_us)

    def over(self) -> e.MatchEnded:
        (ended,) = self.when(c.EndMatch())
        assert isinstance(ended, e.MatchEnded)
        return ended

    def time_over(self) -> Playing:
        self.now_us = self.course.ends_us
        return self


def test_c8_2_a_match_begins_at_2_and_its_time_with_the_first_deal() -> None:
    script = Playing().begin()
    setting = script.board.game.setting
    assert (script.levels, setting.level, setting.declarer) == (("2", "2"), "2", None)
    opened = [event for record in script.log for event in record if isinstance(event, e.BoardOpened)]
    assert opened[0].match is not None
    assert opened[0].match.ends_us == opened[0].match.started_us + 90 * MINUTE == script.course.ends_us


def test_s3_2_who_draws_first_is_said_by_the_lot_of_the_first_deal() -> None:
    script = Playing()
    script.now_us += MINUTE
    script.when(c.OpenBoard(1, 1))
    with pytest.raises(Rejected) as refused:
        script.when(c.DealBoard(bytes(range(108))))
    assert refused.value.clause == "S3.2"
    script = Playing().deal(90)
    assert script.course.match.first_drawer == script.course.match.declarer
    assert script.begin().board.game.setting.first_drawer == script.course.match.declarer


def test_s9_3_levels_and_declarer_follow_from_deal_to_deal_and_stand_in_the_clear() -> None:
    script = Playing().begin()
    declarer = script.board.game.declarer
    script.end(10)
    level = "6"
    assert script.levels[declarer % 2] == level
    script.begin()
    (standing,) = [
        event.match
        for record in script.log
        for event in record
        if isinstance(event, e.BoardOpened) and event.board == 2 and event.match is not None
    ]
    assert standing.last == e.MatchDeal(
        1, "2", declarer, script.course.played[0].trump, 10, False, script.levels
    )
    assert standing.declarer == script.board.game.declarer == (declarer + 2) % 4
    assert script.board.game.setting.level == level


def test_s4_8_a_voided_deal_is_dealt_again_under_the_same_setting_and_unscored() -> None:
    script = Playing().begin()
    setting = script.board.game.setting
    script.end(None)
    assert (script.course.match.deals, script.course.match.voided, script.levels) == (0, 1, ("2", "2"))
    assert script.course.played[0].voided
    script.begin()
    assert script.board.slot.board == 2
    assert script.board.game.setting == setting


def test_s9_5_the_side_that_rises_past_a_has_won_whatever_time_is_left() -> None:
    script = Playing()
    while script.course.verdict is None:
        script.won(1)
    assert script.duty() == Duty(0, "end")
    script.now_us += 5 * S
    with pytest.raises(Rejected) as refused:
        script.when(c.OpenBoard(script.table.closed + 1, 1))
    assert refused.value.reason == "MATCH_OVER"
    ended = script.over()
    assert (ended.winner, ended.levels, ended.past_a, ended.clause) == (1, ("2", "A"), (False, True), "S9.5")
    assert (ended.net_levels, ended.deals) == (11, script.course.match.deals)
    assert script.duty() == Duty(0, "seal")
    assert script.when(c.EndMatch()) == ()


def test_c8_3a_at_different_levels_the_running_deal_is_broken_off_and_the_higher_level_wins() -> None:
    script = Playing().won(0)
    levels = script.levels
    script.now_us = script.course.ends_us - 7 * S
    script.begin().time_over()
    assert script.duty() == Duty(script.course.ends_us + GRACE_US, "break")
    (seat,) = script.asked()
    question = script.board.question(seat)
    assert question is not None
    script.now_us += 1
    late = c.Act(2, seat, question.ask, script.choose(seat), received_us=script.now_us)
    with pytest.raises(Rejected) as refused:
        script.when(late, script.table.people[seat])
    assert (refused.value.reason, refused.value.clause) == ("MATCH_TIME_OVER", "C8.3")
    script.when(c.CloseBoard("the time of the match is over"))
    ended = script.over()
    assert (ended.winner, ended.levels, ended.clause, ended.deals) == (0, levels, "C8.3a", 1)


def test_c8_3b_at_equal_levels_the_running_deal_is_finished_and_decides() -> None:
    for points, winner in ((60, 0), (80, 1)):
        script = Playing().begin().time_over()
        assert script.duty() is not None
        assert script.duty() != Duty(script.course.ends_us + GRACE_US, "break")
        declarer = script.board.game.declarer
        ended = script.end(points).over()
        assert (ended.winner, ended.clause) == ((declarer + winner) % 2, "C8.3b")


def test_c8_3b_a_deal_that_decides_is_dealt_again_when_it_is_voided() -> None:
    script = Playing().won(0).won(1)
    assert script.levels[0] == script.levels[1]
    script.begin().time_over().end(None)
    assert script.course.deciding == "C8.3b"
    ended = script.deal(95).over()
    assert ended.clause == "C8.3b"


def test_c8_3c_between_deals_at_equal_levels_who_came_there_first_has_won() -> None:
    script = Playing().won(1).won(0).time_over()
    assert script.levels[0] == script.levels[1]
    assert script.duty() == Duty(0, "end")
    ended = script.over()
    assert (ended.winner, ended.clause, ended.net_levels) == (1, "C8.3c", 0)


def test_c8_3c_where_both_never_left_2_one_more_deal_decides() -> None:
    script = Playing().deal(85).time_over()
    assert script.duty() == Duty(script.table.free_us + 5 * S, "open")
    script.begin()
    assert script.course.deciding == "C8.3c"
    declarer = script.board.game.declarer
    ended = script.end(85).over()
    assert (ended.winner, ended.clause, ended.levels) == (1 - declarer % 2, "C8.3c", ("2", "2"))


def test_c8_3_after_its_last_deal_a_match_is_settled_as_when_its_time_is_over() -> None:
    script = Playing(match(deals=2)).won(0)
    assert script.duty() == Duty(script.table.free_us + 5 * S, "open")
    ended = script.won(0).over()
    assert (ended.winner, ended.clause, ended.deals, ended.levels) == (0, "C8.3a", 2, ("6", "2"))


def test_a_pause_and_an_outage_move_the_end_of_the_match() -> None:
    script = Playing().begin()
    ends_us = script.course.ends_us
    script.when(c.PauseTable("lunch"), "ref")
    script.now_us += 20 * MINUTE
    script.when(c.ResumeTable(), "ref")
    assert script.course.ends_us == ends_us + 20 * MINUTE
    script.when(c.ExtendClocks(3 * S, "restart"))
    assert script.course.ends_us == ends_us + 20 * MINUTE + 3 * S
    script.end(90)
    script.when(c.ExtendClocks(2 * S, "restart"))
    assert script.course.ends_us == ends_us + 20 * MINUTE + 5 * S


def test_a_pause_that_ends_with_its_deal_moves_the_end_of_the_match_all_the_same() -> None:
    script = Playing().begin()
    ends_us = script.course.ends_us
    script.when(c.PauseTable("a light fell"), "ref")
    script.now_us += MINUTE
    script.when(c.CloseBoard("a light fell"), "ref")
    assert script.course.ends_us == ends_us + MINUTE


def test_c8_3_a_deal_that_a_referee_ends_in_a_pause_ends_when_the_pause_began() -> None:
    script = Playing().begin()
    script.now_us = script.course.ends_us - MINUTE
    script.when(c.PauseTable("a quarrel"), "ref")
    script.now_us += 20 * MINUTE
    script.when(c.RecordInfringement(0, "S10.16", "forfeit", "left the table"), "ref")
    assert (script.course.deciding, script.course.verdict) == ("", None)
    assert script.course.ends_us == script.now_us + MINUTE


def test_c8_3a_a_deal_that_is_to_be_broken_off_is_not_forfeited_any_more() -> None:
    script = Playing().won(0)
    script.now_us = script.course.ends_us - 7 * S
    script.begin().time_over()
    for fine in (
        c.RecordInfringement(0, "S10.16", "forfeit", "left the table"),
        c.RecordInfringement(1, "S10.15", "fine", "a signal", 20),
    ):
        with pytest.raises(Rejected) as refused:
            script.when(fine, "ref")
        assert refused.value.reason == "MATCH_TIME_OVER"
    script.when(c.RecordInfringement(1, "V2", "warning", "loud"), "ref")


def test_c8_3c_a_deal_of_which_no_card_is_drawn_by_the_end_of_the_time_is_not_dealt() -> None:
    script = Playing().won(1).won(0)
    script.now_us = script.course.ends_us - 1
    script.when(c.OpenBoard(3, 1))
    assert script.duty() == Duty(0, "deal")
    script.time_over()
    assert next_duty(script.table, 0, script.now_us) == Duty(script.now_us, "break")
    with pytest.raises(Rejected) as refused:
        script.when(c.DealBoard(deal(3, script.table.rules)))
    assert (refused.value.reason, refused.value.clause) == ("MATCH_OVER", "C8.3")
    script.when(c.CloseBoard("the time of the match is over"))
    ended = script.over()
    assert (ended.winner, ended.clause, ended.deals) == (1, "C8.3c", 2)


def test_c2_2_a_match_that_is_closed_by_order_is_settled_as_it_stands() -> None:
    script = Playing().won(1)
    with pytest.raises(Rejected) as refused:
        script.when(c.EndMatch())
    assert refused.value.reason == "MATCH_RUNNING"
    with pytest.raises(Rejected) as refused:
        script.when(c.CloseBoard("late"), "ref")
    assert refused.value.reason == "NO_DEAL_RUNNING"
    (ended,) = script.when(c.EndMatch("round closed"))
    assert (ended.winner, ended.clause) == (1, "C8.3a")
    script = Playing().begin()
    with pytest.raises(Rejected) as refused:
        script.when(c.EndMatch("round closed"))
    assert refused.value.reason == "DEAL_RUNNING"
    script.when(c.CloseBoard("round closed"))
    (ended,) = script.when(c.EndMatch("round closed"))
    assert (ended.winner, ended.clause, ended.net_levels) == (None, "C2.2", 0)


def test_who_has_not_read_a_deal_learns_from_the_next_one_where_the_match_stands() -> None:
    script, other = Playing(), Playing()
    script.won(0).won(1)
    opened = match_opened(script)
    meta = Meta(SUBJECT, 9, script.now_us, "", "")
    blind = evolve(other.table, opened, meta)
    assert blind.course is not None
    assert blind.course._replace(played=()) == script.course._replace(played=())
    assert blind.course.played == script.course.played[-1:]


def test_who_has_not_read_the_last_deal_learns_its_levels_from_the_end_of_the_match() -> None:
    script = Playing(match(deals=2)).won(0)
    before = script.begin().table
    script.end(40)
    ended = script.over()
    closing = BoardClosing(1, 2, 1, False, (0,) * 4, (0,) * 4, (), (0,) * 4, before.people)
    skipped = TableFraming(Leaves(StandInDealer().ask)).skip(before, closing)
    blind = evolve(skipped, ended, Meta(SUBJECT, 9, script.now_us, "", "")).course
    assert blind is not None
    assert skipped.course is not None
    assert skipped.course.match.levels != blind.match.levels
    for known in (blind.match, script.course.match):
        assert (known.levels, known.deals, known.won_by) == (ended.levels, 2, None)


def match_opened(script: Playing) -> Any:
    script.now_us += 5 * S
    (opened,) = script.when(c.OpenBoard(script.table.closed + 1, 1))
    return opened


@pytest.mark.parametrize(
    "opened",
    [
        match(boards=boards().boards),
        facts(match=match().match),
        match(deals=-1),
        boards(bury_clock_ms=0),
    ],
)
def test_a_table_that_cannot_be_played_is_not_opened(opened: e.TableOpened) -> None:
    with pytest.raises(Rejected) as refused:
        Script(opened)
    assert refused.value.reason == "MALFORMED_TABLE"


def test_s9_2_a_fine_that_a_referee_records_moves_points_in_the_running_deal() -> None:
    script = Playing().begin()
    declarer, points = script.board.game.declarer, script.board.game.points
    fine = c.RecordInfringement(declarer, "S10.15", "fine", "a signal", 20)
    recorded, moved = script.when(fine, "ref")
    assert (recorded.fine, moved.points) == (20, points + 20)
    script.when(c.RecordInfringement((declarer + 1) % 4, "A3", "fine", "told a card", 30), "ref")
    assert script.board.game.points == points - 10
    script.when(c.RecordInfringement(declarer, "V2", "warning", "loud"), "ref")
    assert script.board.game.points == points - 10
    for code, outcome, amount, reason in (
        ("S10.5", "fine", 10, "NOT_ONLINE"),
        ("S10.15", "warning", 10, "FINE_OUT_OF_RANGE"),
        ("A3", "fine", 201, "FINE_OUT_OF_RANGE"),
        ("X9", "fine", 10, "UNKNOWN_INFRINGEMENT"),
    ):
        with pytest.raises(Rejected) as refused:
            script.when(c.RecordInfringement(0, code, outcome, "", amount), "ref")
        assert refused.value.reason == reason


def test_s10_16_a_forfeit_ends_the_deal() -> None:
    script = Playing().begin()
    events = script.when(c.RecordInfringement(0, "S10.16", "forfeit", "left the table"), "ref")
    assert isinstance(events[-1], e.BoardFinished)
    assert script.board.closed


def test_c2_2_at_its_deadline_the_running_deal_is_closed_and_the_match_settled() -> None:
    script = Playing(match(board_deadline_us=START_US + MINUTE))
    script.won(1).begin()
    script.now_us = deadline_us = START_US + MINUTE
    assert script.duty() == Duty(deadline_us, "close")
    script.when(c.CloseBoard("deadline"))
    assert script.duty() == Duty(deadline_us, "settle")
    (ended,) = script.when(c.EndMatch("deadline"))
    assert (ended.winner, ended.clause) == (1, "C8.3a")
    assert script.duty() == Duty(0, "seal")
