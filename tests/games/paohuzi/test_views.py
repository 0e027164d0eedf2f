"""P13: what each seat may know, and that nothing hidden shows in any other seat's view."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.domain import Rejected, fold
from services.games.paohuzi import questions, tiles
from services.games.paohuzi.actions import PASS, PENG, WIN, Action, Eat, Play
from services.games.paohuzi.events import EatClaimed, Event, Passed, PengClaimed, WinClaimed
from services.games.paohuzi.melds import Meld
from services.games.paohuzi.ruleset import COMPETITIVE_2017 as RULES
from services.games.paohuzi.sight import view
from services.games.paohuzi.state import SEATS, UNANSWERED, Memo, State
from services.games.paohuzi.view import SeatView
from tests.games.paohuzi.boards import play
from tests.games.paohuzi.given import act, drawn, draws, kind, played, seat

seeds = st.integers(0, 2**32)
boards = settings(max_examples=150, deadline=None)
VIEWERS = (*SEATS, None)
ANSWERS = (Passed, WinClaimed, PengClaimed, EatClaimed)
S5 = kind("s5")


# What is shown


def test_p13_the_allow_list() -> None:
    """A new field needs a clause that makes it public, or its owner's alone."""
    public = {
        "seat", "dealer", "bright", "stock_left", "fronts", "current", "current_from", "current_drawn", "owes",
        "min_huxi", "over", "won", "fans",
    }  # fmt: skip
    own = {"hand", "options", "dead_eat", "dead_peng", "dead_hand"}
    assert set(SeatView._fields) == public | own


def test_p13_a_hand_is_its_owners_and_its_size_everybodys() -> None:
    board = drawn("s5", 0, {1: seat("s1 s2 s3")})
    assert view(board, 1).hand == tuple(board.seats[1].hand)
    assert sum(view(board, 1).hand) == 3
    for viewer in (0, 2, None):
        seen = view(board, viewer)
        assert seen.hand_sizes[1] == 3
        assert kind("s1") not in tiles.expand(seen.hand)


def test_p13_closed_melds_are_open_to_their_owner_alone() -> None:
    laid = ["wei s1", "chouwei s2", "ti s3", "pao s4", "peng s6", "run b1 b2 b3"]
    board = drawn("s5", 0, {1: seat("b5", laid)})
    assert view(board, 1).melds[1] == board.seats[1].melds
    for viewer in (0, 2, None):
        assert view(board, viewer).melds[1] == (
            Meld("wei", (0, 0, 0)),
            Meld("chouwei", (0, 0, 2)),
            Meld("ti", (0, 0, 0, 3)),
            *board.seats[1].melds[3:],
        )


def test_p5_3_a_wei_hides_its_tile_and_the_number_of_tiles_shows() -> None:
    board = draws("s5", 1, {1: seat("s5 s5 b1")})
    seen = view(board, 0)
    assert seen.melds[1] == (Meld("wei", (0, 0, 0)),)
    assert (seen.current, seen.hand_sizes[1], seen.owes) == (0, 1, 1)


def test_p13_the_tile_on_offer_where_from_and_how() -> None:
    for viewer in VIEWERS:
        seen = view(drawn("s5", 1, {2: seat("s5 s5 b1")}), viewer)
        assert (seen.current, seen.current_from, seen.current_drawn) == (S5, 1, True)
        seen = view(played("s5", 1, {2: seat("s5 s5 b1")}), viewer)
        assert (seen.current, seen.current_from, seen.current_drawn) == (S5, 1, False)
        seen = view(draws("s5", 1, {1: seat("s5 s5 b1")}), viewer)
        assert (seen.current, seen.current_from, seen.current_drawn) == (0, None, False)


def test_p5_4_who_owes_a_tile_is_public() -> None:
    for viewer in VIEWERS:
        assert view(draws("s5", 1, {1: seat("s5 s5 b1")}), viewer).owes == 1
        assert view(drawn("s5", 1, {2: seat("s5 s5 b1")}), viewer).owes is None


def test_p13_dead_tiles_and_played_kinds_are_public() -> None:
    board = act(draws("s5", 1, {1: seat("s5 s5 b1"), 0: seat("s9 s9 b2")}, stock="s9"), "1 play b1")
    for viewer in VIEWERS:
        seen = view(board, viewer)
        assert seen.played_kinds == ((), (kind("b1"),), ())
        assert seen.discards == ((), (kind("b1"),), ())


def test_p6_4_a_question_is_seen_by_the_seat_it_is_put_to() -> None:
    board = drawn("s5", 0, {1: seat("s4 s6 b1"), 2: seat("s5 s5 b1")})
    assert [len(view(board, viewer).options) for viewer in VIEWERS] == [0, 2, 2, 0]
    answered = act(board, "1 pass")
    assert [len(view(answered, viewer).options) for viewer in VIEWERS] == [0, 0, 2, 0]


def test_a_won_board_shows_the_winning_hand_and_no_other() -> None:
    hand = "s1 s2 s3 s4 s6 s8 s9 s10 b1 b1 b1 b2 b4 b5 b6 b7 b9 b9 b9 b10"
    board = act(drawn("s5", 2, {1: seat(hand), 0: seat("s7 s7")}), "1 win")
    for viewer in VIEWERS:
        seen = view(board, viewer)
        assert seen.over
        assert seen.won == board.result
        assert seen.current == S5
        assert seen.options == ()
        assert viewer in (0, None) or kind("s7") not in tiles.expand(seen.hand)


def test_p5_7_a_dead_hand_is_known_to_its_owner() -> None:
    board = draws("s5", 1, {1: seat("s5 s5 s3 s3 s3")})
    assert board.seats[1].dead
    assert [view(board, viewer).dead_hand for viewer in VIEWERS] == [False, True, False, False]


# Non-interference: hidden tiles


@boards
@given(seeds)
def test_tiles_in_other_hands_and_in_the_stock_do_not_show(seed: int) -> None:
    """Other hands, others' wei and the stock are dealt out anew, sizes kept: the view stays the same.

    But a seat that could only eat what must go into somebody's pao is not asked (P6.4).
    """
    rng = random.Random(seed)
    for step in play(seed):
        board = step.after
        for viewer in VIEWERS:
            other = _redealt(board, viewer, rng)
            one, two = RULES.view(board, viewer), RULES.view(other, viewer)
            if questions.of(board).pao == questions.of(other).pao or (one.options and two.options):
                assert one == two
            else:
                assert one._replace(options=()) == two._replace(options=())


def test_p6_1_a_refusal_tells_nobody_that_another_holds_a_kan() -> None:
    """Who is asked whether it wins tries an eat that is none: a pao that waits behind its win is not its to know."""
    wins = "s1 s2 s3 s4 s6 s8 s9 s10 b1 b1 b1 b2 b4 b5 b6 b7 b9 b9 b9 b10"
    tried = Eat((kind("s4"), kind("s6")), (Meld("run", (kind("b4"), kind("b5"), kind("b6"))),))
    told = []
    for other in ("s5 s5 s5", "s7 s7 s10"):
        board = drawn("s5", 0, {1: seat(wins), 2: seat(other)})
        assert view(board, 1).options
        told.append(_refused(board, 1, tried))
    assert told[0] == told[1]


@boards
@given(seeds)
def test_what_a_seat_that_is_asked_is_refused_depends_on_what_it_sees_alone(seed: int) -> None:
    rng = random.Random(seed)
    for step in play(seed):
        board = step.after
        for asked in SEATS:
            other = _redealt(board, asked, rng)
            seen = view(board, asked)
            if not seen.options or seen != view(other, asked):
                continue
            for action in _tries(board.seats[asked].hand, rng):
                if action not in seen.options:
                    assert _refused(board, asked, action) == _refused(other, asked, action)


def _tries(hand: bytes, rng: random.Random) -> Iterator[Action]:
    """Answers of all kinds with tiles of a hand, most of them no answers to anything."""
    yield from (WIN, PENG, PASS)
    held = tiles.expand(hand)
    for _ in range(min(len(held) // 2, 4)):
        one, two, *rest = rng.sample(held, min(len(held), 5))
        yield Play(one)
        yield Eat(tuple(sorted((one, two))))
        if len(rest) == 3:
            yield Eat(tuple(sorted((one, two))), (Meld("run", tuple(sorted(rest))),))


def _refused(board: State, asked: int, action: Action) -> tuple[str, str, str]:
    with pytest.raises(Rejected) as refusal:
        RULES.decide(board, asked, action)
    return refusal.value.reason, refusal.value.clause, refusal.value.detail


def _redealt(board: State, viewer: int | None, rng: random.Random) -> State:
    """Another board that `viewer` cannot tell from this one by what has been shown."""
    others = [number for number in SEATS if number != viewer]
    pool = [*board.stock[board.drawn :], *(t for n in others for t in tiles.expand(board.seats[n].hand))]
    rng.shuffle(pool)
    seats = list(board.seats)
    for number in others:
        size = sum(seats[number].hand)
        seats[number] = seats[number]._replace(
            hand=bytes(tiles.count(pool[:size])),
            # What only the seat itself knows may be otherwise too.
            no_eat=rng.getrandbits(21),
            no_peng=rng.getrandbits(21),
            peng_passed=rng.getrandbits(21),
            melds=tuple(_any_wei(meld, rng) for meld in seats[number].melds),
        )
        pool = pool[size:]
    first, second, third = seats
    stock = (*board.stock[: board.drawn], *pool)
    return board._replace(seats=(first, second, third), stock=stock, memo=Memo())


def _any_wei(meld: Meld, rng: random.Random) -> Meld:
    return Meld("wei", (rng.choice(tiles.KINDS),) * 3) if meld.name == "wei" else meld


# Non-interference: hidden decisions


@boards
@given(seeds)
def test_an_answer_shows_to_nobody_else_before_the_tile_is_awarded(seed: int) -> None:
    for step in play(seed):
        board = step.before
        if board.phase not in ("played", "drawn", "bright"):
            continue
        for asked in RULES.asked(board):
            for action in RULES.options(board, asked):
                after = fold(RULES.evolve, board, RULES.decide(board, asked, action))
                if _same_offer(board, after):
                    for viewer in VIEWERS:
                        if viewer != asked:
                            assert RULES.view(after, viewer) == RULES.view(board, viewer)


@boards
@given(seeds)
def test_an_answer_that_loses_never_shows_to_the_others(seed: int) -> None:
    """Where only one seat's answer differs and the tile goes to the same claim, all others see the same."""
    for step in play(seed):
        asked = RULES.asked(step.before)
        if len(asked) < 2 or step.before.answers != UNANSWERED:
            continue
        views: dict[tuple[object, ...], SeatView] = {}
        for answers in product(*(RULES.options(step.before, number) for number in asked)):
            given_by = dict(zip(asked, answers, strict=True))
            after, award = _awarded(step.before, given_by)
            for changing, viewer in product(asked, VIEWERS):
                if viewer != changing:
                    rest = tuple(given_by[number] for number in asked if number != changing)
                    seen = RULES.view(after, viewer)
                    assert views.setdefault((changing, viewer, rest, award), seen) == seen


def _same_offer(board: State, after: State) -> bool:
    before, now = (
        (each.phase, each.tile, each.drawn, each.actor, each.stock_left) for each in (board, after)
    )
    return before == now


def _awarded(board: State, answers: dict[int, Action]) -> tuple[State, Event]:
    """The board at the moment the tile on offer has been awarded, and the award."""
    for number, answer in answers.items():
        for event in RULES.decide(board, number, answer):
            board = RULES.evolve(board, event)
            if not isinstance(event, ANSWERS):
                return board, event
    raise AssertionError("everybody answered and nothing came of it")
