"""Appeals that did not go their way are found, whoever signed them (C10.0 to C10.7)."""

from __future__ import annotations

from typing import Any

import pytest

from fupan.appeals.v1 import events_pb2 as appeals_pb2
from services.games.championship.tables import POINTS
from services.ledger.audit.evidence import gather
from services.ledger.audit.verify import verify
from services.ledger.audit.windows import Windows
from services.ledger.auditfile import parse
from services.ledger.record import BoardClosing
from services.ledger.workdays import beyond, calendar_version
from tests.ledger import event_log as e

START_US = 1_800_000_000_000_000
MINUTE_US = 60_000_000
DAY_US = 24 * 60 * MINUTE_US
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
    "LATE_VOTE", "VOTE_MISSING", "OTHER_WINDOW", "OTHER_DEADLINE", "OTHER_REMEDY",
    "WINDOW_CLOSED", "OTHER_ACTOR", "CHIEF_REFEREE_FINAL",
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


def test_a_panel_that_votes_longer_than_it_may_is_found() -> None:
    """C10.5: until the answer is due, or for a day."""
    later = {"panel_appointed": PANEL | {"voting_deadline_us": START_US + 2 * MINUTE_US + DAY_US}}
    assert found([*RECEIVED, later]) == []
    assert found([*RECEIVED, later], {2: -1}) == ["OTHER_DEADLINE"]
    due = {"fee_recorded": FEE | {"answer_due_us": START_US + 2 * DAY_US}}
    assert (
        found([RECEIVED[0], due, {"panel_appointed": PANEL | {"voting_deadline_us": START_US + 2 * DAY_US}}])
        == []
    )
    assert found([*RECEIVED, {"panel_appointed": PANEL | {"voting_deadline_us": 0}}]) == ["OTHER_DEADLINE"]


PLACE = ("CN", "Asia/Shanghai")
TUESDAY = 3 * 24 * 60 + 8 * 60 - 1
"""Minutes until a Tuesday begins there, which is no holiday, from a minute after a Friday's 16:00 on."""


def answered(minutes: int, working_days: int, **paid: Any) -> list[str]:
    """What is found of a fee recorded so many minutes later, its answer due so many days after that Tuesday began."""
    due_us = START_US + (1 + TUESDAY) * MINUTE_US + working_days * DAY_US
    told = {
        "calendar": calendar_version("CN"),
        "answer_due_us": due_us,
        "beyond_calendar": beyond(due_us, *PLACE),
    }
    filed = {"appeal_filed": FILED | {"window_ends_us": START_US + 9 * DAY_US}}
    settings = dict(zip(("calendar", "time_zone"), PLACE, strict=True))
    return found([filed, {"fee_recorded": FEE | told | paid}], {1: minutes}, **settings)


def test_an_answer_is_due_two_working_days_later() -> None:
    """C10.5: what is received in the seconds after midnight may have been worked out before."""
    assert [days for days in range(6) if not answered(TUESDAY, days)] == [2, 3]
    assert [days for days in range(6) if not answered(TUESDAY + 1, days)] == [3]
    assert [days for days in range(6) if not answered(TUESDAY - 1, days)] == [2]
    assert answered(TUESDAY, 2, beyond_calendar=not beyond(START_US + 9 * DAY_US, *PLACE)) == [
        "OTHER_DEADLINE"
    ]
    assert answered(TUESDAY, 2, calendar="DE holidays 0.1") == ["OTHER_DEADLINE"]


def test_working_days_of_another_calendars_version_are_not_checked() -> None:
    log = e.Log()
    settings = {"calendar": "CN", "time_zone": "Asia/Shanghai", "fee_amount": 500, "fee_currency": "CNY"}
    log.append(e.PAIRING, [e.PairingEvent(championship_created={"settings": settings})])
    paid = {"fee_recorded": FEE | {"calendar": "CN holidays 0.1", "answer_due_us": 1}}
    log.append(e.APPEAL, [e.AppealsEvent(**one) for one in (RECEIVED[0], paid)], time_us=START_US)
    rulings = next(check for check in verify(log.file()).checks if check.name == "rulings")
    assert not any(one.code in OURS for one in rulings.findings)
    assert any(one.startswith("working days of CN holidays 0.1 are not checked") for one in rulings.missing)


ROUND = {"round_seated": {"round": 1, "tables": [{"table": "r1-t1", "entrants": [1, 2, 3]}]}}
PLAYED: list[dict[str, Any]] = [ROUND, {"round_paired": {"round": 1}}, {"round_closed": {"round": 1}}]
BOARD: dict[str, Any] = {"board": {"table": "r1-t1", "round": 1, "board": 1, "attempt": 1}}
WINDOW_MIN = 180


def filed(
    starts: str,
    contested: dict[str, Any],
    minutes: int,
    after: int,
    told: list[dict[str, Any]],
    pays: int = 0,
    **more: Any,
) -> list[str]:
    """What is found of an appeal that was filed `after` so many minutes, its window told to end after `minutes` (0: not begun),
    where others' records came a minute each and a table closed its two boards in the minutes 1 and 2."""
    log = e.Log()
    settings = {
        "window_starts": starts, "appeal_window_ms": WINDOW_MIN * 60_000, "rounds": 1, "boards_per_round": 2,
        "fee_amount": 500, "fee_currency": "CNY", **more,
    }  # fmt: skip
    created: list[dict[str, Any]] = [{"championship_created": {"settings": settings}}]
    for place, event in enumerate(created + told):
        log.append(e.PAIRING, [e.PairingEvent(**event)], time_us=START_US + place * MINUTE_US)
    for board in (1, 2):
        closing = BoardClosing(1, board, 1, True, (), (), (), ())
        event = {"board_closed_unfinished": {"board": board, "attempt": 1}}
        log.append(
            e.table_subject(1), [e.TableEvent(**event)], closing=closing, time_us=START_US + board * MINUTE_US
        )
    published: dict[str, Any] = {"standings_published": {"number": 1, "after_round": 1}}
    log.append(e.SCORING, [e.ScoringEvent(**published)], time_us=START_US + 4 * MINUTE_US)
    ends_us = START_US + minutes * MINUTE_US if minutes else 0
    event = FILED | {"window_ends_us": ends_us, "contested": contested}
    log.append(e.APPEAL, [e.AppealsEvent(appeal_filed=event)], time_us=START_US + after * MINUTE_US)
    if pays:
        event = {"fee_recorded": FEE} if pays > 0 else {"appeal_lapsed": {}}
        log.append(e.APPEAL, [e.AppealsEvent(**event)], time_us=START_US + abs(pays) * MINUTE_US)
    rulings = next(check for check in verify(log.file()).checks if check.name == "rulings")
    return [one.code for one in rulings.findings if one.code in OURS]


ENDED: dict[str, Any] = {"competition_ended": {}}
PUBLISHED: dict[str, Any] = {"publication": {"publication": 1}}
OFF: list[dict[str, Any]] = [
    {"round_seated": {"round": 2, "tables": []}},
    {"round_paired": {"round": 2, "basis": "playoff"}},
    {"round_closed": {"round": 2}},
]
AGAIN = {
    "replay_seated": {
        "round": 1,
        "board": 1,
        "attempt": 2,
        "table": {"table": "r1-t1", "entrants": [1, 2, 3]},
    }
}


@pytest.mark.parametrize(
    ("starts", "contested", "began", "told"),
    [
        ("competition", BOARD, 4, [*PLAYED, ENDED]),
        ("competition", {"pairing": {"round": 1}}, 4, [*PLAYED, ENDED]),
        ("competition", {"ruling": {"ruling": "r"}}, 4, [*PLAYED, ENDED]),
        ("competition", BOARD, 0, PLAYED),
        ("round", BOARD, 3, PLAYED),
        ("round", {"pairing": {"round": 1}}, 3, PLAYED),
        ("round", BOARD, 0, PLAYED[:2]),
        ("match", BOARD, 2, PLAYED[:2]),
        ("match", {"pairing": {"round": 1}}, 3, PLAYED),
        ("round", PUBLISHED, 3, PLAYED),
        ("competition", {"ruling": {"ruling": "r"}}, 3, [*PLAYED[:2], ENDED]),
        # A play-off comes after the competition, and so may a referee's ruling.
        ("competition", {"pairing": {"round": 2}}, 7, [*PLAYED, ENDED, *OFF]),
        ("competition", {"ruling": {"ruling": "r"}}, 7, [*PLAYED, ENDED, *OFF]),
        ("competition", BOARD, 4, [*PLAYED, ENDED, *OFF]),
        ("competition", {"ruling": {"ruling": "r"}}, 0, [*PLAYED, ENDED, *OFF[:2]]),
        # A board that is played again, when all else was over or not.
        ("competition", BOARD, 4, [*PLAYED, ENDED, AGAIN]),
        ("match", BOARD, 1, [*PLAYED, ENDED, AGAIN]),
        ("competition", BOARD, 0, [*PLAYED, AGAIN]),
    ],
)  # fmt: skip
def test_a_window_ends_three_hours_after_what_it_begins_with(
    starts: str, contested: dict[str, Any], began: int, told: list[dict[str, Any]]
) -> None:
    """C10.1, C4.5."""
    ends = began + WINDOW_MIN if began else 0
    assert filed(starts, contested, ends, 10, told) == []
    assert filed(starts, contested, ends + 60, 10, told) == ["OTHER_WINDOW"]
    if began:
        assert filed(starts, contested, 0, 10, told) == ["OTHER_WINDOW"]
        # The instant of its end is too late to pay, and no appeal lapses before it (C10.2).
        assert filed(starts, contested, ends, 10, told, ends - 1) == []
        assert filed(starts, contested, ends, 10, told, ends) == ["WINDOW_CLOSED"]
        assert filed(starts, contested, ends, 10, told, -ends) == []
        assert filed(starts, contested, ends, 10, told, 1 - ends) == ["TOO_EARLY"]
    else:
        assert filed(starts, contested, ends, 10, told, -1000) == ["TOO_EARLY"]


def test_the_window_of_a_match_of_many_deals_begins_with_its_end() -> None:
    """C8.2."""
    log = e.Log()
    settings: dict[str, Any] = {
        "window_starts": "match", "appeal_window_ms": WINDOW_MIN * 60_000, "format": POINTS, "rounds": 1, "boards_per_round": 1,
    }  # fmt: skip
    for event in ({"championship_created": {"settings": settings}}, *PLAYED):
        log.append(e.PAIRING, [e.PairingEvent(**event)], time_us=START_US)
    subject, window_us = e.table_subject(1), WINDOW_MIN * MINUTE_US
    closing = BoardClosing(1, 1, 1, False, (), (), (), ())
    log.append(subject, [e.TableEvent()], closing=closing, time_us=START_US)
    ended: dict[str, Any] = {"match_ended": {"round": 1}}
    log.append(subject, [e.TableEvent(**ended)], time_us=START_US + 5 * MINUTE_US)
    windows = Windows(gather(parse(log.file())))
    contested = appeals_pb2.Contested(board=appeals_pb2.ContestedBoard(**BOARD["board"]))
    assert windows.ends(contested, START_US + 4 * MINUTE_US) == {0}
    assert windows.ends(contested, START_US + 6 * MINUTE_US) == {START_US + 5 * MINUTE_US + window_us}


def test_a_match_is_over_when_all_tables_have_closed_its_boards() -> None:
    """C10.1, P13: older versions had it end with its own table's."""
    log = e.Log()
    settings: dict[str, Any] = {
        "window_starts": "match", "appeal_window_ms": WINDOW_MIN * 60_000, "rounds": 1, "boards_per_round": 2,
    }  # fmt: skip
    seated = {"round_seated": {"round": 1, "tables": [{"table": f"r1-t{one}"} for one in (1, 2)]}}
    for event in ({"championship_created": {"settings": settings}}, seated, PLAYED[1]):
        log.append(e.PAIRING, [e.PairingEvent(**event)], time_us=START_US)
    for minute, (number, board) in enumerate(((1, 1), (2, 1), (1, 2), (2, 2)), 1):
        closing = BoardClosing(1, board, 1, False, (), (), (), ())
        subject = e.table_subject(number)
        log.append(subject, [e.TableEvent()], closing=closing, time_us=START_US + minute * MINUTE_US)
    windows = Windows(gather(parse(log.file())))
    contested = appeals_pb2.Contested(board=appeals_pb2.ContestedBoard(**BOARD["board"]))

    def told(minute: float) -> set[int]:
        ends = windows.ends(contested, START_US + int(minute * MINUTE_US))
        return {(one - START_US) // MINUTE_US - WINDOW_MIN if one else 0 for one in ends}

    assert [told(minute) for minute in (2.5, 3.5, 4.5)] == [{0}, {0, 3}, {3, 4}]


def test_of_a_table_that_is_not_in_the_file_the_window_is_taken_as_told() -> None:
    other = {"board": BOARD["board"] | {"table": "r1-t9"}}
    assert filed("match", other, 33, 10, PLAYED, 32) == []
    assert filed("match", other, 33, 10, PLAYED, 33) == ["WINDOW_CLOSED"]


def test_what_others_told_in_the_moments_before_nobody_is_held_to_know() -> None:
    assert filed("competition", BOARD, 0, 4, [*PLAYED, ENDED]) == []
    assert filed("competition", BOARD, 0, 5, [*PLAYED, ENDED]) == ["OTHER_WINDOW"]


def gave_way(told: dict[str, Any], decided: bool = True, board: int = 1, other: str = "a-2") -> list[str]:
    """What is found where appeal a-1 gave way to another one, on a board."""
    log = e.Log()
    log.append(e.PAIRING, [e.PairingEvent(**ROUND)])
    theirs = f"fupan.e1.appeals.{e.CUP}.{other}"
    contested = {"board": BOARD["board"] | {"board": board}}
    event = FILED | {"contested": contested, "sought": [{"void_board": e.VOIDED | {"board": board}}]}
    log.append(e.APPEAL, [e.AppealsEvent(appeal_filed=FILED)], time_us=START_US)
    if other != "a-1":
        log.append(theirs, [e.AppealsEvent(appeal_filed=event)], time_us=START_US)
    if decided:
        log.append(theirs, [e.AppealsEvent(panel_appointed=PANEL)], time_us=START_US)
        log.append(theirs, [e.AppealsEvent(appeal_decided=UPHELD)], time_us=START_US)
    log.append(e.APPEAL, [e.AppealsEvent(**told)], time_us=START_US)
    rulings = next(check for check in verify(log.file()).checks if check.name == "rulings")
    return [one.code for one in rulings.findings if one.code in ("OTHER_RULING", "NO_APPEAL")]


@pytest.mark.parametrize(
    "told", [{"appeal_dismissed": {"ruled_in": "a-2"}}, {"panel_dissolved": {"judged_in": "a-2"}}]
)
def test_what_an_appeal_gave_way_to_was_ruled_or_judged_before_it_on_the_same_thing(
    told: dict[str, Any],
) -> None:
    """C10.7."""
    assert gave_way(told) == []
    assert gave_way(told, decided=False) == ["OTHER_RULING"]
    assert gave_way(told, board=2) == ["OTHER_RULING"]
    assert gave_way(told, other="a-3") == ["NO_APPEAL"]
    assert gave_way({"appeal_dismissed": {"ruled_in": "a-1"}}, other="a-1") == ["OTHER_RULING"]
