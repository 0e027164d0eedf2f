"""A board with real cards verifies by the points that were entered, and one that was tampered with does not (C1.3, S9.6)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services.ledger import keys
from services.ledger.audit.verify import verify
from services.table.model import commands as c
from tests.ledger import event_log as e
from tests.ledger.test_audit_sheets import Forged
from tests.table.test_entering import REAL, entered

Change = Callable[[Any], None]

ENTERED = entered(65)


def findings(
    kind: str = "", change: Change = lambda message: None, entry: c.EnterBoard = ENTERED
) -> list[str]:
    """What verification finds of a table with one board that was entered and one that was closed."""
    log = e.Log()
    e._dealer(log, secret_created={"commitment": b"\0" * 32})
    table = Forged(log, kind, change, REAL)
    table.when(entry, "ref")
    table.when(c.CloseBoard("round closed"))
    table.seal()
    report = verify(log.file("table", "r1-t1"), [keys.fingerprint(keys.signing_public_key(e.SIGNER))])
    return [finding.code for finding in report.findings]


def test_what_the_service_wrote_verifies() -> None:
    assert findings() == []


def test_points_that_are_not_by_fives_verify_with_a_reason() -> None:
    assert findings(entry=entered(63, reason="a fine of 2")) == []


def test_a_side_that_has_not_agreed_verifies_with_a_reason() -> None:
    assert findings(entry=entered(65, agreed=("anna",), reason="bo and dan have left")) == []


def points(message: Any) -> None:
    message.points = 70


def no_such_points(message: Any) -> None:
    message.points = -1_000_000


def not_by_fives(message: Any) -> None:
    message.points = 63


def one_side(message: Any) -> None:
    message.agreed[:] = ["anna", "chen"]


def somebody_else(message: Any) -> None:
    message.agreed.append("eve")


def scores(message: Any) -> None:
    message.scores[:] = [20, -20, 20, -20]


def board(message: Any) -> None:
    message.board = 2


def times(message: Any) -> None:
    message.thinking_us[0] = 1


@pytest.mark.parametrize(
    ("kind", "change", "code"),
    [
        ("board_entered", points, "OTHER_SCORES"),
        ("board_entered", no_such_points, "POINTS_OUT_OF_RANGE"),
        ("board_entered", not_by_fives, "POINTS_OUT_OF_RANGE"),
        ("board_entered", one_side, "SIDE_NOT_AGREED"),
        ("board_entered", somebody_else, "NOT_AT_THIS_TABLE"),
        ("board_entered", board, "NOT_ENTERED"),
        ("board_finished", scores, "OTHER_SCORES"),
        ("board_finished", times, "OTHER_TIMES"),
    ],
)
def test_another_result_than_was_entered_is_found(kind: str, change: Change, code: str) -> None:
    assert findings(kind, change) == [code]
