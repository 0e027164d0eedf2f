"""Seats that pairing changed by itself are a committee's ruling, or found (C10.6)."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from fupan.appeals.v1 import events_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as scoring
from services.domain import Cause
from services.ledger import record
from services.ledger.audit.evidence import Event
from services.ledger.audit.reseated import Seated, by_ruling, ruled
from services.ledger.audit.verify import verify
from tests.ledger.event_log import PAIRING, AppealsEvent, Log, PairingEvent

APPEAL = "fupan.e1.appeals.cup.a-1"
DECISION = Cause(APPEAL, 9)
SEATS = scoring.ReseatRound(
    round=1,
    tables=[
        scoring.TableSeats(table="r1-t1", entrants=[1, 5, 6]),
        scoring.TableSeats(table="r1-t2", entrants=[4, 2, 3]),
    ],
)
DECIDED = appeals.AppealDecided(upheld=True, remedies=[scoring.Remedy(reseat_round=SEATS)])
DRAWN = (("r1-t1", 1, (4, 5, 6), ()), ("r1-t2", 1, (1, 2, 3), ()))
OVERRIDDEN = (("r1-t1", 1, (1, 5, 6), ()), ("r1-t2", 1, (4, 2, 3), ()))


def entry(cause: Cause | None = DECISION, actor: str = "service:pairing") -> Any:
    return SimpleNamespace(actor=actor, cause=cause)


def evidence(decided: appeals.AppealDecided = DECIDED, version: int = 9) -> Any:
    record = SimpleNamespace(version=version, events=[Event("appeal_decided", decided)])
    return SimpleNamespace(subjects={APPEAL: [record]})


def test_an_official_needs_no_ruling() -> None:
    """C9.2."""
    assert by_ruling(entry())
    assert not by_ruling(entry(actor="chief"))


def test_seats_as_they_were_ruled() -> None:
    assert ruled(evidence(), entry(), 1, DRAWN, OVERRIDDEN) is True
    assert ruled(evidence(), entry(Cause("fupan.e1.appeals.cup.a-2", 9)), 1, DRAWN, OVERRIDDEN) is None


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
    assert ruled(evidence(decided, version), entry(cause), 1, DRAWN, OVERRIDDEN) is False


@pytest.mark.parametrize(
    ("round_", "after"),
    [
        (1, DRAWN),
        (2, OVERRIDDEN),
        (1, (("r1-t1", 1, (5, 1, 6), ()), OVERRIDDEN[1])),
        (1, (*OVERRIDDEN, ("r1-t3", 1, (9, 8, 7), ()))),  # a table that the ruling leaves alone
        (1, (("r1-t1", 2, (1, 5, 6), ()), OVERRIDDEN[1])),
    ],
)
def test_other_seats_than_those_ruled(round_: int, after: Sequence[Seated]) -> None:
    before = (*DRAWN, ("r1-t3", 1, (7, 8, 9), ())) if len(after) > 2 else DRAWN
    assert ruled(evidence(), entry(), round_, before, after) is False


@pytest.mark.parametrize(("after", "found"), [(DRAWN, True), (OVERRIDDEN, False)])
def test_C10_7_seats_that_a_committee_ruled_and_an_official_changes_are_found(
    after: Sequence[Seated], found: bool
) -> None:
    """Other tables are the chief referee's to change (C9.2)."""
    log, third = Log(), ("r1-t3", 1, (7, 8, 9), ())

    def tables(*seated: Seated) -> list[dict[str, Any]]:
        return [{"table": table, "group": group, "entrants": who} for table, group, who, _ in seated]

    log.append(PAIRING, [PairingEvent(round_seated={"round": 1, "tables": tables(*DRAWN, third)})])
    log.append(PAIRING, [PairingEvent(round_paired={"round": 1, "tables": 3})])
    log.append(APPEAL, [AppealsEvent(appeal_decided=DECIDED)])
    seats = {"round": 1, "tables": tables(*OVERRIDDEN, third), "reason": "ruling in appeal a-1"}
    cause = record.Cause(APPEAL, 1)
    log.append(PAIRING, [PairingEvent(seating_overridden=seats)], actor="service:pairing", cause=cause)
    turned = {"round": 1, "tables": tables(*after, (*third[:2], (9, 8, 7), ())), "reason": "nicer"}
    log.append(PAIRING, [PairingEvent(seating_overridden=turned)])
    codes = [
        (one.code, one.version)
        for one in verify(log.file()).findings
        if one.code in ("RULING_FINAL", "NOT_UPHELD")
    ]
    assert codes == ([("RULING_FINAL", 4)] if found else [])


@pytest.mark.parametrize(("left", "found"), [("r1-t1", True), ("r1-t3", False)])
def test_C10_7_seats_that_a_committee_left_and_an_official_changes_are_found(left: str, found: bool) -> None:
    log, third = Log(), {"table": "r1-t3", "group": 1, "entrants": [7, 8, 9]}

    def tables(*seated: Seated) -> list[dict[str, Any]]:
        named = [{"table": table, "group": group, "entrants": who} for table, group, who, _ in seated]
        return [*named, third]

    log.append(PAIRING, [PairingEvent(round_seated={"round": 1, "tables": tables(*DRAWN)})])
    log.append(PAIRING, [PairingEvent(round_paired={"round": 1, "tables": 3})])
    kept = {"appeal": "a-1", "round": 1, "tables": [left]}
    log.append(PAIRING, [PairingEvent(seats_confirmed=kept)], actor="service:pairing")
    turned = {"round": 1, "tables": tables(*OVERRIDDEN), "reason": "nicer"}
    log.append(PAIRING, [PairingEvent(seating_overridden=turned)])
    codes = [(one.code, one.version) for one in verify(log.file()).findings if one.code == "RULING_FINAL"]
    assert codes == ([("RULING_FINAL", 4)] if found else [])


def test_seats_changed_after_the_round_began_are_found() -> None:
    """C9.2."""
    log = Log()
    seats = {"table": "r1-t1", "group": 1, "entrants": [1, 2, 3]}
    log.append(PAIRING, [PairingEvent(round_seated={"round": 1, "tables": [seats]})])
    log.append(PAIRING, [PairingEvent(round_paired={"round": 1, "tables": 1})])
    log.append(PAIRING, [PairingEvent(round_started={"round": 1})])
    other = {"round": 1, "tables": [seats | {"entrants": [3, 2, 1]}], "reason": "nicer"}
    log.append(PAIRING, [PairingEvent(seating_overridden=other)])
    found = [one for one in verify(log.file()).findings if one.version == 4]
    assert [(one.code, one.subject) for one in found] == [("ROUND_STARTED", PAIRING)]
