"""Pairs of boards that differ in nothing but what must stay hidden, found by playing with the rules alone.

A seat is the *odd* one: in the second course it holds another tile in place of one that lies at the end of the stock, or takes
another choice at some claim, and goes on so that everybody else is shown the same as in the first.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from services.games import registry

RULES = registry.find("paohuzi/competitive-2017")
SEATS = range(RULES.seats)
PASS = RULES.parse("pass")

Deal = tuple[int, ...]
Chooses = Callable[[int, Any, Any, bool], Any]
"""The action of a seat by its view, the public's, and whether it alone is asked; None: the course is of no use."""


@dataclass
class Course:
    """A board up to some moment: what is answered to what is seen, and what the table and each seat were shown."""

    deal: Deal
    answers: dict[tuple[int, Any], Any] = field(default_factory=dict)
    """Actions by seat and view."""
    shown: list[tuple[Any, ...]] = field(default_factory=list)
    """Views of the seats and, last, of a spectator; whenever any of them changed."""

    def after(self, state: Any, events: tuple[Any, ...]) -> Any:
        """The state after some events; what is shown at every tile that is played or drawn, and at the end."""
        for event in events:
            state = RULES.evolve(state, event)
            if RULES.is_beat(event):
                self._show(state)
        self._show(state)
        return state

    def _show(self, state: Any) -> None:
        self.shown.append((*(RULES.view(state, seat) for seat in SEATS), RULES.view(state, None)))

    def seen_without(self, odd: int) -> list[tuple[Any, ...]]:
        """What all but one seat were shown, each change once."""
        seen: list[tuple[Any, ...]] = []
        for views in self.shown:
            others = (*views[:odd], *views[odd + 1 :])
            if not seen or seen[-1] != others:
                seen.append(others)
        return seen


@dataclass(frozen=True)
class Pair:
    """Two courses that differ in what seat `odd` alone knows; `silent`: in the second it alone is asked, in the first nobody."""

    odd: int
    first: Course
    second: Course
    silent: bool


def play(deal: Deal, chooses: Chooses, answers: int) -> Course | None:
    """A board of so many answers, or up to its end."""
    course, state = Course(deal), RULES.start(RULES.resolve({}), 1, deal)
    state = course.after(state, RULES.opening(state))
    for _ in range(answers):
        asked = RULES.asked(state)
        if not asked:
            break
        seat, views = asked[0], course.shown[-1]
        action = chooses(seat, views[seat], views[-1], len(asked) == 1)
        if action is None:
            return None
        course.answers[seat, views[seat]] = action
        state = course.after(state, RULES.decide(state, seat, action))
    return course


def greedily(seat: int, view: Any, public: Any, alone: bool) -> Any:
    """The first claim there is, else the first tile that may be played."""
    return view.options[0]


class Mimic:
    """Everybody does what it did in another course, but the odd seat differs once, or is asked when it was not."""

    def __init__(self, before: Course, odd: int, other: Any = None) -> None:
        self.silent: list[Any] = []
        """Its views where it alone is asked, when nobody was in the other course."""
        self._odd = odd
        self._other = other
        self._known = {
            views[-1]: action
            for views in before.shown
            if (action := before.answers.get((odd, views[odd]))) is not None
        }

    def __call__(self, seat: int, view: Any, public: Any, alone: bool) -> Any:
        """See Chooses."""
        if seat != self._odd:
            return greedily(seat, view, public, alone)
        action = self._known.get(public)
        if action is None:
            # What the others must not notice: here it is asked.
            action = PASS
            self.silent += [view] if alone else []
        elif self._other is not None and view == self._other[0]:
            action = self._other[1]
        return action if action in view.options else None


def other_tiles(seed: int, answers: int) -> Iterator[Pair]:
    """Pairs whose odd seat holds another tile."""
    rng = random.Random(seed)
    deal = list(RULES.deck)
    rng.shuffle(deal)
    first = play(tuple(deal), greedily, answers)
    assert first is not None
    for _ in range(30):
        held, far = rng.randrange(60), rng.randrange(72, 80)
        swapped = list(deal)
        swapped[held], swapped[far] = deal[far], deal[held]
        if swapped == deal:
            continue
        odd = _holder(tuple(deal), tuple(swapped))
        mimic = Mimic(first, odd)
        second = play(tuple(swapped), mimic, answers + 3)
        if second is not None and (pair := _pair(odd, first, second, mimic.silent)):
            yield pair


def other_choices(seed: int, answers: int) -> Iterator[Pair]:
    """Pairs whose odd seat answers a claim otherwise, which others outrank."""
    rng = random.Random(seed)
    deal = list(RULES.deck)
    rng.shuffle(deal)
    first = play(tuple(deal), greedily, answers)
    assert first is not None
    for (seat, view), action in list(first.answers.items()):
        for option in view.options:
            if option == action or PASS not in view.options:
                continue
            second = play(tuple(deal), Mimic(first, seat, (view, option)), answers + 3)
            pair = None if second is None else _pair(seat, first, second, [])
            # Where the courses part at once, the others were bound to notice.
            if pair and {(seat, view)} <= pair.first.answers.keys() & pair.second.answers.keys():
                yield pair


def _holder(one: Deal, two: Deal) -> int:
    params = RULES.resolve({})
    before, after = (RULES.start(params, 1, deal) for deal in (one, two))
    return next(seat for seat in SEATS if RULES.view(before, seat).hand != RULES.view(after, seat).hand)


def _pair(odd: int, first: Course, second: Course, silent: list[Any]) -> Pair | None:
    """The pair, cut where the courses part; None when that is too soon to be worth a run."""
    one, two = first.seen_without(odd), second.seen_without(odd)
    same = next(
        (n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two))
    )
    if same < 8:
        return None
    last = one[same - 1]
    first, second = _cut(first, odd, last), _cut(second, odd, last)
    return Pair(odd, first, second, any((odd, view) in second.answers for view in silent))


def _cut(course: Course, odd: int, last: tuple[Any, ...]) -> Course:
    """The course without the answers to what is first seen when the others see `last`."""
    views = [(*one[:odd], *one[odd + 1 :]) for one in course.shown]
    end = views.index(last)
    later = {view for one in course.shown[end:] for view in one}
    answers = {key: action for key, action in course.answers.items() if key[1] not in later}
    return Course(course.deal, answers, course.shown[: end + 1])
