"""The engine of Shengji and the shadow referee play the same deals; after every act they must say the same (S3-S9)."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from services.domain import fold
from services.games.shadow.check import Difference, Told
from services.games.shadow.check_shengji import FACTS, check, fact
from services.games.shadow.shengji import Bidding, Deal, Order
from services.games.shengji import cards
from services.games.shengji.actions import Bury, Play
from services.games.shengji.bids import Setting
from services.games.shengji.events import TrickWon
from services.games.shengji.ruleset import DUPLICATE_2017, XIAMEN_2015, Shengji
from services.games.shengji.state import State

OVERRIDES: list[dict[str, Any]] = [
    {},
    {"throw_fine": 0},
    {"partial_tractor_follow": False},
    {"tractor_over_pairs": True},
    {"demote": "none"},
]


class Duel:
    """One deal in both hands."""

    def __init__(self, seed: int, rules: Shengji, overrides: dict[str, Any]) -> None:
        self.rng = random.Random(seed)
        self.rules = rules
        self.seen: Counter[str] = Counter()
        params = rules.resolve(overrides)
        self.params = rules.describe(params)
        deal = self.dealt()
        declarer = self.rng.choice([None, *range(4)]) if rules is XIAMEN_2015 else self.rng.randrange(4)
        first = self.rng.randrange(4) if declarer is None else declarer
        self.dealt_cards = texts(deal)
        setting = Setting(self.rng.choice(cards.RANKS), declarer, first)
        self.state: State = rules.deal(params, setting, deal)
        self.setting = setting
        self.bidding = Bidding(setting.level, first, texts(deal))
        self.deal: Deal | None = None
        self.steps: list[Told] = []
        self.told(rules.opening(self.state))

    def dealt(self) -> tuple[int, ...]:
        """All cards in an order of chance, in half of the deals with many pairs in one hand: shuffled suit by suit."""
        deck = list(self.rules.deck)
        self.rng.shuffle(deck)
        if self.rng.random() < 0.5:
            held = sorted(
                deck, key=lambda card: card // 2 if self.rng.random() < 0.9 else self.rng.randrange(54)
            )
            cut = self.rng.randrange(108)
            held = held[cut:] + held[:cut]
            hands = [held[seat * 25 : seat * 25 + 25] for seat in range(4)]
            for hand in hands:
                self.rng.shuffle(hand)
            deck = [hands[seat][number] for number in range(25) for seat in range(4)] + held[100:]
        return tuple(deck)

    def play(self) -> None:
        """From the first bid to the end of the deal."""
        while waiting := self.rules.asked(self.state):
            seat = self.rng.choice(waiting)
            if self.rules.question(self.state, seat) == "play":
                self.agree_on_plays(seat)
            self.act(seat, self.choice(seat))

    def choice(self, seat: int) -> Any:
        options = self.rules.options(self.state, seat)
        if self.rng.random() < 0.5:
            return self.rules.choose(self.rules.view(self.state, seat))
        return options[self.rng.randrange(len(options))]

    def agree_on_plays(self, seat: int) -> None:
        """Cards of chance: both take them, or both refuse them."""
        assert self.deal is not None
        options = self.rules.options(self.state, seat)
        held = list(cards.expand(self.state.hands[seat]))
        size = len(self.state.trick[0]) if self.state.trick else self.rng.randint(1, min(5, len(held)))
        legal = options[self.rng.randrange(len(options))]
        assert isinstance(legal, Play)
        for _ in range(6):
            picked = self.rng.sample(held, min(size, len(held)))
            if self.rng.random() < 0.6:  # close to what is legal: one or two cards changed
                picked = list(legal.cards)
                for _ in range(self.rng.randint(0, 2)):
                    picked.pop(self.rng.randrange(len(picked)))
                    rest = list((Counter(held) - Counter(picked)).elements())
                    picked.append(self.rng.choice(rest))
            play = Play(tuple(sorted(picked)))
            ours = self.deal.may_play(seat, texts(picked))
            assert (play in options) == ours, self.at(
                f"{texts(picked)} of seat {seat}: engine {play in options}"
            )

    def act(self, seat: int, action: Any) -> None:
        """One act in both hands."""
        before = len(self.deal.facts) if self.deal is not None else 0
        events = self.rules.decide(self.state, seat, action)
        if isinstance(action, Bury) and self.deal is not None:
            self.deal.bury(seat, texts(action.cards))
        if isinstance(action, Play):
            assert self.deal is not None
            self.deal.play(seat, texts(action.cards))
        self.told(events, before, seat, self.rules.show(action))

    def told(self, events: Sequence[Any], before: int = 0, seat: int | None = None, do: str = "") -> None:
        self.state = fold(self.rules.evolve, self.state, events)
        outcome = self.rules.outcome(self.state)
        scores = None if outcome is None else outcome.scores
        self.steps.append(Told(seat, do, tuple(map(self.rules.tell, events)), {}, scores))
        lines = [self.rules.tell(event).split() for event in events]
        for name, *words in lines:
            self.seen[name] += 1
            if name == "bid_made":
                self.bidding.bid(int(words[0]), words[1:])
            elif name == "bottom_turned":
                assert words == self.bidding.trump()[1]
            elif name == "trumps_set":
                self.trumps(words[0], int(words[1]), len(words) > 2)
        if self.deal is None:
            return
        facts = [fact for fact in self.deal.facts[before:] if fact[0] != "deal_ended"]
        happened = [fact(line) for line in lines if line[0] in FACTS]
        assert happened == facts, self.at(f"engine {happened}, shadow {facts}")
        assert self.state.points == self.deal.points, self.at(f"engine has {self.state.points} points")
        ended = [words for name, *words in lines if name == "deal_ended"]
        assert bool(ended) == self.deal.over
        if ended:
            assert tuple(map(int, ended[0][:2])) == self.deal.facts[-1][1:], self.at(str(ended))
            self.scored()

    def trumps(self, suit: str, declarer: int, demoted: bool) -> None:
        bid = self.bidding.standing
        assert suit == self.bidding.trump()[0]
        assert demoted == (bid is None and self.params["demote"] == "all_eight")
        first = self.setting.first_drawer if bid is None else bid[0]
        assert declarer == (first if self.setting.declarer is None else self.setting.declarer)  # S4.7
        order = Order(self.setting.level, suit, demoted)
        self.deal = Deal(self.params, self.bidding.hands, self.bidding.bottom, order, declarer)

    def scored(self) -> None:
        """S9.6."""
        outcome, deal = self.rules.outcome(self.state), self.deal
        assert outcome is not None
        assert deal is not None
        if self.rules is DUPLICATE_2017:
            worth = [deal.points - 80, 80 - deal.points]
            assert list(outcome.scores) == [worth[seat % 2 == deal.declarer % 2] for seat in range(4)]

    def checked(self, steps: Sequence[Told]) -> Difference | None:
        """What the shadow says of the deal as a replay tells it."""
        level, declarer, first = self.setting
        return check(self.params, level, declarer, first, self.dealt_cards, steps)

    def at(self, what: str) -> str:
        deal = self.deal
        assert deal is not None
        order = {card: (deal.order.suit[card], deal.order.place[card]) for card in ("S2", "H2", "C2", "D2")}
        return f"{what}; {self.setting} {order} {self.params}\ntrick {deal.trick}\nhands {deal.hands}\nshadow {deal.points}"


def texts(codes: Sequence[int]) -> list[str]:
    return [cards.show(card) for card in codes]


def played(seed: int, rules: Shengji, overrides: dict[str, Any]) -> Counter[str]:
    duel = Duel(seed, rules, overrides)
    duel.play()
    assert duel.checked(duel.steps) is None
    return duel.seen


@pytest.mark.parametrize("overrides", OVERRIDES, ids=str)
@pytest.mark.parametrize("rules", [DUPLICATE_2017, XIAMEN_2015], ids=lambda rules: rules.id)
def test_both_say_the_same_after_every_act(rules: Shengji, overrides: dict[str, Any]) -> None:
    seen: Counter[str] = Counter()
    for seed in range(8):
        seen += played(seed, rules, overrides)
    assert {"trick_won", "throw_failed", "bid_made"} <= set(seen)


def pointless(decide: Callable[..., Any]) -> Callable[..., Any]:
    """An engine that counts no points of tricks (S8.4)."""

    def faulty(self: Shengji, state: State, seat: int, action: Any) -> tuple[Any, ...]:
        events = decide(self, state, seat, action)
        return tuple([replace(event, points=0) if isinstance(event, TrickWon) else event for event in events])

    return faulty


def only_the_first(options: Callable[..., Any]) -> Callable[..., Any]:
    """An engine that allows one play and no other."""
    return lambda self, state, seat: options(self, state, seat)[:1]


@pytest.mark.parametrize(("method", "fault"), [("decide", pointless), ("options", only_the_first)])
def test_a_fault_of_the_engine_is_found(
    method: str, fault: Callable[[Any], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shengji, method, fault(getattr(Shengji, method)))
    with pytest.raises(AssertionError, match="engine"):
        played(0, DUPLICATE_2017, {})


@pytest.mark.parametrize(
    ("pattern", "by", "what"),
    [
        (r"^trick_won (\d) \d+", r"trick_won \1 200", "happened"),
        (r"^trumps_set [SHCD]", "trumps_set S", "happened"),
        (r"^buried (\d) \w+", r"buried \1 SA", "happened"),
        (r"^deal_ended -?\d+", "deal_ended 315", "happened"),
        (r"^bid_made (\d) \w+", r"bid_made \1 JO", "refused"),
    ],
)
def test_an_event_that_the_rules_do_not_give_is_found(pattern: str, by: str, what: str) -> None:
    shown = 0
    for seed in range(4):
        duel = Duel(seed, DUPLICATE_2017, {})
        duel.play()
        spoilt = [
            replace(step, events=tuple(re.sub(pattern, by, event) for event in step.events))
            for step in duel.steps
        ]
        first = next(
            (n for n, pair in enumerate(zip(duel.steps, spoilt, strict=True), 1) if pair[0] != pair[1]), 0
        )
        if first:
            shown += 1
            assert duel.checked(spoilt) == Difference(first, what)  # type: ignore[arg-type]
    assert shown


def test_a_play_that_the_rules_do_not_allow_and_another_score_are_found() -> None:
    duel = Duel(1, DUPLICATE_2017, {})
    duel.play()
    at = next(number for number, step in enumerate(duel.steps) if step.do.startswith("play"))
    other = replace(duel.steps[at], seat=(duel.steps[at].seat or 0) + 1)
    assert duel.checked([*duel.steps[:at], other, *duel.steps[at + 1 :]]) == Difference(at + 1, "refused")
    last = replace(duel.steps[-1], scores=(0, 0, 0, 0))
    assert duel.checked([*duel.steps[:-1], last]) == Difference(len(duel.steps), "scores")


@pytest.mark.chaos
@pytest.mark.parametrize("overrides", OVERRIDES, ids=str)
@pytest.mark.parametrize("rules", [DUPLICATE_2017, XIAMEN_2015], ids=lambda rules: rules.id)
@pytest.mark.parametrize("hundred", range(1, 6))
def test_both_say_the_same_for_long(hundred: int, rules: Shengji, overrides: dict[str, Any]) -> None:
    for seed in range(100 * hundred, 100 * hundred + 100):
        played(seed, rules, overrides)
