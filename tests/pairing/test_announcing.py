"""A seal is announced, and made once scoring has answered: what is decided meanwhile is in it, or is refused (C10.8)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.pairing import desk as pairing_desk
from services.pairing.announcing import Announcing
from services.scoring.desk import Desk
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.platform import BUILDS, Platform, refused
from tests.scoring.cups import played, standings

SEAL = pb.SealChampionshipRequest(command_id="seal", championship="cup")
CORRECT = scoring.CorrectResultRequest(
    command_id="correct",
    championship="cup",
    table="r1-t1",
    round=1,
    board=1,
    scores=[2, -1, -1],
    reason="written down wrong",
)
ORDER = scoring.OrderReplayRequest(
    command_id="order", championship="cup", round=1, board=1, tables=["r1-t1"], reason="cards were seen"
)


async def over(platform: Platform) -> Cup:
    """An event that may be sealed."""
    cup = await played(platform)
    ended = await platform.events.wait("competition_ended")
    platform.clock.stand(ended.header.time_us + SEALABLE_US)
    return cup


def once_found_ready(monkeypatch: pytest.MonkeyPatch, happens: Callable[[], Awaitable[Any]]) -> None:
    """Let something happen once, when pairing has read that nothing stands against the seal, and has not announced it."""
    announce = Announcing.announce
    happened: list[bool] = []

    async def announced(self: Announcing, championship: str, envelope: Any) -> Any:
        log = self._log.handle

        async def late(*given: Any, **named: Any) -> Any:
            if not happened:
                happened.append(True)
                await happens()
            return await log(*given, **named)

        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(self._log, "handle", late)
            return await announce(self, championship, envelope)

    monkeypatch.setattr(Announcing, "announce", announced)


async def audited(platform: Platform) -> list[str]:
    """What an audit finds in the logs."""
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    return [
        finding.detail
        for check in verify_file(file, ()).checks
        if check.name in ("draw", "standings", "offices", "ends")
        for finding in check.findings
    ]


async def test_C10_8_a_correction_between_the_last_look_and_the_seal_is_in_the_sealed_standings(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = await over(platform)
    before = await standings(cup)
    once_found_ready(monkeypatch, lambda: platform.of(CHIEF).scoring.CorrectResult(CORRECT))
    sealed = await platform.of(CHIEF).pairing.SealChampionship(SEAL)
    assert (sealed.seal.publication, sealed.seal.announcement) == (2, 1)
    final = await platform.events.wait("standings_sealed")
    after = await standings(cup, position=final.position)
    assert after.publication == 2
    assert after.digest != before.digest
    fixed = await platform.events.of("standings_fixed")
    assert [(one.event.announcement, one.event.publication) for one in fixed] == [(1, 2)]
    assert await audited(platform) == []


async def test_C10_8_an_order_between_the_last_look_and_the_seal_withdraws_it(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    await over(platform)
    chief = platform.of(CHIEF)
    once_found_ready(monkeypatch, lambda: chief.scoring.OrderReplay(ORDER))
    for _ in range(2):  # who sends it again is told the same
        told = await refused(chief.pairing.SealChampionship(SEAL))
        assert (told.reason, told.clause) == ("TABLES_NOT_SEALED", "C10.8")
    withdrawn = await platform.events.wait("seal_withdrawn")
    assert (withdrawn.event.number, withdrawn.event.reason) == (1, "TABLES_NOT_SEALED")
    await platform.events.wait("standings_reopened", announcement=1)
    # The event goes on: the board is seated, and others are corrected.
    await platform.events.wait("replay_seated")
    correct = scoring.CorrectResultRequest()
    correct.CopyFrom(CORRECT)
    correct.table = "r1-t2"
    await chief.scoring.CorrectResult(correct)
    assert await platform.events.of("championship_sealed") == []
    assert await audited(platform) == []


async def test_C10_8_nothing_is_decided_once_a_seal_is_announced_and_a_restart_goes_on_with_it(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Scoring is away when it is announced, and pairing when scoring answers."""
    away = await platform.start(["scoring"])
    others = await platform.start([one for one in BUILDS if one != "scoring"])
    cup = await Cup.create(platform, entrants=6, rounds=1)
    await cup.ended()
    ended = await platform.events.wait("competition_ended")
    platform.clock.stand(ended.header.time_us + SEALABLE_US)
    await away.stop()
    monkeypatch.setattr(pairing_desk, "SEAL_SECONDS", 0.2)
    chief = platform.of(CHIEF)
    told = await refused(chief.pairing.SealChampionship(SEAL))
    assert (told.reason, told.retry) == ("TIMED_OUT", True)
    withdraw = pb.WithdrawEntrantRequest(command_id="w", championship="cup", entrant=1, reason="ill")
    assert (await refused(chief.pairing.WithdrawEntrant(withdraw))).reason == "SEAL_ANNOUNCED"
    show = pb.GetChampionshipRequest(championship="cup")
    assert (await chief.pairing.GetChampionship(show)).being_sealed
    await others.stop()
    await platform.start(["scoring"])
    fixed = await platform.events.wait("standings_fixed")
    assert (fixed.event.announcement, fixed.event.publication) == (1, 1)
    assert (await refused(platform.of(CHIEF).scoring.CorrectResult(CORRECT))).reason == "SEAL_ANNOUNCED"
    await platform.start([one for one in BUILDS if one != "scoring"])
    sealed = await platform.events.wait("championship_sealed")
    assert sealed.event.announcement == 1
    answer = await platform.of(CHIEF).pairing.SealChampionship(SEAL)
    assert answer.seal == sealed.event
    assert not (await platform.of(CHIEF).pairing.GetChampionship(show)).being_sealed
    assert await platform.events.of("result_corrected") == []
    assert await audited(platform) == []


async def test_a_seal_that_is_announced_is_not_announced_again_and_who_asks_has_its_fate(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By two officials' windows at once; scoring answers late."""
    asked: list[Any] = []
    step = Desk._step

    async def waits(desk: Desk, championship: str) -> None:
        known = desk.directory.known(championship) and desk.directory.get(championship)
        if known and known.sealing and not asked:
            other = pb.SealChampionshipRequest(command_id="other", championship="cup")
            asked.append(asyncio.ensure_future(platform.of(CHIEF).pairing.SealChampionship(other)))
            await asyncio.sleep(0)
        await step(desk, championship)

    monkeypatch.setattr(Desk, "_step", waits)
    await over(platform)
    chief = platform.of(CHIEF).pairing
    first = await chief.SealChampionship(SEAL)
    second = await asked[0]
    assert second == first
    assert len(await platform.events.of("seal_announced")) == 1
