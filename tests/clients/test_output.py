from __future__ import annotations

import json

import grpc
import pytest
from grpc import aio

from clients.cli import output, refusals
from clients.cli.output import Column, Problem
from clients.cli.words import choose
from services.domain import Rejected
from services.runtime import errors

COLUMNS = (
    Column("entrant", "Entrant", "编号", right=True),
    Column("percent", "R %", "得分率", lambda value: f"{value:.1f}"),
    Column("counts", "Counts", "次数", lambda counts: " ".join(map(str, counts))),
)
RECORDS = [{"entrant": 7, "percent": 66.7, "counts": [2, 1], "more": "kept"}]


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


def test_json_has_every_value_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    output.rows(RECORDS, COLUMNS, "json")
    assert json.loads(capsys.readouterr().out) == RECORDS


def test_csv_has_the_columns_by_key(capsys: pytest.CaptureFixture[str]) -> None:
    output.rows(RECORDS, COLUMNS, "csv")
    assert capsys.readouterr().out == 'entrant,percent,counts\n7,66.7,"[2, 1]"\n'


@pytest.mark.parametrize(("language", "title"), [("en", "Entrant"), ("zh", "编号")])
def test_a_table_has_titles_in_the_language_and_a_line_a_row(
    language: str, title: str, capsys: pytest.CaptureFixture[str]
) -> None:
    choose(language)
    output.rows(RECORDS, COLUMNS, "table")
    lines = [line.split() for line in capsys.readouterr().out.splitlines() if line.strip()]
    assert lines[0][0] == title
    assert lines[-1] == ["7", "66.7", "2", "1"]


def test_a_table_leaves_out_columns_without_content(capsys: pytest.CaptureFixture[str]) -> None:
    record: dict[str, object] = {"entrant": 7, "percent": None, "counts": []}
    output.rows([record, record], COLUMNS, "table")
    titles = capsys.readouterr().out
    assert "Entrant" in titles
    assert "Counts" not in titles
    output.rows([record], COLUMNS, "csv")
    assert capsys.readouterr().out.startswith("entrant,percent,counts\n")


def test_fields_leave_out_what_is_empty(capsys: pytest.CaptureFixture[str]) -> None:
    output.fields({"entrant": 7, "percent": None}, COLUMNS[:2], "table")
    assert "R %" not in capsys.readouterr().out


def refused(error: Exception) -> Problem:
    """What the command says of an error as a service sends it."""
    told = errors.explain(error)
    return refusals.problem(
        refusals.read(
            aio.AioRpcError(
                told.code,
                aio.Metadata(),
                aio.Metadata(*told.trailers()),
                told.message,
                None,
            )
        )
    )


def test_a_rules_refusal_says_reason_and_clause_in_the_language_and_ends_with_1() -> None:
    late = Rejected("WINDOW_CLOSED", "C10.1", "the appeal window closed at 18:00")
    assert (str(refused(late)), refused(late).code) == (
        "the appeal window closed at 18:00 [WINDOW_CLOSED, C10.1]",
        output.FAILED,
    )
    choose("zh")
    assert str(refused(late)).count("C10.1") == 1
    assert "the appeal window" not in str(refused(late))


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.Malformed("table", "is no id"), output.USAGE),
        (errors.Unauthenticated("TOKEN_EXPIRED"), output.USAGE),
        (errors.Unavailable("STARTING"), output.UNAVAILABLE),
        (errors.Limited("RATE_LIMITED", 2.0), output.UNAVAILABLE),
        (errors.NotFound("table", "r1-t9"), output.FAILED),
        (errors.Denied("NOT_IN_ROLE", "only the organiser may"), output.FAILED),
        (KeyError("oops"), output.FAILED),
    ],
)
def test_every_refusal_is_one_line_with_its_exit_code(error: Exception, code: int) -> None:
    problem = refused(error)
    assert problem.code == code
    assert str(problem)
    assert "\n" not in str(problem)


def test_a_platform_that_is_away_is_told_with_what_to_do() -> None:
    away = aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, aio.Metadata(), aio.Metadata(), "no connection", None)
    problem = refusals.problem(refusals.read(away))
    assert problem.code == output.UNAVAILABLE
    assert "fupan up" in str(problem)
