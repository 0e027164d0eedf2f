"""Seats that pairing changed by itself are a committee's ruling, or found (C10.6)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from fupan.appeals.v1 import events_pb2 as appeals
from fupan.pairing.v1 import events_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring
from services.domain import Cause
from services.ledger.audit.evidence import Event
from services.ledger.audit.reseated import by_ruling, ruled

APPEAL = "fupan.e1.appeals.cup.a-1"
DECISION = Cause(APPEAL, 9)
SEATS = scoring.ReseatRound(round=1, tables=[scoring.TableSeats(table="r1-t1", entrants=[1, 5, 6])])
DECIDED = appeals.AppealDecided(upheld=True, remedies=[scoring.Remedy(reseat_round=SEATS)])
OVERRIDDEN = pairing.SeatingOverridden(
    round=1,
    tables=[
        pairing.SeatedTable(table="r1-t1", entrants=[1, 5, 6]),
        pairing.SeatedTable(table="r1-t2", entrants=[4, 2, 3]),
    ],
)


def entry(cause: Cause | None = DECISION, actor: str = "service:pairing") -> Any:
    return SimpleNamespace(body=SimpleNamespace(actor=actor, cause=cause))


def evidence(decided: appeals.AppealDecided = DECIDED, version: int = 9) -> Any:
    record = SimpleNamespace(version=version, events=[Event("appeal_decided", decided)])
    return SimpleNamespace(subjects={APPEAL: [record]})


def test_an_official_needs_no_ruling() -> None:
    """C9.2."""
    assert by_ruling(entry())
    assert not by_ruling(entry(actor="chief"))


def test_seats_as_they_were_ruled() -> None:
    assert ruled(evidence(), entry(), OVERRIDDEN) is True
    assert ruled(evidence(), entry(Cause("fupan.e1.appeals.cup.a-2", 9)), OVERRIDDEN) is None


@pytest.mark.parametrize(
    ("decided", "version", "cause"),
    [
        (appeals.AppealDecided(upheld=False, remedies=DECIDED.remedies), 9, DECISION),
        (appeals.AppealDecided(upheld=True), 9, DECISION),
        (DECIDED, 8, DECISION),
        (DECIDED, 9, None),
    ],
)
def test_seats_that_nobody_ruled(decided: Any, version: int, cause: Cause | None) -> None:
    assert ruled(evidence(decided, version), entry(cause), OVERRIDDEN) is False


def test_other_seats_than_those_ruled() -> None:
    other = pairing.SeatingOverridden(
        round=1, tables=[pairing.SeatedTable(table="r1-t1", entrants=[5, 1, 6])]
    )
    assert ruled(evidence(), entry(), other) is False
    later = pairing.SeatingOverridden(round=2, tables=OVERRIDDEN.tables)
    assert ruled(evidence(), entry(), later) is False
