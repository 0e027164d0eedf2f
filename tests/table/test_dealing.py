"""Cards drawn at a pace, and bids while they are (S3.1, S4.1-S4.5)."""

from __future__ import annotations

from typing import Any

import pytest

from services.domain import Rejected
from services.games.shengji import cards
from services.games.shengji.actions import Bid
from services.games.shengji.bids import DRAWN, drawer
from services.games.shengji.cards import SUITS
from services.games.shengji.events import BidMade, BidOffered, CardsDrawn
from services.games.shengji.pace import Dealing
from services.table import views
from services.table.agenda import Duty, next_duty
from services.table.decider.clocks import GRACE_US
from services.table.model import commands as c
from services.table.model import events as e
from services.table.model.dealing import drawn
from services.table.stage import Stage
from tests.table.four import XIAMEN, match
from tests.table.given import Script

PACE_US = 300_000
SEATS = range(4)


class Drawing(Script):
    """A match whose first deal is being drawn, a card every 0.3 s."""

    def __init__(self, number: int = 1, **changes: Any) -> None:
        super().__init__(match(deal_pace_ms=300, **changes))
        self.dealt(number)

    @property
    def dealing(self) -> Dealing:
        assert self.board.dealing is not None
        return self.board.dealing

    def at(self, card: int) -> Drawing:
        """The moment at which a card is drawn."""
        self.now_us = self.dealing.drawn_us(card)
        return self

    def bid(self, seat: int, shown: tuple[int, ...], received_us: int = 0) -> tuple[e.Event, ...]:
        command = c.Act(1, seat, 0, Bid(shown), received_us=received_us or self.now_us)
        return self.when(command, self.table.people[seat])

    def offers(self, seat: int, card: int) -> list[tuple[int, ...]]:
        """Level cards that a seat may show once so many cards are drawn."""
        game = drawn(XIAMEN, self.board.game, card)
        return [option.cards for option in XIAMEN.options(game, seat) if isinstance(option, Bid)]

    def first_offer(self, seat: int) -> tuple[int, tuple[int, ...]]:
        """The first card with which a seat may bid, and the bid."""
        return next((card, found[0]) for card in range(1, DRAWN) if (found := self.offers(seat, card)))

    def finish(self) -> tuple[e.Event, ...]:
        self.at(DRAWN).now_us += GRACE_US
        return self.when(c.DrawCards())


def two_bidders() -> tuple[Drawing, int, list[tuple[int, tuple[int, ...]]]]:
    """A deal and a card with which two seats may bid single cards."""
    for number in range(1, 50):
        script = Drawing(number)
        for card in range(1, DRAWN):
            able = [(seat, found[0]) for seat in SEATS if (found := script.offers(seat, card))]
            if len(able) > 1:
                return script, card, able
    raise AssertionError


def test_s3_1_which_card_is_the_newest_follows_from_time() -> None:
    dealing = Dealing(1_000_000, PACE_US)
    assert [dealing.newest(at_us) for at_us in (999_999, 1_000_000, 1_299_999, 1_300_000)] == [0, 1, 1, 2]
    assert dealing.newest(10**12) == DRAWN
    assert [dealing.newest(dealing.drawn_us(card)) for card in (1, 50, 100)] == [1, 50, 100]


def test_drawing_is_one_record_and_nobody_is_asked_before_the_last_card() -> None:
    script = Drawing()
    assert script.log[-1] == (script.log[-1][0], e.DealingStarted(script.now_us, PACE_US))
    assert script.asked() == ()
    assert next_duty(script.table, 0, script.now_us) == Duty(
        script.dealing.drawn_us(DRAWN) + GRACE_US, "draw"
    )
    script.at(DRAWN).now_us += GRACE_US - 1
    with pytest.raises(Rejected) as refused:
        script.when(c.DrawCards())
    assert (refused.value.reason, refused.value.clause) == ("CARDS_TO_DRAW", "S3.1")
    events = script.finish()
    assert events[0] == CardsDrawn(DRAWN)
    assert script.asked() == (0, 1, 2, 3)


def test_s4_1_a_seat_bids_with_the_cards_it_has_drawn_and_no_others() -> None:
    script = Drawing()
    seat = next(seat for seat in SEATS if script.first_offer(seat)[0] > 4)
    card, shown = script.first_offer(seat)
    with pytest.raises(Rejected) as refused:
        script.at(card - 1).bid(seat, shown)
    assert (refused.value.reason, refused.value.clause) == ("CARD_NOT_DRAWN", "S4.1")
    acted, before, offered = script.at(card).bid(seat, shown)
    assert (before, offered) == (CardsDrawn(card), BidOffered(seat, shown))
    assert (acted.question, acted.thinking_us, acted.received_us) == ("bid", 0, script.now_us)


def test_s4_4_bids_at_one_card_are_decided_together_whatever_came_first() -> None:
    made = []
    for order in (1, -1):
        script, card, able = two_bidders()
        script.at(card)
        for later, (seat, shown) in enumerate(able[::order]):
            script.now_us += 1_000 * later
            script.bid(seat, shown)
        script.now_us = script.dealing.drawn_us(card + 1)
        game = drawn(XIAMEN, script.board.game, card + 1)
        made.append(game.standing)
    first = drawer(game.setting.first_drawer, card)
    nearest = min((seat for seat, _ in able), key=lambda seat: (seat - first) % 4)
    assert made[0] == made[1]
    assert made[0].seat == nearest


def test_s4_4_the_decision_stands_in_the_log_with_the_next_record() -> None:
    script, card, able = two_bidders()
    script.at(card)
    for seat, shown in able:
        script.bid(seat, shown)
    events = script.finish()
    assert isinstance(events[0], BidMade)
    assert events[1] == CardsDrawn(DRAWN)
    assert script.board.game.standing is not None


def test_s4_4_a_bid_received_just_before_the_last_card_counts_though_it_comes_after_it() -> None:
    script = Drawing()
    seat = next(seat for seat in SEATS if script.offers(seat, DRAWN - 1))
    shown, received_us = script.offers(seat, DRAWN - 1)[0], script.dealing.drawn_us(DRAWN) - 1
    script.at(DRAWN).now_us += GRACE_US
    script.bid(seat, shown, received_us)
    made, last, *_ = script.when(c.DrawCards())
    assert (made.seat, made.cards, last) == (seat, shown, CardsDrawn(DRAWN))


def test_s4_5_a_bid_received_after_the_last_card_waits_for_its_question() -> None:
    script = Drawing()
    seat = next(seat for seat in SEATS if script.offers(seat, DRAWN - 1))
    with pytest.raises(Rejected) as refused:
        script.at(DRAWN).bid(seat, script.offers(seat, DRAWN - 1)[0])
    assert (refused.value.reason, refused.value.clause) == ("QUESTION_OVER", "S4.5")
    assert script.board.game.drawn < DRAWN - 1


def test_what_was_bid_at_a_card_is_seen_when_the_next_one_is_drawn_and_the_bid_by_nobody_before() -> None:
    script, card, able = two_bidders()
    stage, (seat, shown) = Stage(script.table), able[0]
    script.at(card)
    stage.advance(script.now_us)
    assert stage.frame is not None
    before = [views.seat(script.table, stage.frame, other) for other in SEATS]
    script.bid(seat, shown)
    stage.restart(script.table)
    stage.advance(script.now_us)
    after = [views.seat(script.table, stage.frame, other) for other in SEATS]
    assert [one == two for one, two in zip(before, after, strict=True)] == [other != seat for other in SEATS]
    assert stage.next_us == script.dealing.drawn_us(card + 1)
    stage.advance(stage.next_us)
    for other in SEATS:
        seen = views.seat(script.table, stage.frame, other).view
        assert seen.drawn == card + 1
        assert (seen.standing.seat, seen.standing.cards) == (seat, shown)


def test_a_seat_that_comes_in_the_middle_sees_what_the_others_see() -> None:
    script = Drawing()
    live, late = Stage(script.table), Stage(script.table)
    for card in range(1, 60):
        live.advance(script.at(card).now_us)
    late.advance(script.now_us)
    for seat in SEATS:
        seen = views.seat(script.table, late.frame, seat)
        assert seen == views.seat(script.table, live.frame, seat)
        assert (seen.view.drawn, sum(seen.view.hand_sizes)) == (59, 59)


def test_a_pause_and_an_outage_stop_the_drawing() -> None:
    script = Drawing().at(30)
    stage = Stage(script.table)
    script.when(c.PauseTable("a call"), "ref")
    script.now_us += 60_000_000
    stage.restart(script.table)
    stage.advance(script.now_us)
    assert stage.frame is not None
    assert (stage.frame.game.drawn, stage.next_us) == (30, 0)
    with pytest.raises(Rejected) as refused:
        script.bid(0, (1,))
    assert refused.value.reason == "TABLE_PAUSED"
    script.when(c.ResumeTable(), "ref")
    assert script.dealing.newest(script.now_us) == 30
    script.now_us += 7_000_000
    script.when(c.ExtendClocks(7_000_000, "restart"))
    assert script.dealing.newest(script.now_us) == 30


def test_who_bids_late_or_where_nobody_draws_is_refused() -> None:
    script = Drawing()
    with pytest.raises(Rejected) as refused:
        script.at(10).when(
            c.Act(1, 0, 0, Bid((cards.kind(SUITS[0], "3"),)), received_us=script.now_us), "anna"
        )
    assert refused.value.clause == "S4.1"
    with pytest.raises(Rejected) as refused:
        script.when(c.Act(1, 0, 0, Bid((1,)), received_us=script.now_us), "bo")
    assert refused.value.reason == "NOT_YOUR_SEAT"
    script.finish()
    for ask in (0, 7):
        with pytest.raises(Rejected) as refused:
            script.when(c.Act(1, 0, ask, Bid((1,)), received_us=script.now_us), "anna")
        assert refused.value.reason == "QUESTION_OVER"
