"""Infringements on score sheets of matches with real cards: what is entered, what it costs, what it decides (S9.2, S10)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from services.games.shengji.infringements import CATALOGUE
from services.table.model import sheets as s
from services.table.sheets.shown import shown
from tests.table.test_opening import refused
from tests.table.test_sheets import (
    OPENED,
    PLAYERS,
    UP_TO_A,
    deal,
    entered,
    figures,
    infringement,
    signed,
    table,
)


@pytest.mark.parametrize("row", CATALOGUE, ids=lambda row: row.code)
def test_S10_every_finding_of_the_catalogue_can_be_entered_with_its_fine(row: Any) -> None:
    for finding, outcome in row.outcomes.items():
        script = table()
        amount = 30 if outcome.fine is None else None
        (event,) = script.when(infringement(1, 1, row.code, finding, cards=2, amount=amount), "ref")
        fixed = outcome.defender is not None
        cards = 2 if outcome.unit == "card" else 1
        assert event.fine == (0 if fixed else 30 if outcome.fine is None else outcome.fine * cards)
        assert shown(script.table).infringements[0].effect == outcome.effect


def test_S9_2_one_act_is_fined_once() -> None:
    """A card exposed by leading out of turn is one act, under whichever row."""
    script = table()
    script.when(infringement(1, 1, "S10.12", "lead"), "ref")
    assert refused(script, infringement(1, 1, "S10.11"), "ref") == "FINED_ALREADY S9.2"
    script.when(infringement(1, 1, "S10.11", act=2), "ref")
    script.when(infringement(1, 3, "S10.11"), "ref")
    script.when(infringement(2, 1, "S10.11"), "ref")
    assert len(script.table.written.infringements) == 4


def test_S9_2_fines_move_points_and_must_stand_in_the_deal() -> None:
    script = table()
    script.when(infringement(1, 1, "S10.5"), "ref")
    script.when(infringement(1, 0, "S10.14", cards=2), "ref")
    first = deal(0, "2", 10, (4, 0))
    assert refused(script, s.EnterSheet(figures(first), ""), "ref") == "SHEET_DOES_NOT_ADD_UP S9.2"
    fined = replace(first, fines=(20, 10))
    (event,) = script.when(s.EnterSheet(figures(fined), ""), "ref")
    assert event.result == s.SheetResult(0, ("6", "2"), "C8.3a")
    low = replace(first, points=5, fines=(20, 10))
    assert refused(script, s.EnterSheet(figures(low), "again"), "ref") == "SHEET_DOES_NOT_ADD_UP S9.2"


@pytest.mark.parametrize("fine", [0, 5, 20])
def test_S6_4_a_failed_throw_costs_what_the_event_takes_for_it(fine: int) -> None:
    script = table(replace(OPENED, params=f'{{"throw_fine": {fine}}}'))
    (event,) = script.when(infringement(1, 0, "S10.14", cards=2), "ref")
    assert event.fine == 2 * fine
    (other,) = script.when(infringement(1, 1, "S10.5"), "ref")
    assert other.fine == 10


@pytest.mark.parametrize(
    ("code", "finding", "seat", "points", "rises"),
    [
        ("S10.1", "ended", 0, 80, (0, 0)),
        ("S10.8", "found", 0, 200, (0, 6)),
        ("S10.8", "found", 1, 0, (5, 0)),
        ("S10.10", "found", 2, 140, (0, 3)),
        ("S10.10", "found", 3, 0, (5, 0)),
    ],
)
def test_S10_a_row_that_says_what_the_deal_counts_is_obeyed(
    code: str, finding: str, seat: int, points: int, rises: tuple[int, int]
) -> None:
    script = table()
    script.when(infringement(1, seat, code, finding), "ref")
    other = deal(0, "2", 60, (1, 0))
    assert refused(script, s.EnterSheet(figures(other), ""), "ref") == "SHEET_DOES_NOT_ADD_UP S10"
    more = (deal(1, "2", 60, (0, 1)),) if points == 80 else ()
    (event,) = script.when(s.EnterSheet(figures(deal(0, "2", points, rises), *more), ""), "ref")
    assert event.figures.deals[0].points == points


def test_S10_infringements_that_cannot_be() -> None:
    script = table()
    cases: list[tuple[s.SheetCommand, str]] = [
        (infringement(1, 0, "S10.99"), "NO_SUCH_INFRINGEMENT S10"),
        (infringement(1, 0, "S10.5", "guessed"), "NO_SUCH_FINDING S10.5"),
        (infringement(1, 4, "S10.5"), "NO_SUCH_SEAT S2.1"),
        (infringement(0, 0, "S10.5"), "NO_SUCH_DEAL C8.6"),
        (infringement(1, 0, "S10.5", act=0), "OUT_OF_RANGE S9.2"),
        (infringement(1, 0, "S10.5", amount=10), "FINE_OUT_OF_RANGE S10"),
        (infringement(1, 0, "S10.8", amount=10), "FINE_OUT_OF_RANGE S10"),
        (infringement(1, 0, "S10.15", "fine"), "FINE_OUT_OF_RANGE S10"),
        (infringement(1, 0, "S10.15", "fine", amount=500), "FINE_OUT_OF_RANGE S10"),
        (infringement(1, 0, "S10.6b", cards=0), "FINE_OUT_OF_RANGE S10"),
        (infringement(1, 0, "S10.5", reason=" "), "REASON_MISSING C9.4"),
        (s.LiftInfringement(1, 0, 1, "never was"), "NOTHING_ENTERED S10"),
    ]
    for command, reason in cases:
        assert refused(script, command, "ref") == reason
    assert not script.table.written.infringements


def test_C9_4_an_infringement_is_lifted_by_an_event_and_the_deals_are_entered_anew() -> None:
    script = signed(entered(), *PLAYERS)
    script.when(infringement(3, 1, "S10.5"), "ref")
    assert shown(script.table).state == "empty"
    assert refused(script, s.ConfirmSheet(), "ref") == "NOTHING_ENTERED C8.6"
    script.when(s.LiftInfringement(3, 1, 1, "it was another table"), "ref")
    again = s.EnterSheet(figures(*UP_TO_A), "")
    assert refused(script, again, "ref") == "REASON_MISSING C9.4"
    script.when(replace(again, reason="the infringement was lifted"), "ref")


def test_an_infringement_in_the_deal_that_was_broken_off_stands_without_a_line() -> None:
    script = table()
    script.when(infringement(2, 1, "S10.5"), "ref")
    script.when(s.EnterSheet(figures(deal(0, "2", 60, (1, 0))), ""), "ref")
    script.when(infringement(4, 1, "S10.5"), "ref")
    command = s.EnterSheet(figures(deal(0, "2", 60, (1, 0))), "again")
    assert refused(script, command, "ref") == "NO_SUCH_DEAL C8.6"
