"""Panels and ballots by the command on real servers: a panel after its time, and whose a ballot is (C10.4, C10.5)."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from clients.cli import appeals
from clients.cli.connection import Fupan, token_of
from clients.cli.options import Link, Show
from clients.cli.output import USAGE, Problem
from clients.cli.places import Place
from clients.cli.words import choose
from fupan.appeals.v1 import service_pb2 as pb
from tests.cup import ARBITRATORS, HOUR_US, Cup
from tests.platform import OPERATOR, Platform

JSON = Show(output="json")
A, B, C, D, E = ARBITRATORS


@pytest.fixture(autouse=True)
def english() -> Iterator[None]:
    choose("en")
    yield
    choose("en")


def link(platform: Platform, caller: str, **more: Any) -> Link:
    services = ",".join(f"{name}=127.0.0.1:{port}" for name, port in platform.ports.items())
    return Link(server=services, championship="cup", token=platform.token(caller), **more)


async def said(
    capsys: pytest.CaptureFixture[str], command: Callable[..., None], *words: str, **options: Any
) -> Any:
    """What a command prints as JSON among the services' own lines; it runs an event loop of its own."""
    capsys.readouterr()
    await asyncio.to_thread(command, *words, show=JSON, **options)
    lines = capsys.readouterr().out.splitlines()
    return json.loads("\n".join(line for line in lines if not re.match(r"\d{4}-\d\d-\d\d ", line)))


def instant(time_us: int) -> str:
    told = datetime.fromtimestamp(time_us / 1_000_000, UTC).isoformat(timespec="seconds")
    return told.replace("+00:00", "Z")


async def test_C10_5_a_panel_is_appointed_when_the_answer_was_due_long_ago(
    platform: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    boss = link(platform, OPERATOR)
    filed = await cup.file(1)
    due = (await cup.pay(filed.appeal)).answer_due_us
    at = due + 5 * HOUR_US
    platform.clock.stand(at)
    await platform.events.wait("reminder_given", about="overdue")
    (listed,) = await said(capsys, appeals.list_command, link=boss)
    assert (listed["phase"], listed["overdue"]) == ("received", True)
    assert listed["reminder"] == {
        "about": "overdue",
        "text": "the answer is overdue, and no panel sits",
        "deadline": instant(due),
        "persons": [],
    }
    told = await said(capsys, appeals.panel, filed.appeal, A, B, C, link=boss)
    assert told["voting_deadline"] == instant(at + 24 * HOUR_US)
    # Nobody votes, the panel is dissolved, and another one can be appointed, by a time of the event's zone.
    platform.clock.stand(at + 24 * HOUR_US)
    await platform.events.wait("ballot_rejected", count=3)
    until = datetime.fromtimestamp((at + 30 * HOUR_US) / 1_000_000, UTC)
    crew = [f"judge-{number}" for number in range(3)]
    await cup.officials(*((one, "arbitrator") for one in crew))
    told = await said(capsys, appeals.panel, filed.appeal, *crew, until=until, link=boss)
    assert told["voting_deadline"] == instant(at + 30 * HOUR_US)
    shown = await said(capsys, appeals.show_command, filed.appeal, link=boss)
    assert (shown["voting_deadline"], shown["due"]) == (told["voting_deadline"],) * 2
    assert shown["calendar"].startswith("CN holidays ")
    assert shown["answer_due"] == instant(due)


@pytest.mark.parametrize(("at", "beyond"), [("2025-06-03", False), ("2098-06-03", True)])
async def test_C10_5_a_deadline_beyond_what_the_calendar_knows_is_marked(
    at: str, beyond: bool, platform: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    await platform.start()
    platform.clock.stand(round(datetime.fromisoformat(f"{at}T09:00+08:00").timestamp()) * 1_000_000)
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    boss, filed = link(platform, OPERATOR), await cup.file(1)
    told = await said(capsys, appeals.fee, filed.appeal, 500, "CNY", link=boss)  # type: ignore[arg-type]
    assert told["answer_due"].startswith(at[:7])
    warned = "check the deadline by hand (C10.5)"
    await asyncio.to_thread(appeals.show_command, filed.appeal, link=boss)
    assert (warned in capsys.readouterr().out.replace("\n", " ")) == beyond
    shown = await said(capsys, appeals.show_command, filed.appeal, link=boss)
    assert shown["beyond_calendar"] == beyond
    recorded = await platform.events.wait("fee_recorded")
    assert recorded.event.beyond_calendar == beyond


async def test_C10_4_a_ballot_is_sealed_for_the_person_of_the_token(
    platform: Platform, capsys: pytest.CaptureFixture[str]
) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    filed = await cup.file(1)
    await cup.pay(filed.appeal)
    await cup.appoint(filed.appeal, (A, B, C))
    with pytest.raises(Problem) as misfit:
        await said(capsys, appeals.vote, filed.appeal, "uphold", link=link(platform, B, person=C))
    assert misfit.value.code == USAGE
    for member in (A, B, C):
        await said(capsys, appeals.vote, filed.appeal, "uphold", link=link(platform, member))
    decided = await platform.events.wait("appeal_decided")
    assert (decided.event.votes_for, [one.member for one in decided.event.ballots]) == (3, [A, B, C])


async def test_nobody_votes_without_a_token() -> None:
    async with Fupan(Place({"appeals": "127.0.0.1:1"}), str) as nobody:
        with pytest.raises(Problem, match="whose vote"):
            await appeals.cast(nobody, "cup", "a-1", True)


def test_who_is_named_beside_a_token_is_the_tokens_person(platform: Platform) -> None:
    place = Place({})
    same = link(platform, B, person=B)
    assert token_of(same, place)() == same.token
    with pytest.raises(Problem, match=f"--as says {C}, and the token is {B}'s"):
        token_of(link(platform, B, person=C), place)
    with pytest.raises(Problem, match="no bearer token"):
        token_of(Link(token="abc", person=B), place)
    choose("zh")
    with pytest.raises(Problem, match=f"令牌属于 {B}"):
        token_of(link(platform, B, person=C), place)


def test_a_reminder_is_told_in_words_with_whom_it_waits_for() -> None:
    vote = pb.Appeal(appeal="a-1", phase="voting", voting_deadline_us=HOUR_US, members=[A, B, C], voted=[C])
    vote.reminders.add(about="vote", deadline_us=HOUR_US, persons=[A, C])
    late = pb.Appeal(appeal="a-2", phase="received", overdue=True)
    late.reminders.add(about="overdue", deadline_us=HOUR_US)
    told = [appeals._reminder(appeals.record(one, UTC)["reminder"]) for one in (vote, late, pb.Appeal())]
    assert told == [
        f"ballots are missing, until 1970-01-01T01:00:00+00:00: {A}",
        "the answer is overdue, and no panel sits, since 1970-01-01T01:00:00+00:00: organiser",
        "",
    ]
    choose("zh")
    told = [appeals._reminder(appeals.record(one, UTC)["reminder"]) for one in (vote, late)]
    assert told == [
        f"尚缺选票，截止 1970-01-01T01:00:00+00:00：{A}",
        "答复已逾期，且无仲裁组，自 1970-01-01T01:00:00+00:00 起：组织者",
    ]
    assert appeals._reminders(appeals.record(vote, UTC)["reminders"]).endswith(f"{A}, {C}")
