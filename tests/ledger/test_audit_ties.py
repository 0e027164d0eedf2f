"""A panel with a member who is tied to a party is found (C10.3)."""

from __future__ import annotations

from typing import Any

import pytest

from services.ledger.audit.ruled import LATE_US
from services.ledger.audit.verify import verify
from tests.ledger import event_log as e

START_US = 1_800_000_000_000_000
ENTRANTS = [
    {"number": number, "members": [{"person_id": f"p-{number}", "unit_id": f"u-{number}"}]}
    for number in range(1, 8)
]
TABLES = [{"table": "r1-t1", "entrants": [1, 2, 3]}, {"table": "r1-t2", "entrants": [4, 5, 6]}]
BOARD = {"board": {"table": "r1-t1", "round": 1, "board": 1}}


def found(person: str, unit: str = "", later_us: int = LATE_US + 1_000, **filed: Any) -> list[str]:
    """What is wrong with a panel that `person` sits on, of an appeal of entrant 1."""
    log = e.Log()
    appointed = {"person_id": person, "role": "arbitrator", "unit_id": unit}
    told: list[dict[str, Any]] = [
        {"championship_created": {"organiser": "org"}},
        {"entrants_imported": {"entrants": ENTRANTS}},
        {"official_appointed": appointed},
        {"round_seated": {"round": 1, "tables": TABLES}},
        {"replay_seated": {"round": 1, "board": 1, "table": {"table": "r1-t2b1", "entrants": [5, 6, 7]}}},
    ]
    log.append(e.PAIRING, [e.PairingEvent(**one) for one in told], time_us=START_US)
    panel = {"members": [{"person_id": one} for one in (person, "a", "b")]}
    events: list[dict[str, Any]] = [{"appeal_filed": {"entrant": 1} | filed}, {"panel_appointed": panel}]
    log.append(e.APPEAL, [e.AppealsEvent(**one) for one in events], time_us=START_US + later_us)
    return [one.detail for one in verify(log.file()).findings if one.code == "CONFLICT"]


@pytest.mark.parametrize(
    ("person", "unit", "filed", "why"),
    [
        ("p-1", "", {}, "is a party"),
        ("p-2", "", {}, "played at a table with a party"),
        ("p-2", "", {"contested": BOARD}, "is a party"),
        ("p-4", "", {"contested": BOARD}, "played the contested board"),
        (
            "p-4",
            "",
            {"sought": [{"assign_percent": {"entrant": 7, "round": 1}}]},
            "played the contested board",
        ),
        ("x", "u-1", {}, "shares a unit with a party"),
        ("x", "u-3", {"contested": BOARD}, "shares a unit with a party"),
        ("x", "u-7", {"sought": [{"assign_percent": {"entrant": 7}}]}, "shares a unit with a party"),
        (
            "x",
            "u-5",
            {"sought": [{"void_board": {"round": 1, "table": "r1-t2"}}]},
            "shares a unit with a party",
        ),
    ],
)
def test_a_member_with_a_tie_is_found(person: str, unit: str, filed: dict[str, Any], why: str) -> None:
    assert found(person, unit, **filed) == [f"{person} sits on a panel and {why} (C10.3)"]


def test_others_judge_and_nobody_is_held_to_know_what_was_just_said() -> None:
    assert found("x", "u-9", contested=BOARD) == found("p-4") == found("x", "u-3") == []
    # A replay has a deal of its own.
    assert found("p-7", contested=BOARD) == []
    assert found("p-1", later_us=LATE_US - 1) == []


def test_a_member_who_was_given_a_partys_seat_or_one_where_the_board_was_played_is_found() -> None:
    """C1.6: whom the tables' records tell to have sat there, given back or not."""
    for number, filed, why in (
        (1, {}, "played at a table with a party"),
        (2, {"contested": BOARD}, "played the contested board"),
        (2, {}, ""),
    ):
        log = e.Log()
        pairing: list[dict[str, Any]] = [
            {"championship_created": {"organiser": "org"}},
            {"entrants_imported": {"entrants": ENTRANTS}},
            {"round_seated": {"round": 1, "tables": TABLES}},
        ]
        log.append(e.PAIRING, [e.PairingEvent(**one) for one in pairing], time_us=START_US)
        subject = e.table_subject(number)
        opened: dict[str, Any] = {"table_opened": {"round": 1, "table": f"r1-t{number}"}}
        log.append(subject, [e.TableEvent(**opened)], time_us=START_US)
        log.append(subject, [e.TableEvent()], people=("x", "", ""), time_us=START_US)
        panel = {"members": [{"person_id": one} for one in ("x", "a", "b")]}
        events: list[dict[str, Any]] = [{"appeal_filed": {"entrant": 1} | filed}, {"panel_appointed": panel}]
        log.append(e.APPEAL, [e.AppealsEvent(**one) for one in events], time_us=START_US + 2 * LATE_US)
        conflicts = [one.detail for one in verify(log.file()).findings if one.code == "CONFLICT"]
        assert conflicts == ([f"x sits on a panel and {why} (C10.3)"] if why else [])


def test_a_member_who_came_to_have_a_tie_before_it_voted_is_found() -> None:
    for later_us, wrong in ((2 * LATE_US, True), (LATE_US, False)):
        log = e.Log()
        log.append(e.PAIRING, [e.PairingEvent(entrants_imported={"entrants": ENTRANTS})], time_us=START_US)
        panel = {"members": [{"person_id": one} for one in ("p-4", "a", "b")]}
        events: list[dict[str, Any]] = [{"appeal_filed": {"entrant": 1}}, {"panel_appointed": panel}]
        log.append(e.APPEAL, [e.AppealsEvent(**one) for one in events], time_us=START_US)
        seated = {"round_seated": {"round": 1, "tables": [{"table": "r1-t1", "entrants": [1, 4, 3]}]}}
        log.append(e.PAIRING, [e.PairingEvent(**seated)], time_us=START_US + LATE_US)
        log.append(
            e.APPEAL, [e.AppealsEvent(ballot_cast={"member": "p-4"})], time_us=START_US + LATE_US + later_us
        )
        details = [one.detail for one in verify(log.file()).findings if one.code == "CONFLICT"]
        assert details == (
            ["p-4 sits on a panel and played at a table with a party (C10.3)"] if wrong else []
        )
