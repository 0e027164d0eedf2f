"""Standings and boards as they are sent."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from fupan.common.v1 import record_pb2
from fupan.scoring.v1 import service_pb2 as pb
from services.directory import Championship
from services.games.championship import points, teams
from services.games.championship.contest import Encounter, Order, Played
from services.games.championship.explain import Explanation, UnitTerm
from services.games.championship.league import Placing
from services.games.championship.matchpoints import published
from services.games.championship.standings import Standing
from services.games.championship.tables import TEAMS, Tables
from services.scoring import model as m
from services.scoring.changes import Changes, Line, changes, rank
from services.scoring.codec import EVENTS, REMEDIES
from services.scoring.decided import MATCH, Decided
from services.scoring.field import Field, PlayedBoard, over_again, replays_of
from services.scoring.materiality import Tried
from services.scoring.reseated import Seats
from services.scoring.since import Step
from services.scoring.tables import Computed

MOST_MOVES = 20
"""Ranks that are listed of those that a ruling changes."""

KEPT = 8
"""Messages with standings that are kept; one of a large field takes long to make and is asked for often."""


@dataclass(frozen=True, slots=True)
class _Made:
    """A message and what it was made from."""

    computed: Computed
    known: Championship
    final: bool
    message: pb.GetStandingsResponse


class Messages:
    """Messages with standings, made once."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], _Made] = OrderedDict()
        self._locks: dict[str, asyncio.Lock] = {}

    async def standings(
        self, known: Championship, computed: Computed, published: m.Published | None, ledger: m.Ledger
    ) -> pb.GetStandingsResponse:
        """The message that shows `computed`, a publication or live standings; the same object while nothing in it changes."""
        # One after the other, so that it is made once for all who ask meanwhile.
        async with self._locks.setdefault(known.id, asyncio.Lock()):
            return await self._standings(known, computed, published, ledger)

    async def _standings(
        self, known: Championship, computed: Computed, published: m.Published | None, ledger: m.Ledger
    ) -> pb.GetStandingsResponse:
        event = published.event if published else None
        key, final = (known.id, event.number if event else 0), ledger.sealed is not None
        made = self._kept.get(key)
        if (
            made is not None
            and made.computed is computed
            and made.final == final
            and (made.known.withdrawn, made.known.entrants) == (known.withdrawn, known.entrants)
        ):
            self._kept.move_to_end(key)
            return made.message
        message = pb.GetStandingsResponse(
            rows=await asyncio.to_thread(rows, computed, known),
            publication=event.number if event else 0,
            digest=computed.digest,
            # How far the tables' streams are tells what happens at open tables; a publication's cut is public anyway.
            cut=cut(event.cut) if event else None,
            after_round=event.after_round if event else 0,
            provisional=not final,
            cause=event.cause if event else "live",
            published_us=published.time_us if published else 0,
        )
        self._kept[key] = _Made(computed, known, final, message)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return message


def rows(computed: Computed, known: Championship) -> list[pb.StandingRow]:
    """Standings as they are sent, best first."""
    return [row(one, known) for one in computed.rows]


def row(one: Standing | Placing, known: Championship) -> pb.StandingRow:
    """One entrant's standing."""
    entrant = known.entrants.get(one.entrant)
    persons = [member.person_id for member in entrant.members] if entrant else ()
    withdrawn = one.entrant in known.withdrawn
    if isinstance(one, Placing):
        return _placed(one, persons, withdrawn, known.settings.format)
    return pb.StandingRow(
        place=one.place,
        rank=one.rank,
        shared=one.shared,
        entrant=one.entrant,
        persons=persons,
        percent_tenths=one.tenths,
        units=one.units,
        beaten_sum=one.beaten_sum,
        beaten_count=one.beaten_count,
        rank_counts=one.rank_counts,
        thinking_us=one.micros,
        withdrawn=withdrawn,
        penalty_tenths=one.penalty,
        byes=one.byes,
        decided_by=one.decided_by,
    )


def _placed(one: Placing, persons: Sequence[str], withdrawn: bool, form: str) -> pb.StandingRow:
    matches = one.won + one.drawn + one.lost
    most = (matches + one.byes) * (teams.WIN if form == TEAMS else points.WIN)
    return pb.StandingRow(
        place=one.place,
        rank=one.place,
        entrant=one.entrant,
        persons=persons,
        percent_tenths=published(one.points / most) if most else 0,
        units=matches,
        withdrawn=withdrawn,
        points=str(one.points),
        net=one.net,
        head_to_head=one.head_to_head,
        won=one.won,
        drawn=one.drawn,
        lost=one.lost,
        byes=one.byes,
        decided_by=one.decided_by,
    )


def cut(one: m.Cut) -> record_pb2.Cut:
    """A cut as it is sent."""
    positions = [record_pb2.StreamPosition(stream=at.stream, sequence=at.sequence) for at in one.positions]
    return record_pb2.Cut(positions=positions)


def line(one: Line) -> pb.LineCrossed:
    """A line that somebody crosses."""
    return pb.LineCrossed(rank=one.rank, gained=one.gained, lost=one.lost)


def tried(one: Tried) -> pb.Tried:
    """A ruling that was tried, and what it would change."""
    old = {row.entrant: rank(row) for row in one.changes.before}
    moved = [row for row in one.changes.after if rank(row) != old.get(row.entrant)]
    remedy, *further = map(REMEDIES.to_proto, one.remedies)
    return pb.Tried(
        remedy=remedy,
        further=further,
        ranks_changed=len(moved),
        ranks=[
            pb.RankChange(entrant=row.entrant, before=old.get(row.entrant, 0), after=rank(row))
            for row in moved[:MOST_MOVES]
        ],
        lines=map(line, one.changes.lines),
        size=one.size,
        smallest=one.smallest,
    )


def next_seating(round_: int, before: Tables, after: Tables) -> pb.NextSeating:
    """How a round would be seated, before and after."""
    old, new = ({one.name: one.entrants for one in seated.tables} for seated in (before, after))
    return pb.NextSeating(
        round=round_,
        tables=len(new),
        changes=[
            pb.SeatingChange(table=f"r{round_}-{name}", before=old.get(name, ()), after=new.get(name, ()))
            for name in {**new, **old}
            if old.get(name) != new.get(name)
        ],
        byes_before=before.byes,
        byes_after=after.byes,
    )


def reseated(round_: int, before: Seats, after: Seats) -> pb.NextSeating:
    """How a round that has not begun would sit with other seats."""
    return pb.NextSeating(
        round=round_,
        tables=len(after),
        changes=[
            pb.SeatingChange(table=name, before=before[name], after=seats)
            for name, seats in after.items()
            if before[name] != seats
        ],
    )


def compared(
    published: m.Published,
    computed: Computed,
    found: Sequence[tuple[Step, Order]],
    lines: Sequence[int],
    subject: str,
    known: Championship,
) -> pb.CompareStandingsResponse:
    """Published standings beside what became of them, step by step; rulings are records of `subject`."""
    before, steps = computed.rows, []
    for step, after in found:
        steps.append(_step(step, changes(before, after), subject, known))
        before = after
    whole = changes(computed.rows, before, lines)
    return pb.CompareStandingsResponse(
        publication=published.event.number,
        published_us=published.time_us,
        after_round=published.event.after_round,
        before=[row(one, known) for one in whole.before],
        after=[row(one, known) for one in whole.after],
        lines=map(line, whole.lines),
        steps=steps,
    )


def _step(step: Step, changed: Changes, subject: str, known: Championship) -> pb.StandingsStep:
    told = pb.StandingsStep(
        cause=step.cause,
        before=[row(one, known) for one in changed.before],
        after=[row(one, known) for one in changed.after],
    )
    if step.replays:
        first = step.replays[0]
        told.table, told.round, told.board, told.attempt = (
            first.table,
            first.round,
            first.board,
            first.attempt,
        )
        told.tables.extend(one.table for one in step.replays)
    else:
        told.record.subject, told.record.version = subject, step.ruled[0].version
        told.time_us = step.ruled[0].time_us
        told.events.extend(EVENTS.to_proto(one.event) for one in step.ruled)
        if step.recalculated is not None:
            told.recalculated.CopyFrom(EVENTS.to_proto(step.recalculated).ruling_recalculated)
    return told


def explained(
    one: Explanation | Played, byes: Iterable[int], known: Championship, decided: Decided
) -> pb.ExplainScoreResponse:
    """Every term of an entrant's standing; `byes` are the rounds of its byes."""
    if isinstance(one, Played):
        entrant = one.placing.entrant
        return pb.ExplainScoreResponse(
            row=row(one.placing, known),
            matches=[_match(each, _on_match(each, entrant, known, decided)) for each in one.matches],
            exact=str(one.placing.points),
            byes=byes,
            bye_points=str(one.placing.bye_points),
        )
    micros = {(time.round, time.board): time.micros for time in one.times}
    return pb.ExplainScoreResponse(
        row=row(one.standing, known),
        units=[_unit(term, micros, _on_unit(term, known, decided)) for term in one.units],
        beaten=[
            pb.BeatenOpponent(round=won.round, entrant=won.opponent, percent_tenths=won.tenths)
            for won in one.beaten
        ],
        exact=str(one.standing.exact),
        trimmed_mean="" if one.standing.trimmed is None else str(one.standing.trimmed),
        byes=byes,
        # Thinking times decide nothing in a play-off.
        play_offs=[_unit(term, {}, _on_unit(term, known, decided)) for term in one.play_offs],
    )


def _on_unit(term: UnitTerm, known: Championship, decided: Decided) -> Iterable[pb.BoardRuling]:
    """What was decided about a unit, at the table where its entrant was seated and, if it was played again, at that one."""
    settings = known.settings
    boards = settings.boards_per_session if settings.mp_unit == "session" else 1
    seated = known.rounds[term.round].table_of.get(term.entrant, "")
    within = range((term.number - 1) * boards + 1, term.number * boards + 1)
    return decided.told(term.round, within, (seated, term.table, term.entrant))


def _on_match(
    one: Encounter, entrant: int, known: Championship, decided: Decided
) -> Iterable[pb.BoardRuling]:
    tables = [table.table for table in known.rounds[one.round].tables_of(entrant)]
    return decided.told(one.round, (MATCH, *(each.board for each in one.swings)), tables)


def _match(one: Encounter, rulings: Iterable[pb.BoardRuling]) -> pb.ExplainedMatch:
    return pb.ExplainedMatch(
        round=one.round,
        table=one.table,
        opponent=one.second,
        points=one.points[0],
        net=one.net,
        levels=one.levels,
        deals=one.deals,
        clause=one.clause,
        swings=_swings(one),
        rulings=rulings,
    )


def match(one: Encounter) -> pb.MatchResult:
    """A match as it is sent."""
    return pb.MatchResult(
        round=one.round,
        table=one.table,
        entrants=(one.first, one.second),
        points=one.points,
        net=one.net,
        levels=one.levels,
        deals=one.deals,
        clause=one.clause,
        swings=_swings(one),
    )


def _swings(one: Encounter) -> list[pb.ExplainedSwing]:
    return [pb.ExplainedSwing(board=each.board, difference=each.difference) for each in one.swings]


def _unit(
    term: UnitTerm, micros: Mapping[tuple[int, int], int], rulings: Iterable[pb.BoardRuling]
) -> pb.ExplainedUnit:
    return pb.ExplainedUnit(
        round=term.round,
        board=term.number,
        table=term.table,
        seat=term.seat,
        score=term.score,
        group_size=term.size,
        worse=term.worse,
        equal=term.equal,
        mp=0 if term.assigned else term.mp,
        top=term.top,
        rank=term.rank,
        dense_rank=term.dense_rank,
        thinking_us=micros.get((term.round, term.number), 0),
        assigned=term.assigned,
        percent_tenths=term.tenths,
        rulings=rulings,
    )


def results(
    field: Field, key: tuple[int, int], terms: Iterable[UnitTerm], ledger: m.Ledger
) -> list[pb.BoardResult]:
    """What a board, `key` its round and number, came to at every table, by table."""
    by_entrant, made = {term.entrant: term for term in terms}, ledger.rulings
    decided = Decided(made, ledger)
    again, counting = over_again(made, field.boards), replays_of(made, field.boards)
    overtaken = again.keys() - counting.keys()
    found = []
    for one in sorted(field.boards, key=lambda one: (len(one.table), one.table)):
        seated = one.round, again.get((one.table, one.attempt), one.table)
        if (one.round, one.board) != key or seated not in field.seats:
            continue
        group, entrants = field.seats[seated]
        on_table = decided.on(*key, one.table)
        away = (one.table, one.attempt) in overtaken or isinstance(on_table, m.BoardSuperseded)
        told = _result(one, group, entrants, by_entrant, on_table, away)
        about: list[str | int] = [one.table, *(() if away else entrants)]
        told.rulings.extend(decided.told(one.round, [one.board], about))
        found.append(told)
    return found


def _result(
    one: PlayedBoard,
    group: int,
    entrants: tuple[int, ...],
    by_entrant: Mapping[int, UnitTerm],
    ruled: m.Ruling | None,
    overtaken: bool,
) -> pb.BoardResult:
    if overtaken:
        by_entrant = {}  # what its entrants get stands at the table of another attempt
    found = [by_entrant.get(entrant) if entrant else None for entrant in entrants]
    return pb.BoardResult(
        table=one.table,
        group=group,
        attempt=one.attempt,
        entrants=entrants,
        scores=ruled.scores if isinstance(ruled, m.ResultCorrected) else one.scores,
        mp=[0 if term is None or term.assigned else term.mp for term in found],
        top=[0 if term is None or term.assigned else term.top for term in found],
        percent_tenths=[0 if term is None else term.tenths for term in found],
        thinking_us=one.thinking_us,
        corrected=isinstance(ruled, m.ResultCorrected),
        voided=overtaken or isinstance(ruled, m.BoardVoided),
        unfinished=not one.scores,
    )
