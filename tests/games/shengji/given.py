"""Deals, hands and plays written in a few words, and random ones rich in pairs."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import strategies as st

from services.domain import Rejected, fold
from services.games.shengji import actions, cards, params
from services.games.shengji.bids import DRAWN, Setting, Trumps
from services.games.shengji.cards import Cards, Counts
from services.games.shengji.decide import decide
from services.games.shengji.evolve import evolve
from services.games.shengji.order import Order, order_of
from services.games.shengji.params import Params
from services.games.shengji.state import State, orders, start
from tests.games.shengji import reference
from tests.games.shengji.reference import Deal, Play

WORDS = [cards.show(card) for card in cards.DECK]
TWICE = Counter(WORDS)

LEADS = [
    [0],
    [1],
    [2],
    [3],
    [3],
    [0] * 2,
    [0] * 5,
    [1, 0],
    [1, 1],
    [2, 0],
    [2, 1],
    [2, 0, 0],
    [1, 1, 1],
    [1, 1, 0],
]
"""Pairs in the components of leads of up to eight cards."""
HOLDINGS = [
    [0],
    [1, 1],
    [1, 1, 1, 1],
    [2, 0],
    [2, 1],
    [2, 1, 1],
    [2, 2],
    [2, 2, 1],
    [3],
    [3, 1],
    [3, 2],
    [2, 2, 2],
    [4],
]


def order(text: str = "7 H") -> Order:
    """An order: level and trump suit, `7 H`; `7 H demoted` for fallen level cards."""
    level, trump, *demoted = text.split()
    return order_of(level, trump, bool(demoted))


def play(text: str) -> Cards:
    return tuple(sorted(map(cards.parse, text.split())))


def hand(text: str) -> Counts:
    return cards.count(play(text))


def xiamen(**overrides: Any) -> Params:
    return params.resolve(params.XIAMEN, overrides)


def duplicate(**overrides: Any) -> Params:
    return params.resolve(params.DUPLICATE, overrides)


def words(codes: Cards) -> Play:
    return tuple(sorted(map(cards.show, codes)))


deals = st.builds(Deal, st.sampled_from("2 3 7 T K A".split()), st.sampled_from("SHCD"), st.booleans())


@st.composite
def plays(draw: st.DrawFn, deal: Deal, suit: str, asked: list[int], most: int) -> Play:
    """Cards of one suit that hold pieces of the sizes `asked` wherever there is room for them, `most` cards in all."""
    own = sorted({word for word in WORDS if reference.suit(deal, word) == suit})
    steps = sorted({reference.step(deal, word) for word in own})
    held: Counter[str] = Counter()
    for pairs in asked:
        start = draw(st.integers(0, max(0, len(steps) - max(pairs, 1))))
        for step in steps[start : start + max(pairs, 1)]:
            word = draw(st.sampled_from([each for each in own if reference.step(deal, each) == step]))
            held[word] += 2 if pairs else 1
    held &= Counter(dict.fromkeys(own, 2))
    spare = list((Counter(dict.fromkeys(own, 2)) - held).elements())
    short = most - sum(held.values())
    held += Counter(draw(st.permutations(spare))[: max(short, 0)])
    return tuple(sorted(held.elements()))[:most]


@st.composite
def two_hands(draw: st.DrawFn, most: int) -> tuple[Deal, Play, Play]:
    """A deal, a lead of one suit of up to eight cards, and a hand of up to `most` to follow with, mostly of that suit."""
    deal = draw(deals)
    led = draw(st.sampled_from(sorted({reference.suit(deal, word) for word in WORDS})))
    asked = draw(st.sampled_from(LEADS))
    size = sum(max(1, 2 * pairs) for pairs in asked)
    lead = draw(plays(deal, led, asked, size))
    held = draw(st.sampled_from(HOLDINGS))
    own = draw(plays(deal, led, held, draw(st.sampled_from([most, sum(held) * 2, size]))))
    others = Counter(draw(st.lists(st.sampled_from(WORDS), min_size=most, max_size=most))) & TWICE
    others -= Counter({word: 2 for word in WORDS if reference.suit(deal, word) == led})
    more = draw(st.integers(size - len(own), most - len(own))) if len(own) < most else 0
    return deal, lead, (*own, *sorted(others.elements())[: max(more, 0)])


def dealt(hands: list[str], bottom: str, params: Params, setting: Setting) -> State:
    """A deal in which the four seats draw what is written for them, in that order, filled up with what is left."""
    left = Counter(cards.DECK)
    drawn = [[cards.parse(word) for word in text.split()] for text in (*hands, "", "", "")[:4]]
    laid = [cards.parse(word) for word in bottom.split()]
    left.subtract([*laid, *(card for held in drawn for card in held)])
    spare = sorted(left.elements())
    for held in drawn:
        while len(held) < 25:
            held.append(spare.pop(0))
    laid += spare
    first = setting.first_drawer
    order = [drawn[(first + at) % 4][at // 4] for at in range(100)]
    return start(params, setting, (*order, *laid))


def playing(
    hands: str,
    *,
    declarer: int = 0,
    leader: int | None = None,
    ranked: str = "7 H",
    bottom: str = "CK C5 D2 D3 S3 S4 C2 C3",
    points: int = 0,
    params: Params | None = None,
) -> State:
    """A deal in the middle of play: hands by seat separated by `|`, of any size, nothing on the table."""
    level, trump, *demoted = ranked.split()
    rules = params or xiamen()
    trumps = Trumps(trump, declarer, bool(demoted))
    board = start(rules, Setting(level, declarer, declarer), cards.DECK)
    one, two, three, four = (hand(text) for text in hands.split("|"))
    return board._replace(
        drawn=DRAWN,
        phase="play",
        trumps=trumps,
        orders=orders(board, trumps),
        hands=(one, two, three, four),
        bottom=play(bottom),
        buried=True,
        turn=declarer if leader is None else leader,
        points=points,
    )


def act(board: State, *texts: str) -> State:
    """The board after actions, each written `0 play CA`."""
    for text in texts:
        seat, action = text.split(maxsplit=1)
        board = fold(evolve, board, decide(board, int(seat), actions.parse(action)))
    return board


def refused(board: State, text: str) -> tuple[str, str]:
    """Reason and clause of the refusal of an action."""
    seat, action = text.split(maxsplit=1)
    with pytest.raises(Rejected) as refusal:
        decide(board, int(seat), actions.parse(action))
    return refusal.value.reason, refusal.value.clause
