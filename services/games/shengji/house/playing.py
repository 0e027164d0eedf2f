"""What to lead and what to follow with: the play that brings most for what it costs (S6-S8)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from services.games.shengji.actions import Play
from services.games.shengji.cards import Cards, points
from services.games.shengji.house.knowledge import Knowledge, safe_components
from services.games.shengji.house.worth import given_up
from services.games.shengji.order import EFFECTIVE_SUITS, TRUMPS
from services.games.shengji.shape import split

MOST = 160
"""Follows weighed one by one; of more only some, evenly spread over the sequence."""
TEMPO = 6.0
"""What it is worth to win a trick beside its points: the next lead."""
BOTTOM, NEAR = 10.0, 10
"""What it costs to part with one's last sure trump, which would win the bottom (S9.1), with so many cards left or fewer."""
PARTNERS, OPPONENTS = 5.0, 2.0
"""Points a card that a partner, or an opponent, is likely to add to a trick that goes our way."""
DRAW = 2.5
"""What leading trumps is worth to the declarer's side while the others have any."""


RESCUE = 0.2
"""How often the partner that can take a lost lead does so before an opponent goes over it."""
TAKE_OVER = 0.7
"""How often the partner that can take a trick from an opponent does."""
LOSS = 1.0
"""Share of what a partner would bring that is lost with a lead."""


def lead(knowledge: Knowledge) -> Play:
    """The best lead: a component of the hand, or a throw that cannot fail."""
    return Play(max(_leads(knowledge), key=lambda play: (_lead_value(knowledge, play), play)))


def follow(knowledge: Knowledge) -> Play:
    """The best follow."""
    options = knowledge.view.options
    plays = [action.cards for action in _some(options) if isinstance(action, Play)]
    return Play(max(plays, key=lambda play: (_follow_value(knowledge, play), play)))


def _some(options: Sequence[object]) -> Iterable[object]:
    if len(options) <= MOST:
        return options
    return [options[at * len(options) // MOST] for at in range(MOST)]


def _leads(knowledge: Knowledge) -> list[Cards]:
    order, hand = knowledge.order, knowledge.hand
    found: set[Cards] = set()
    for suit in EFFECTIVE_SUITS:
        own = tuple(sorted(card for card in order.members[suit] for _ in range(hand[card])))
        if not own:
            continue
        found |= {each.cards for each in split(order, own)}
        found |= {(card,) for card in own}
        found |= {(card, card) for card in own if hand[card] == 2}
        safe = safe_components(knowledge, suit)
        if safe:
            found.add(safe)
    return sorted(found)


def _lead_value(knowledge: Knowledge, play: Cards) -> float:
    order = knowledge.order
    suit, shape = order.suits[play[0]], split(order, play)
    after = [(knowledge.seat + distance) % 4 for distance in (1, 2, 3)]
    win = 1.0
    for seat in knowledge.opponents(after):
        win *= 1 - knowledge.overtaken(seat, suit, shape, suit)
    rescue = (1 - win) * knowledge.overtaken(knowledge.partner, suit, shape, suit) * RESCUE
    size = len(play)
    brought = points(play) + size * (PARTNERS + OPPONENTS)
    value = (win + rescue) * brought - (1 - win - rescue) * LOSS * size * PARTNERS + TEMPO * win
    if suit == TRUMPS:
        others = any(not knowledge.void(seat, TRUMPS) for seat in knowledge.opponents(after))
        value += (DRAW if knowledge.declaring and others else -1.0) * size
    return value - given_up(order, knowledge.hand, play) - _bottom_lost(knowledge, play)


def _follow_value(knowledge: Knowledge, play: Cards) -> float:
    view, order = knowledge.view, knowledge.order
    leader = view.trick[0].seat
    plays = [laid.cards for laid in view.trick]
    after = [(leader + at) % 4 for at in range(len(plays) + 1, 4)]
    led = order.suits[plays[0][0]]
    winner = knowledge.winning([*plays, play], leader)
    ours = winner in (knowledge.seat, knowledge.partner)
    best = play if winner == knowledge.seat else plays[(winner - leader) % 4]
    shape, suit = split(order, best), order.suits[best[0]]
    win = 1.0 if ours else 0.0
    if ours:
        for seat in knowledge.opponents(after):
            win *= 1 - knowledge.overtaken(seat, led, shape, suit)
    elif knowledge.partner in after:
        win = knowledge.overtaken(knowledge.partner, led, shape, suit) * TAKE_OVER
    table = sum(points(each) for each in plays) + points(play)
    size = len(play)
    coming = sum([PARTNERS if seat == knowledge.partner else OPPONENTS for seat in after], 0.0) * size
    value = win * (table + coming) + TEMPO * win
    return value - given_up(order, knowledge.hand, play) - _bottom_lost(knowledge, play)


def _bottom_lost(knowledge: Knowledge, play: Cards) -> float:
    """What is lost with the last trump that nobody can beat, when the last trick comes near."""
    left, sure = len(knowledge.view.hand) - len(play), knowledge.sure_trumps
    parted = all(play.count(card) == knowledge.hand[card] for card in sure)
    return BOTTOM if sure and parted and 0 < left <= NEAR else 0.0
