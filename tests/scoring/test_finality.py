"""What is final stays so, also where it becomes so while a correction is on its way (C10.7, C10.8)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

import pytest

from fupan.pairing.v1 import service_pb2 as pairing
from fupan.scoring.v1 import service_pb2 as pb
from services.runtime.log import Envelope
from services.scoring import model as m
from services.scoring.desk import Desk
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.platform import Platform, refused
from tests.scoring.cups import played, standings

Meanwhile = Callable[[Desk], Awaitable[None]]


def corrected(command_id: str = "correct") -> pb.CorrectResultRequest:
    return pb.CorrectResultRequest(
        command_id=command_id,
        championship="cup",
        table="r1-t1",
        round=1,
        board=1,
        scores=[2, -1, -1],
        reason="written down wrong",
    )


def meanwhile(monkeypatch: pytest.MonkeyPatch, happens: Meanwhile) -> list[Desk]:
    """Let something happen once, when a correction was found to be right and is not written yet; whom it was told."""
    told: list[Desk] = []
    check = Desk.check

    async def checked(
        desk: Desk, championship: str, corrections: Iterable[Any], final: m.Ledger | None = None
    ) -> None:
        await check(desk, championship, corrections, final)
        if final is not None and not told:
            told.append(desk)
            await happens(desk)

    monkeypatch.setattr(Desk, "check", checked)
    return told


def never_sealed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scoring that starts from here on does not come to what the seal asks of it."""
    step = Desk._step

    async def unsealed(desk: Desk, championship: str) -> None:
        if championship not in desk._final:
            await step(desk, championship)

    monkeypatch.setattr(Desk, "_step", unsealed)


async def sealed(platform: Platform) -> None:
    seal = pairing.SealChampionshipRequest(command_id="seal", championship="cup")
    await platform.of(CHIEF).pairing.SealChampionship(seal)


async def over(platform: Platform) -> Cup:
    """An event that may be sealed."""
    cup = await played(platform)
    ended = await platform.events.wait("competition_ended")
    platform.clock.stand(ended.header.time_us + SEALABLE_US)
    return cup


async def test_C10_7_what_a_committee_rules_while_a_correction_is_on_its_way_is_not_changed(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By another replica, say: an entrant's percentage, and so the result of its table."""
    cup = await played(platform)
    entrant = (await cup.at("r1-t1"))[0]

    async def rules(desk: Desk) -> None:
        authority = m.Authority("arbitration", "a-1", "ruling in appeal a-1")
        half = m.AssignPercent(entrant, 1, 1, 500, authority)
        command = m.ApplyRuling("a-1", (half,), "", 0)
        await desk._log.handle(desk.subject("cup"), command, Envelope("service:scoring", "ruling a-1"))

    told = meanwhile(monkeypatch, rules)
    late = await refused(platform.of(CHIEF).scoring.CorrectResult(corrected()))
    assert (late.reason, late.clause) == ("RULING_FINAL", "C10.7")
    assert "a-1" in late.message
    assert len(told) == 1
    assert await platform.events.of("result_corrected") == []


async def test_a_correction_that_others_have_corrected_before_is_held_against_that_and_made(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    await played(platform)
    chief = platform.of(CHIEF).scoring

    async def corrects(desk: Desk) -> None:
        await chief.CorrectResult(corrected("other"))

    meanwhile(monkeypatch, corrects)
    answer = await chief.CorrectResult(corrected())
    assert len(await platform.events.of("result_corrected")) == 2
    assert await chief.CorrectResult(corrected()) == answer


async def test_C10_8_nothing_is_corrected_or_published_once_the_seal_is_in_pairings_log(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    never_sealed(monkeypatch)
    await over(platform)
    await sealed(platform)
    chief = platform.of(CHIEF).scoring
    publish = pb.PublishStandingsRequest(command_id="publish", championship="cup")
    for call in (chief.CorrectResult(corrected()), chief.PublishStandings(publish)):
        assert (await refused(call)).reason == "STANDINGS_SEALED"
    assert await platform.events.of("result_corrected") == []


async def test_C10_8_whose_correction_comes_after_the_seal_is_told_so_and_nothing_is_written(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scoring's own log says so, before it is known here that the seal was made; who sends it again is told that."""
    never_sealed(monkeypatch)
    cup = await over(platform)
    before = await standings(cup)

    async def seals(desk: Desk) -> None:
        await sealed(platform)

    meanwhile(monkeypatch, seals)
    chief = platform.of(CHIEF).scoring
    for reason in ("SEAL_ANNOUNCED", "STANDINGS_SEALED"):
        assert (await refused(chief.CorrectResult(corrected()))).reason == reason
    assert await platform.events.of("result_corrected") == []
    monkeypatch.undo()
    await platform.replicas[-1].stop()
    await platform.start()
    await platform.events.wait("standings_sealed")
    after = await standings(cup)
    assert (after.rows, after.digest) == (before.rows, before.digest)


async def test_a_correction_in_the_sealed_standings_keeps_its_answer(platform: Platform) -> None:
    cup = await over(platform)
    chief = platform.of(CHIEF).scoring
    answer = await chief.CorrectResult(corrected())
    await platform.events.wait("standings_published", number=2)
    await sealed(platform)
    final = await platform.events.wait("standings_sealed")
    assert await chief.CorrectResult(corrected()) == answer
    assert (await standings(cup, position=final.position)).publication == 2
