"""`fupan score explain`: what was decided about a board stands beside its terms."""

from __future__ import annotations

import pytest

from clients.cli.explaining import _by_boards, _by_matches, _record
from clients.cli.options import Show
from fupan.scoring.v1 import service_pb2 as pb

APPEALED = pb.BoardRuling(kind="voided", by="arbitration", appeal="a-1", publication=1)
CORRECTED = pb.BoardRuling(kind="corrected", by="chief_referee", publication=2)


def told() -> pb.ExplainScoreResponse:
    units = [
        pb.ExplainedUnit(round=1, board=1, table="r1-t1", assigned=True, rulings=[APPEALED]),
        pb.ExplainedUnit(round=1, board=2, table="r1-t1", rulings=[CORRECTED]),
    ]
    return pb.ExplainScoreResponse(
        row=pb.StandingRow(entrant=7, units=2), units=units, exact="1/2", trimmed_mean="88386000/3"
    )


def test_what_was_decided_and_where_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    """C9.2, C10.6, C4.4."""
    _by_boards(told(), Show())
    shown = capsys.readouterr()
    assert "voided, appeal a-1" in shown.out
    assert "corrected, chief referee, since publication 2" in shown.out
    assert "(C4.4), s: 29.462\n" in shown.err


def test_a_match_that_was_corrected(capsys: pytest.CaptureFixture[str]) -> None:
    """C8, C9.2."""
    match = pb.ExplainedMatch(round=1, table="r1-t1", clause="C9.2", levels=["A", "7"], rulings=[CORRECTED])
    _by_matches(pb.ExplainScoreResponse(row=pb.StandingRow(points="3"), matches=[match]), Show())
    assert "since publication 2" in capsys.readouterr().out


def test_json_has_it_too() -> None:
    first, second = _record(told())["units"]
    assert first["rulings"] == [{"kind": "voided", "by": "arbitration", "appeal": "a-1", "publication": 1}]
    assert second["rulings"][0]["appeal"] == ""
