"""Whether a case can matter at all: the extremes of every ruling that may be made of a board or a match (C10.6). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from services.domain import Rejected
from services.games.championship import contest as c
from services.games.championship import results as r
from services.games.championship.tables import PAIRS, POINTS, TEAMS
from services.scoring import decider, fitness
from services.scoring import model as m
from services.scoring.changes import Changes, changes
from services.scoring.field import Field, contest

NOT_RULED = m.Authority(m.COMMITTEE, "", "what if")
"""What a committee might rule: whoever asks need not hold its authority."""

ADDED = "what if"
"""The name of a penalty that nobody has."""


@dataclass(frozen=True, slots=True)
class Contested:
    """A board at a table, or the match there where `board` is 0."""

    round: int
    table: str
    board: int
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class Tried:
    """A ruling, and what it would change."""

    remedy: m.Remedy
    changes: Changes


def tried(
    field: Field, ledger: m.Ledger, terms: c.Terms, about: Contested, lines: Iterable[int] = ()
) -> Iterator[Tried]:
    """What each extreme ruling would change, one after the other; those that may not be made are left out.

    For a board: void with the percentages of C2.2, the highest and lowest score of either side, 0 and 100 % for everybody who
    played it, played again; for a match of the points format: the widest result either way. For both, where R is known: every
    penalty of the parties lifted, and one of 100 % added. `field` are the facts that count, of at least the whole standings.
    """
    lines = tuple(lines)
    now = contest(field, ledger.rulings, terms)
    before = c.order(now)
    for remedy in admissible(field, ledger, terms.format, about):
        rulings = decider.laid(ledger, [remedy]).rulings
        yield Tried(remedy, changes(before, c.order(_with(now, field, rulings, terms)), lines))


def _with(now: c.Contest, field: Field, rulings: tuple[m.Ruled, ...], terms: c.Terms) -> c.Contest:
    """The contest under other rulings; its results stay what they were, where no match stands on them."""
    laid = contest(replace(field, boards=()), rulings, terms)
    return replace(
        laid, facts=r.Facts(now.facts.results, laid.facts.rulings, now.facts.entrants), byes=now.byes
    )


def admissible(field: Field, ledger: m.Ledger, form: str, about: Contested) -> Iterator[m.Remedy]:
    """The extreme rulings that may be made."""
    for remedy in _extremes(field, ledger.rulings, form, about):
        command = decider.resolved(ledger, remedy)
        try:
            decider.check(ledger, command)
            fitness.check_format(form, command)
            if not isinstance(command, m.SetPenalty | m.CorrectMatch):
                fitness.check_table(field, command, form, ledger)
                fitness.check_final(field, command, ledger)
        except Rejected:
            continue
        yield remedy


def _extremes(field: Field, rulings: Iterable[m.Ruled], form: str, about: Contested) -> Iterator[m.Remedy]:
    _, seats = field.seats[about.round, about.table]
    parties = tuple(dict.fromkeys(entrant for entrant in seats if entrant))
    if form == POINTS:
        yield m.CorrectMatch(about.table, about.round, 0, ("A", "2"), NOT_RULED)
        yield m.CorrectMatch(about.table, about.round, 1, ("2", "A"), NOT_RULED)
        return
    at = about.table, about.round, about.board, about.attempt
    sides = _sides(seats, form)
    for shares in _shares(sides, len(seats)) if form != TEAMS else [()]:
        yield m.VoidBoard(*at, shares, NOT_RULED)
    for side in sides:
        yield m.CorrectResult(*at, _won(side, len(seats), _most(field, about.round)), NOT_RULED)
        yield m.CorrectResult(*at, _won(side, len(seats), -_most(field, about.round)), NOT_RULED)
    if form == TEAMS:
        return
    for entrant in parties:
        for tenths in (0, decider.MAX_TENTHS):
            yield m.AssignPercent(entrant, about.round, about.board, tenths, NOT_RULED)
    yield m.ReplayBoard(*at, NOT_RULED)
    for penalty, entrant in _penalties(rulings).items():
        if entrant in parties:
            yield m.SetPenalty(penalty, entrant, 0, NOT_RULED)
    for entrant in parties:
        yield m.SetPenalty(ADDED, entrant, decider.MAX_TENTHS, NOT_RULED)


def _sides(seats: tuple[int, ...], form: str) -> list[frozenset[int]]:
    """Seats that win and lose together; of individuals at a table of four partners do."""
    if form in (PAIRS, TEAMS) or len(seats) == 4:
        return [frozenset({0, 2}), frozenset({1, 3})]
    return [frozenset({seat}) for seat in range(len(seats))]


def _shares(sides: list[frozenset[int]], seats: int) -> Iterator[tuple[int, ...]]:
    """Nobody's fault, everybody's, one side's (C2.2)."""
    yield (r.NO_FAULT,) * seats
    yield (r.SHARED_FAULT,) * seats
    for side in sides:
        yield tuple(r.OWN_FAULT if seat in side else r.NO_FAULT for seat in range(seats))


def _won(side: frozenset[int], seats: int, loss: int) -> tuple[int, ...]:
    """Scores with which a side wins, or loses for a negative `loss`; each of the others loses `loss`."""
    gain = loss * (seats - len(side)) // len(side)
    return tuple(gain if seat in side else -loss for seat in range(seats))


def _most(field: Field, round_: int) -> int:
    """More than anybody scored in a round, twice over, so that it also turns the round and a match of teams (C4.1, C7.2)."""
    scored: dict[str, int] = {}
    for one in field.boards:
        if one.round == round_:
            scored[one.table] = scored.get(one.table, 0) + max(map(abs, one.scores), default=0)
    return min(1 + 2 * max(scored.values(), default=0), decider.MAX_SCORE // r.MOST_SEATS)


def _penalties(rulings: Iterable[m.Ruled]) -> Mapping[str, int]:
    """Who has which penalty."""
    last = {one.event.penalty: one.event for one in rulings if isinstance(one.event, m.PenaltySet)}
    return {penalty: event.entrant for penalty, event in last.items() if event.tenths}
