"""A ruling that could not be carried out: why, and what is left to do, in the command's words (C10.6)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from zoneinfo import ZoneInfo

import pytest

from clients.cli import appeals, unresolved, words
from clients.cli.options import Link, Show
from clients.cli.output import USAGE, Problem, fields, rows
from fupan.appeals.v1 import service_pb2 as pb
from fupan.pairing.v1 import events_pb2 as pairing_events
from fupan.pairing.v1 import service_pb2 as pairing
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.runtime.identity import trusted_signers
from tests.appeals.courts import BOARD, WORSE
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.platform import Platform

LATE = pb.NotCarriedOut(
    by="pairing",
    reason="ROUND_STARTED",
    clause="C9.2",
    text="seats may be changed before the round starts",
    text_zh="轮次开始后座位不再变更（依据 C9.2）",
)
SEALED = pb.NotCarriedOut(by="scoring", reason="STANDINGS_SEALED", text="sealed", text_zh="已封存")
FINAL = pb.NotCarriedOut(by="scoring", reason="RULING_FINAL", text="final", text_zh="终局")
UNFIT = pb.NotCarriedOut(by="scoring", reason="NOT_FOUND", text="there is no table", text_zh="没有此桌")


@pytest.fixture(autouse=True)
def _language() -> Iterator[None]:
    yield
    words.choose(None)


def shown(capsys: pytest.CaptureFixture[str], *parts: pb.NotCarriedOut, form: str = "csv") -> str:
    """What `fupan appeal show` says of an appeal."""
    told = appeals.record(pb.Appeal(appeal="a-1", phase="upheld", not_carried_out=parts), ZoneInfo("UTC"))
    fields(told, appeals._COLUMNS, form)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    ("language", "part", "told"),
    [
        ("en", LATE, "percentages for its boards or a penalty"),
        ("zh", LATE, "该轮座位不变"),
        ("en", SEALED, "stay as they are (C10.8)"),
        ("zh", SEALED, "名次已封存"),
        ("en", FINAL, "tell the parties"),
        ("zh", FINAL, "请告知当事人"),
        ("en", UNFIT, "the chief referee corrects, voids"),
        ("zh", UNFIT, "由裁判长视事实更正"),
    ],
)
def test_what_is_left_to_do_is_said(
    capsys: pytest.CaptureFixture[str], language: str, part: pb.NotCarriedOut, told: str
) -> None:
    words.choose(language)
    for form in ("csv", "json"):
        text = shown(capsys, part, form=form)
        assert told in text
        assert part.reason in text
        assert (part.text if language == "en" else part.text_zh) in text


def test_a_table_says_it_with_the_reason_and_an_appeal_without_says_nothing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    words.choose("en")
    text = " ".join(shown(capsys, LATE, form="table").split())
    assert "Not carried out" in text
    assert "ROUND_STARTED, C9.2" in text
    assert f"1. {LATE.text}" in text, "the number by which `fupan appeal settle` names it"
    assert "Not carried out" not in shown(capsys, form="table")


@pytest.mark.parametrize(
    ("language", "told"), [("en", "settled by chief: seats swapped by hand"), ("zh", "chief 已处理：")]
)
def test_what_was_dealt_with_is_told_instead(
    capsys: pytest.CaptureFixture[str], language: str, told: str
) -> None:
    words.choose(language)
    done = pb.NotCarriedOut()
    done.CopyFrom(LATE)
    done.settled, done.settled_by, done.settled_us = "seats swapped by hand", "chief", 7
    text = shown(capsys, done, form="table")
    assert told in " ".join(text.split())
    assert "percentages for its boards" not in text
    assert "该轮座位不变" not in text
    listed = appeals.record(
        pb.Appeal(appeal="a-1", phase="upheld", not_carried_out=[done, SEALED]), ZoneInfo("UTC")
    )
    rows([listed], appeals.listed(), "table")
    printed = capsys.readouterr().out
    assert "STANDINGS_SEALED" in printed
    assert "ROUND_STARTED" not in printed


def test_the_list_names_the_reason(capsys: pytest.CaptureFixture[str]) -> None:
    words.choose("en")
    told = appeals.record(pb.Appeal(appeal="a-1", phase="upheld", not_carried_out=[LATE]), ZoneInfo("UTC"))
    rows([told], appeals.listed(), "table")
    assert "ROUND_STARTED" in capsys.readouterr().out


async def test_each_part_is_settled_by_itself_and_after_the_seal_too(platform: Platform) -> None:
    """C9.4, C10.8: to say how something was dealt with changes no result, and whoever checks the event finds nothing wrong."""
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1)
    ended_us = await cup.ended()
    appeal = (await cup.file(1, BOARD, [WORSE])).appeal
    await cup.panel(appeal)
    await platform.events.wait("standings_published", cause="ruling")
    for reason in ("ROUND_STARTED", "SEATING_TOO_LARGE"):
        refused = pairing_events.ReseatingRefused(appeal=appeal, reason=reason, clause="C9.2")
        await cup.tables.pairing(pairing_events.Event(reseating_refused=refused))
        last = await platform.events.wait("reseating_refused", reason=reason)
    await cup.case(appeal, last.position)

    async def settled(part: int, reason: str) -> list[str]:
        services = ",".join(f"{name}=127.0.0.1:{port}" for name, port in platform.ports.items())
        link = Link(server=services, championship="cup", token=platform.token(CHIEF))
        show = Show(output="json")
        await asyncio.to_thread(unresolved.settle, appeal, part, reason=reason, link=link, show=show)
        return [one.settled for one in (await cup.case(appeal)).not_carried_out]

    for part in (0, 3):
        with pytest.raises(Problem, match=r"not carried out of the ruling in .*: 2$") as told:
            await settled(part, "by hand")
        assert told.value.code == USAGE
    assert await settled(2, "tables were added") == ["", "tables were added"]
    platform.clock.stand(ended_us + SEALABLE_US)
    seal = pairing.SealChampionshipRequest(command_id="s", championship="cup")
    await platform.of(CHIEF).pairing.SealChampionship(seal)
    await platform.events.wait("secret_revealed")
    await platform.events.wait("standings_sealed")
    assert await settled(1, "60 % to both") == ["60 % to both", "tables were added"]
    await platform.events.wait("ruling_settled", text="60 % to both")
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    report = verify_file(file, trusted_signers(platform.keys))
    checks = {check.name: check for check in report.checks}
    for name in ("chain", "signatures", "offices", "rulings", "standings"):
        assert checks[name].findings == (), name
        assert checks[name].done, name
