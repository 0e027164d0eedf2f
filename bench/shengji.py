"""The rules of Shengji alone, on one core: random deals beside bridge of OpenSpiel and RLCard, the worst follows, house AI."""

from __future__ import annotations

import asyncio
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from bench import peers
from bench.measure import cores, interleaved, measured, table
from bench.rules import Solo, beside, house, solos, spread
from services.games.shengji import cards, follow, runs
from services.games.shengji.choices import follows
from services.games.shengji.order import EFFECTIVE_SUITS, Order, order_of
from services.games.shengji.shape import demand

ABOUT = "Shengji: random deals/s beside bridge of RLCard and OpenSpiel, the worst follows found, house AI"

SHENGJI = Solo("shengji/duplicate-2017")
HAND, MOST_LED = 25, 16
KEPT, CLIMB, BUDGET_MS = 200, 40, 5
"""Worst follows that are measured, steps without a worse one before a search begins anew, and what one may take."""


class Facing(NamedTuple):
    """A lead and the hand that has to follow it."""

    order: Order
    lead: tuple[int, ...]
    hand: tuple[int, ...]


def worst(seconds: float) -> list[Facing]:
    """Follows whose legal plays take longest to work out, found by climbing from random ones, the worst first."""
    draw, found = random.Random(7), dict[Facing, float]()
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        at = _any(draw)
        cost, idle = asked(at), 0
        while idle < CLIMB and time.monotonic() < until:
            other = _changed(at, draw)
            if (taken := asked(other)) > cost:
                at, cost, idle = other, taken, 0
            else:
                idle += 1
            found[other] = taken
        found[at] = cost
    return sorted(found, key=lambda each: -found[each])[:KEPT]


def _any(draw: random.Random) -> Facing:
    order = order_of(draw.choice(cards.RANKS), draw.choice(cards.SUITS), draw.random() < 0.3)
    suit = draw.choice([suit for suit in EFFECTIVE_SUITS if order.members[suit]])
    led = _copies(order.members[suit], draw)[: draw.randint(2, MOST_LED)]
    return Facing(order, tuple(sorted(led)), _hand(order, suit, led, draw))


def _copies(kinds: Sequence[int], draw: random.Random) -> list[int]:
    """All cards of these kinds, neighbours and pairs mostly together: what tractors are made of."""
    start = draw.randrange(len(kinds))
    turned = [*kinds[start:], *kinds[:start]]
    singles = draw.sample(turned, draw.randint(0, 3)) if len(turned) > 3 else []
    return [*singles, *[card for card in turned if card not in singles for _ in range(cards.COPIES)]]


def _hand(order: Order, suit: int, led: Sequence[int], draw: random.Random) -> tuple[int, ...]:
    """A hand with as many cards of the led suit as there are left."""
    left = list(cards.expand(cards.without(cards.count(cards.DECK), led)))
    draw.shuffle(left)
    left.sort(key=lambda card: order.suits[card] != suit)
    return tuple(sorted(left[:HAND]))


def _changed(at: Facing, draw: random.Random) -> Facing:
    """The same with a card more or less led, or another card in the hand."""
    suit = at.order.suits[at.lead[0]]
    others = cards.expand(cards.without(cards.count(cards.DECK), (*at.lead, *at.hand)))
    own = [card for card in others if at.order.suits[card] == suit]
    lead, hand = list(at.lead), list(at.hand)
    if own and len(lead) < MOST_LED and draw.random() < 0.4:
        lead.append(draw.choice(own))
    elif len(lead) > 2 and draw.random() < 0.5:
        lead.remove(draw.choice(lead))
    else:
        hand[draw.randrange(HAND)] = draw.choice(others)
    return Facing(at.order, tuple(sorted(lead)), tuple(sorted(hand)))


def asked(at: Facing) -> float:
    """CPU milliseconds to count the legal plays and to give the first, the middle and the last, nothing remembered."""
    for memo in (follow.follows, runs.best_answer, runs.fits):
        memo.cache_clear()
    hand, lead = cards.count(at.hand), demand(at.order, at.lead)
    began = time.process_time()
    plays = follows(at.order, hand, lead, partial=True)
    for index in {0, len(plays) // 2, len(plays) - 1}:
        plays[index]
    return 1000 * (time.process_time() - began)


def asking(found: Sequence[Facing]) -> Callable[[], Mapping[str, float]]:
    """How long the worst follows take."""
    return lambda: spread([asked(at) for at in found])


def margin(boards: int) -> tuple[float, float]:
    """Points a board by which house AI beats the fallback player, every deal played by both on either side; and the standard
    error over deals."""
    margins = [sum(_made(seed, side) for side in (0, 1)) / 2 for seed in range(boards)]
    return statistics.mean(margins), statistics.stdev(margins) / boards**0.5


def _made(seed: int, side: int) -> int:
    """What house AI on a side makes of a board against fallback players."""
    rules = SHENGJI.rules

    def choose(state: Any, seat: int) -> Any:
        if seat % 2 == side:
            return rules.choose(rules.view(state, seat))
        return rules.fallback(state, seat)

    outcome = rules.outcome(SHENGJI.ended(seed, choose)[0])
    assert outcome is not None
    return outcome.scores[side]


async def measure(quick: bool) -> None:
    seconds = 2.0 if quick else 6.0
    bridge = {
        "RLCard, bare loop": peers.case("rlcard_bridge", seconds=seconds, by="loop"),
        "RLCard's agents": peers.case("rlcard_bridge", seconds=seconds, by="agents"),
        "RLCard's core": peers.case("rlcard_bridge", seconds=seconds, by="core"),
        "OpenSpiel (C++)": peers.case("openspiel_bridge", seconds=seconds),
    }
    ours = solos(SHENGJI.rules.id, seconds)
    what = "random legal deals on one core; ours are of 100 cards, bridge's of 52"
    await beside(("boards", "moves"), what, ours, bridge, seconds)
    found = worst(10 if quick else 60)
    one = (await interleaved({"follows": measured(asking(found))}))["follows"]
    print(
        f"legal plays of the {len(found)} worst follows found, counted and three of them given; medians of 3 runs"
    )
    table(
        ("CPU", "p50 ms", "p99 ms", "most ms", "limit of p99", "cores"),
        [
            (
                "follows",
                f"{one['p50']:.2f}",
                f"{one['p99']:.2f}",
                f"{one['most']:.1f}",
                str(BUDGET_MS),
                cores(one),
            )
        ],
    )
    await house(SHENGJI, 10 if quick else 60)
    boards = 40 if quick else 200
    mean, error = margin(boards)
    print(
        f"house AI against the fallback player, {boards} duplicate boards: {mean:+.1f} ± {error:.1f} points a board"
    )


def run(quick: bool) -> None:
    """See ABOUT."""
    asyncio.run(measure(quick))
