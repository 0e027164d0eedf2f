"""Pairs (双人赛): a table's two lines compare within their line (C7.1), and what a bye is worth (C1.5).

A table of four becomes a table of two *lines*, seats 0+2 and seats 1+3, with a pair in each; everything that holds for seats (C3,
C4, `standings`, `explain`) then holds for lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from services.domain import Rejected
from services.games.championship.params import Params
from services.games.championship.ranking import rank
from services.games.championship.results import (
    SHARED_FAULT,
    Assigned,
    Corrected,
    Facts,
    Penalised,
    Ruling,
    TableResult,
    Voided,
    settle,
)

LEAST_WORTH = SHARED_FAULT
"""A bye is worth at least this, tenths of a percent (C1.5)."""


def by_line(result: TableResult) -> TableResult:
    """The table's result by line instead of by seat.

    Scores are those that both partners have, times the sum of theirs; a line counts as taken over as soon as house AI plays
    for either partner (C1.7). Raises Rejected unless seats 0 and 2, and seats 1 and 3, hold the same pair and score.
    """
    if (
        len(result.seats) != 4
        or result.seats[:2] != result.seats[2:]
        or result.scores[:2] != result.scores[2:]
    ):
        detail = (
            f"round {result.round}, board {result.board}, table {result.table}: no two pairs in two lines"
        )
        raise Rejected("NO_PAIRS", "C7.1", detail)
    return replace(
        result,
        seats=result.seats[:2],
        scores=result.scores[:2],
        micros=_together(result.micros),
        play_micros=_together(result.play_micros),
        taken_over=tuple(sorted({seat % 2 for seat in result.taken_over})),
    )


def lines(facts: Facts) -> Facts:
    """Facts by line: results, and rulings that give figures by seat. Raises as `by_line`, for rulings too."""
    return replace(
        facts,
        results=tuple(map(by_line, facts.results)),
        rulings=tuple(map(_ruled_by_line, facts.rulings)),
    )


def _ruled_by_line(ruling: Ruling) -> Ruling:
    if isinstance(ruling, Corrected):
        return replace(ruling, scores=halved(ruling.scores))
    if isinstance(ruling, Voided):
        return replace(ruling, tenths=halved(ruling.tenths))
    return ruling


def halved(figures: tuple[int, ...]) -> tuple[int, ...]:
    """Figures by line of figures by seat. Raises Rejected unless partners have the same one."""
    if figures and (len(figures) != 4 or figures[:2] != figures[2:]):
        raise Rejected(
            "NO_PAIRS", "C7.1", f"partners in seats 0 and 2, 1 and 3 share a figure, not {figures}"
        )
    return figures[:2]


def _together(micros: Sequence[int]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip(micros[:2], micros[2:], strict=True))


def with_byes(facts: Facts, params: Params, byes: Iterable[tuple[int, int]], boards: int) -> Facts:
    """Facts by line with the `byes` (entrant, round) of rounds of `boards` boards in them.

    A bye is worth the mean of the entrant's other results, which it leaves as it is, or 50 % where that is more or where
    there is no other: then every board of the bye counts 50 % by a ruling (C1.5). Penalties come off afterwards. It is a
    function of all results so far, so what a bye is worth moves with them.
    """
    byes = sorted(byes)
    means = _means(facts, params)
    least = (
        (entrant, played, board)
        for entrant, played in byes
        if means.get(entrant, 0) < Fraction(LEAST_WORTH, 1000)
        for board in range(1, boards + 1)
    )
    first = 1 + max((ruling.number for ruling in facts.rulings), default=0)
    worth = (Assigned(number, *key, LEAST_WORTH) for number, key in enumerate(least, first))
    entrants = {*facts.entrants, *(entrant for entrant, _ in byes)}
    return replace(facts, rulings=(*facts.rulings, *worth), entrants=tuple(sorted(entrants)))


def _means(facts: Facts, params: Params) -> dict[int, Fraction]:
    """R of everybody, 0 to 1, before penalties; 0 without results."""
    rulings = tuple(ruling for ruling in facts.rulings if not isinstance(ruling, Penalised))
    ranking = rank(settle(replace(facts, rulings=rulings)), (), params)
    totals, shares = ranking.terms.total.tolist(), ranking.terms.share.tolist()
    return dict(zip(ranking.numbers.tolist(), map(Fraction, totals, shares), strict=True))
