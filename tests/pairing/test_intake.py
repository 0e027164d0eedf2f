"""Rows of an import, all checked before one counts (C1.2, C1.4)."""

from __future__ import annotations

from typing import Any

import pytest

from fupan.pairing.v1.service_pb2 import CheckEntrantsResponse, ImportRow, PersonRow
from services.domain import Rejected
from services.pairing import intake
from services.pairing.document import resolve
from services.pairing.model import events as e
from services.pairing.model.state import Championship
from services.pairing.persons import Person
from tests.pairing.given import OPEN, PAIRING, SIX, created

EMPTY = PAIRING.given(created()).state
SIX_ENTERED = PAIRING.given(*OPEN).state


def row(line: int, person: str = "", number: int = 0, **more: Any) -> ImportRow:
    return ImportRow(line=line, number=number, members=[PersonRow(person_id=person or f"x-{line}", **more)])


def bad(rows: list[ImportRow], state: Championship = EMPTY) -> Rejected:
    with pytest.raises(Rejected) as raised:
        intake.check(state, rows)
    assert (raised.value.reason, raised.value.clause) == ("BAD_ROWS", "C1.2")
    return raised.value


def test_who_brings_no_number_gets_the_next_free_one() -> None:
    rows = [row(2), row(3, number=1), row(4), row(5, number=3)]
    assert [one.number for one in intake.check(EMPTY, rows).entrants] == [2, 1, 4, 3]
    assert [one.number for one in intake.check(SIX_ENTERED, [row(2), row(3)]).entrants] == [7, 8]


def test_names_and_contacts_do_not_go_where_the_log_is() -> None:
    checked = intake.check(
        EMPTY, [row(2, "li", name="李雷", contact="li@example.org", unit_id="u-1"), row(3)]
    )
    assert checked.people == (Person("li", "李雷", "li@example.org"),)
    assert checked.entrants[0] == e.Entrant(1, (e.Member("li", "u-1"),))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (row(7, "Li"), "line 7: person id 'Li' is not"),
        (row(7, "x" * 41), "is not 1 to 40"),
        (row(7, "li\n"), "is not 1 to 40"),
        (row(7, "li", unit_id="u_1"), "line 7: unit id"),
        (row(7, "li", name="x" * 101), "too long"),
        (row(7, "li", contact="x" * 201), "too long"),
        (row(7, "li", name="a\x1b[2J"), "control characters"),
        (row(7, "li", name="a\x9b2J"), "control characters"),
        (row(7, "li", contact="\u202emoc.live"), "control characters"),
        (row(7, "p-1"), "line 7: person p-1 is entered already"),
        (row(7, "li", number=SIX[0]), "line 7: entrant number 1 is taken"),
        (row(7, "li", number=2**32 - 1), "is above"),
        (ImportRow(line=7), "line 7: 0 persons where an entrant has 1"),
        (ImportRow(line=7, members=[PersonRow(person_id="a"), PersonRow(person_id="b")]), "2 persons"),
    ],
)
def test_a_bad_row_is_named_with_its_line_and_reason(wrong: ImportRow, why: str) -> None:
    assert why in bad([row(2), wrong, row(8)], SIX_ENTERED).detail


def test_rows_of_one_list_must_not_contradict_each_other() -> None:
    told = bad([row(2, "a"), row(3, "a"), row(4, "b", 5), row(5, "c", 5)]).detail
    assert told == "line 3: person a is entered already; line 5: entrant number 5 is taken"


def test_of_very_many_bad_rows_the_first_are_named() -> None:
    error = bad([row(line, "X") for line in range(2, 1002)])
    assert error.detail.count("line ") == intake.NAMED
    assert error.detail.endswith("; and 980 more")
    assert error.facts == {"rows": "1000"}


def test_who_asks_is_told_of_all_bad_rows_in_both_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row(2, "a"), *(row(line, "X", unit_id="U") for line in range(3, 1003))]
    told, more = intake.told(EMPTY, rows)
    assert ([one.line for one in told], more) == ([*range(3, 1003)], 0)
    assert (
        told[0].why
        == "person id 'X' is not 1 to 40 of a-z 0-9 '-', unit id 'U' is not 1 to 40 of a-z 0-9 '-'"
    )
    assert told[1].why_zh.startswith("人员编号 'X' 不是 1 至 40 个 a-z、0-9 或 '-'，单位编号")
    assert told[2].why_zh.startswith("人员编号 'X'")
    assert "person X is entered already" in told[2].why
    # As many as a message holds; the others are counted.
    monkeypatch.setattr(intake, "MAX_TOLD", 10_000)
    some, more = intake.told(EMPTY, rows)
    assert some == told[: len(some)]
    assert 0 < len(some) == 1000 - more
    assert CheckEntrantsResponse(bad=some, more=more).ByteSize() <= 10_000


def test_a_list_without_rows_is_no_list() -> None:
    with pytest.raises(Rejected, match="EMPTY_IMPORT"):
        intake.check(EMPTY, [])


def test_a_long_list_goes_in_chunks() -> None:
    chunks = intake.check(EMPTY, [row(line) for line in range(2, 2502)]).chunks()
    assert [len(chunk) for chunk in chunks] == [1000, 1000, 500]


@pytest.mark.parametrize(
    ("form", "fewest", "most"), [("individual", 1, 1), ("pairs", 2, 2), ("points", 2, 2), ("teams", 4, 6)]
)
def test_an_entrant_has_as_many_persons_as_its_format_wants(form: str, fewest: int, most: int) -> None:
    """C1.4."""
    text = f"{{championship: cup, name: Cup, game: shengji, format: {form}}}"
    state = PAIRING.given(e.ChampionshipCreated(resolve(text, False), "boss", "e1", ())).state
    for size in range(8):
        members = [PersonRow(person_id=f"x-{member}") for member in range(size)]
        rows = [ImportRow(line=2, members=members)]
        if fewest <= size <= most:
            (entrant,) = intake.check(state, rows).entrants
            assert [one.person_id for one in entrant.members] == [f"x-{member}" for member in range(size)]
        else:
            assert f"{size} persons where an entrant has {fewest}" in bad(rows, state).detail
