"""Sentences are found by their templates, and what stands in their holes is translated as far as it can be."""

from __future__ import annotations

import pytest

from services.games.championship.conduct import OUTCOMES
from services.words import LONGEST, WORDS, Sentences, templates

SENTENCES = Sentences(
    {
        "entrant {number} has withdrawn": "参赛者 {number} 已退赛",
        "{what}: {why}": "{what}：{why}",
        "{name}: no such parameter": "没有参数 {name}",
        "only for {roles}": "只限{roles}",
    }
)


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("entrant 7 has withdrawn", "参赛者 7 已退赛"),
        ("the file: entrant 7 has withdrawn", "the file：参赛者 7 已退赛"),
        ("only for chief_referee, deputy", "只限裁判长、副裁判长"),
        ("only for li, wang", "只限li, wang"),
        ("only for li and referee", "只限li、裁判员"),
        ("{number}: no such parameter", "没有参数 {number}"),
        ("two\nlines: no such parameter", "没有参数 two\nlines"),
        ("nobody wrote this", None),
        ("entrant 7 has withdrawn!", None),
    ],
)
def test_the_template_with_most_letters_of_its_own_is_meant(english: str, chinese: str | None) -> None:
    assert SENTENCES.chinese(english) == chinese


@pytest.mark.parametrize(
    "made_up", ["a" + ": no such parameter" * 200, ", ".join("abcdefgh" * 400), ": " * 1_900]
)
def test_what_was_made_up_to_be_read_for_ever_is_not(made_up: str) -> None:
    assert SENTENCES.chinese(made_up) is None or len(made_up) <= LONGEST
    assert SENTENCES.chinese("x" * LONGEST + " has withdrawn") is None


def test_holes_have_no_names_among_templates() -> None:
    assert templates(["round {round} has {tables} tables"]) == {"round {} has {} tables"}


def test_C11_1_what_conduct_leads_to_has_its_word() -> None:
    assert [one for one in OUTCOMES if one not in WORDS] == []
