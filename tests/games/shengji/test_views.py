"""What each seat may know, and that nothing hidden shows in any other seat's view (S5.2, S10, design of views)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import fields

from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Rejected, fold
from services.games.shengji import bottom, cards, questions
from services.games.shengji.actions import PASS, REVOLT, Action, Bid, Bury, Pass, Play
from services.games.shengji.bids import DRAWN
from services.games.shengji.cards import Cards, Counts
from services.games.shengji.events import BidOffered, BidPassed, Buried, CardsPlayed, RevoltPassed, TrickWon
from services.games.shengji.result import SEATS
from services.games.shengji.ruleset import Shengji
from services.games.shengji.sight import view
from services.games.shengji.state import State, start
from services.games.shengji.view import Remembering, SeatView
from tests.games.shengji.boards import play, rules_of

seeds = st.integers(0, 2**32)
deals = settings(max_examples=50, deadline=None)
VIEWERS = (*SEATS, None)


# What is shown


def test_the_allow_list() -> None:
    """A new field needs a clause that makes it public, or its owner's alone."""
    public = {
        "seat", "level", "first_drawer", "declarer", "drawn", "hand_sizes", "standing", "turned", "trump", "fallen",
        "turn", "trick", "thrown", "points", "partial_tractor_follow", "over", "ended", "voided_by",
    }  # fmt: skip
    own = {"hand", "bottom", "question", "offers"}
    assert {field.name for field in fields(SeatView)} == public | own
    remembered = {"played", "buried", "voids"}
    assert {field.name for field in fields(Remembering)} == public | own | remembered


@deals
@given(seeds)
def test_s10_no_finished_trick_and_after_the_first_lead_no_bottom(seed: int) -> None:
    led = False
    for step in play(seed):
        board = step.before
        for event in step.events:
            board = rules_of(seed).evolve(board, event)
            led = led or isinstance(event, CardsPlayed)
            for viewer in VIEWERS:
                seen = view(board, viewer)
                if isinstance(event, TrickWon):
                    assert (seen.trick, seen.thrown) == ((), ())
                if led:
                    assert (seen.bottom, seen.turned) == ((), ())


@deals
@given(seeds)
def test_s5_2_only_the_declarer_sees_the_bottom_it_has_laid(seed: int) -> None:
    for step in play(seed):
        for event in step.events:
            if isinstance(event, Buried) and step.after.result is None:
                for viewer in VIEWERS:
                    shown = view(step.after, viewer).bottom
                    assert shown == (event.cards if viewer == event.seat else ())


@deals
@given(seeds)
def test_the_trick_and_the_hand_are_seen_as_they_are(seed: int) -> None:
    for step in play(seed):
        board = step.after
        for viewer in VIEWERS:
            seen = view(board, viewer)
            assert [laid.cards for laid in seen.trick] == list(board.trick)
            assert [laid.seat for laid in seen.trick] == [
                (board.leader + at) % 4 for at in range(len(board.trick))
            ]
            assert sum(seen.hand_sizes) == (
                min(board.drawn, DRAWN) if board.drawn < DRAWN else sum(map(sum, board.hands))
            )
            if viewer is None:
                assert (seen.hand, seen.question, seen.offers) == ((), "", ())
            else:
                assert len(seen.hand) == seen.hand_sizes[viewer]
                assert cards.holds(board.hands[viewer], seen.hand)


@deals
@given(seeds)
def test_options_follow_from_the_view_alone(seed: int) -> None:
    rng = random.Random(seed)
    for step in play(seed):
        for seat in SEATS:
            seen, options = view(step.before, seat), questions.options(step.before, seat)
            assert len(seen.options) == len(options)
            for index in rng.sample(range(len(options)), min(5, len(options))):
                assert seen.options[index] == options[index]


# Non-interference: hidden cards


@deals
@given(seeds)
def test_cards_in_other_hands_in_the_bottom_and_not_drawn_yet_do_not_show(seed: int) -> None:
    rng = random.Random(seed)
    for step in play(seed):
        for viewer in VIEWERS:
            other = _redealt(step.after, viewer, rng)
            assert view(other, viewer) == view(step.after, viewer)


@deals
@given(seeds)
def test_what_a_seat_is_refused_depends_on_what_it_sees_alone(seed: int) -> None:
    rng, rules = random.Random(seed), rules_of(seed)
    for step in play(seed):
        for seat in SEATS:
            other = _redealt(step.after, seat, rng)
            for action in _tries(step.after.hands[seat], rng):
                assert _refused(rules, other, seat, action) == _refused(rules, step.after, seat, action)


def _tries(hand: Counts, rng: random.Random) -> Iterator[Action]:
    """Actions of all kinds, most of them no answers to anything."""
    yield from (PASS, REVOLT)
    held = cards.expand(hand) or cards.KINDS
    for size in (1, 2, bottom.SIZE):
        some = tuple(sorted(rng.choices(held, k=size)))
        yield from (Bid(some), Bury(some), Play(some))
    yield Bid((rng.choice(cards.KINDS),))


def _refused(rules: Shengji, board: State, seat: int, action: Action) -> tuple[str, str, str] | None:
    try:
        rules.decide(board, seat, action)
    except Rejected as refusal:
        return refusal.reason, refusal.clause, refusal.detail
    return None


def _redealt(board: State, viewer: int | None, rng: random.Random) -> State:
    """Another deal that the viewer cannot tell from this one: all it has not seen lies otherwise."""
    if board.drawn < DRAWN:
        return _not_drawn(board, viewer, rng)
    knows_bottom = board.buried and viewer == board.declarer
    hidden = [seat for seat in SEATS if seat != viewer]
    pool = [card for seat in hidden for card in cards.expand(board.hands[seat])]
    pool += [] if knows_bottom else board.bottom
    rng.shuffle(pool)
    hands = list(board.hands)
    for seat in hidden:
        size = sum(hands[seat])
        hands[seat], pool = cards.count(pool[:size]), pool[size:]
    one, two, three, four = hands
    bottom = board.bottom if knows_bottom else tuple(pool)
    return _undecided(board._replace(hands=(one, two, three, four), bottom=bottom), viewer, rng)


def _not_drawn(board: State, viewer: int | None, rng: random.Random) -> State:
    """The same draws of the viewer, everything else shuffled."""
    first = board.setting.first_drawer
    fixed = [at for at in range(board.drawn) if viewer is not None and (first + at) % 4 == viewer]
    free = [at for at in range(len(board.deal)) if at not in fixed]
    mixed = [board.deal[at] for at in free]
    rng.shuffle(mixed)
    deal = list(board.deal)
    for at, card in zip(free, mixed, strict=True):
        deal[at] = card
    other = start(board.params, board.setting, tuple(deal))
    return _undecided(board._replace(deal=other.deal, hands=other.hands, bottom=other.bottom), viewer, rng)


def _undecided(board: State, viewer: int | None, rng: random.Random) -> State:
    """What others have answered, which is not decided yet, may be otherwise too."""
    answers, undecided = list(board.answers), list(board.undecided)
    for seat in SEATS:
        if seat == viewer:
            continue
        if board.phase in ("drawing", "call", "ask"):
            shown: Cards = (rng.choice(cards.KINDS),)
            answers[seat] = rng.choice([None, "pass", shown])
        if board.phase == "bury":
            undecided[seat] = bool(rng.getrandbits(1))
    return board._replace(
        answers=(answers[0], answers[1], answers[2], answers[3]),
        undecided=(undecided[0], undecided[1], undecided[2], undecided[3]),
    )


# Non-interference: hidden decisions


@deals
@given(seeds)
def test_an_answer_shows_to_nobody_else_before_it_is_decided(seed: int) -> None:
    """A bid offered or passed, and a revolution passed, while others are still waited for."""
    for step in play(seed):
        alone = len(step.events) == 1 and isinstance(step.events[0], BidOffered | BidPassed | RevoltPassed)
        if alone and step.after.phase == step.before.phase:
            for viewer in VIEWERS:
                if viewer != step.seat:
                    assert view(step.after, viewer) == view(step.before, viewer)


@deals
@given(seeds)
def test_s5_2_what_is_laid_down_shows_to_nobody_else(seed: int) -> None:
    rules, rng = rules_of(seed), random.Random(seed)
    for step in play(seed):
        if not isinstance(step.action, Bury) or step.seat is None:
            continue
        options = rules.options(step.before, step.seat)
        other = options[rng.randrange(len(options))]
        after = fold(rules.evolve, step.before, rules.decide(step.before, step.seat, other))
        for viewer in VIEWERS:
            if viewer != step.seat:
                assert view(after, viewer) == view(step.after, viewer)


@deals
@given(seeds)
def test_every_seat_is_asked_alike_when_trumps_are_bid(seed: int) -> None:
    """S4.5, S4.8: whoever may only pass is asked as well, so that the wait tells nothing."""
    for step in play(seed):
        board = step.after
        if board.phase in ("call", "ask"):
            assert [questions.put(board, seat) for seat in SEATS] == [
                "bid" if board.answers[seat] is None else "" for seat in SEATS
            ]
            assert all(Pass() in questions.options(board, seat) for seat in questions.asked(board))
        if (
            board.phase == "bury"
            and board.params.revolution
            and not any(isinstance(e, RevoltPassed) for e in step.events)
        ):
            asked = [seat for seat in SEATS if questions.put(board, seat) == "revolt"]
            assert asked == [seat for seat in SEATS if board.undecided[seat]]
