"""The clauses of the rules as text."""

from __future__ import annotations

import pytest

from services.appeals.rulebook import clauses
from services.games.clauses import CLAUSES


def test_every_clause_that_a_ruling_may_cite_has_its_text() -> None:
    found = dict(clauses("paohuzi")) | dict(clauses("shengji"))
    assert found.keys() == CLAUSES
    assert all(text.strip() for text in found.values())


def test_a_case_is_judged_by_the_rules_of_its_game() -> None:
    games = {game: {name[0] for name, _ in clauses(game)} for game in ("paohuzi", "shengji")}
    assert games == {"paohuzi": {"P", "C"}, "shengji": {"S", "C"}}


@pytest.mark.parametrize(
    ("clause", "begins", "ends"),
    [
        ("C10.9", "Handling may not contravene", "each ruling states this."),
        ("C9", "Officials", "Officials"),
        ("P2", "Seats\nThree seats, play runs counter-clockwise", "(board − 1) mod 3."),
        ("S10", "Infringements (on-site play", "recorded by a referee."),
        ("S10.3", "declarer looks at the bottom after the lead", "; 20 each time"),
        ("S8.3a", "Pairs rank as their single cards do", "a throw fail."),
    ],
)
def test_the_text_of_a_clause_is_all_of_it(clause: str, begins: str, ends: str) -> None:
    text = (dict(clauses("paohuzi")) | dict(clauses("shengji")))[clause]
    assert text.startswith(begins)
    assert text.endswith(ends)


def test_a_chapter_has_its_table_whole() -> None:
    rows = [line for line in dict(clauses("shengji"))["S10"].splitlines() if line.startswith("|")]
    assert rows[0].startswith("| code |")
    assert [row.split(" | ")[0] for row in rows[2:4]] == ["| S10.1", "| S10.2"]
