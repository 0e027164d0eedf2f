"""S10: the catalogue as data, and what a ruling by it does to a deal."""

from __future__ import annotations

import pytest

from services.domain import Rejected
from services.games.shengji import infringements
from services.games.shengji.infringements import CATALOGUE, Ruling, rule


def ruled(
    code: str, finding: str = "found", *, defender: bool = True, points: int = 50, units: int = 1
) -> Ruling:
    outcome = infringements.find(code).outcomes[finding]
    return rule(outcome, points, defender=defender, units=units)


def test_s10_every_row_of_the_page() -> None:
    numbers = ["1", "2", "3", "4", "5", "6a", "6b", "6c", *map(str, range(7, 17))]
    assert [row.code for row in CATALOGUE] == [f"S10.{number}" for number in numbers]


@pytest.mark.parametrize(
    ("code", "finding", "fine"),
    [
        ("S10.1", "played_on", 20),
        ("S10.2", "one", 0),
        ("S10.3", "found", 20),
        ("S10.4", "found", 20),
        ("S10.5", "found", 10),
        ("S10.5", "left_face_up", 0),
        ("S10.6a", "partners", 20),
        ("S10.6a", "opponents", 0),
        ("S10.7", "found", 10),
        ("S10.9", "found", 10),
        ("S10.11", "found", 10),
        ("S10.12", "lead", 10),
        ("S10.12", "follow", 10),
        ("S10.13", "found", 10),
        ("S10.15", "warning", 0),
    ],
)
def test_s9_2_a_flat_fine_stays_flat_and_falls_on_its_side(code: str, finding: str, fine: int) -> None:
    assert ruled(code, finding, units=3) == Ruling(50 - fine, False)
    assert ruled(code, finding, units=3, defender=False) == Ruling(50 + fine, False)


@pytest.mark.parametrize("code", ["S10.6b", "S10.6c", "S10.14"])
def test_fines_by_the_card(code: str) -> None:
    assert ruled(code, units=3) == Ruling(20, False)
    assert ruled(code, units=2, defender=False) == Ruling(70, False)


@pytest.mark.parametrize(("code", "finding"), [("S10.1", "ended"), ("S10.2", "two_or_more")])
def test_s10_0_losing_the_deal_ends_it_at_80(code: str, finding: str) -> None:
    for defender in (False, True):
        assert ruled(code, finding, defender=defender, points=-10) == Ruling(80, True)


def test_s10_8_and_10_concealed_revokes() -> None:
    assert ruled("S10.8") == Ruling(0, True)
    assert ruled("S10.8", defender=False) == Ruling(200, True)
    assert ruled("S10.10") == Ruling(0, True)
    assert ruled("S10.10", defender=False) == Ruling(140, True)


@pytest.mark.parametrize("code", ["S10.15", "S10.16"])
def test_a_fine_of_the_referees_choice(code: str) -> None:
    row = infringements.find(code)
    assert set(row.outcomes) == {"warning", "fine", "forfeit"}
    assert rule(row.outcomes["fine"], 50, defender=True, amount=30) == Ruling(20, False)
    for amount in (None, -5):
        with pytest.raises(Rejected, match="FINE_OUT_OF_RANGE"):
            rule(row.outcomes["fine"], 50, defender=True, amount=amount)


@pytest.mark.parametrize("code", ["S10.15", "S10.16"])
@pytest.mark.parametrize(
    ("defender", "points", "after"),
    [(False, 0, 80), (False, 75, 80), (False, 120, 120), (True, 120, 0), (True, 0, 0), (True, -20, -20)],
)
def test_s10_0_who_forfeits_a_deal_never_wins_it(code: str, defender: bool, points: int, after: int) -> None:
    assert ruled(code, "forfeit", defender=defender, points=points) == Ruling(after, True)


def test_no_amount_where_the_catalogue_says_it() -> None:
    with pytest.raises(Rejected, match="FINE_OUT_OF_RANGE"):
        rule(infringements.find("S10.3").outcomes["found"], 50, defender=True, amount=30)
    with pytest.raises(Rejected, match="FINE_OUT_OF_RANGE"):
        rule(infringements.find("S10.6b").outcomes["found"], 50, defender=True, units=0)


def test_what_can_happen_online() -> None:
    assert {row.code: row.online for row in CATALOGUE if row.online != "impossible"} == {
        "S10.14": "automatic",
        "S10.15": "recorded",
        "S10.16": "recorded",
    }


def test_no_such_row() -> None:
    with pytest.raises(Rejected, match="NO_SUCH_INFRINGEMENT"):
        infringements.find("S10.17")
