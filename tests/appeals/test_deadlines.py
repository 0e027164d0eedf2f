"""Windows and deadlines of appeals, as instants and as they are told (C10.1, C10.5)."""

from __future__ import annotations

from services.appeals.deadlines import window_ends_us
from services.ledger.workdays import calendar_version
from services.runtime.clock import shown
from tests.appeals.courts import ended
from tests.cup import ARBITRATORS
from tests.ledger.test_workdays import us
from tests.platform import Platform


def test_a_window_that_has_not_begun_has_no_end() -> None:
    assert window_ends_us(0, 1000) == 0
    assert window_ends_us(5, 3 * 3600 * 1000) == 5 + 3 * 3600 * 1_000_000


def test_a_deadline_is_shown_in_the_events_time() -> None:
    assert shown(us("2025-10-01T15:00"), "Asia/Shanghai") == "2025-10-01T15:00:00+08:00"


async def test_answers_are_due_after_a_moved_working_sunday_and_after_the_october_holiday(
    platform: Platform,
) -> None:
    """C10.5, on real servers: and to the microsecond (C10.4)."""
    friday, monday, day = us("2025-09-26T18:00"), us("2025-09-29T18:00"), 24 * 3600 * 1000
    platform.clock.stand(friday)
    cup, at = await ended(platform, appeals=f"{{window_ms: {5 * day}}}")
    assert at - friday < 1_000_000
    sunday = await cup.file(1)
    assert (await cup.pay(sunday.appeal)).answer_due_us == us("2025-09-30T00:00")
    platform.clock.stand(monday)
    october = await cup.file(2)
    due = (await cup.pay(october.appeal)).answer_due_us
    assert due == us("2025-10-10T00:00")
    recorded = await platform.events.wait("fee_recorded", count=2)
    assert recorded.event.calendar == calendar_version("CN")
    await cup.appoint(october.appeal, reserves=ARBITRATORS[3:])
    platform.clock.stand(due - 1)
    await cup.vote(october.appeal, ARBITRATORS[0], uphold=True)
    platform.clock.stand(due)
    replaced = [await platform.events.wait("member_replaced", count=number) for number in (1, 2)]
    assert [(one.event.person_id, one.event.cause) for one in replaced] == [
        (ARBITRATORS[1], "absent"),
        (ARBITRATORS[2], "absent"),
    ]
    assert 0 <= replaced[0].header.time_us - due < 10  # each record is later than the one before it
