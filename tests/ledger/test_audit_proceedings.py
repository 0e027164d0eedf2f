"""Appeals that did not go their way are found, whoever signed them (C10.0 to C10.7)."""

from __future__ import annotations

from typing import Any

import pytest

from services.ledger.audit.verify import verify
from tests.ledger import event_log as e

START_US = 1_800_000_000_000_000
MINUTE_US = 60_000_000
ASKED = {"void_board": e.VOIDED}
FEE: dict[str, Any] = {"amount": 500, "currency": "CNY"}
FILED: dict[str, Any] = {
    "appeal": "a-1", "entrant": 1, "sought": [ASKED], "window_ends_us": START_US + 10 * MINUTE_US,
    "fee_amount": 500, "fee_currency": "CNY",
}  # fmt: skip
PANEL: dict[str, Any] = {
    "members": [{"person_id": one} for one in ("a", "b", "c")],
    "reserves": [{"person_id": "d"}],
    "voting_deadline_us": START_US + 20 * MINUTE_US,
}
VOTES = [{"ballot_cast": {"member": one}} for one in ("a", "b", "c")]
CLOSED: dict[str, Any] = {"voting_closed": {"ballots": 3}}
UPHELD: dict[str, Any] = {
    "upheld": True, "ballots": [{"member": one, "uphold": True} for one in ("a", "b", "c")], "remedies": [ASKED],
}  # fmt: skip
REJECTED: dict[str, Any] = {"ballots": [{"member": one} for one in ("a", "b", "c")], "left": [ASKED]}
RECEIVED: list[dict[str, Any]] = [{"appeal_filed": FILED}, {"fee_recorded": FEE}]
VOTING: list[dict[str, Any]] = [*RECEIVED, {"panel_appointed": PANEL}]
COUNTING: list[dict[str, Any]] = [*VOTING, *VOTES, CLOSED]
DECIDED: list[dict[str, Any]] = [*COUNTING, {"appeal_decided": UPHELD}]

OURS = {
    "OUT_OF_TURN", "OTHER_FEE", "TOO_EARLY", "PANEL_SIZE", "MEMBER_TWICE", "CONFLICT", "OTHER_MEMBER", "VOTED_TWICE",
    "LATE_VOTE", "VOTE_MISSING", "OTHER_WINDOW", "OTHER_REMEDY", "WINDOW_CLOSED", "OTHER_ACTOR", "CHIEF_REFEREE_FINAL",
}  # fmt: skip


def found(told: list[dict[str, Any]], late: dict[int, int] | None = None, **settings: Any) -> list[str]:
    """What is wrong with how an appeal went, a minute a record; `late`: minutes more from a record on."""
    log, at_us = e.Log(), START_US
    if settings:
        created = {"settings": {"fee_amount": 500, "fee_currency": "CNY", **settings}}
        log.append(e.PAIRING, [e.PairingEvent(championship_created=created)])
    for place, event in enumerate(told):
        at_us += (late or {}).get(place, 0) * MINUTE_US
        log.append(e.APPEAL, [e.AppealsEvent(**event)], time_us=at_us, actor="p-1")
        at_us += MINUTE_US
    rulings = next(check for check in verify(log.file()).checks if check.name == "rulings")
    return [one.code for one in rulings.findings if one.code in OURS]


@pytest.mark.parametrize(
    "told",
    [
        [*DECIDED, {"fee_refunded": FEE}],
        [*COUNTING, {"appeal_decided": REJECTED}, {"fee_kept": FEE}],
        [*RECEIVED, {"appeal_withdrawn": {}}, {"fee_kept": FEE}],
        [*VOTING, {"panel_dissolved": {}}, {"panel_appointed": PANEL}, *VOTES, CLOSED, {"appeal_decided": UPHELD}],
        [*VOTING, {"conflict_declared": {"person_id": "a"}},
         {"member_replaced": {"person_id": "a", "by": {"person_id": "d"}, "cause": "conflict"}}],
        [*VOTING, {"appeal_dismissed": {"ruled_in": "a-2"}}, {"fee_refunded": FEE}],
    ],
)  # fmt: skip
def test_an_appeal_that_went_its_way_is_not_blamed(told: list[dict[str, Any]]) -> None:
    assert found(told) == []
    assert found(told, final_authority="arbitration") == []


@pytest.mark.parametrize(
    ("told", "code"),
    [
        ([*RECEIVED, {"panel_appointed": {"members": PANEL["members"] + PANEL["reserves"]}}], "PANEL_SIZE"),
        ([*RECEIVED, {"panel_appointed": PANEL | {"reserves": [{"person_id": "a"}]}}], "MEMBER_TWICE"),
        ([*RECEIVED, {"conflict_declared": {"person_id": "b"}}, {"panel_appointed": PANEL}], "CONFLICT"),
        ([RECEIVED[0], {"panel_appointed": PANEL}], "OUT_OF_TURN"),
        ([*VOTING, VOTES[0], VOTES[0]], "VOTED_TWICE"),
        ([*VOTING, VOTES[0], CLOSED], "VOTE_MISSING"),
        ([*COUNTING, VOTES[0]], "OUT_OF_TURN"),
        ([*COUNTING, {"appeal_decided": UPHELD | {"ballots": UPHELD["ballots"][:1]}}], "VOTE_MISSING"),
        ([*VOTING, *VOTES, {"appeal_decided": UPHELD}], "OUT_OF_TURN"),
        ([*DECIDED, {"appeal_decided": UPHELD}], "OUT_OF_TURN"),
        ([*COUNTING, {"appeal_decided": UPHELD | {"remedies": [{"void_board": e.VOIDED | {"board": 2}}]}}], "OTHER_REMEDY"),
        ([*COUNTING, {"appeal_decided": REJECTED | {"remedies": [ASKED]}}], "OTHER_REMEDY"),
        ([*DECIDED, {"fee_kept": FEE}], "OUT_OF_TURN"),
        ([*DECIDED, {"fee_refunded": {"amount": 5, "currency": "CNY"}}], "OTHER_FEE"),
        ([RECEIVED[0], {"fee_recorded": {"amount": 1, "currency": "CNY"}}], "OTHER_FEE"),
        ([RECEIVED[0], {"appeal_lapsed": {}}], "TOO_EARLY"),
        ([*VOTING, {"member_replaced": {"person_id": "a", "by": {"person_id": "d"}, "cause": "absent"}}], "TOO_EARLY"),
        ([*VOTING, {"member_replaced": {"person_id": "a", "by": {"person_id": "d"}, "cause": "conflict"}}],
         "OTHER_MEMBER"),
        ([*DECIDED, {"appeal_dismissed": {"ruled_in": "a-2"}}], "OUT_OF_TURN"),
    ],
)  # fmt: skip
def test_what_did_not_go_so_is_found(told: list[dict[str, Any]], code: str) -> None:
    assert code in found(told)


def test_what_came_too_late_is_found() -> None:
    """C10.1, C10.4: the instant of the end is too late."""
    assert found([{"appeal_filed": FILED}], {0: 10}) == ["WINDOW_CLOSED"]
    assert found([*VOTING, VOTES[0]], {3: 17}) == ["LATE_VOTE"]
    assert found([*VOTING, VOTES[0]], {3: 16}) == []


def test_an_appeal_for_another_fee_or_where_there_is_none_is_found() -> None:
    """C10.0, C10.2."""
    assert found([{"appeal_filed": FILED}], fee_amount=600) == ["OTHER_FEE"]
    assert found([{"appeal_filed": FILED}], final_authority="chief_referee") == ["CHIEF_REFEREE_FINAL"]


def test_an_appeal_that_somebody_else_withdrew_is_found() -> None:
    log = e.Log()
    log.append(e.APPEAL, [e.AppealsEvent(**one) for one in RECEIVED], actor="p-1")
    log.append(e.APPEAL, [e.AppealsEvent(appeal_withdrawn={})], actor="p-2")
    assert "OTHER_ACTOR" in {one.code for one in verify(log.file()).findings}


@pytest.mark.parametrize(("window_ms", "codes"), [(9, []), (10, ["OTHER_WINDOW"])])
def test_an_appeal_with_another_window_than_the_events_is_found(window_ms: int, codes: list[str]) -> None:
    """C10.1."""
    log = e.Log()
    settings = {
        "window_starts": "competition",
        "appeal_window_ms": window_ms,
        "fee_amount": 500,
        "fee_currency": "CNY",
    }
    told: list[dict[str, Any]] = [{"championship_created": {"settings": settings}}, {"competition_ended": {}}]
    log.append(e.PAIRING, [e.PairingEvent(**one) for one in told], time_us=START_US)
    filed = FILED | {"window_ends_us": START_US + 9_000}
    paid = {"fee_recorded": FEE}
    log.append(e.APPEAL, [e.AppealsEvent(appeal_filed=filed)], time_us=START_US + 8_000)
    log.append(e.APPEAL, [e.AppealsEvent(**paid)], time_us=START_US + 9_000 + (window_ms - 9) * 1_000 - 1)
    rulings = next(check for check in verify(log.file()).checks if check.name == "rulings")
    assert [one.code for one in rulings.findings if one.code in OURS] == codes
    log = e.Log()
    log.append(e.PAIRING, [e.PairingEvent(**one) for one in told], time_us=START_US)
    log.append(e.APPEAL, [e.AppealsEvent(appeal_filed=filed)], time_us=START_US + 1)
    log.append(e.APPEAL, [e.AppealsEvent(**paid)], time_us=START_US + window_ms * 1_000)
    rulings = next(check for check in verify(log.file()).checks if check.name == "rulings")
    assert [one.code for one in rulings.findings if one.code == "WINDOW_CLOSED"] == ["WINDOW_CLOSED"]
