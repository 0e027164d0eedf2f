"""What became of published standings: the same boards as now known, one ruling or replay after the other (C10.6, C10.8). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from services.scoring import model as m
from services.scoring.field import Field, PlayedBoard


@dataclass(frozen=True, slots=True)
class Step:
    """Facts and rulings once something was laid over those before: `ruled`, the rulings of one record, or `replays`, the results
    of one new deal."""

    field: Field
    rulings: tuple[m.Ruled, ...]
    ruled: tuple[m.Ruled, ...] = ()
    replays: tuple[PlayedBoard, ...] = ()

    @property
    def cause(self) -> str:
        """`ruling` of a committee, `correction` or order of the chief referee, `arithmetic` of a ruling put right, or `replay`."""
        if self.replays:
            return "replay"
        if self.recalculated is not None:
            return "arithmetic"
        return "ruling" if self.ruled[0].event.authority.by == m.COMMITTEE else "correction"

    @property
    def recalculated(self) -> m.RulingRecalculated | None:
        """How the arithmetic of a ruling was put right."""
        return self.ruled[0].recalculated if self.ruled else None


def steps(then: Field, now: Field, before: tuple[m.Ruled, ...], since: Sequence[m.Ruled]) -> Iterator[Step]:
    """What changed the standings of the facts `then` under the rulings `before`, in order.

    Boards that were played later are another publication's: neither they nor rulings about them count. A board that was played
    again follows the ruling that ordered it.
    """
    field, rulings = then, before
    for played in _replays(then, now, before):
        field = replace(field, boards=(*field.boards, *played))
        yield Step(field, rulings, replays=played)
    shown, ended = then.closed_everywhere(), {(one.round, one.table) for one in then.matches}
    rounds = {round_ for round_, _ in shown | ended}
    for _, one_record in groupby(since, lambda one: one.version):
        ruled = tuple(one for one in one_record if _counts(one.event, shown, rounds))
        if not ruled:
            continue
        rulings = (*rulings, *ruled)
        yield Step(field, rulings, ruled)
        for played in _replays(field, now, ruled):
            field = replace(field, boards=(*field.boards, *played))
            yield Step(field, rulings, replays=played)


def _counts(event: m.Ruling, shown: frozenset[tuple[int, int]], rounds: set[int]) -> bool:
    """Whether a ruling is about what was published: penalties always are."""
    match event:
        case m.PenaltySet():
            return True
        case m.MatchCorrected():
            return event.round in rounds
        case _:
            return (event.round, event.board) in shown


def _replays(field: Field, now: Field, rulings: Iterable[m.Ruled]) -> Iterator[tuple[PlayedBoard, ...]]:
    """Boards played again on `rulings`, deal by deal, where all of a deal's tables stand in `now` and not yet in `field`."""
    ordered: dict[tuple[int, int, int], set[str]] = {}
    for ruled in rulings:
        event = ruled.event
        if isinstance(event, m.BoardSuperseded):
            deal = event.round, event.board, event.by_attempt
            ordered.setdefault(deal, set()).add(event.by_table)
    for deal, tables in ordered.items():
        played, known = ({one.table: one for one in at.boards if _deal(one) == deal} for at in (now, field))
        if tables <= played.keys() and not tables <= known.keys():
            yield tuple(played[table] for table in sorted(tables - known.keys()))


def _deal(board: PlayedBoard) -> tuple[int, int, int]:
    return board.round, board.board, board.attempt
