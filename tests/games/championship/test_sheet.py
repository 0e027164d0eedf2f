"""Score sheets: C8.6, and what the deals of a match lead to (C8.2, C8.3)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from services.domain import Rejected
from services.games.championship.points import Due, MatchResult
from services.games.championship.sheet import (
    DISPUTED,
    OPEN,
    SIGNED,
    VERIFIED,
    DealLine,
    InfringementLine,
    Refusal,
    Sheet,
    SheetSide,
    Signature,
    attest,
    decide,
    enter,
    refuse,
    result_of,
    sign,
    verify,
)

SIDES = (
    SheetSide(11, ("an", "bo"), ("granary 1", "granary 2")),
    SheetSide(12, ("cai", "di"), ("office", "office")),
)
BLANK = Sheet("r1-3", "2nd floor", 1_000, SIDES)

UP_TO_A = (
    DealLine(0, "2", 0, rise=(5, 0)),
    DealLine(2, "7", 180, rise=(0, 5), fines=(10, 0)),
    DealLine(1, "7", 90),
    DealLine(2, "7", 0, rise=(5, 0)),
    DealLine(0, "Q", 20, rise=(3, 0)),
)
"""The seed's example: side 0 rises past A, side 1 has come to 7."""


def entered() -> Sheet:
    return enter(BLANK, 2_000, UP_TO_A)


def signed(sheet: Sheet, *players: str) -> Sheet:
    for player in players:
        sheet = sign(sheet, Signature(player, 2_100))
    return sheet


def everybody(sheet: Sheet) -> Sheet:
    return signed(sheet, *sheet.unsigned)


REFEREE, CHIEF = Signature("referee", 2_500), Signature("chief", 3_000)
REFUSED = Refusal("di", "the bottom was miscounted", REFEREE)


def test_C8_6_the_seeds_example() -> None:
    sheet = entered()
    assert sheet.result == MatchResult(0, ("A", "7"), "S9.5")
    assert sheet.match_points == (3, 0)
    assert sheet.difference() == (6, -6)
    assert sheet.difference(a_is_a_level=True) == (7, -7)
    assert (BLANK.match_points, BLANK.difference(), BLANK.result) == (None, None, None)


def test_C8_6_a_match_counts_when_both_sides_have_signed_and_the_referee_has_verified() -> None:
    sheet = entered()
    assert (BLANK.state, sheet.state) == (OPEN, OPEN)
    sheet = signed(sheet, "an", "bo", "cai")
    assert (sheet.state, sheet.unsigned, sheet.counts) == (OPEN, ("di",), False)
    with pytest.raises(Rejected, match="di"):
        verify(sheet, REFEREE)
    sheet = signed(sheet, "di")
    assert (sheet.state, sheet.counts) == (SIGNED, False)
    sheet = verify(sheet, REFEREE)
    assert (sheet.state, sheet.counts, sheet.referee) == (VERIFIED, True, REFEREE)


def test_C8_6_third_party_and_witness_sign_too() -> None:
    sheet = attest(entered(), third_party=Signature("wei", 1))
    sheet = attest(sheet, witness=Signature("xu", 2))
    assert (sheet.third_party, sheet.witness) == (Signature("wei", 1), Signature("xu", 2))
    with pytest.raises(Rejected, match="PLAYS_THE_MATCH"):
        attest(sheet, witness=Signature("an", 2))


def test_C8_6_a_refused_signature_is_entered_with_the_reason_and_goes_to_the_chief() -> None:
    sheet = refuse(signed(entered(), "an", "bo", "cai"), REFUSED)
    assert (sheet.state, sheet.unsigned, sheet.refusals) == (DISPUTED, (), (REFUSED,))
    with pytest.raises(Rejected, match="SHEET_NOT_SIGNED"):
        verify(sheet, REFEREE)
    decided = decide(sheet, CHIEF, "counted again: it stands")
    assert (decided.state, decided.referee, decided.decision) == (VERIFIED, CHIEF, "counted again: it stands")
    assert decided.refusals == (REFUSED,)


def test_C8_6_who_refused_may_sign_after_all() -> None:
    sheet = signed(refuse(signed(entered(), "an", "bo", "cai"), REFUSED), "di")
    assert (sheet.state, sheet.refusals) == (SIGNED, ())


def test_C8_6_what_is_entered_anew_is_signed_anew() -> None:
    disputed = attest(refuse(signed(entered(), "an"), REFUSED), witness=Signature("xu", 2))
    sheet = enter(disputed, 2_050, UP_TO_A)
    assert (sheet.state, sheet.signatures, sheet.refusals, sheet.witness) == (OPEN, (), (), None)
    assert sheet == enter(BLANK, 2_050, UP_TO_A)


def test_C8_6_a_verified_sheet_changes_no_more() -> None:
    sheet = verify(everybody(entered()), REFEREE)
    changes: list[Callable[[], Sheet]] = [
        lambda: enter(sheet, 2_000, UP_TO_A),
        lambda: sign(sheet, Signature("an", 1)),
        lambda: refuse(sheet, REFUSED),
        lambda: attest(sheet, witness=Signature("xu", 2)),
    ]
    for change in changes:
        with pytest.raises(Rejected, match="SHEET_VERIFIED"):
            change()
    with pytest.raises(Rejected, match="SHEET_NOT_SIGNED"):
        verify(sheet, REFEREE)
    with pytest.raises(Rejected, match="SHEET_NOT_DISPUTED"):
        decide(sheet, CHIEF, "again")


def test_C8_6_signatures_that_cannot_be() -> None:
    sheet = signed(entered(), "an")
    refused = refuse(sheet, REFUSED)
    refusals: list[tuple[Callable[[], Sheet], str]] = [
        (lambda: sign(BLANK, Signature("an", 1)), "NOTHING_ENTERED"),
        (lambda: refuse(BLANK, REFUSED), "NOTHING_ENTERED"),
        (lambda: attest(BLANK, witness=Signature("xu", 1)), "NOTHING_ENTERED"),
        (lambda: sign(sheet, Signature("xu", 1)), "NOT_A_PLAYER"),
        (lambda: refuse(sheet, replace(REFUSED, player="xu")), "NOT_A_PLAYER"),
        (lambda: sign(sheet, Signature("an", 1)), "SIGNED_ALREADY"),
        (lambda: refuse(sheet, replace(REFUSED, player="an")), "SIGNED_ALREADY"),
        (lambda: refuse(refused, REFUSED), "SIGNED_ALREADY"),
        (lambda: refuse(sheet, replace(REFUSED, reason=" ")), "REASON_MISSING"),
        (lambda: verify(BLANK, REFEREE), "SHEET_NOT_SIGNED"),
        (lambda: decide(refused, CHIEF, "bo and cai have not signed"), "SHEET_NOT_DISPUTED"),
        (lambda: decide(signed(refused, "bo", "cai"), CHIEF, ""), "REASON_MISSING"),
    ]
    for change, reason in refusals:
        with pytest.raises(Rejected, match=reason):
            change()


def test_C8_6_infringements_stand_on_the_sheet() -> None:
    lines = (InfringementLine(2, "an", "S10.3", "20"), InfringementLine(0, "di", "V1", "warning"))
    assert enter(BLANK, 2_000, UP_TO_A, lines).infringements == lines
    with pytest.raises(Rejected, match="NOT_A_PLAYER"):
        enter(BLANK, 2_000, UP_TO_A, [InfringementLine(1, "xu", "S10.3", "20")])
    for deal in (-1, 7):
        with pytest.raises(Rejected, match="NO_SUCH_DEAL"):
            enter(BLANK, 2_000, UP_TO_A, [InfringementLine(deal, "an", "S10.3", "20")])
    with pytest.raises(Rejected, match="ENDED_BEFORE_IT_BEGAN"):
        enter(BLANK, 999, UP_TO_A)


def test_C8_6_a_ruled_result_needs_no_deals() -> None:
    """A forfeit (S10.15): the levels stay where they were."""
    forfeit = MatchResult(1, ("5", "3"), "S10.15")
    sheet = enter(BLANK, 2_000, UP_TO_A[:1], ruled=forfeit)
    assert (sheet.result, sheet.match_points, sheet.difference()) == (forfeit, (0, 3), (0, 0))


LEVEL = (DealLine(0, "2", 60, rise=(1, 0)), DealLine(2, "3", 100, rise=(0, 1)))


def test_C8_3_what_deals_lead_to_at_time() -> None:
    assert result_of(LEVEL[:1]) == MatchResult(0, ("3", "2"), "C8.3a")
    assert result_of(LEVEL) == MatchResult(0, ("3", "3"), "C8.3c")
    kept = DealLine(1, "3", 0, rise=(0, 5))
    assert result_of((*LEVEL, kept), Due.FINISH_DEAL) == MatchResult(1, ("3", "8"), "C8.3b")
    assert result_of((*LEVEL, DealLine(1, "3", 80)), Due.FINISH_DEAL) == MatchResult(0, ("3", "3"), "C8.3b")
    drawn = DealLine(0, "2", 80)
    assert result_of((drawn, DealLine(1, "2", 95)), Due.ONE_MORE_DEAL) == MatchResult(0, ("2", "2"), "C8.3c")
    assert result_of((drawn,), Due.FINISH_DEAL) == MatchResult(1, ("2", "2"), "C8.3b")


@pytest.mark.parametrize(
    ("deals", "due"),
    [
        ((), None),
        ((DealLine(0, "2", 85),), None),
        ((), Due.ONE_MORE_DEAL),
        ((*LEVEL, DealLine(1, "3", 0, rise=(0, 5))), Due.ONE_MORE_DEAL),
        ((LEVEL[0], DealLine(0, "3", 0, rise=(5, 0))), Due.FINISH_DEAL),
        ((DealLine(0, "3", 60, rise=(1, 0)),), None),
        ((DealLine(4, "2", 60, rise=(1, 0)),), None),
        ((DealLine(0, "2", 60, rise=(0, 1)),), None),
        ((DealLine(0, "2", 60, rise=(1, 1)),), None),
        ((DealLine(0, "2", 60, rise=(-1, 0)),), None),
        ((DealLine(0, "2", 100, rise=(1, 0)),), None),
        ((*UP_TO_A, DealLine(0, "A", 85)), None),
    ],
)
def test_C8_6_a_sheet_must_add_up(deals: tuple[DealLine, ...], due: Due | None) -> None:
    with pytest.raises(Rejected, match="SHEET_DOES_NOT_ADD_UP") as refused:
        enter(BLANK, 2_000, deals, due=due)
    assert refused.value.detail.isascii()
    assert not refused.value.facts["detail_zh"].isascii()
