"""Whether a case can matter: rulings that may be made of what is contested, and the least that would change a rank (C10.6). Pure.

Of a board: void, played again, every score that the game and its fines allow for it, other percentages for those who played it, a
penalty for one of them. Of a match of the points format: every winner and net result. Of a penalty: as much of it lifted as it
takes. Of a round's pairing: percentages for all boards of whoever disputes it. What may not be ruled, or is final already, is
left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from itertools import chain, count, islice

from services.domain import Rejected
from services.games.championship import contest as c
from services.games.championship import results as r
from services.games.championship.matchpoints import published
from services.games.championship.netlevels import LEVELS, net_levels
from services.games.championship.standings import Standing
from services.games.championship.tables import PAIRS, POINTS, TEAMS
from services.games.scales import Side
from services.runtime.errors import NotFound
from services.scoring import decider, fitness
from services.scoring import model as m
from services.scoring.changes import Changes, Row, changes
from services.scoring.field import Field, contest, rulings_on_boards
from services.scoring.foreseen import foreseen
from services.scoring.nearest import above, below, first, reaching

NOT_RULED = m.Authority(m.COMMITTEE, "", "what if")
"""What a committee might rule: whoever asks need not hold its authority."""

RANK = 0
"""Stands among lines for a rank."""

UNMEASURED = frozenset({"VoidBoard", "ReplayBoard"})
"""Kinds of which none is smaller than another."""


@dataclass(frozen=True, slots=True)
class Contested:
    """A board at a table, or the match there where `board` is 0."""

    round: int
    table: str
    board: int
    attempt: int = 1


@dataclass(frozen=True, slots=True)
class ContestedPenalty:
    """A penalty, by its name."""

    penalty: str


@dataclass(frozen=True, slots=True)
class ContestedPairing:
    """A round's pairing, disputed by an entrant."""

    round: int
    entrant: int


About = Contested | ContestedPenalty | ContestedPairing


@dataclass(frozen=True, slots=True)
class Tried:
    """A ruling, and what it would change.

    `size`: how far it is from what stands, in points of a seat, tenths of a percent or net levels; 0 where that means nothing.
    `smallest`: what no smaller one of its kind does: change a rank (RANK), move somebody across a line.
    """

    remedies: tuple[m.Remedy, ...]
    changes: Changes
    size: int = 0
    smallest: tuple[int, ...] = ()


def tried(
    field: Field,
    ledger: m.Ledger,
    terms: c.Terms,
    about: About,
    lines: Iterable[int] = (),
    sides: Sequence[Side] = (),
) -> list[Tried]:
    """What rulings would change: of each kind and direction the least that changes a rank or crosses a line, or, where none does,
    the most that there is.

    `field` are the facts that count, of at least the whole standings; `sides` who can win the board, and by how much. Raises
    NotFound for a penalty that nobody has.
    """
    case = _Case(field, ledger, terms, tuple(dict.fromkeys(lines)))
    match about:
        case ContestedPenalty():
            return _smallest(case, _lifted(case, about.penalty))
        case ContestedPairing():
            boards = [(about.round, board) for board in range(1, terms.boards + 1)]
            return _smallest(case, _percentages(case, about.entrant, boards))
    if terms.format == POINTS:
        return _smallest(case, _matches(case, about))
    found = [*_judged(case, about), *_scores(case, about, sides)]
    if terms.format != TEAMS:
        for entrant in _parties(field, ledger, about):
            found += _percentages(case, entrant, [(about.round, about.board)])
        # Of what is final nothing is left to be judged, a penalty neither (C10.7).
        for entrant in _parties(field, ledger, about) if found else ():
            found += _penalised(case, entrant, about)
    return _smallest(case, found)


class _Case:
    """Facts, and the standings with one ruling after the other laid over them."""

    def __init__(self, field: Field, ledger: m.Ledger, terms: c.Terms, lines: tuple[int, ...]) -> None:
        self.field = field
        self.ledger = ledger
        self.terms = terms
        self.goals = (RANK, *lines)
        self.now = contest(field, ledger.rulings, terms)
        self._read = c.reading(self.now)
        self.before = c.order(self._read)
        self._seats = {key: len(entrants) for key, (_, entrants) in field.seats.items()}
        self._replays = any(isinstance(one.event, m.BoardSuperseded) for one in ledger.rulings)
        self._known: dict[tuple[m.Remedy, ...], Tried | None] = {}

    def rule(self, *remedies: m.Remedy) -> Tried | None:
        """What a ruling would change; None for one that may not be made."""
        if remedies not in self._known:
            self._known[remedies] = self._ruled(remedies) if self._admissible(remedies) else None
        return self._known[remedies]

    def _admissible(self, remedies: tuple[m.Remedy, ...]) -> bool:
        form = self.terms.format
        try:
            for remedy in remedies:
                command = decider.resolved(self.ledger, remedy)
                decider.check(self.ledger, command)
                fitness.check_format(form, command)
                if not isinstance(command, m.SetPenalty | m.CorrectMatch):
                    fitness.check_table(self.field, command, form, self.ledger)
                    fitness.check_final(self.field, command, self.ledger)
        except (Rejected, NotFound):
            return False
        return True

    def _ruled(self, remedies: tuple[m.Remedy, ...]) -> Tried:
        made = len(self.ledger.rulings)
        laid = decider.laid(self.ledger, remedies).rulings
        rulings = (*laid[:made], *foreseen(laid[made:], self.terms.format, self._seats))
        return Tried(remedies, changes(self.before, c.order(self._with(rulings)), self.goals[1:]))

    def _with(self, rulings: tuple[m.Ruled, ...]) -> c.Contest:
        """The contest under other rulings; its results stay what they were, where neither matches nor replays depend on those."""
        if self._replays:
            return contest(self.field, rulings, self.terms)
        if self._read.read is not None:
            return c.under(self._read, rulings_on_boards(rulings))
        laid = contest(replace(self.field, boards=()), rulings, self.terms)
        results, entrants = self.now.facts.results, self.now.facts.entrants
        return replace(laid, facts=r.Facts(results, laid.facts.rulings, entrants), byes=self.now.byes)


def _does(found: Tried | None, goal: int) -> bool:
    """Whether a ruling changes a rank, or moves somebody across the line that is the goal."""
    if found is None:
        return False
    return bool(found.changes.ranks) if goal == RANK else any(one.rank == goal for one in found.changes.lines)


def _smallest(case: _Case, tried_: Iterable[Tried]) -> list[Tried]:
    """What was tried, each once, with what it is the smallest of its kind for."""
    found = list(dict.fromkeys(tried_))
    least: dict[tuple[str, int], int] = {}
    for one in found:
        for goal in _reached(case, one):
            key = _kind(one), goal
            least[key] = min(one.size, least.get(key, one.size))
    return [
        replace(
            one, smallest=tuple(goal for goal in _reached(case, one) if least[_kind(one), goal] == one.size)
        )
        for one in found
    ]


def _reached(case: _Case, one: Tried) -> Iterator[int]:
    """The goals that a ruling reaches, of those kinds that have a size."""
    return (goal for goal in case.goals if _kind(one) not in UNMEASURED and _does(one, goal))


def _kind(one: Tried) -> str:
    return type(one.remedies[0]).__name__


# A board


def _first_table(ledger: m.Ledger, about: Contested) -> str:
    order = ledger.replay(about.table)
    return about.table if order is None else order.table


def _parties(field: Field, ledger: m.Ledger, about: Contested) -> tuple[int, ...]:
    _, seats = field.seats[about.round, _first_table(ledger, about)]
    return tuple(dict.fromkeys(entrant for entrant in seats if entrant))


def _judged(case: _Case, about: Contested) -> Iterator[Tried]:
    """Void, by whose fault it was (C2.2), and played again."""
    form, (_, seats) = case.terms.format, case.field.seats[about.round, _first_table(case.ledger, about)]
    at = about.table, about.round, about.board, about.attempt
    shares = _shares(_together(seats, form), len(seats)) if form != TEAMS else [()]
    voids: list[m.Remedy] = [m.VoidBoard(*at, each, NOT_RULED) for each in shares]
    for remedy in (*voids, m.ReplayBoard(*at, NOT_RULED)):
        if (one := case.rule(remedy)) is not None:
            yield one


def _together(seats: tuple[int, ...], form: str) -> list[frozenset[int]]:
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


def _scores(case: _Case, about: Contested, sides: Sequence[Side]) -> Iterator[Tried]:
    """Scores that the game allows: more and less for who has won, and each of the others as winner."""
    deal = about.round, about.board, about.attempt
    results = [one for one in r.settle(case.now.facts).results if (one.round, one.board, one.attempt) == deal]
    scored = next((one.scores for one in results if one.table == about.table), ())
    others = {score for one in results if one.table != about.table for score in one.scores}
    seats = len(case.field.seats[about.round, _first_table(case.ledger, about)][1])
    stands, at = scored or (0,) * seats, (about.table, about.round, about.board, about.attempt)
    for side in sides:

        def rule(loss: int, side: Side = side) -> Tried | None:
            remedy = m.CorrectResult(*at, side.scores(loss, seats), NOT_RULED)
            one = None if remedy.scores == scored else case.rule(remedy)
            size = max(abs(new - old) for new, old in zip(remedy.scores, stands, strict=True))
            return one and replace(one, size=size)

        for losses in _ways(side, stands):
            yield from _least(case, losses, _beside(side, others, seats), rule)


def _ways(side: Side, scored: tuple[int, ...]) -> list[range]:
    """What the others may lose to a side, from what stands outwards: more and less where it has won, else from the least."""
    lost = -min(scored)
    if not lost or lost not in side.losses or side.scores(lost, len(scored)) != scored:
        return [side.losses]
    at = side.losses.index(lost)
    return [side.losses[at + 1 :], side.losses[:at][::-1]]


def _beside(side: Side, others: Iterable[int], seats: int) -> set[int]:
    """Losses at which a score comes level with one of the `others`, or just past it: matchpoints change nowhere else (C3.2)."""
    worth = (seats - len(side.seats)) // len(side.seats)
    level = {loss for other in others for loss in (-other, other // worth, -(-other // worth))}
    return {loss + more for loss in level for more in (-side.losses.step, 0, side.losses.step)}


def _least(
    case: _Case, values: Sequence[int], marks: Collection[int], rule: Callable[[int], Tried | None]
) -> Iterator[Tried]:
    """The nearest value that reaches each goal; the farthest, where none reaches any."""
    found = {first(values, marks, partial(_reaches, rule, goal)) for goal in case.goals} - {None}
    for value in [one for one in values if one in found] or values[-1:]:
        if (one := rule(value)) is not None:
            yield one


def _reaches(rule: Callable[[int], Tried | None], goal: int, value: int) -> bool:
    return _does(rule(value), goal)


# Percentages and penalties


def _percentages(case: _Case, entrant: int, boards: Sequence[tuple[int, int]]) -> Iterator[Tried]:
    """Other percentages for boards of an entrant: the nearest above and below what they are worth now."""
    own = _row(case.before, entrant)
    worth = [
        term.r
        for board in boards
        for term in c.traveller(case.now, *board)
        if own is not None and term.entrant == entrant
    ]
    if own is None or not worth:
        return
    now = published(sum(worth, Fraction(0)) / len(worth))

    def rule(tenths: int) -> Tried | None:
        one = case.rule(*(m.AssignPercent(entrant, *board, tenths, NOT_RULED) for board in boards))
        return one and replace(one, size=abs(tenths - now))

    # Whoever is given a percentage is compared with nobody any more, which alone may change something (C2.2).
    alone = rule(now)
    if alone is None:
        return
    own = _row((*alone.changes.after, own), entrant) or own
    found = [alone] if any(_does(alone, goal) for goal in case.goals) else []
    for goal in case.goals:
        for wanted in () if _does(alone, goal) else (above, below):
            results = wanted(_standings(case.before), own, goal)
            nearest = (reaching(own, now, len(boards), result) for result in results)
            ruled = (rule(tenths) for tenths in nearest if 0 <= tenths <= decider.MAX_TENTHS)
            found += islice((one for one in ruled if one is not None and _does(one, goal)), 1)
    yield from found or [one for one in (rule(0), rule(decider.MAX_TENTHS)) if one is not None]


def _penalised(case: _Case, entrant: int, about: Contested) -> Iterator[Tried]:
    """A penalty for what an entrant did at the board, beside those it has: as little as reaches each goal, or all that there is."""
    own, named = _row(case.before, entrant), f"{about.table}-{about.board}-{entrant}"
    taken = {one.event.penalty for one in case.ledger.rulings if isinstance(one.event, m.PenaltySet)}
    name = next(one for one in chain([named], map(f"{named}-{{}}".format, count(2))) if one not in taken)
    if own is None or not own.tenths:
        return

    def rule(tenths: int) -> Tried | None:
        one = case.rule(m.SetPenalty(name, entrant, tenths, NOT_RULED))
        return one and replace(one, size=tenths)

    found: list[Tried] = []
    for goal in case.goals:
        ruled = (rule(own.tenths - result) for result in below(_standings(case.before), own, goal))
        found += islice((one for one in ruled if one is not None and _does(one, goal)), 1)
    yield from found or [one for one in [rule(own.tenths)] if one is not None]


def _lifted(case: _Case, penalty: str) -> Iterator[Tried]:
    """A penalty lifted: as much of it as reaches each goal, and all of it. Raises NotFound where nobody has it."""
    set_ = [one.event for one in case.ledger.rulings if isinstance(one.event, m.PenaltySet)]
    event = next((one for one in reversed(set_) if one.penalty == penalty), None)
    if event is None or not event.tenths:
        raise NotFound("penalty", penalty)
    set_to, who = event.tenths, event.entrant

    def rule(tenths: int) -> Tried | None:
        one = case.rule(m.SetPenalty(penalty, who, tenths, NOT_RULED))
        return one and replace(one, size=set_to - tenths)

    yield from _least(case, range(set_to)[::-1], (), rule)
    if (whole := rule(0)) is not None:
        yield whole


def _standings(rows: Iterable[Row]) -> list[Standing]:
    return [row for row in rows if isinstance(row, Standing)]


def _row(rows: Iterable[Row], entrant: int) -> Standing | None:
    return next((row for row in _standings(rows) if row.entrant == entrant), None)


# A match of the points format


def _matches(case: _Case, about: Contested) -> Iterator[Tried]:
    """Results of a match (C8.4): from what stands, better and worse for the first side; 1 is a win by no net levels, -1 a loss."""
    nets = {net_levels("A", level, case.terms.params.a_is_a_level): level for level in reversed(LEVELS)}
    played = next(
        (one for one in c.matches(case.now) if (one.round, one.table) == (about.round, about.table)), None
    )
    stands = 0 if played is None else played.net + (1 if played.points[0] > played.points[1] else -1)

    def rule(value: int) -> Tried | None:
        levels = ("A", nets[abs(value) - 1])
        winner = 0 if value > 0 else 1
        remedy = m.CorrectMatch(
            about.table, about.round, winner, levels if value > 0 else levels[::-1], NOT_RULED
        )
        one = case.rule(remedy)
        return one and replace(one, size=abs(value - stands))

    values = [value for value in range(-max(nets) - 1, max(nets) + 2) if value not in (0, stands)]
    yield from _least(case, [value for value in values if value > stands], (), rule)
    yield from _least(case, [value for value in reversed(values) if value < stands], (), rule)
