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

SHORTEST = 8
"""Changes that all but the odd seat see in a pair that is worth a run."""

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
    """Views of the seats and, last, of a spectator, one after the other."""
    ends: list[int] = field(default_factory=list)
    """How many were shown after the deal and after each answer."""

    def after(self, state: Any, events: tuple[Any, ...]) -> Any:
        """The state after some events; what is shown at every tile that is played or drawn, and at the end."""
        for event in events:
            state = RULES.evolve(state, event)
            if RULES.is_beat(event):
                self._show(state)
        self._show(state)
        self.ends.append(len(self.shown))
        return state

    def _show(self, state: Any) -> None:
        self.shown.append((*(RULES.view(state, seat) for seat in SEATS), RULES.view(state, None)))

    def seen_without(self, odd: int) -> list[tuple[Any, ...]]:
        """What all but one seat were shown, each change once."""
        return self._changes(odd)[0]

    def steps_without(self, odd: int) -> list[int]:
        """How many changes all but one seat have seen after the deal and after each answer."""
        counts = self._changes(odd)[1]
        return [counts[end - 1] for end in self.ends]

    def _changes(self, odd: int) -> tuple[list[tuple[Any, ...]], list[int]]:
        seen: list[tuple[Any, ...]] = []
        counts = []
        for views in self.shown:
            others = (*views[:odd], *views[odd + 1 :])
            if not seen or seen[-1] != others:
                seen.append(others)
            counts.append(len(seen))
        return seen, counts

    def first(self, answers: int) -> Course:
        """The course of the first answers."""
        end = self.ends[answers]
        kept = dict(list(self.answers.items())[:answers])
        return Course(self.deal, kept, self.shown[:end], self.ends[: answers + 1])


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
    """The pair, as far as nobody else sees a difference; None when that is too short to be worth a run."""
    one, two = first.seen_without(odd), second.seen_without(odd)
    same = next(
        (n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two))
    )
    # One answer may lead to many changes: both courses end after an answer that leads no further than the other goes.
    while same >= SHORTEST:
        counts = [_answers(course, odd, same) for course in (first, second)]
        reached = [course.steps_without(odd)[n] for course, n in zip((first, second), counts, strict=True)]
        if reached[0] == reached[1]:
            break
        same = min(reached)
    else:
        return None
    first, second = first.first(counts[0]), second.first(counts[1])
    return Pair(odd, first, second, any((odd, view) in second.answers for view in silent))


def _answers(course: Course, odd: int, changes: int) -> int:
    """How many answers of a course lead to no more than so many changes for the others."""
    return sum(steps <= changes for steps in course.steps_without(odd)) - 1
