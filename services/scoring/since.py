"""What became of published standings: the same boards as now known, one ruling or replay after the other (C10.6, C10.8). Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from services.scoring import model as m
from services.scoring.field import Field, PlayedBoard


@dataclass(frozen=True, slots=True)
class Step:
    """Facts and rulings once something was laid over those before: `ruled`, the rulings of one record, or a `replay`."""

    field: Field
    rulings: tuple[m.Ruled, ...]
    ruled: tuple[m.Ruled, ...] = ()
    replay: PlayedBoard | None = None

    @property
    def cause(self) -> str:
        """`ruling` of a committee, `correction` of the chief referee, or `replay`."""
        if self.replay is not None:
            return "replay"
        return "ruling" if self.ruled[0].event.authority.by == m.COMMITTEE else "correction"


def steps(then: Field, now: Field, before: tuple[m.Ruled, ...], since: Sequence[m.Ruled]) -> Iterator[Step]:
    """What changed the standings of the facts `then` under the rulings `before`, in order.

    Boards that were played later are another publication's: neither they nor rulings about them count. A board that was played
    again follows the ruling that ordered it.
    """
    field, rulings = then, before
    for played in _replays(then, now, before):
        field = replace(field, boards=(*field.boards, played))
        yield Step(field, rulings, replay=played)
    shown, ended = then.closed_everywhere(), {(one.round, one.table) for one in then.matches}
    rounds = {round_ for round_, _ in shown | ended}
    for _, one_record in groupby(since, lambda one: one.version):
        ruled = tuple(one for one in one_record if _counts(one.event, shown, rounds))
        if not ruled:
            continue
        rulings = (*rulings, *ruled)
        yield Step(field, rulings, ruled)
        for played in _replays(field, now, ruled):
            field = replace(field, boards=(*field.boards, played))
            yield Step(field, rulings, replay=played)


def _counts(event: m.Ruling, shown: frozenset[tuple[int, int]], rounds: set[int]) -> bool:
    """Whether a ruling is about what was published: penalties always are."""
    match event:
        case m.PenaltySet():
            return True
        case m.MatchCorrected():
            return event.round in rounds
        case _:
            return (event.round, event.board) in shown


def _replays(field: Field, now: Field, rulings: Iterable[m.Ruled]) -> list[PlayedBoard]:
    """Boards played again on `rulings` that stand in `now` and not yet in `field`."""
    ordered = {
        (one.event.round, one.event.board, one.event.by_table, one.event.by_attempt)
        for one in rulings
        if isinstance(one.event, m.BoardSuperseded)
    }
    known = {_key(one) for one in field.boards} if ordered else set()
    return [one for one in now.boards if _key(one) in ordered and _key(one) not in known]


def _key(board: PlayedBoard) -> tuple[int, int, str, int]:
    return board.round, board.board, board.table, board.attempt
