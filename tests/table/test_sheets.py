"""Score sheets of matches with real cards: what adds up, who signs, who decides (C8.6, C9.2-C9.4, S9.2, S10)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from services.games.shengji.params import XIAMEN
from services.ledger.codec import UnknownEvent
from services.table import codec
from services.table.model import commands as c
from services.table.model import sheets as s
from services.table.model.events import MatchEnded, MatchTerms, Seat, TableOpened
from services.table.sheets.shown import shown
from tests.table.given import START_US, Script, facts
from tests.table.test_opening import refused

PLAYERS = ("an", "bo", "cai", "di")
"""By seat: an and cai against bo and di."""

HOUR_US = 3600 * 1_000_000
OPENED = facts(
    seats=tuple(Seat(11 + number % 2, person) for number, person in enumerate(PLAYERS)),
    boards=(),
    ruleset=XIAMEN,
    bid_clock_ms=5_000,
    bury_clock_ms=10_000,
    match=MatchTerms(time_ms=5_400_000, deals=0, a_is_a_level=False, real_cards=True),
)


def deal(
    declarer: int,
    level: str,
    points: int,
    rises: tuple[int, int] = (0, 0),
    fines: tuple[int, int] = (0, 0),
) -> s.SheetDeal:
    return s.SheetDeal(declarer, level, points, fines, rises)


UP_TO_A = (
    deal(0, "2", 0, (5, 0)),
    deal(2, "7", 180, (0, 5)),
    deal(3, "7", 90),
    deal(0, "7", 0, (5, 0)),
    deal(2, "Q", 20, (3, 0)),
)
"""Side 0 rises past A, side 1 has come to 7: the seed's example of C8.4."""


def figures(*deals: s.SheetDeal, **more: Any) -> s.SheetFigures:
    return s.SheetFigures("hall 2, table 7", START_US, START_US + HOUR_US, deals, **more)


def table(opened: TableOpened = OPENED) -> Script:
    script = Script(opened)
    script.now_us += 2 * HOUR_US
    return script


def infringement(deal: int, seat: int, code: str, finding: str = "found", **more: Any) -> s.EnterInfringement:
    given = {"act": 1, "cards": 1, "amount": None, "reason": "seen"} | more
    return s.EnterInfringement(deal=deal, seat=seat, code=code, finding=finding, **given)


def entered(script: Script | None = None) -> Script:
    script = script or table()
    script.when(s.EnterSheet(figures(*UP_TO_A), ""), "ref")
    return script


def signed(script: Script, *people: str) -> Script:
    for person in people:
        script.when(s.SignSheet(person, "player"), person)
    return script


# What is entered


def test_C8_6_a_sheet_from_the_first_deal_to_the_result() -> None:
    script = entered()
    signed(script, *PLAYERS)
    script.when(s.SignSheet("wei", "third_party"), "ref")
    script.when(s.SignSheet("xu", "witness"), "ref")
    confirmed, ended = script.when(s.ConfirmSheet(), "ref")
    assert confirmed == s.SheetConfirmed()
    assert ended == MatchEnded(
        round=1,
        winner=0,
        levels=("A", "7"),
        past_a=(True, False),
        net_levels=6,
        deals=5,
        clause="S9.5",
        started_us=START_US,
        ended_us=START_US + HOUR_US,
    )
    assert script.table.slot is None
    told = shown(script.table)
    assert (told.state, told.result.winner, list(told.result.levels)) == ("verified", 0, ["A", "7"])
    assert [(side.points, side.net_levels) for side in told.sides] == [(3, 6), (0, -6)]
    assert [list(side.players) for side in told.sides] == [["an", "cai"], ["bo", "di"]]
    assert (told.third_party.person, told.third_party.taken_by) == ("wei", "ref")
    assert told.referee.person == "ref"


@pytest.mark.parametrize(
    ("number", "wrong", "clause", "should"),
    [
        (1, {"declarer": 1}, "S9.4", "2"),
        (1, {"level": "8"}, "S2.2", "7"),
        (0, {"rises": (4, 0)}, "S9.3", "5 and 0"),
        (0, {"rises": (0, 5)}, "S9.3", "5 and 0"),
        (0, {"points": 5}, "S9.3", "4 and 0"),
        (4, {"rises": (2, 0)}, "S9.3", "3 and 0"),
        (2, {"fines": (0, 10)}, "S9.2", "0"),
    ],
)
def test_C8_6_what_does_not_add_up_is_refused_with_what_it_should_be(
    number: int, wrong: dict[str, Any], clause: str, should: str
) -> None:
    deals = list(UP_TO_A)
    deals[number] = replace(deals[number], **wrong)
    script, before = table(), table().table
    command = s.EnterSheet(figures(*deals), "")
    assert refused(script, command, "ref") == f"SHEET_DOES_NOT_ADD_UP {clause}"
    with pytest.raises(Exception, match=f"deal {number + 1}: .*{should}"):
        script.when(command, "ref")
    assert script.table.written == before.written


@pytest.mark.parametrize("points", [7, -5])
def test_S9_2_points_are_what_cards_and_fines_can_make(points: int) -> None:
    script = table()
    rises = (5, 0) if points < 0 else (4, 0)
    assert refused(script, s.EnterSheet(figures(deal(0, "2", points, rises)), ""), "ref") == (
        "SHEET_DOES_NOT_ADD_UP S9.2"
    )


def test_C8_3_how_a_match_ended_at_time_is_entered_with_its_last_deal() -> None:
    script = table()
    level = (deal(0, "2", 60, (1, 0)), deal(2, "3", 100, (0, 1)))
    (event,) = script.when(s.EnterSheet(figures(*level), ""), "ref")
    assert event.result == s.SheetResult(0, ("3", "3"), "C8.3c")
    longer = figures(*level, deal(3, "3", 80), last_deal="finish_deal")
    (event,) = script.when(s.EnterSheet(longer, "the running deal was finished"), "ref")
    assert event.result == s.SheetResult(0, ("3", "3"), "C8.3b")
    assert (
        refused(script, s.EnterSheet(figures(deal(0, "2", 80)), "again"), "ref")
        == "SHEET_DOES_NOT_ADD_UP C8.6"
    )
    odd = figures(*level, last_deal="whenever")
    assert refused(script, s.EnterSheet(odd, "again"), "ref") == "MALFORMED_SHEET C8.3"


def test_C8_3_no_more_deals_are_entered_than_the_event_allows_a_match() -> None:
    script = table(replace(OPENED, match=MatchTerms(5_400_000, 2, a_is_a_level=False, real_cards=True)))
    lost, risen, more = deal(0, "2", 90), deal(0, "2", 60, (1, 0)), deal(2, "3", 60, (1, 0))
    refusals = [
        s.EnterSheet(figures(risen, more, deal(0, "4", 60, (1, 0))), ""),
        s.EnterSheet(figures(lost, deal(1, "2", 90), risen), ""),
    ]
    for command in refusals:
        assert refused(script, command, "ref") == "SHEET_DOES_NOT_ADD_UP C8.3"
    last = figures(lost, deal(1, "2", 90), deal(2, "2", 60, (1, 0)), last_deal="one_more_deal")
    (event,) = script.when(s.EnterSheet(last, ""), "ref")
    assert event.result == s.SheetResult(0, ("3", "2"), "C8.3c")
    (event,) = script.when(s.EnterSheet(figures(risen, more), "again"), "ref")
    assert event.result == s.SheetResult(0, ("4", "2"), "C8.3a")


def test_C8_6_what_is_malformed_is_refused() -> None:
    script = table()
    for bad in (replace(deal(0, "2", 0), fines=(1,)), replace(deal(0, "2", 0), rises=())):
        assert refused(script, s.EnterSheet(figures(bad), ""), "ref") == "MALFORMED_SHEET C8.6"
    assert refused(script, s.EnterSheet(figures(deal(4, "2", 0)), ""), "ref") == "NO_SUCH_SEAT S2.1"
    early = replace(figures(*UP_TO_A), ended_us=START_US - 1)
    assert refused(script, s.EnterSheet(early, ""), "ref") == "ENDED_BEFORE_IT_BEGAN C8.6"
    late = replace(figures(*UP_TO_A), ended_us=script.now_us + 1)
    for times in (late, replace(late, started_us=-2, ended_us=-1)):
        assert refused(script, s.EnterSheet(times, ""), "ref") == "OUT_OF_RANGE C8.6"


def test_C8_6_what_nobody_wrote_down_is_what_the_table_knows() -> None:
    script = table()
    (event,) = script.when(s.EnterSheet(s.SheetFigures("", 0, 0, UP_TO_A), ""), "ref")
    assert event.figures == s.SheetFigures("t1", START_US, script.now_us, UP_TO_A)


def test_C9_4_entered_anew_a_sheet_says_why_and_is_signed_anew() -> None:
    script = signed(entered(), *PLAYERS)
    again = s.EnterSheet(figures(*UP_TO_A), "")
    assert refused(script, again, "ref") == "REASON_MISSING C9.4"
    script.when(replace(again, reason="deal 3 was misread"), "ref")
    assert shown(script.table).state == "open"
    assert not shown(script.table).signatures


# Signatures, disputes, decisions


def test_C8_6_both_sides_sign_before_a_referee_confirms() -> None:
    script = signed(entered(), "an", "bo", "cai")
    assert refused(script, s.ConfirmSheet(), "ref") == "SHEET_NOT_SIGNED C8.6"
    assert refused(script, s.SignSheet("an", "player"), "an") == "SIGNED_ALREADY C8.6"
    assert refused(script, s.SignSheet("xu", "player"), "xu") == "NOT_A_PLAYER C8.6"
    assert refused(script, s.SignSheet("an", "witness"), "ref") == "PLAYS_THE_MATCH C8.6"
    assert refused(script, s.SignSheet("di", "owner"), "di") == "MALFORMED_SHEET C8.6"  # type: ignore[arg-type]
    signed(script, "di").when(s.ConfirmSheet(), "ref")
    late: list[s.SheetCommand] = [
        s.SignSheet("xu", "witness"),
        s.EnterSheet(figures(*UP_TO_A), "again"),
        s.DisputeSheet("di", "late"),
        s.DecideSheet(None, None, "", "again"),
        infringement(1, 0, "S10.5"),
    ]
    for command in late:
        assert refused(script, command, "ref") == "SHEET_VERIFIED C8.6"


def test_C9_4_a_signature_on_a_referees_device_keeps_both() -> None:
    script = signed(entered(), "an")
    script.when(s.SignSheet("bo", "player"), "ref")
    assert [(one.person, one.taken_by) for one in shown(script.table).signatures] == [
        ("an", ""),
        ("bo", "ref"),
    ]


def test_C8_6_a_refused_signature_goes_to_the_chief_with_its_reason() -> None:
    script = signed(entered(), "an", "bo", "cai")
    assert refused(script, s.RefuseSignature("di", " "), "ref") == "REASON_MISSING C8.6"
    script.when(s.RefuseSignature("di", "the bottom was miscounted"), "ref")
    (told,) = shown(script.table).refusals
    assert (told.person, told.reason, told.entered_by) == ("di", "the bottom was miscounted", "ref")
    assert shown(script.table).state == "disputed"
    assert refused(script, s.ConfirmSheet(), "ref") == "SHEET_NOT_SIGNED C8.6"


def test_C9_2_the_chief_decides_a_dispute_as_it_is_entered() -> None:
    script = signed(entered(), *PLAYERS)
    script.when(s.SignSheet("xu", "witness"), "ref")
    script.when(s.DisputeSheet("di", "deal 4 was 40, not 0"), "di")
    told = shown(script.table)
    assert (told.state, [one.person for one in told.signatures]) == ("disputed", ["an", "bo", "cai"])
    assert refused(script, s.DecideSheet(None, None, "", " "), "chief") == "REASON_MISSING C9.4"
    decided, ended = script.when(s.DecideSheet(None, None, "", "counted again"), "chief")
    assert decided == s.SheetDecided(figures(*UP_TO_A), s.SheetResult(0, ("A", "7"), "S9.5"), "counted again")
    assert isinstance(ended, MatchEnded)
    told = shown(script.table)
    assert (told.state, told.decision, told.referee.person) == ("verified", "counted again", "chief")
    assert [one.person for one in told.signatures] == ["an", "bo", "cai"]
    assert told.witness.person == "xu"
    assert [one.reason for one in told.refusals] == ["deal 4 was 40, not 0"]


def test_C9_2_the_chief_decides_a_dispute_by_other_figures_that_nobody_signed() -> None:
    script = signed(entered(), "an", "bo", "cai")
    script.when(s.DisputeSheet("di", "the last deal was never finished"), "ref")
    decided, ended = script.when(s.DecideSheet(figures(*UP_TO_A[:4]), None, "", "it was not"), "chief")
    assert isinstance(decided, s.SheetDecided)
    assert isinstance(ended, MatchEnded)
    assert (ended.winner, ended.levels, ended.clause, ended.deals) == (0, ("Q", "7"), "C8.3a", 4)
    told = shown(script.table)
    assert not told.signatures
    assert len(told.refusals) == 1


def test_C9_2_the_chief_rules_a_match_that_was_not_played_out() -> None:
    script = table()
    assert refused(script, s.DecideSheet(None, None, "", "why not"), "chief") == "SHEET_NOT_DISPUTED C8.6"
    assert refused(script, s.DecideSheet(None, 2, "C1.6", "left"), "chief") == "MALFORMED_SHEET C9.2"
    for clause in ("", "P99", "C8.2", "S9.5"):  # play decides by C8 and S9.5, no ruling does
        assert refused(script, s.DecideSheet(None, 1, clause, "left"), "chief") == "NO_SUCH_CLAUSE C9.2"
    decided, ended = script.when(s.DecideSheet(None, 1, "C1.6", "side 0 left"), "chief")
    assert isinstance(decided, s.SheetDecided)
    assert isinstance(ended, MatchEnded)
    assert (ended.winner, ended.levels, ended.net_levels, ended.clause) == (1, ("2", "2"), 0, "C1.6")
    assert shown(script.table).state == "verified"


# The table


def test_C1_3_a_table_with_real_cards_deals_none_and_runs_no_clock() -> None:
    script = table()
    assert refused(script, c.OpenBoard(1, 1)) == "PLAYED_WITH_REAL_CARDS C1.3"
    assert refused(script, c.DealBoard(b"")) == "PLAYED_WITH_REAL_CARDS C1.3"
    assert refused(script, c.ExpireClock(0, 1)) == "PLAYED_WITH_REAL_CARDS C1.3"


def test_S9_2_what_happens_in_a_match_with_a_sheet_is_entered_there() -> None:
    fined = c.RecordInfringement(1, "S10.5", "fine", "seen", 10)
    assert refused(table(), fined, "ref") == "PLAYED_WITH_REAL_CARDS S9.2"


def test_a_table_that_deals_has_no_sheet() -> None:
    assert refused(Script(), s.ConfirmSheet(), "ref") == "NO_SCORE_SHEET C8.6"


def test_C2_2_a_match_that_is_closed_without_a_sheet_has_no_winner() -> None:
    script = table()
    assert refused(script, c.EndMatch()) == "MATCH_RUNNING C8.2"
    (ended,) = script.when(c.EndMatch("round closed"))
    assert isinstance(ended, MatchEnded)
    assert (ended.winner, ended.clause) == (None, "C2.2")
    assert shown(script.table).state == "closed"
    assert refused(script, s.EnterSheet(figures(*UP_TO_A), ""), "ref") == "MATCH_OVER C2.2"


def test_C1_6_a_substitute_stands_on_the_sheet() -> None:
    script = table()
    script.when(c.ReplaceSeat(3, "dora", "illness"), "ref")
    assert list(shown(entered(script).table).sides[1].players) == ["bo", "dora"]
    signed(script, "an", "bo", "cai", "dora").when(s.ConfirmSheet(), "ref")


def test_C1_6_a_side_that_withdrew_signs_nothing_and_the_chief_rules() -> None:
    script = table()
    for seat in (1, 3):
        script.when(c.ReplaceSeat(seat, "", "withdrawn"))
    signed(entered(script), "an", "cai")
    assert refused(script, s.ConfirmSheet(), "ref") == "SHEET_NOT_SIGNED C8.6"
    script.when(s.DecideSheet(None, 0, "C1.6", "the other side withdrew"), "chief")


# As it is stored


def test_sheets_come_back_from_their_stored_form() -> None:
    script = table()
    commands: list[tuple[s.SheetCommand, str]] = [
        (infringement(1, 1, "S10.15", "fine", amount=30), "ref"),
        (s.LiftInfringement(1, 1, 1, "by mistake"), "ref"),
        (s.EnterSheet(figures(*UP_TO_A), ""), "ref"),
        (s.SignSheet("an", "player"), "an"),
        (s.RefuseSignature("bo", "no"), "ref"),
        (s.DisputeSheet("cai", "no"), "cai"),
        (s.DecideSheet(figures(*UP_TO_A), 0, "C9.2", "so it is"), "chief"),
        (s.ConfirmSheet(), "ref"),
    ]
    for command, actor in commands:
        assert codec.COMMANDS.decode(codec.COMMANDS.encode(command)) == command
        if not isinstance(command, s.ConfirmSheet):
            script.when(command, actor)
    other = signed(entered(), *PLAYERS)
    other.when(s.ConfirmSheet(), "ref")
    for log in (script.log, other.log):
        for record in log:
            for event in record:
                assert codec.EVENTS.decode(codec.EVENTS.encode(event)) == event


def test_an_unknown_event_of_a_sheet_is_no_sheet() -> None:
    with pytest.raises(UnknownEvent):
        codec.EVENTS.decode(b"\xf2\x01\x03\xa2\x3f\x00")
