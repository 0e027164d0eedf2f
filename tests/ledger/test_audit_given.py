"""Seats that were given later and do not count are found (C1.6, C6.4)."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from services.ledger import record as r
from services.table.decider.clocks import GRACE_US
from services.table.framing import TableFraming
from services.table.model import commands as c
from services.table.model.events import Seat
from tests.ledger import event_log as e
from tests.ledger.given_log import MINUTE_US, Table, found
from tests.table import given


def test_of_two_seats_given_at_once_the_one_that_is_given_back_is_no_second_one() -> None:
    log = e.Log()
    one, two = Table(log, 1), Table(log, 2)
    one.give(0, "zoe")
    two.give(0, "zoe")
    one.give_back(0, "r1-t2")
    two.confirm(0)
    one.confirm(0)
    assert found(log) == []


@pytest.mark.parametrize(
    ("sits_at", "codes"), [("r1-t2", []), ("r1-t3", ["OTHER_SEATS"]), ("r1-t9", ["OTHER_SEATS"])]
)
def test_a_seat_that_is_given_back_for_one_that_its_person_never_had_is_found(
    sits_at: str, codes: list[str]
) -> None:
    log = e.Log()
    one, two = Table(log, 1), Table(log, 2)
    Table(log, 3)
    one.give(0, "zoe")
    two.give(0, "zoe")
    one.give_back(0, sits_at)
    assert found(log) == codes
    assert found(log, kind="table") == ([] if sits_at == "r1-t9" else codes)


def test_a_seat_that_is_given_back_and_counted_or_to_somebody_else_is_found() -> None:
    for forged in ("counted", "to another", ""):
        log = e.Log()
        one, two = Table(log, 1), Table(log, 2)
        two.give(0, "zoe")
        one.give(0, "zoe")
        told = {"seat": 0, "person_id": "anna" if forged != "to another" else "yann", "sits_at": "r1-t2"}
        if forged == "counted":
            one.confirm(0)
        log.append(one.subject, [e.TableEvent(seat_replaced=told)])
        assert found(log) == (["OTHER_SEATS"] if forged else [])


@pytest.mark.parametrize(
    "command",
    [
        {"confirm_seat": {"person_id": "zoe", "given_us": 7}},
        {"confirm_seat": {"person_id": "yann", "given_us": given.START_US}},
        {"join_seat": {}},
    ],
)
def test_a_seat_that_is_confirmed_and_was_not_given_is_found(command: dict[str, Any]) -> None:
    log = e.Log()
    one = Table(log, 1)
    one.give(0, "zoe")
    told = e.TableCommand(**command).SerializeToString()
    log.append(one.subject, [e.TableEvent(seat_confirmed={"seat": 0})], command=told)
    assert found(log) == ["OTHER_SEATS"]


@pytest.mark.parametrize("confirms", [True, False])
def test_an_answer_before_the_seat_is_confirmed_is_found(confirms: bool) -> None:
    """C6.4; in records of older versions whoever has sat down is confirmed by that."""
    log = e.Log()
    one = Table(log, 1, confirms_seats=confirms)
    one.open_and_deal()
    seat = one.asked()[0]
    one.give(seat, "zoe")
    one.table = one.table._replace(given_us=(0, 0, 0))  # as if it were confirmed
    if not confirms:
        one.when(c.JoinSeat(seat), "zoe")
    one.answer(seat, one.choose(seat))
    assert found(log, 1) == (["NOT_CONFIRMED"] if confirms else [])


def test_a_clock_answers_for_a_seat_that_is_not_confirmed() -> None:
    log = e.Log()
    one = Table(log, 1)
    one.open_and_deal()
    seat = one.asked()[0]
    one.give(seat, "zoe")
    question = one.board.question(seat)
    assert question is not None
    one.now_us = question.deadline_us + GRACE_US
    one.when(c.ExpireClock(seat, question.ask))
    assert found(log, 1) == []


@pytest.mark.parametrize("revealed", [True, False])
def test_which_seats_are_not_confirmed_is_told_truly_when_a_board_is_closed(
    monkeypatch: pytest.MonkeyPatch, revealed: bool
) -> None:
    closing = TableFraming.closing
    others: tuple[dict[str, Any], ...] = (
        {"given_us": (1, 0, 0)},
        {"given_us": ()},
        {"instead": ("yann", "", "")},
    )
    for told in ({}, *others):
        codes = ["OTHER_CLOSING"] if told else []

        def forged(framing: TableFraming, before: Any, after: Any, told: Any = told) -> r.BoardClosing | None:
            true = closing(framing, before, after)
            return None if true is None else replace(true, **told)

        monkeypatch.setattr(TableFraming, "closing", forged)
        log = e.Log()
        one = Table(log, 1)
        one.open_and_deal()
        one.give(0, "zoe")
        one.when(c.CloseBoard("deadline"))
        assert found(log, *((1,) if revealed else ())) == (codes if revealed else [])


def test_of_a_board_that_cannot_be_read_its_end_says_who_was_confirmed() -> None:
    for confirmed, codes in ((True, ["TWO_SEATS"]), (False, [])):
        log = e.Log()
        one, two = Table(log, 1), Table(log, 2)
        one.open_and_deal()
        one.give(0, "zoe")
        if confirmed:
            one.confirm(0)
        one.when(c.CloseBoard("deadline"))
        two.give(0, "zoe", 10 * MINUTE_US)
        two.confirm(0)
        assert found(log) == codes


def test_a_seat_that_waits_is_given_to_nobody_else_and_keeps_its_table_open() -> None:
    for confirmed in (True, False):
        log = e.Log()
        one = Table(log, 1)
        one.give(0, "zoe")
        if confirmed:
            one.confirm(0)
        log.append(one.subject, [e.TableEvent(seat_replaced={"seat": 0, "person_id": "yann"})])
        assert found(log) == ([] if confirmed else ["NOT_CONFIRMED"])
        log.append(one.subject, [e.TableEvent(table_sealed={})])
        assert found(log) == (["NOT_CONFIRMED"] if confirmed else ["NOT_CONFIRMED"] * 2)


def test_a_seat_goes_back_to_who_had_it_last_and_counted() -> None:
    for back, codes in (("anna", []), ("", []), ("zoe", ["OTHER_SEATS"])):
        log = e.Log()
        one, two = Table(log, 1, confirms_seats=False), Table(log, 2)
        two.give(0, "yann")
        for person in ("zoe", "yann"):
            log.append(one.subject, [e.TableEvent(seat_replaced={"seat": 0, "person_id": person})])
        told = {"seat": 0, "person_id": back, "sits_at": "r1-t2"}
        log.append(one.subject, [e.TableEvent(seat_replaced=told)])
        # The builds that write this log are one, and confirm seats at the other table.
        assert [code for code in found(log) if code != "NOT_CONFIRMED"] == codes


@pytest.mark.parametrize(
    ("person", "code"),
    [("zoe", ""), ("anna-2", ""), ("egon", "NO_SUBSTITUTE"), ("org", "NO_SUBSTITUTE"), ("ref", "NO_SUBSTITUTE"),
     ("late", ""), ("new", ""), ("bo", "TWO_SEATS")],
)  # fmt: skip
def test_a_seat_is_given_to_who_plays_for_nobody_else_and_never_held_an_office(
    person: str, code: str
) -> None:
    """C1.6; of what was told in the seconds before, nobody is held to know."""
    log = e.Log()
    members = {3: ("anna", "anna-2"), 7: ("egon",)}
    entrants = [
        {"number": number, "members": [{"person_id": one} for one in people]}
        for number, people in members.items()
    ]
    told: list[tuple[dict[str, Any], int]] = [
        ({"championship_created": {"organiser": "org"}}, 0),
        ({"entrants_imported": {"import_id": "i", "entrants": entrants}}, 0),
        ({"entrants_import_closed": {"import_id": "i"}}, 0),
        ({"official_appointed": {"person_id": "ref", "role": "referee"}}, 0),
        ({"official_suspended": {"person_id": "ref", "role": "referee"}}, 0),
        ({"official_appointed": {"person_id": "late", "role": "referee"}}, MINUTE_US - 5_000_000),
        (
            {
                "entrants_imported": {
                    "import_id": "j",
                    "entrants": [{"number": 8, "members": [{"person_id": "new"}]}],
                }
            },
            0,
        ),
        ({"entrants_import_closed": {"import_id": "j"}}, MINUTE_US - 5_000_000),
    ]
    for event, after_us in told:
        log.append(e.PAIRING, [e.PairingEvent(**event)], time_us=given.START_US + after_us)
    one = Table(log, 1)
    if code == "TWO_SEATS":
        back = {"seat": 0, "person_id": person}
        log.append(one.subject, [e.TableEvent(seat_replaced=back)], time_us=given.START_US + MINUTE_US)
    else:
        one.give(0, person, MINUTE_US)
    assert found(log) == ([code] if code else [])


def test_a_seat_of_house_ai_is_given_to_nobody() -> None:
    log = e.Log()
    one = Table(log, 1, seats=(Seat(3, "anna"), Seat(4, "bo"), Seat(0, "")))
    log.append(one.subject, [e.TableEvent(seat_replaced={"seat": 2, "person_id": "zoe"})])
    assert found(log) == ["NO_SUBSTITUTE"]


@pytest.mark.parametrize(("after_us", "codes"), [(5_000_000, []), (MINUTE_US, ["OTHER_SEATS"])])
def test_a_seat_is_given_back_for_one_that_was_given_by_then(after_us: int, codes: list[str]) -> None:
    """Clocks differ."""
    log = e.Log()
    one, two = Table(log, 1), Table(log, 2)
    one.give(0, "zoe")
    one.give_back(0, "r1-t2")
    two.give(0, "zoe", after_us)
    assert found(log) == codes


def test_a_seat_that_went_back_and_waits_goes_back_to_nobody() -> None:
    log = e.Log()
    one, two = Table(log, 1), Table(log, 2)
    one.open_and_deal()
    two.give(0, "zoe")
    one.give(0, "zoe")
    one.give_back(0, "r1-t2")
    one.when(c.CloseBoard("deadline"))
    assert one.table.given_us[0] > 0
    assert found(log, 1) == []


@pytest.mark.parametrize("joined", [True, False])
def test_who_sat_down_in_records_of_an_older_version_is_confirmed_by_that(joined: bool) -> None:
    log = e.Log()
    one, two = Table(log, 1, confirms_seats=False), Table(log, 2, confirms_seats=False)
    one.give(0, "zoe")
    if joined:
        one.table = one.table._replace(given_us=(0, 0, 0))
        one.when(c.JoinSeat(0), "zoe")
    two.give(0, "zoe", MINUTE_US)
    two.confirm(0)
    assert found(log) == (["TWO_SEATS"] if joined else [])


def test_the_referee_is_called_from_no_seat_that_waits() -> None:
    for confirmed in (True, False):
        log = e.Log()
        one = Table(log, 1)
        one.give(0, "zoe")
        if confirmed:
            one.confirm(0)
        log.append(one.subject, [e.TableEvent(referee_called={"seat": 0})], actor="zoe")
        assert found(log) == ([] if confirmed else ["NOT_CONFIRMED"])
