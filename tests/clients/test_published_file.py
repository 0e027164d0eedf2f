"""Standings read from an audit file: published ones, of a championship, a round or a table."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from clients.cli.main import run
from clients.cli.words import choose
from services.games.championship import contest as c
from services.games.championship.league import Placing
from services.ledger import auditfile
from services.ledger.auditfile import Ranking
from tests.clients.test_evidence import collected
from tests.ledger import test_audit_matches as matches
from tests.ledger.event_log import CUP

WHOLE = Path(__file__).parents[1] / "golden" / "paohuzi-2026-11.fupan"


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


@pytest.fixture
def of_a_round(tmp_path: Path) -> Path:
    """The golden event's second round: publications 1 (it sits by it) and 3 (the newest, after it)."""
    file = collected().round(2)
    path = tmp_path / "2.fupan"
    path.write_bytes(auditfile.encode(file.about, file.records))
    return path


def shown(path: Path, capsys: pytest.CaptureFixture[str], *more: str) -> list[dict[str, Any]]:
    assert run(["standings", "--from", str(path), "--json", *more]) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


@pytest.mark.parametrize("number", ["", "1", "3"])
def test_a_rounds_file_tells_the_same_as_the_championships(
    of_a_round: Path, number: str, capsys: pytest.CaptureFixture[str]
) -> None:
    as_of = ["--as-of", number] if number else []
    rows = shown(of_a_round, capsys, *as_of)
    again = shown(WHOLE, capsys, *as_of)
    # By which clause each was decided no digest tells.
    assert [row | {"decided_by": ""} for row in again] == [row | {"decided_by": ""} for row in rows]
    assert [row["place"] for row in rows] == [1, 2, 3, 4, 5]
    assert all(row["persons"] for row in rows)


def test_the_newest_says_which_it_is(of_a_round: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["standings", "--from", str(of_a_round)]) == 0
    told = capsys.readouterr()
    assert told.err.startswith("publication 3 of ")
    assert "after round 2 (ruling); provisional" in told.err


def test_C8_5_points_are_told_as_points(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    log = matches.written({}, *matches.due())
    kept = tmp_path / "1.fupan"
    for kind, rankings in (("championship", ()), ("round", (Ranking(1, c.canonical(matches.order())),))):
        kept.write_bytes(log.file(kind, CUP, rankings=rankings))
        rows = shown(kept, capsys)
        placed = [row for row in matches.order() if isinstance(row, Placing)]
        assert [(row["entrant"], row["points"]) for row in rows] == [
            (row.entrant, str(row.points)) for row in placed
        ]
        assert rows[0]["persons"] == [f"p-{rows[0]['entrant']}-{k}" for k in (1, 2)]


def test_a_ranking_that_is_not_the_published_one_is_not_shown(
    of_a_round: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = auditfile.parse(of_a_round.read_bytes())
    first, newest = file.about.rankings
    forged = replace(file.about, rankings=(first, replace(newest, canonical=first.canonical)))
    kept = tmp_path / "forged.fupan"
    kept.write_bytes(auditfile.encode(forged, file.records))
    assert run(["standings", "--from", str(kept), "--as-of", "3"]) == 1
    assert "gives no such standings" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["--as-of", "9"], 1),
        (["--as-of", "2"], 1),  # not in a round's file
        (["--as-of", "2026-01-01T00:00:00Z"], 2),
        (["--since", "1"], 2),
    ],
)
def test_what_a_file_does_not_give_is_told_in_a_line(
    of_a_round: Path, line: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["standings", "--from", str(of_a_round), *line]) == code
    assert len(capsys.readouterr().err.splitlines()) == 1
