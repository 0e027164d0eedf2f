"""Every term of a result: how an entrant came to its place, and a board's traveller."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain

from services.domain import Rejected
from services.games.championship.matchpoints import published, ratio, top
from services.games.championship.params import Params
from services.games.championship.playoff import ranked
from services.games.championship.ranking import Ranking, rank
from services.games.championship.results import Facts, settle
from services.games.championship.standings import Standing, of_ranking
from services.games.championship.vectors import Flags, Ints, sharing


@dataclass(frozen=True, slots=True)
class UnitTerm:
    """One unit of an entrant: a board, or the session of that number within the round (C3).

    With a percentage assigned (C2.2) only `entrant`, `round`, `number`, `assigned` and `r` mean anything.
    """

    entrant: int
    round: int
    number: int
    r: Fraction
    """From 0 to 1."""
    assigned: bool = False
    table: str = ""
    group: int = 0
    seat: int = 0
    score: int = 0
    """Raw score; of a session the sum of its boards."""
    size: int = 0
    """Entrants compared, this one included (N)."""
    worse: int = 0
    equal: int = 0
    """Others with the same score."""
    rank: int = 0
    """Competition rank (C3.4)."""
    dense_rank: int = 0
    """Dense rank, which C4.2 counts."""

    @property
    def mp(self) -> int:
        """Matchpoints (C3.2)."""
        return 2 * self.worse + self.equal

    @property
    def top(self) -> int:
        """The most MP possible; 0 where nothing was compared (C3.3)."""
        return top(self.size) if self.size else 0

    @property
    def tenths(self) -> int:
        """r as it is shown, tenths of a percent."""
        return published(self.r)


@dataclass(frozen=True, slots=True)
class BeatenTerm:
    """An opponent beaten in a round, or on a board of it (`board` 0: by the round), and its published R (C4.1)."""

    round: int
    board: int
    opponent: int
    own: int
    """Raw score, summed over the round where it counts by the round."""
    theirs: int
    tenths: int


@dataclass(frozen=True, slots=True)
class TimeTerm:
    """Thinking time on one board, microseconds (C4.3, C4.4)."""

    round: int
    board: int
    micros: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """All terms of one entrant's standing, each list in the order of rounds and boards.

    `ties`: for each clause the number of entrants, this one included, that share a rank once it has been applied.
    `skipped`: clauses that could not be applied, C4.1 where nobody has opponents (C1.7) and C4.4. `play_offs` are the units of
    those it was in, each compared among the entrants of that one (C4.5).
    """

    standing: Standing
    units: tuple[UnitTerm, ...]
    beaten: tuple[BeatenTerm, ...]
    times: tuple[TimeTerm, ...]
    ties: tuple[tuple[str, int], ...]
    skipped: tuple[str, ...]
    play_offs: tuple[UnitTerm, ...] = ()


def explain(facts: Facts, params: Params, entrant: int, played: Sequence[Facts] = ()) -> Explanation:
    """Every term of `entrant`'s standing after the play-offs `played`.

    Raises Rejected for somebody not in the field (C1.2), and as `standings`.
    """
    ranking = ranked(facts, params, played)
    return explained(ranking, of_ranking(ranking), params, entrant, played)


def explained(
    ranking: Ranking, order: Sequence[Standing], params: Params, entrant: int, played: Sequence[Facts] = ()
) -> Explanation:
    """`explain` of a field that is ranked already, in time that hardly depends on its size."""
    found = (ranking.numbers == entrant).nonzero()[0].tolist()
    if not found:
        raise Rejected("NO_SUCH_ENTRANT", "C1.2", f"entrant {entrant} is not in the field")
    index = found[0]
    rows, wins = ranking.rows, ranking.wins
    won, timed = wins.who == index, ranking.who == index
    opponent = wins.whom[won]
    met = zip(
        *_lists(won, wins.round, wins.board),
        ranking.numbers[opponent].tolist(),
        *_lists(won, wins.own, wins.theirs),
        ranking.terms.tenths[opponent].tolist(),
        strict=True,
    )
    times = zip(*_lists(timed, rows.round, rows.board, rows.micros), strict=True)
    return Explanation(
        standing=next(standing for standing in order if standing.entrant == entrant),
        units=_units(ranking, ranking.units.who == index, ranking.assigned.who == index),
        beaten=tuple(BeatenTerm(*term) for term in sorted(met)),
        times=tuple(TimeTerm(*term) for term in sorted(times)),
        ties=tuple((stage.clause, int(sharing(stage.ahead)[index])) for stage in ranking.stages),
        skipped=("C4.1",) * (ranking.met == 0) + ("C4.4",) * bool(ranking.skipped[index]),
        play_offs=tuple(chain.from_iterable(_own(one, params, entrant) for one in played)),
    )


def _own(facts: Facts, params: Params, entrant: int) -> tuple[UnitTerm, ...]:
    """An entrant's units among those of `facts`."""
    ranking = rank(settle(facts), facts.entrants, params)
    owner = ranking.numbers == entrant
    return _units(ranking, owner[ranking.units.who], owner[ranking.assigned.who])


def traveller(facts: Facts, params: Params, in_round: int, number: int) -> tuple[UnitTerm, ...]:
    """What everybody made of one unit (board or session), by comparison group, best first; assigned ones last."""
    ranking = rank(settle(facts), facts.entrants, params)
    units, assigned = ranking.units, ranking.assigned
    terms = _units(
        ranking,
        (units.round == in_round) & (units.number == number),
        (assigned.round == in_round) & (assigned.number == number),
    )
    grouped = params.compare_within == "group"
    return tuple(
        sorted(terms, key=lambda t: (t.assigned, t.seat, t.group * grouped, -t.r, t.rank, t.table, t.entrant))
    )


def _units(ranking: Ranking, compared: Flags, assigned: Flags) -> tuple[UnitTerm, ...]:
    """Terms of the rows marked, by round and number."""
    units, cells = ranking.units, ranking.cells
    cell = cells.of_row[compared]
    rows = zip(
        ranking.numbers[units.who[compared]].tolist(),
        *_lists(compared, units.round, units.number, units.table, units.group, units.seat, units.score),
        *(column[cell].tolist() for column in (cells.size, cells.worse, cells.held, cells.dense)),
        strict=True,
    )
    terms = [
        UnitTerm(
            entrant=entrant,
            round=played,
            number=number,
            r=ratio(2 * worse + held - 1, size),
            table=ranking.tables[table],
            group=group,
            seat=seat,
            score=score,
            size=size,
            worse=worse,
            equal=held - 1,
            rank=size - worse - held + 1,
            dense_rank=dense,
        )
        for entrant, played, number, table, group, seat, score, size, worse, held, dense in rows
    ]
    given = ranking.assigned
    fixed = zip(
        ranking.numbers[given.who[assigned]].tolist(),
        *_lists(assigned, given.round, given.number, given.tenths, given.boards),
        strict=True,
    )
    terms += [
        UnitTerm(entrant, played, number, Fraction(tenths, 1000 * boards), assigned=True)
        for entrant, played, number, tenths, boards in fixed
    ]
    return tuple(sorted(terms, key=lambda term: (term.round, term.number)))


def _lists(marked: Flags, *columns: Ints) -> list[list[int]]:
    return [column[marked].tolist() for column in columns]
