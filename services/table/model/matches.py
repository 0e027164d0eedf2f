"""A match at a table: many deals of Shengji, to past A, to the end of its time or of its deals (C8.2, C8.3). Pure.

Levels and declarers are folded by `services.games.shengji.match`; here are time, the limit of deals, and what decides when one
of them has come. Times are microseconds since 1970; sides: 0 sits in seats 0 and 2, 1 in seats 1 and 3.
"""

from __future__ import annotations

from typing import NamedTuple

from services.games.championship.netlevels import PAST_A
from services.games.rules import Ruleset
from services.games.shengji import match as matches
from services.games.shengji.events import DealEnded
from services.games.shengji.match import Match
from services.games.shengji.params import Params
from services.games.shengji.result import SIDES
from services.games.shengji.ruleset import Shengji
from services.games.shengji.state import State
from services.table.model.events import MatchDeal, MatchEnded, MatchStanding, MatchTerms


class Verdict(NamedTuple):
    """Who has won, and the clause that decided."""

    winner: int
    clause: str


class Course(NamedTuple):
    """A match under way."""

    terms: MatchTerms
    match: Match
    started_us: int = 0
    ends_us: int = 0
    """When its time is over; 0: it is not limited, or has not begun."""
    played: tuple[MatchDeal, ...] = ()
    """Deals so far; those that were broken off are not among them."""
    deciding: str = ""
    """Clause by which the deal that runs, or comes next, decides the match; empty: by the levels it leads to."""
    verdict: Verdict | None = None
    """Of a deal that has decided the match."""
    ended: MatchEnded | None = None

    def __hash__(self) -> int:
        """What changes with the deals alone: it is asked for with every move."""
        return hash((self.match.levels, len(self.played), self.ends_us, self.ended is None))

    @property
    def level(self) -> bool:
        """Whether both sides have the same level."""
        one, two = self.match.levels
        return one == two

    def late(self, at_us: int) -> bool:
        """Whether its time is over."""
        return 0 < self.ends_us <= at_us

    def limited(self, at_us: int) -> bool:
        """Whether its time is over, or all its deals are played."""
        return self.late(at_us) or 0 < self.terms.deals <= self.match.deals


def begin(terms: MatchTerms, params: Params) -> Course:
    """A match before its first deal, whose first drawer the lot will say (S3.2)."""
    return Course(terms, matches.start(params, 0))


def verdict(course: Course, at_us: int) -> Verdict | None:
    """Who has won by what is known between two deals; None while another one is played (C8.2, C8.3a, C8.3c)."""
    if course.verdict is not None or course.deciding or not course.limited(at_us):
        return course.verdict
    return settled(course)


def settled(course: Course) -> Verdict | None:
    """Who has won by the levels as they stand between two deals; None where both sides never left 2 (C8.3a, C8.3c)."""
    _, winner = matches.at_time(course.match, running=False)
    return None if winner is None else Verdict(winner, "C8.3c" if course.level else "C8.3a")


def standing(course: Course, deal: int, at_us: int) -> MatchStanding:
    """Where the match stands when its deal number `deal` is opened; its clock begins with the first one."""
    match, last = course.match, course.played[-1] if course.played else None
    started_us = course.started_us or at_us
    time_us = course.terms.time_ms * 1000
    return MatchStanding(
        levels=match.levels,
        reached=match.reached,
        declarer=match.declarer,
        first_drawer=match.first_drawer,
        deals=match.deals,
        voided=match.voided,
        last=last if last is not None and last.deal == deal - 1 else None,
        started_us=started_us,
        ends_us=course.ends_us or (started_us + time_us if time_us else 0),
        deciding=course.deciding or ("C8.3c" if course.limited(at_us) else ""),
    )


def opened(course: Course, told: MatchStanding) -> Course:
    """The match as a deal begins, from what is told in the clear: who has not read the deals before knows it all the same."""
    match, played = course.match, course.played
    if told.last is not None and (not played or played[-1].deal < told.last.deal):
        played = (*played, told.last)
    (one, two), (first, second) = told.levels, told.reached
    match = Match(
        match.params,
        (one, two),
        (first, second),
        told.declarer,
        told.first_drawer,
        told.deals,
        told.voided,
        None,
    )
    return course._replace(
        match=match,
        started_us=told.started_us,
        ends_us=told.ends_us,
        played=played,
        deciding=told.deciding,
        verdict=None,
    )


def drawn_by(course: Course, first_drawer: int | None) -> Course:
    """The match with the lot of its first deal; None for the others."""
    if first_drawer is None:
        return course
    return course._replace(match=course.match._replace(first_drawer=first_drawer))


def deal(rules: Ruleset, course: Course, cards: tuple[int, ...]) -> State:
    """A deal of the match, under its setting."""
    if not isinstance(rules, Shengji):
        raise AssertionError("only Shengji is played in matches")
    return rules.deal(course.match.params, course.match.setting, cards)


def finished(course: Course, deal: int, game: State, at_us: int) -> Course:
    """The match after a deal that was finished at `at_us` (S4.8, S9.3-S9.5, C8.3b)."""
    before = course.match
    after = matches.played(before, game)
    deciding = course.deciding or ("C8.3b" if course.level and course.late(at_us) else "")
    found = None
    if after.won_by is not None:
        found = Verdict(after.won_by, PAST_A)
    elif deciding and (winner := matches.decided_by(game)) is not None:
        found = Verdict(winner, deciding)
    return course._replace(
        match=after,
        played=(*course.played, _told(deal, before, game, after)),
        deciding="" if found else deciding,
        verdict=found,
    )


def _told(deal: int, before: Match, game: State, after: Match) -> MatchDeal:
    assert game.trumps is not None
    ended = isinstance(game.result, DealEnded)
    return MatchDeal(
        deal,
        game.setting.level,
        game.trumps.declarer,
        game.trumps.suit,
        game.points,
        not ended,
        after.levels,
    )


def ended(course: Course, round_: int, found: Verdict | None, at_us: int) -> MatchEnded:
    """The end of the match; without a verdict nobody has won (C2.2)."""
    match = course.match
    net = 0 if found is None else matches.net(match, found.winner, course.terms.a_is_a_level)
    return MatchEnded(
        round=round_,
        winner=None if found is None else found.winner,
        levels=match.levels,
        past_a=tuple([match.won_by == side for side in SIDES]),
        net_levels=net,
        deals=match.deals,
        clause="C2.2" if found is None else found.clause,
        started_us=course.started_us,
        ended_us=at_us,
    )


def over(course: Course, told: MatchEnded) -> Course:
    """The match after its end, from what is told in the clear: who has not read its last deal knows the levels all the same."""
    one, two = told.levels
    won_by = told.past_a.index(True) if True in told.past_a else None
    match = course.match._replace(levels=(one, two), deals=told.deals, won_by=won_by)
    return course._replace(match=match, ended=told)


def moved(course: Course | None, ends_us: int) -> Course | None:
    """The match with the end of its time moved; 0 leaves it as it is."""
    return course if course is None or not ends_us else course._replace(ends_us=ends_us)


def later(course: Course | None, by_us: int) -> int:
    """The end of its time after a pause or an outage; 0 where there is none to move."""
    return 0 if course is None or not course.ends_us else course.ends_us + by_us
