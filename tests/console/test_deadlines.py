"""What an appeal waits for, until when and for whom, on the arbitration desk (C10.2, C10.4, C10.5)."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest

from clients.console.figures import moment
from clients.console.times import local
from fupan.appeals.v1 import events_pb2 as events
from services.appeals.reminders import FEE_US, VOTE_US
from tests.console.serving import Site
from tests.cup import ARBITRATORS, HOUR_US, Cup
from tests.platform import OPERATOR, Platform

SHANGHAI = ZoneInfo("Asia/Shanghai")
DESK = "/events/cup/appeals"
A, B, C, D, E = ARBITRATORS


def when(time_us: int) -> str:
    return moment(time_us, SHANGHAI)


async def signed_in(platform: Platform, console: Site, person: str) -> None:
    console.browse.cookies.clear()
    await console.browse.post("/sign-in", data={"token": platform.token(person)})


async def waits(console: Site, page: str) -> str:
    """What the page says waits for the visitor, without its tags; empty for nothing."""
    found = re.search(r"<strong>Waits for you: </strong>(.*?)</p>", await console.page(page))
    return re.sub("<.*?>", "", found[1]) if found else ""


async def test_C10_2_a_fee_is_payable_until_the_window_ends_that_began_after_the_filing(
    platform: Platform, console: Site
) -> None:
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.pair()
    pairing = events.Contested(pairing=events.ContestedPairing(round=1))
    filed = await cup.file(1, pairing)
    assert filed.window_ends_us == 0
    page = f"{DESK}/{filed.appeal}"
    assert "payable until the appeal window ends, which does not run yet" in await console.page(page)
    await cup.play(1)
    ended = await platform.events.wait("competition_ended")
    ends = ended.header.time_us + 3 * HOUR_US
    await cup.case(filed.appeal, ended.position)
    assert f"payable until {when(ends)}" in await console.page(page)
    assert when(ends) in await console.page(DESK)
    platform.clock.stand(ends - FEE_US)
    await platform.events.wait("reminder_given", about="fee")
    await signed_in(platform, console, "p-1")
    for where in (DESK, page):
        assert f"the fee is to be paid, until {when(ends)}: p-1" in await waits(console, where)
    await signed_in(platform, console, "p-2")
    assert await waits(console, DESK) == await waits(console, page) == ""


async def test_C10_4_a_reserve_gets_a_day_and_the_desk_says_so(platform: Platform, console: Site) -> None:
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1)
    due = (await cup.pay(filed.appeal)).answer_due_us
    await cup.appoint(filed.appeal, (A, B, C), (D,))
    for member in (A, B):
        await cup.vote(filed.appeal, member, uphold=True)
    page = f"{DESK}/{filed.appeal}"
    platform.clock.stand(due - VOTE_US)
    await platform.events.wait("reminder_given", about="vote")
    await signed_in(platform, console, C)
    assert f"ballots are missing, until {when(due)}: {C}" in await waits(console, page)
    platform.clock.stand(due)
    replaced = await platform.events.wait("member_replaced")
    later = replaced.header.time_us + 24 * HOUR_US
    assert await waits(console, DESK) == ""
    for where in (DESK, page):
        told = await console.page(where)
        assert when(later) in told
        assert '<span class="need">overdue</span>' in told
    assert f"<dt>Voting until</dt><dd>{when(later)}</dd>" in told
    assert re.search(f"<dt>Answer due</dt><dd>{when(due)}.*CN holidays ", told.replace("\n", ""))
    platform.clock.stand(later - VOTE_US)
    await platform.events.wait("reminder_given", deadline_us=later)
    await signed_in(platform, console, D)
    assert f"ballots are missing, until {when(later)}: {D}" in await waits(console, DESK)
    chinese = await console.page(f"{page}?lang=zh")
    assert "待您处理：" in chinese
    assert f"尚缺选票，截止 {when(later)}：{D}" in chinese
    assert '<span class="need">逾期</span>' in chinese


@pytest.mark.parametrize(("year", "beyond"), [(2025, False), (2098, True)])
async def test_C10_5_a_deadline_beyond_what_the_calendar_knows_is_marked(
    year: int, beyond: bool, platform: Platform, console: Site
) -> None:
    platform.clock.stand(round(datetime(year, 6, 3, tzinfo=UTC).timestamp()) * 1_000_000)
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1)
    await cup.pay(filed.appeal)
    english, chinese = [await console.page(f"{DESK}/{filed.appeal}?lang={one}") for one in ("en", "zh")]
    assert ("check the deadline by hand (C10.5)" in english) == beyond
    assert ("请人工核对期限" in chinese) == beyond


async def test_C10_5_the_organiser_is_told_of_what_is_overdue_and_appoints_a_panel(
    platform: Platform, console: Site
) -> None:
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1)
    due = (await cup.pay(filed.appeal)).answer_due_us
    at, page = due + HOUR_US, f"{DESK}/{filed.appeal}"
    platform.clock.stand(at)
    await platform.events.wait("reminder_given", about="overdue")
    await signed_in(platform, console, OPERATOR)
    for where in (DESK, page):
        told = await waits(console, where)
        assert f"the answer is overdue, and no panel sits, since {when(due)}: organiser" in told
    until = local(at + 6 * HOUR_US, SHANGHAI)
    assert datetime.fromisoformat(until).tzinfo is None
    form = {"command_id": "p", "members": f"{A} {B} {C}", "until": until}
    late = await console.browse.post(
        f"{page}/panel", data=form | {"until": local(at + 99 * HOUR_US, SHANGHAI)}
    )
    assert late.status_code == 409
    assert "DEADLINE_TOO_LATE" in late.text
    assert (await console.browse.post(f"{page}/panel", data=form)).status_code == 303
    case = await cup.case(filed.appeal)
    assert (case.phase, case.voting_deadline_us) == ("voting", at + 6 * HOUR_US)
    # Nobody votes; of the next panel nobody says until when.
    platform.clock.stand(at + 6 * HOUR_US)
    await platform.events.wait("ballot_rejected", count=3)
    crew = [f"judge-{number}" for number in range(3)]
    await cup.officials(*((one, "arbitrator") for one in crew))
    answer = await console.browse.post(
        f"{page}/panel", data={"command_id": "q", "members": " ".join(crew), "until": ""}
    )
    assert answer.status_code == 303
    case = await cup.case(filed.appeal)
    assert (case.phase, case.voting_deadline_us) == ("voting", at + 30 * HOUR_US)


async def test_C10_6_a_form_that_asks_for_nothing_is_refused(platform: Platform, console: Site) -> None:
    """Upheld, it would bring nothing: no choice of the form says so."""
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    await signed_in(platform, console, "p-1")
    form = {"command_id": "f", "contested": "publication", "publication": "1", "grounds": "wrong"}
    drawn = await console.page("/events/cup/contest?contested=publication&publication=1")
    assert 'name="remedy" value="penalty"' in drawn
    assert 'name="remedy" value=""' not in drawn
    refused = await console.browse.post("/events/cup/contest", data=form)
    assert refused.status_code == 409
    assert "NOTHING_SOUGHT" in refused.text
    assert "wrong</textarea>" in refused.text


async def test_C10_4_a_ballot_that_another_sealed_is_refused_by_the_console(
    platform: Platform, console: Site
) -> None:
    """As when somebody else signs in beside a ballot that was drawn before."""
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1)
    await cup.pay(filed.appeal)
    await cup.appoint(filed.appeal, (A, B, C))
    page = f"{DESK}/{filed.appeal}"
    await signed_in(platform, console, A)
    drawn = await console.page(page)
    hidden = dict(re.findall(r'<input type="hidden" name="(member|ballot_key)" value="(.*?)">', drawn))
    assert hidden["member"] == A
    assert "whoever has the dealer&#39;s own key could open it before" in drawn
    ballot = {"command_id": "v", "commitment": "00" * 32, "sealed_opening": "00" * 81, **hidden}
    await signed_in(platform, console, B)
    refused = await console.browse.post(f"{page}/vote", data=ballot)
    assert refused.status_code == 409
    assert "WRONG_BALLOT" in refused.text
