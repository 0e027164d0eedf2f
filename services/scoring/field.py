"""From facts and rulings to what standings are made of: boards, matches and byes that count (C1.5, C2.2, C3, C7, C8). Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from services.games.championship import results as r
from services.games.championship.contest import Contest, Match, Terms
from services.games.championship.points import MatchResult
from services.scoring import model as m
from services.scoring.decider import target


@dataclass(frozen=True, slots=True)
class PlayedBoard:
    """One closed board of one table; no scores when it was closed unfinished."""

    round: int
    board: int
    attempt: int
    table: str
    scores: tuple[int, ...]
    thinking_us: tuple[int, ...]
    playing_us: tuple[int, ...]
    taken_over: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class EndedMatch:
    """One table's match; `winner` is a side, None where nothing decided it (C2.2, C8.2)."""

    round: int
    table: str
    winner: int | None
    levels: tuple[str, ...]
    clause: str
    deals: int


@dataclass(frozen=True, slots=True)
class Field:
    """A championship's entrants (ascending), seats by (round, table) as (group, entrants by seat), closed boards, byes as
    (round, entrant), ended matches, rounds of byes alone.

    `sequence` is that of the last record of pairing in it.
    """

    entrants: tuple[int, ...]
    seats: Mapping[tuple[int, str], tuple[int, tuple[int, ...]]]
    boards: tuple[PlayedBoard, ...]
    sequence: int = 0
    byes: tuple[tuple[int, int], ...] = ()
    matches: tuple[EndedMatch, ...] = ()
    alone: frozenset[int] = frozenset()

    def closed_everywhere(self) -> frozenset[tuple[int, int]]:
        """(round, board) of every board that all tables of its round have closed: only these count and are shown."""
        closed = Counter(
            (one.round, one.board) for one in self.boards if (one.round, one.table) in self.seats
        )
        tables = self._tables()
        return frozenset(key for key, count in closed.items() if count == tables[key[0]])

    def played_everywhere(self, boards: int) -> frozenset[int]:
        """Rounds of which every table has closed all `boards`."""
        closed = Counter(round_ for round_, board in self.closed_everywhere() if board <= boards)
        return frozenset(round_ for round_, count in closed.items() if count == boards)

    def ended_everywhere(self) -> frozenset[int]:
        """Rounds of which every table has ended its match."""
        ended = Counter(one.round for one in self.matches if (one.round, one.table) in self.seats)
        tables = self._tables()
        return frozenset(round_ for round_, count in ended.items() if count == tables[round_])

    def _tables(self) -> Counter[int]:
        """How many a round has."""
        return Counter(round_ for round_, _ in self.seats)

    def played_by(self, round_: int, table: str) -> frozenset[int]:
        """The entrants of a table."""
        _, entrants = self.seats.get((round_, table), (0, ()))
        return frozenset(entrants) - {0}


def contest(played: Field, rulings: Iterable[m.Ruled], terms: Terms) -> Contest:
    """What standings are made of: boards closed everywhere and ended matches, with rulings laid over them.

    A bye counts once its round is played everywhere.
    """
    ruled = tuple(rulings)
    byes = _counting(played, terms) if played.byes else ()
    return Contest(
        terms,
        _facts(played, ruled) if terms.on_boards else r.Facts((), (), played.entrants),
        {key: entrants for key, (_, entrants) in played.seats.items()},
        byes,
        tuple(_matches(played, ruled)),
    )


def _counting(played: Field, terms: Terms) -> tuple[tuple[int, int], ...]:
    """(entrant, round) of byes of rounds that are played everywhere, or of byes alone."""
    rounds = played.played_everywhere(terms.boards) if terms.on_boards else played.ended_everywhere()
    return tuple(
        (entrant, round_) for round_, entrant in sorted(played.byes) if round_ in rounds | played.alone
    )


def _facts(played: Field, rulings: Sequence[m.Ruled]) -> r.Facts:
    """A board that a ruling has replayed counts at its own table, for the seats of the first."""
    shown, replays = played.closed_everywhere(), replays_of(rulings, played.boards)
    results = tuple(
        _result(one, played.seats[one.round, seated])
        for one in played.boards
        if (one.round, one.board) in shown
        and (one.round, seated := replays.get((one.table, one.attempt), one.table)) in played.seats
    )
    return r.Facts(results, rulings_on_boards(rulings), played.entrants)


def rulings_on_boards(rulings: Iterable[m.Ruled]) -> tuple[r.Ruling, ...]:
    """Rulings as the arithmetic of boards takes them."""
    return tuple([one for one in map(_ruling, rulings) if one is not None])


def with_replays(rulings: Iterable[m.Ruled]) -> bool:
    """Whether rulings have boards played again, so that which results count depends on them."""
    return any(isinstance(one.event, m.BoardSuperseded) for one in rulings)


def _matches(played: Field, rulings: Iterable[m.Ruled]) -> Iterator[Match]:
    """Matches as they ended, in any order, then as they were ruled."""
    for one in played.matches:
        if one.winner is not None and (one.round, one.table) in played.seats:
            yield _match(one.round, one.table, one.winner, one.levels, one.clause, one.deals)
    for ruled in rulings:
        event = ruled.event
        if isinstance(event, m.MatchCorrected):
            yield _match(event.round, event.table, event.winner, event.levels, "C9.2", 0)


def _match(round_: int, table: str, winner: int, levels: tuple[str, ...], clause: str, deals: int) -> Match:
    one, other = levels
    return Match(round_, table, MatchResult(winner, (one, other), clause), deals)


def replays_of(rulings: Sequence[m.Ruled], boards: Iterable[PlayedBoard]) -> Mapping[tuple[str, int], str]:
    """Tables whose board was played again, by table and attempt of the replay that counts: of `over_again` those that no later
    ruling on the first table's board has replaced."""
    again = over_again(rulings, boards)
    if not again:
        return {}
    last = {target(one.event): one.event for one in rulings}
    standing = [event for event in last.values() if isinstance(event, m.BoardSuperseded)]
    return {key: event.table for event in standing if (key := (event.by_table, event.by_attempt)) in again}


def over_again(rulings: Iterable[m.Ruled], boards: Iterable[PlayedBoard]) -> Mapping[tuple[str, int], str]:
    """Tables whose board was played again, by table and attempt of the replay, once all tables with its deal have closed it."""
    orders = [one.event for one in rulings if isinstance(one.event, m.BoardSuperseded)]
    if not orders:
        return {}
    closed = {(one.round, one.board, one.attempt, one.table) for one in boards if one.attempt > 1}
    open_ = {_deal(event) for event in orders if (*_deal(event), event.by_table) not in closed}
    return {(event.by_table, event.by_attempt): event.table for event in orders if _deal(event) not in open_}


def _deal(event: m.BoardSuperseded) -> tuple[int, int, int]:
    """The deal of a replay: round, board, attempt."""
    return event.round, event.board, event.by_attempt


def _result(one: PlayedBoard, seated: tuple[int, tuple[int, ...]]) -> r.TableResult:
    group, entrants = seated
    return r.TableResult(
        round=one.round,
        group=group,
        board=one.board,
        table=one.table,
        seats=tuple(number or None for number in entrants),
        scores=one.scores,
        micros=one.thinking_us,
        play_micros=one.playing_us,
        attempt=one.attempt,
        taken_over=one.taken_over,
    )


def _ruling(ruled: m.Ruled) -> r.Ruling | None:
    event = ruled.event
    match event:
        case m.ResultCorrected():
            return r.Corrected(ruled.number, event.round, event.board, event.table, event.scores)
        case m.BoardVoided():
            return r.Voided(ruled.number, event.round, event.board, event.table, event.tenths)
        case m.PercentAssigned():
            return r.Assigned(ruled.number, event.entrant, event.round, event.board, event.tenths)
        case m.PenaltySet():
            return r.Penalised(ruled.number, event.penalty, event.entrant, event.tenths)
        case m.BoardSuperseded():
            return r.Voided(ruled.number, event.round, event.board, event.table)
        case m.MatchCorrected():
            return None
