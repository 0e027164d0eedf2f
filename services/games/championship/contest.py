"""Standings of every format from the same facts, with every term of them and their digest.

| Format | Unit of comparison | Order |
|---|---|---|
| `individual`, `machine` | the seat | R, C4 (`standings`) |
| `pairs` | the line (C7.1), byes in percent (C1.5) | R, C4 (`standings`) |
| `teams` | the match at two tables (C7.2) | match points, difference, head-to-head, number (`league`) |
| `points` | the match of deals of its own (C8.2) | points, net levels, head-to-head, number (`league`) |

Rounds after the last of an event are play-offs, one each (C4.5): they order who is left with one rank, and are no part of anything
else. All is a function of the contest alone; the order in which its parts are given changes no byte of the digest.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import chain
from typing import Any

from services.domain import Rejected
from services.games.championship import explain as x
from services.games.championship import league, points, standings, teams
from services.games.championship.laid import Columns, columns, laid
from services.games.championship.league import Outcome, Placing
from services.games.championship.meetings import Meeting, Round
from services.games.championship.pairs import lines, with_byes
from services.games.championship.params import Params, resolve
from services.games.championship.playoff import ranked
from services.games.championship.points import MatchResult
from services.games.championship.ranking import Ranking, rank_rows
from services.games.championship.results import (
    Corrected,
    Facts,
    Penalised,
    Ruling,
    TableKey,
    Voided,
    replay_table,
)
from services.games.championship.standings import Standing
from services.games.championship.tables import MEETING, PAIRS, POINTS, TEAMS, met

Order = tuple[Standing, ...] | tuple[Placing, ...]
"""Everybody in strict order, best first: by percentages, or by points."""

BY_POINTS = frozenset({TEAMS, POINTS})
"""Formats that know points and no percentages."""


@dataclass(frozen=True, slots=True)
class Terms:
    """How an event is reckoned, as its settings say; `boards` of a round, and how many `rounds` there are before play-offs."""

    format: str
    params: Params
    boards: int
    rounds: int

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
    (entrant, round) of rounds that count, in a play-off those who share the rank and have withdrawn.
    """

    terms: Terms
    facts: Facts
    seats: Mapping[tuple[int, str], tuple[int, ...]]
    byes: tuple[tuple[int, int], ...] = ()
    matches: tuple[Match, ...] = ()
    read: Columns | None = field(default=None, compare=False)
    """The results, in place of those of `facts` (`reading`)."""

    @property
    def size(self) -> int:
        """Seats on boards in those columns, each of which takes some 100 bytes."""
        return 0 if self.read is None else self.read.rows.table.size


@dataclass(frozen=True, slots=True)
class Encounter:
    """A match that counts: two entrants, what it brought each, and what it was made of.

    `first` sits in seats 0+2, of teams in the open room, which is its `table`. `net` is what `first` gains and `second` loses.
    `levels` and `clause` are those of the points format, `swings` those of teams.
    """

    round: int
    table: str
    first: int
    second: int
    points: tuple[int, int]
    net: int
    levels: tuple[str, ...] = ()
    clause: str = ""
    deals: int = 0
    swings: tuple[teams.Swing, ...] = ()

    def turned(self) -> Encounter:
        """The same match with the other entrant first."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            points=self.points[::-1],
            net=-self.net,
            levels=self.levels[::-1],
            swings=tuple(teams.Swing(swing.board, -swing.difference) for swing in self.swings),
        )


@dataclass(frozen=True, slots=True)
class Played:
    """All terms of one entrant's placing but its byes: its matches by round, itself first in each."""

    placing: Placing
    matches: tuple[Encounter, ...]


@dataclass(frozen=True, slots=True)
class Reckoned:
    """A contest worked out, of which every entrant's terms can be read.

    `byes` are (entrant, round) of the event itself. Where percentages are compared there are the `ranking`, and the `play_offs`
    that have decided something; else the `matches`.
    """

    params: Params
    order: Order
    byes: tuple[tuple[int, int], ...]
    ranking: Ranking | None = None
    play_offs: tuple[Facts, ...] = ()
    matches: tuple[Encounter, ...] = ()

    @property
    def size(self) -> int:
        """Seats on boards that it was worked out from, each of which takes some 200 bytes here; of matches their number."""
        return len(self.matches) if self.ranking is None else self.ranking.who.size

    def explained(self, entrant: int) -> x.Explanation | Played:
        """Every term of an entrant's place. Raises Rejected for somebody not in the field (C1.2)."""
        if self.ranking is not None:
            by_percent = [row for row in self.order if isinstance(row, Standing)]
            return x.explained(self.ranking, by_percent, self.params, entrant, self.play_offs)
        found = [row for row in self.order if isinstance(row, Placing) and row.entrant == entrant]
        if not found:
            raise Rejected("NO_SUCH_ENTRANT", "C1.2", f"entrant {entrant} is not in the field")
        own = (one if one.first == entrant else one.turned() for one in self.matches)
        return Played(found[0], tuple(one for one in own if one.first == entrant))

    def byes_of(self, entrant: int) -> tuple[int, ...]:
        """The rounds in which an entrant had a bye (C1.5)."""
        return tuple(sorted(played for who, played in self.byes if who == entrant))


def terms(game: str, settings: Any) -> Terms:
    """The terms of an event with `settings`, any object that has them under their names. Raises Rejected."""
    names = ("mp_unit", "boards_per_session", "compare_within", "tie_on", "beaten_scope", "thinking_time")
    chosen = {name: getattr(settings, name) for name in (*names, "layout", "a_is_a_level")}
    return Terms(settings.format, resolve(game, chosen), settings.boards_per_round, settings.rounds)


def order(contest: Contest) -> Order:
    """Everybody in strict order, best first. Raises Rejected for facts that contradict each other or lie out of range."""
    return reckon(contest).order


def reading(contest: Contest) -> Contest:
    """The contest with its results read into columns, so that others `under` other rulings are reckoned soon.

    Only the order of seats is made of such columns, and without play-offs; of anything else it is the contest itself.
    """
    terms = contest.terms
    if (
        terms.format in BY_POINTS
        or terms.format == PAIRS
        or any(one > terms.rounds for one, _ in contest.seats)
    ):
        return contest
    read = columns(contest.facts.results, terms.params.thinking_time)
    return replace(contest, facts=replace(contest.facts, results=()), read=read)


def under(contest: Contest, rulings: tuple[Ruling, ...]) -> Contest:
    """The contest with other rulings on its results."""
    return replace(contest, facts=replace(contest.facts, rulings=rulings))


def reckon(contest: Contest) -> Reckoned:
    """The order, with all that it was read from. Raises as `order`."""
    params, byes = contest.terms.params, _own_byes(contest)
    if contest.terms.format in BY_POINTS:
        win = teams.WIN if contest.terms.format == TEAMS else points.WIN
        played = matches(contest)
        outcomes = (Outcome(one.round, one.first, one.second, one.points, one.net) for one in played)
        placed = league.rank(contest.facts.entrants, outcomes, [entrant for entrant, _ in contest.byes], win)
        return Reckoned(params, placed, byes, matches=played)
    ranking, play_offs = _ranked(contest)
    rows, had = standings.of_ranking(ranking), Counter(entrant for entrant, _ in byes)
    if byes:
        rows = tuple([replace(row, byes=had[row.entrant]) for row in rows])
    return Reckoned(params, rows, byes, ranking, tuple(play_offs))


def _ranked(contest: Contest) -> tuple[Ranking, list[Facts]]:
    """Everybody compared, and the play-offs that have decided something."""
    params = contest.terms.params
    if contest.read is not None:
        rows, settled, tables = laid(contest.read, contest.facts.rulings, params.thinking_time)
        return rank_rows(rows, tables, settled, contest.facts.entrants, params), []
    event, later = _parts(contest)
    play_offs = _played(contest, later)
    return ranked(event, params, play_offs), play_offs


def canonical(rows: Order) -> bytes:
    """An order as the bytes that its digest is of."""
    by_percent = tuple(row for row in rows if isinstance(row, Standing))
    by_points = tuple(row for row in rows if isinstance(row, Placing))
    return league.canonical(by_points) if by_points else standings.canonical(by_percent)


def digest(rows: Order) -> bytes:
    """SHA-256 of the canonical form of an order."""
    return sha256(canonical(rows)).digest()


def read(data: bytes, terms: Terms) -> Order:
    """The order of which these bytes are the canonical form (`standings.read`, `league.read`)."""
    return league.read(data) if terms.format in BY_POINTS else standings.read(data)


def explain(contest: Contest, entrant: int) -> x.Explanation | Played:
    """Every term of an entrant's place. Raises Rejected for somebody not in the field (C1.2), and as `order`."""
    return reckon(contest).explained(entrant)


def _own_byes(contest: Contest) -> tuple[tuple[int, int], ...]:
    """Byes of the event itself."""
    return tuple(bye for bye in contest.byes if bye[1] <= contest.terms.rounds)


def traveller(contest: Contest, in_round: int, board: int) -> tuple[x.UnitTerm, ...]:
    """What everybody made of a board, or of the session it belongs to; nothing where no percentages are known."""
    if contest.terms.format in BY_POINTS:
        return ()
    params = contest.terms.params
    boards = params.boards_per_session if params.mp_unit == "session" else 1
    event, play_offs = _parts(contest)
    return x.traveller(play_offs.get(in_round, event), params, in_round, (board - 1) // boards + 1)


def _parts(contest: Contest) -> tuple[Facts, Mapping[int, Facts]]:
    """Facts as individuals or lines compare: those of the event itself, and of its play-offs by round, in order (C4.5)."""
    form, params, last = contest.terms.format, contest.terms.params, contest.terms.rounds
    facts = lines(contest.facts) if form == PAIRS else contest.facts
    later = sorted({played for played, _ in contest.seats if played > last})
    play_offs = {number: _play_off(contest, facts, number) for number in later}
    if play_offs:
        facts = Facts(
            tuple(one for one in facts.results if one.round <= last),
            tuple(one for one in facts.rulings if isinstance(one, Penalised) or one.round <= last),
            facts.entrants,
        )
    if form == PAIRS:
        facts = with_byes(facts, params, _own_byes(contest), contest.terms.boards)
    return facts, play_offs


def _play_off(contest: Contest, facts: Facts, number: int) -> Facts:
    """What `facts` hold of a play-off; penalties are taken off R, so they are no part of it."""
    seats = (seats for (played, _), seats in contest.seats.items() if played == number)
    absent = (entrant for entrant, played in contest.byes if played == number)
    return Facts(
        tuple(one for one in facts.results if one.round == number),
        tuple(one for one in facts.rulings if not isinstance(one, Penalised) and one.round == number),
        tuple(sorted({*chain.from_iterable(seats), *absent} - {0})),
    )


def _played(contest: Contest, play_offs: Mapping[int, Facts]) -> list[Facts]:
    """Play-offs of which every board counts: until then the entrants share the rank (C4.5)."""
    boards = contest.terms.boards
    closed = (one for one in play_offs.values() if len({result.board for result in one.results}) == boards)
    return [one for one in closed if not _to_play_again(one)]


def _to_play_again(facts: Facts) -> bool:
    """Whether a table has a board to play again: a ruling took its attempt away, and no later one counts yet (C10.6)."""
    last: dict[TableKey, Corrected | Voided] = {}
    for ruling in sorted(facts.rulings, key=lambda one: one.number):
        if isinstance(ruling, Corrected | Voided):
            last[ruling.round, ruling.board, ruling.table] = ruling
    gone = {key for key, one in last.items() if isinstance(one, Voided) and not one.tenths}
    again = [one for one in facts.results if one.attempt > 1]
    return any(
        not any(one.key == (played, board, replay_table(table, one.attempt)) for one in again)
        for played, board, table in gone
    )


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


def matches(contest: Contest) -> tuple[Encounter, ...]:
    """Every match that counts, by round and table; none where percentages are compared. Raises Rejected as `order`."""
    if contest.terms.format == TEAMS:
        found = _team_matches(contest)
    else:
        found = _table_matches(contest) if contest.terms.format == POINTS else []
    return tuple(sorted(found, key=lambda one: (one.round, len(one.table), one.table)))


def _table_matches(contest: Contest) -> list[Encounter]:
    """Matches of the points format, each at its table."""
    last = {(match.round, match.table): match for match in contest.matches}
    found = []
    for key in last.keys() & contest.seats.keys():
        match, (first, second) = last[key], contest.seats[key][:2]
        meeting = Meeting(first, second, match.round)
        came_to = points.outcome(match.round, meeting, match.result, contest.terms.params.a_is_a_level)
        levels, clause = match.result.levels, match.result.clause
        found.append(Encounter(*key, first, second, came_to.points, came_to.net, levels, clause, match.deals))
    return found


def _team_matches(contest: Contest) -> list[Encounter]:
    """Matches of teams, each at two tables."""
    tables = {(number, entrants[:2]): table for (number, table), entrants in contest.seats.items()}
    found = []
    for number, meeting, swings in teams.compared(_rounds(contest), contest.facts):
        came_to = teams.outcome(number, meeting, sum(swing.difference for swing in swings))
        both = meeting.first, meeting.second
        found.append(
            Encounter(number, tables[number, both], *both, came_to.points, came_to.net, swings=swings)
        )
    return found
