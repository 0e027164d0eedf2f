"""Forms that ask for several remedies, and refusals beside the fields that they are about (C10.6)."""

from __future__ import annotations

import re
from typing import Any

import pytest

from clients.console import asking
from clients.console.asking import MOST, WHERE, Row, asked, marked, rows
from clients.console.language import LANGUAGES
from clients.console.page import Pages
from clients.console.refusals import Refusal
from clients.console.remedies import Wrong
from fupan.scoring.v1 import events_pb2 as scoring
from services.domain import Rejected
from services.runtime.errors import Malformed, NotFound, explain

EN, ZH = LANGUAGES["en"], LANGUAGES["zh"]
BOARD = {"table": "r1-t1", "round": "1", "board": "2", "attempt": "1"}
THREE = BOARD | {
    "remedy": "assign", "share_entrant": "7", "share": "60",
    "remedy-2": "assign", "share_entrant-2": "8", "share-2": "40",
    "remedy-3": "", "scores-3": "",
}  # fmt: skip
KINDS = ("correct", "void", "assign", "replay", "penalty")


def refusal(error: Exception) -> Refusal:
    """A service's refusal as a page reads it."""
    told = explain(error)
    fields = {one.path: one.why_zh for one in told.fields}
    return Refusal(409, told.reason, told.clause, told.message_zh, fields, told.facts)


def test_several_remedies_are_read_each_from_its_own_fields() -> None:
    first, second = asked(THREE)
    assert first == scoring.Remedy(
        assign_percent=scoring.AssignPercent(round=1, board=2, entrant=7, tenths=600)
    )
    assert (second.assign_percent.entrant, second.assign_percent.board) == (8, 2)
    elsewhere = asked(THREE | {"board-2": "3"})[1].assign_percent
    assert (elsewhere.round, elsewhere.board) == (1, 3)
    assert asked({}) == []


def test_a_form_has_one_remedy_and_gets_others_one_by_one() -> None:
    assert rows({}) == [Row()]
    assert rows({"more": "1", **THREE})[-1] == Row(4, BOARD, added=True)
    form = dict[str, str](more="1")
    for _ in range(2 * MOST):
        form |= {row.name("scores"): "1" for row in rows(form)}
    assert [row.number for row in rows(form)] == list(range(1, MOST + 1))


def test_what_cannot_be_read_is_told_with_the_remedy_that_it_stands_in() -> None:
    with pytest.raises(Wrong) as caught:
        asked(THREE | {"share-2": "much"})
    assert (caught.value.number, caught.value.field) == (2, "share")
    found, left = marked(rows(THREE), caught.value, ZH)
    assert left is None
    assert [dict(row.wrong) for row in found] == [{}, {"share": "0 至 100，至多一位小数"}, {}]
    assert marked(found, None, EN) == (found, None)


@pytest.mark.parametrize(
    ("error", "form", "at"),
    [
        (Rejected("PERCENT_OUT_OF_RANGE", "C2.2", "a percentage lies within 0 and 100"), THREE, [(1, "share"), (2, "share")]),
        (NotFound("entrant", 8), THREE, [(2, "share_entrant")]),
        (Malformed("sought[1].set_penalty.penalty", "must not hold control characters"),
         BOARD | {"remedy": "", "remedy-2": "replay", "remedy-3": "penalty"}, [(3, "penalty")]),
        (Malformed("sought[0].reseat_round.tables[1].table", "must not hold control characters"),
         {"remedy": "reseat"}, [(1, "seats")]),
        (Rejected("SCORES_NOT_ZERO", "P11.1", "scores sum to zero, these to 3"), BOARD | {"remedy": "correct"}, [(1, "scores")]),
        (NotFound("table", "r1-t1"), BOARD | {"remedy": "replay"}, [(1, "table")]),
        (Rejected("RULING_FINAL", "C10.7", "the committee's ruling in appeal a-1 is final"), THREE, []),
        (NotFound("entrant", 9), THREE, []),
    ],
)  # fmt: skip
def test_a_refusal_stands_beside_the_field_that_it_is_about(
    error: Exception, form: dict[str, str], at: list[tuple[int, str]]
) -> None:
    told = refusal(error)
    found, left = marked(rows(form), told, ZH)
    assert [(row.number, one) for row in found for one in row.wrong] == at
    assert left == (None if at else told)


def test_a_refusal_beside_a_field_names_its_clause_once() -> None:
    told = Refusal(409, "SCORES_NOT_ZERO", "P11.1", "scores sum to zero, these to 3")
    assert told.told == "scores sum to zero, these to 3 (P11.1)"
    (row,), _ = marked(rows(BOARD | {"remedy": "correct"}), told, EN)
    assert row.wrong == {"scores": told.told}
    chinese = refusal(Rejected("SCORES_NOT_ZERO", "P11.1", "scores sum to zero, these to 3"))
    assert chinese.told == chinese.message
    assert chinese.told.count("P11.1") == 1


def test_a_refusal_of_what_a_form_does_not_show_stands_above_it() -> None:
    told = refusal(NotFound("table", "r1-t1"))
    assert marked(rows(BOARD | {"remedy": "replay"}), told, ZH, WHERE)[1] == told


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_the_form_holds_what_was_typed_and_says_what_is_wrong(language: Any) -> None:
    found, _ = marked(rows(THREE), refusal(NotFound("entrant", 8)), language)
    shown = str(Pages().macro(language, "parts/remedy.html", "fields")(KINDS, None, found))
    assert shown.count("<fieldset") == 3
    held = dict(re.findall(r'name="([\w-]+)" value="([^"]*)" (?:aria|size|inputmode|placeholder)', shown))
    assert {name: held[name] for name in THREE if "remedy" not in name and name in held} == {
        name: value for name, value in THREE.items() if name in held
    }
    assert {"share", "share-2", "share_entrant-2", "scores-3"} <= held.keys()
    assert len(re.findall(r"checked", shown)) == 3
    assert 'aria-describedby="wrong-share_entrant-2"' in shown
    assert shown.count('role="alert"') == 1
    assert "<script" not in shown


def test_every_field_that_can_be_mistyped_says_what_it_takes() -> None:
    assert set(asking._WANTED) >= {"round", "board", "scores", "shares", "share", "share_entrant", "seats"}
    for en, zh in asking._WANTED.values():
        assert en
        assert re.search(r"[\u4e00-\u9fff]", zh)
