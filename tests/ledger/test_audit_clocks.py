"""Whoever answers out of turn, out of time, or for somebody else at a table is found (P6.4, P12, C4.3)."""

from __future__ import annotations

from typing import Any

import pytest

from fupan.table.v1 import events_pb2 as pb
from services.ledger.audit.clocks import Clocks
from services.ledger.audit.evidence import Entry
from services.ledger.audit.questions import by_seat
from services.ledger.record import Stored
from tests.ledger import event_log as e
from tests.ledger.test_audit import codes, forged

PEOPLE = ("anna", "bo", "")
START_US = 1_800_000_000_000_000
CLOCK_US = 20_000_000
Message: Any = pb


def opened(**told: Any) -> Any:
    seats = [{"entrant": 1, "person_id": "anna"}, {"entrant": 2, "person_id": "bo"}, {}]
    return Message.TableOpened(
        seats=seats, play_clock_ms=20_000, claim_clock_ms=10_000, claim_floor_ms=800, **told
    )


def question(seat: int = 0, ask: int = 1, shown_us: int = START_US, **told: Any) -> dict[str, Any]:
    times = {"shown_us": shown_us, "deadline_us": shown_us + CLOCK_US}
    return {"seat": seat, "ask": ask, "question": "play"} | times | told


def acted(seat: int = 0, after_us: int = 5_000_000, **told: Any) -> Any:
    due = {
        "asked_us": START_US,
        "received_us": START_US + after_us,
        "thinking_us": after_us,
        "question": "play",
    }
    return Message.Acted(**{"seat": seat} | due | told)


def entry(time_us: int = START_US, actor: str = "anna", order: str = "act", ask: int = 1) -> Entry:
    stored = Stored("s", 1, "t", b"")
    command = Message.Act(ask=ask)
    return Entry(
        stored, b"", 1, time_us, b"", "", False, None, (), "", True, actor, order=order, command=command
    )


def found(told: list[tuple[Entry, str, Any]], **terms: Any) -> list[str]:
    """What is wrong with some events, after a board was opened."""
    events = [(entry(), "board_opened", Message.BoardOpened(board=1, attempt=1)), *told]
    codes: list[str] = []
    clocks = Clocks(opened(**terms), lambda _, code, detail: codes.append(code))
    for at, kind, one in events:
        clocks.passed(at, kind, by_seat(one.questions) if kind == "asked" else one, PEOPLE)
    return codes


ASKED = (entry(), "asked", Message.Asked(questions=[question()]))
LATER_US = START_US + 5_000_000


@pytest.mark.parametrize(
    ("told", "wrong"),
    [
        ([ASKED, (entry(LATER_US), "acted", acted())], []),
        ([ASKED, (entry(LATER_US, "bo"), "acted", acted())], ["OTHER_PERSON"]),
        ([ASKED, (entry(LATER_US, "service:table"), "acted", acted(automatic=True))], ["OTHER_PERSON"] * 2),
        ([ASKED, (entry(LATER_US, ask=2), "acted", acted())], ["NOT_ASKED"]),
        ([ASKED, (entry(LATER_US), "acted", acted(question="claim"))], ["NOT_ASKED"]),
        ([(entry(LATER_US), "acted", acted())], ["NOT_ASKED"]),
        ([ASKED, *[(entry(LATER_US), "acted", acted())] * 2], ["NOT_ASKED"]),
        ([ASKED, (entry(LATER_US), "acted", acted(after_us=CLOCK_US))], []),
        ([ASKED, (entry(LATER_US), "acted", acted(after_us=CLOCK_US + 1, thinking_us=CLOCK_US))], ["LATE_ANSWER"]),
        ([ASKED, (entry(LATER_US), "acted", acted(thinking_us=1))], ["OTHER_TIMES"]),
        ([ASKED, (entry(LATER_US), "acted", acted(delivered_us=LATER_US, thinking_us=4_500_000))], []),
        ([ASKED, (entry(LATER_US), "acted", acted(delivered_us=LATER_US, thinking_us=0))], ["OTHER_TIMES"]),
    ],
)  # fmt: skip
def test_an_answer_is_that_of_the_seats_person_to_its_question_in_time(
    told: list[tuple[Entry, str, Any]], wrong: list[str]
) -> None:
    assert found(told) == wrong


@pytest.mark.parametrize(("after_us", "wrong"), [(CLOCK_US - 1, ["EARLY_FALLBACK"]), (CLOCK_US, [])])
def test_a_clock_answers_once_it_has_run_out(after_us: int, wrong: list[str]) -> None:
    fallback = acted(received_us=0, thinking_us=CLOCK_US, automatic=True)
    at = entry(START_US + after_us, "service:table", "expire_clock")
    assert found([ASKED, (at, "acted", fallback)]) == wrong


@pytest.mark.parametrize(
    "told",
    [
        question(deadline_us=START_US + CLOCK_US + 1),
        question(ask=2),
        question(shown_us=START_US - 1),
        question(shown_us=START_US + 800_001),
    ],
)
def test_a_question_with_another_clock_or_at_another_time_is_found(told: dict[str, Any]) -> None:
    assert found([(entry(), "asked", Message.Asked(questions=[told]))]) == ["OTHER_CLOCK"]


def test_an_open_question_that_is_given_more_time_is_found() -> None:
    longer = Message.Asked(questions=[question(deadline_us=START_US + 2 * CLOCK_US)])
    assert found([ASKED, (entry(LATER_US), "asked", longer)]) == ["OTHER_CLOCK"]


def test_after_a_pause_every_question_has_what_it_had_left() -> None:
    """C9.3."""
    pause = (entry(LATER_US), "table_paused", Message.TablePaused())
    for by_us, wrong in ((7_000_000, []), (7_000_001, ["OTHER_CLOCK"])):
        moved = question(shown_us=START_US + by_us)
        resumed = Message.TableResumed(questions=[moved])
        assert found([ASKED, pause, (entry(LATER_US + 7_000_000), "table_resumed", resumed)]) == wrong
    assert found([ASKED, pause, (entry(LATER_US), "acted", acted())]) == ["PAUSED"]
    assert found([ASKED, (entry(LATER_US), "table_resumed", Message.TableResumed())]) == ["OTHER_CLOCK"]


def test_after_an_outage_every_question_has_what_it_had_left_and_ten_seconds_at_least() -> None:
    at = entry(START_US + CLOCK_US)
    for rest_us, wrong in ((10_000_000, []), (11_000_000, ["OTHER_CLOCK"])):
        moved = question(shown_us=START_US + 3_000_000, deadline_us=START_US + CLOCK_US + rest_us)
        extended = Message.ClockExtended(questions=[moved], outage_us=3_000_000)
        assert found([ASKED, (at, "clock_extended", extended)]) == wrong


def test_answers_of_another_person_are_found_in_a_file() -> None:
    def other(opened: Any) -> None:
        opened.seats[0].person_id = "p-9"

    assert ("replay", "OTHER_PERSON") in codes(forged(table_opened=other))


def test_answers_after_their_clocks_are_found_in_a_file() -> None:
    def late(told: Any) -> None:
        told.received_us += e.CLOCK_US

    assert ("replay", "LATE_ANSWER") in codes(forged(acted=late))
