"""A match with real cards verifies by its score sheet alone, and a sheet that was tampered with does not (C8.6, S9.2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fupan.table.v1 import events_pb2, sheet_pb2
from services.games.shengji.params import XIAMEN, resolve
from services.ledger import keys
from services.ledger.audit.sheets import SheetReplay
from services.ledger.audit.verify import verify
from services.table import codec
from services.table.decider.play import SERVICE
from services.table.model import commands as c
from services.table.model import sheets as s
from services.table.model.events import Event, TableOpened
from tests.ledger import event_log as e
from tests.ledger.test_audit_table import FRAMING, SUBJECT, Recorded
from tests.table import given, test_sheets
from tests.table.test_sheets import PLAYERS, UP_TO_A, figures, infringement

Change = Callable[[Any], None]


class Forged(Recorded):
    """A table with real cards whose first stored event of a kind was changed, if any was; a match where none is given."""

    def __init__(
        self, log: e.Log, kind: str, change: Change, opened: TableOpened = test_sheets.OPENED
    ) -> None:
        self.kind, self.change = kind, change
        super().__init__(log, replace(opened, table="r1-t1", championship=e.CUP))

    def when(self, command: c.Command, actor: str = SERVICE) -> tuple[Event, ...]:
        before = self.table
        events = given.Script.when(self, command, actor)
        stored = [self._stored(event) for event in events]
        if stored:
            self.records.append(
                SUBJECT,
                stored,
                command=codec.COMMANDS.encode(command),
                closing=FRAMING.closing(before, self.table),
                params_digest=FRAMING.ruleset(self.table)[1],
            )
        return events

    def _stored(self, event: Event) -> Any:
        message = codec.EVENTS.to_proto(event)
        inner = message.sheet if message.WhichOneof("kind") == "sheet" else message
        kind = inner.WhichOneof("kind")
        if kind == self.kind:
            self.change(getattr(inner, kind))
            self.kind = ""
        return message


def findings(kind: str = "", change: Change = lambda message: None, decided: bool = False) -> list[str]:
    """What verification finds of a match that was entered, signed and confirmed, or disputed and decided."""
    log = e.Log()
    e._dealer(log, secret_created={"commitment": b"\0" * 32})
    table = Forged(log, kind, change)
    table.now_us += 2 * test_sheets.HOUR_US
    table.when(infringement(2, 0, "S10.5"), "ref")
    table.when(infringement(3, 1, "S10.5"), "ref")
    table.when(s.LiftInfringement(3, 1, 1, "by mistake"), "ref")
    deals = list(UP_TO_A)
    deals[1] = replace(deals[1], points=180, fines=(10, 0))
    table.when(s.EnterSheet(figures(*deals), ""), "ref")
    for person in PLAYERS:
        table.when(s.SignSheet(person, "player"), person)
    if decided:
        table.when(s.DisputeSheet("di", "deal 4"), "di")
        table.when(s.DecideSheet(None, None, "", "counted again"), "chief")
    else:
        table.when(s.ConfirmSheet(), "ref")
    table.seal()
    report = verify(log.file("table", "r1-t1"), [keys.fingerprint(keys.signing_public_key(e.SIGNER))])
    return [str(finding) for finding in report.findings]


@pytest.mark.parametrize("decided", [False, True])
def test_a_sheet_of_the_service_verifies(decided: bool) -> None:
    assert findings(decided=decided) == []


def _set(**fields: Any) -> Change:
    def change(message: Any) -> None:
        for name, value in fields.items():
            setattr(message, name, value)

    return change


def _points(message: Any) -> None:
    message.figures.deals[3].points = 40


def _ended(message: Any) -> None:
    message.figures.ended_us = message.figures.started_us - 1


def _terms(deals: int) -> Change:
    def change(message: Any) -> None:
        message.match.deals = deals

    return change


def _winner(message: Any) -> None:
    message.result.winner = 1


def _levels(message: Any) -> None:
    message.result.levels[1] = "8"


@pytest.mark.parametrize(
    ("kind", "change", "told"),
    [
        ("sheet_entered", _points, "deal 4"),
        ("sheet_entered", _winner, "won by"),
        ("sheet_entered", _levels, "levels"),
        ("infringement_entered", _set(fine=20), "S10.5 was fined 20 points, not 10"),
        ("infringement_entered", _set(code="S10.99"), "no S10.99 found"),
        ("infringement_entered", _set(finding="guessed"), "no S10.5 guessed"),
        ("infringement_lifted", _set(act=2), "fines of side"),
        ("sheet_signed", _set(person="xu"), "without the signatures of an"),
        ("match_ended", _set(net_levels=7), "is told to have ended"),
        ("match_ended", _set(winner=1), "is told to have ended"),
        ("match_ended", _set(clause="C8.3a"), "is told to have ended"),
        ("match_ended", _set(started_us=7), "is told to have ended"),
        ("sheet_entered", _ended, "ended before it began"),
        ("table_opened", _terms(len(UP_TO_A) - 1), "deals, where a match of this event has"),
    ],
)
def test_a_sheet_that_was_tampered_with_does_not_verify(kind: str, change: Change, told: str) -> None:
    assert any(told in one for one in findings(kind, change))


def test_a_decision_that_does_not_add_up_does_not_verify() -> None:
    assert any("levels" in one for one in findings("sheet_decided", _levels, decided=True))


@pytest.mark.parametrize(
    ("fine", "told"),
    [(10, ""), (20, ""), (15, "S10.14 was fined 15 points, not 10")],
    ids=["as the event says", "as older versions took it", "as nobody says"],
)
def test_S6_4_a_failed_throw_is_read_at_what_the_event_takes_for_it(fine: int, told: str) -> None:
    entered = sheet_pb2.InfringementEntered(deal=1, act=1, code="S10.14", finding="found", cards=2, fine=fine)
    replay = SheetReplay(resolve(XIAMEN, {"throw_fine": 5}), events_pb2.MatchTerms(), PLAYERS)
    assert replay.told(sheet_pb2.SheetEvent(infringement_entered=entered)) == told


def test_C8_3_a_sheet_has_as_many_deals_as_the_event_allows_and_one_more_where_both_sides_are_still_at_2() -> (
    None
):
    for most, last_deal, fits in (
        (3, "", True),
        (2, "", False),
        (2, "one_more_deal", True),
        (1, "one_more_deal", False),
    ):
        replay = SheetReplay(resolve(XIAMEN, {}), events_pb2.MatchTerms(deals=most), PLAYERS)
        line = sheet_pb2.SheetDeal(declarer=0, level="2", points=80, fines=[0, 0], rises=[0, 0])
        entered = sheet_pb2.SheetFigures(deals=[line] * 3, last_deal=last_deal)
        event = sheet_pb2.SheetEvent(sheet_entered=sheet_pb2.SheetEntered(figures=entered))
        assert ("a match of this event has" in replay.told(event)) != fits
