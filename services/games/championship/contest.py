"""Standings of every format from the same facts, with every term of them and their digest.

| Format | Unit of comparison | Order |
|---|---|---|
| `individual`, `machine` | the seat | R, C4 (`standings`) |
| `pairs` | the line (C7.1), byes in percent (C1.5) | R, C4 (`standings`) |
| `teams` | the match at two tables (C7.2) | match points, difference, head-to-head, number (`league`) |
| `points` | the match of deals of its own (C8.2) | points, net levels, head-to-head, number (`league`) |

All is a function of the contest alone; the order in which its parts are given changes no byte of the digest.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from services.domain import Rejected
from services.games.championship import explain as x
from services.games.championship import league, points, standings, teams
from services.games.championship.league import Outcome, Placing
from services.games.championship.meetings import Meeting, Round
from services.games.championship.pairs import lines, with_byes
from services.games.championship.params import Params, resolve
from services.games.championship.points import MatchResult
from services.games.championship.results import Facts
from services.games.championship.standings import Standing
from services.games.championship.tables import MEETING, PAIRS, POINTS, TEAMS, met

Order = tuple[Standing, ...] | tuple[Placing, ...]
"""Everybody in strict order, best first: by percentages, or by points."""

BY_POINTS = frozenset({TEAMS, POINTS})
"""Formats that know points and no percentages."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How an event is reckoned, as its settings say; `boards` of a round."""

    format: str
    params: Params
    boards: int

    @property
    def on_boards(self) -> bool:
        """Whether boards are compared, which all tables of a round play; else matches have deals of their own (C8.2)."""
        return self.format != POINTS


@dataclass(frozen=True, slots=True)
class Match:
    """What a match at a table came to (C8.2). Later ones of the same round and table replace earlier ones: rulings."""

    round: int
    table: str
    result: MatchResult
    deals: int = 0


@dataclass(frozen=True, slots=True)
class Contest:
    """Everything that standings depend on.

    `facts` hold results and rulings by seat, of boards that count; `seats` are entrants by seat, by round and table; `byes` are
    (entrant, round) of rounds that count.
    """

    terms: Terms
    facts: Facts
    seats: Mapping[tuple[int, str], tuple[int, ...]]
    byes: tuple[tuple[int, int], ...] = ()
    matches: tuple[Match, ...] = ()


@dataclass(frozen=True, slots=True)
class MatchTerm:
    """A match of an entrant: what it brought, and what it was made of.

    `levels`, own first, and `clause` are those of the points format; `swings` those of teams, own scores less theirs.
    """

    round: int
    table: str
    opponent: int
    points: int
    net: int
    levels: tuple[str, ...] = ()
    clause: str = ""
    deals: int = 0
    swings: tuple[teams.Swing, ...] = ()


@dataclass(frozen=True, slots=True)
class Played:
    """All terms of one entrant's placing but its byes: its matches by round."""

    placing: Placing
    matches: tuple[MatchTerm, ...]


def terms(game: str, settings: Any) -> Terms:
    """The terms of an event with `settings`, any object that has them under their names. Raises Rejected."""
    names = ("mp_unit", "boards_per_session", "compare_within", "tie_on", "beaten_scope", "thinking_time")
    chosen = {name: getattr(settings, name) for name in (*names, "layout", "a_is_a_level")}
    return Terms(settings.format, resolve(game, chosen), settings.boards_per_round)


def order(contest: Contest) -> Order:
    """Everybody in strict order, best first. Raises Rejected for facts that contradict each other or lie out of range."""
    if contest.terms.format not in BY_POINTS:
        return standings.standings(_compared(contest), contest.terms.params)
    win = teams.WIN if contest.terms.format == TEAMS else points.WIN
    byes = [entrant for entrant, _ in contest.byes]
    return league.rank(contest.facts.entrants, _outcomes(contest), byes, win)


def digest(rows: Order) -> bytes:
    """SHA-256 of the canonical form of an order."""
    by_percent = tuple(row for row in rows if isinstance(row, Standing))
    by_points = tuple(row for row in rows if isinstance(row, Placing))
    return league.digest(by_points) if by_points else standings.digest(by_percent)


def explain(contest: Contest, entrant: int) -> x.Explanation | Played:
    """Every term of an entrant's place. Raises Rejected for somebody not in the field (C1.2), and as `order`."""
    if contest.terms.format not in BY_POINTS:
        return x.explain(_compared(contest), contest.terms.params, entrant)
    found = [row for row in order(contest) if isinstance(row, Placing) and row.entrant == entrant]
    if not found:
        raise Rejected("NO_SUCH_ENTRANT", "C1.2", f"entrant {entrant} is not in the field")
    own = (match for match in _team_terms(contest) + _match_terms(contest) if match[0] == entrant)
    matches = sorted((term for _, term in own), key=lambda term: term.round)
    return Played(found[0], tuple(matches))


def byes_of(contest: Contest, entrant: int) -> tuple[int, ...]:
    """The rounds in which an entrant had a bye (C1.5)."""
    return tuple(sorted(played for who, played in contest.byes if who == entrant))


def traveller(contest: Contest, in_round: int, board: int) -> tuple[x.UnitTerm, ...]:
    """What everybody made of a board, or of the session it belongs to; nothing where no percentages are known."""
    if contest.terms.format in BY_POINTS:
        return ()
    params = contest.terms.params
    boards = params.boards_per_session if params.mp_unit == "session" else 1
    return x.traveller(_compared(contest), params, in_round, (board - 1) // boards + 1)


def _compared(contest: Contest) -> Facts:
    """Facts as individuals or lines compare."""
    if contest.terms.format != PAIRS:
        return contest.facts
    by_line = lines(contest.facts)
    return with_byes(by_line, contest.terms.params, contest.byes, contest.terms.boards)


def _rounds(contest: Contest) -> tuple[Round, ...]:
    """Who met whom, by round."""
    if contest.terms.format not in MEETING:
        return ()
    tables: dict[int, list[tuple[str, tuple[int, ...]]]] = defaultdict(list)
    for (played, table), entrants in contest.seats.items():
        tables[played].append((table, entrants))
    return tuple(
        # `…-open` before `…-closed`: the first room of a team match is the open one.
        met(contest.terms.format, played, (entrants for _, entrants in sorted(tables[played], reverse=True)))
        for played in sorted(tables)
    )


def _outcomes(contest: Contest) -> list[Outcome]:
    if contest.terms.format == TEAMS:
        return list(teams.outcomes(_rounds(contest), contest.facts))
    a_is_a_level = contest.terms.params.a_is_a_level
    return [
        points.outcome(match.round, meeting, match.result, a_is_a_level)
        for match, meeting in _matches(contest)
    ]


def _matches(contest: Contest) -> list[tuple[Match, Meeting]]:
    """Matches that count, with who met in them."""
    last = {(match.round, match.table): match for match in contest.matches}
    return [
        (last[key], Meeting(entrants[0], entrants[1], key[0]))
        for key, entrants in sorted(contest.seats.items())
        if key in last
    ]


def _match_terms(contest: Contest) -> list[tuple[int, MatchTerm]]:
    """(entrant, term) of both sides of every match of the points format."""
    found = []
    for match, meeting in _matches(contest):
        outcome = points.outcome(match.round, meeting, match.result, contest.terms.params.a_is_a_level)
        one = MatchTerm(
            round=match.round,
            table=match.table,
            opponent=meeting.second,
            points=outcome.points[0],
            net=outcome.net,
            levels=match.result.levels,
            clause=match.result.clause,
            deals=match.deals,
        )
        found += _both(meeting, one, outcome)
    return found


def _team_terms(contest: Contest) -> list[tuple[int, MatchTerm]]:
    """(entrant, term) of both sides of every team match."""
    if contest.terms.format != TEAMS:
        return []
    tables = {(key[0], entrants[:2]): key[1] for key, entrants in contest.seats.items()}
    found = []
    for number, meeting, swings in teams.compared(_rounds(contest), contest.facts):
        outcome = teams.outcome(number, meeting, sum(swing.difference for swing in swings))
        table = tables[number, (meeting.first, meeting.second)]
        one = MatchTerm(number, table, meeting.second, outcome.points[0], outcome.net, swings=swings)
        found += _both(meeting, one, outcome)
    return found


def _both(meeting: Meeting, one: MatchTerm, outcome: Outcome) -> list[tuple[int, MatchTerm]]:
    other = replace(
        one,
        opponent=meeting.first,
        points=outcome.points[1],
        net=-outcome.net,
        levels=one.levels[::-1],
        swings=tuple(teams.Swing(swing.board, -swing.difference) for swing in one.swings),
    )
    return [(meeting.first, one), (meeting.second, other)]
