"""People who have seats at two tables at once are found (C1.6, C6.4)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from services.table.model import commands as c
from tests.ledger import event_log as e
from tests.ledger.given_log import MINUTE_US, SEATS, Table, found


def twice(first: int, second: int, between: Callable[[Table, Table], None], **facts: Any) -> list[str]:
    """What is found where zoe is given and confirmed in a seat of table 1, which plays one board, and then of table 2, another."""
    log = e.Log()
    one, two = Table(log, 1, first, **facts), Table(log, 2, second, **facts)
    one.give(0, "zoe")
    one.confirm(0)
    between(one, two)
    two.now_us = max(two.now_us, one.now_us + MINUTE_US)
    two.give(0, "zoe")
    two.confirm(0)
    one.now_us = two.now_us + MINUTE_US
    one.give(1, "yann")
    one.confirm(1)
    return found(log)


def nothing(one: Table, two: Table) -> None:
    pass


def leave(one: Table, two: Table) -> None:
    one.give(0, "anna", MINUTE_US)
    one.confirm(0)


def close(one: Table, two: Table) -> None:
    one.now_us += MINUTE_US
    one.when(c.CloseBoard("deadline"))


def test_a_person_in_two_seats_at_once_is_found() -> None:
    """C1.6, C6.4: where the same boards are played whoever has sat there, else who still sits there."""
    assert twice(1, 1, nothing) == ["TWO_SEATS"]
    assert twice(1, 1, leave) == ["TWO_SEATS"]
    assert twice(1, 2, nothing) == ["TWO_SEATS"]
    assert twice(1, 2, leave) == []
    assert twice(1, 2, close) == []


def test_a_person_who_is_given_a_seat_and_has_one_of_its_own_is_found() -> None:
    log = e.Log()
    Table(log, 1)
    two = Table(log, 2)
    two.give(0, "anna", MINUTE_US)
    two.confirm(0)
    assert found(log) == ["TWO_SEATS"]


def give_at_both(one: Table, two: Table, later_us: int) -> None:
    """One person is given a seat at both, and both are confirmed."""
    one.give(0, "zoe", MINUTE_US)
    one.confirm(0)
    two.give(0, "zoe", MINUTE_US + later_us)
    two.confirm(0)


def test_two_tables_that_began_or_ended_in_the_same_moments_are_not_blamed() -> None:
    """Clocks differ."""
    log = e.Log()
    one, two = Table(log, 1, 1), Table(log, 2, 2)
    give_at_both(one, two, 1)
    leave(one, two)
    assert found(log) == ["TWO_SEATS"]
    log = e.Log()
    one, two = Table(log, 1, 1), Table(log, 2, 2)
    one.give(0, "zoe", MINUTE_US)
    one.confirm(0)
    one.give(0, "anna", MINUTE_US)
    one.confirm(0)
    two.give(0, "zoe", 2 * MINUTE_US - 1_000_000)
    two.confirm(0)
    assert found(log) == []


@pytest.mark.parametrize(("opened_us", "codes"), [(5_000_000, []), (MINUTE_US, ["TWO_SEATS"])])
def test_a_table_that_was_opened_for_somebody_in_the_same_moments_is_not_held_against_it(
    opened_us: int, codes: list[str]
) -> None:
    log = e.Log()
    one = Table(log, 1)
    one.give(0, "dora", MINUTE_US)
    # The other one was opened so long before.
    log.append(
        e.table_subject(2),
        [e.TableEvent(table_opened=_opened(2, boards=[{"board": 1, "attempt": 1}]))],
        time_us=one.now_us + 1 - opened_us,
    )
    one.confirm(0)
    assert found(log) == codes


def _opened(number: int, **told: Any) -> dict[str, Any]:
    seats = [{"entrant": 3 * number + seat, "person_id": person} for seat, person in enumerate(SEATS[number])]
    return {"round": 1, "table": f"r1-t{number}", "seats": seats, **told}


@pytest.mark.parametrize("over", [True, False])
def test_who_has_a_seat_of_its_own_may_have_another_one_once_nothing_is_played_there(over: bool) -> None:
    """Of a round whose tables play boards of their own."""
    log = e.Log()
    one, two = Table(log, 1, 1), Table(log, 2, 2)
    if over:
        close(one, two)
    two.give(0, "anna", 10 * MINUTE_US)
    two.confirm(0)
    assert found(log) == ([] if over else ["TWO_SEATS"])


def test_a_seat_at_a_table_that_is_over_at_once_is_no_second_one() -> None:
    log = e.Log()
    one, two = Table(log, 1, 1), Table(log, 2, 2)
    give_at_both(one, two, 1_000_000)
    two.when(c.CloseBoard("deadline"))
    assert found(log) == []
