"""Scoring's past in its tests."""

from __future__ import annotations

from services.scoring import decider
from services.scoring import model as m
from tests.specification import Specification

SCORING = Specification(decider, "fupan.e1.scoring.cup")
CHIEF = m.Authority("chief_referee", "", "miscounted")
DEPUTY = m.Authority("deputy", "", "miscounted")
CUT = m.Cut((m.StreamPosition("PAIRING-e1", 7), m.StreamPosition("TABLE-e1-0", 40)))


def committee(appeal: str = "a-1") -> m.Authority:
    return m.Authority("arbitration", appeal, f"ruling in appeal {appeal}")


def correct(
    scores: tuple[int, ...] = (3, -1, -2), table: str = "r1-t1", by: m.Authority = CHIEF, board: int = 1
) -> m.CorrectResult:
    return m.CorrectResult(table, 1, board, 1, scores, by)


def corrected(
    scores: tuple[int, ...] = (3, -1, -2), table: str = "r1-t1", by: m.Authority = CHIEF
) -> m.ResultCorrected:
    return m.ResultCorrected(table, 1, 1, 1, scores, by)


def published(
    number: int = 1, after: int = 1, cause: str = "round", cut: m.Cut = CUT
) -> m.StandingsPublished:
    return m.StandingsPublished(number, after, cut, b"digest", 6, cause)


def publish(rulings: int = 0, after: int = 1, cause: str = "round", cut: m.Cut = CUT) -> m.PublishStandings:
    return m.PublishStandings(cause, after, cut, b"digest", 6, rulings)
