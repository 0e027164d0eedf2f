"""Replicas that race, services that are away, processes that die between two steps."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

import pytest

from fupan.pairing.v1 import service_pb2 as pb
from fupan.scoring.v1 import service_pb2 as scoring
from services.pairing.rounds import Rounds
from tests.appeals.courts import BOARD, WORSE
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.platform import BUILDS, OPERATOR, Platform, refused


async def test_two_replicas_of_everything_are_one_championship(platform: Platform) -> None:
    """Both take every step that is due; each is taken once."""
    first, second = await asyncio.gather(platform.start(), platform.start(replica="r2"))
    cup = await Cup.create(platform, entrants=10)
    # The same command to both at once is one command.
    other = platform.of("operator", second.ports)
    both = await asyncio.gather(cup.pair(command_id="pair"), cup.pair(other, command_id="pair"))
    assert both[0] == both[1]
    for round_ in (1, 2):
        await cup.play(round_)
    ended = await platform.events.wait("competition_ended")
    filed = await cup.file(1, BOARD, [WORSE])
    await cup.panel(filed.appeal)
    await platform.events.wait("standings_published", cause="ruling")
    platform.clock.stand(ended.header.time_us + SEALABLE_US)
    seal = pb.SealChampionshipRequest(command_id="seal", championship="cup")
    sealed = await asyncio.gather(
        *(platform.of(CHIEF, replica.ports).pairing.SealChampionship(seal) for replica in (first, second))
    )
    assert sealed[0] == sealed[1]
    await platform.events.wait("secret_revealed")
    final = await platform.events.wait("standings_sealed")
    kinds = Counter(one.kind for one in await platform.events.all() if one.service != "table")
    for kind, times in {
        "secret_created": 1,
        "deals_committed": 1,
        "draw_revealed": 1,
        "registration_closed": 1,
        "round_paired": 2,
        "round_started": 2,
        "round_closed": 2,
        "competition_ended": 1,
        "board_revealed": 4,
        "standings_published": 3,
        "appeal_key_created": 1,
        "appeal_key_released": 1,
        "appeal_decided": 1,
        "result_corrected": 1,
        "championship_sealed": 1,
        "secret_revealed": 1,
        "standings_sealed": 1,
    }.items():
        assert kinds[kind] == times, kind
    request = scoring.GetStandingsRequest(championship="cup", min_position=final.position)
    shown = [
        await platform.of(None, replica.ports).scoring.GetStandings(request) for replica in (first, second)
    ]
    assert shown[0] == shown[1]


async def test_who_has_a_round_paired_is_answered_also_where_another_replica_goes_on_by_itself(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The list is closed: that round 1 is due by now every replica sees."""
    await platform.start()
    second = await platform.start(replica="r2")
    cup = await Cup.create(platform, entrants=6)
    asked: list[Rounds] = []
    pair, reveal = Rounds.pair, Rounds.revealed_draw

    async def noted(rounds: Rounds, *what: Any) -> Any:
        asked.append(rounds)
        return await pair(rounds, *what)

    async def late(rounds: Rounds, championship: str) -> Any:
        if rounds in asked:
            await platform.events.wait("round_paired")
        return await reveal(rounds, championship)

    monkeypatch.setattr(Rounds, "pair", noted)
    monkeypatch.setattr(Rounds, "revealed_draw", late)
    answer = await cup.pair(platform.of(OPERATOR, second.ports), command_id="pair")
    (paired,) = await platform.events.of("round_paired")
    assert (paired.body.actor, paired.body.command_id) == ("service:pairing", "pair 1")
    assert answer.receipt.position == paired.position
    assert await cup.pair(command_id="pair") == answer
    assert (await refused(cup.pair(command_id="other"))).reason == "ROUND_RUNNING"


@pytest.mark.parametrize("name", BUILDS)
async def test_a_service_that_is_away_for_a_while_holds_nothing_up_for_good(
    platform: Platform, name: str
) -> None:
    """Stopped while a round runs and while its end is due, and started again."""
    await platform.start([one for one in BUILDS if one != name])
    away = await platform.start([name])
    cup = await Cup.create(platform, entrants=6)
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play(1, only=[1])
    if name not in ("dealer", "pairing"):  # without those no board can be played
        await away.stop()
    await cup.tables.play(1, only=[2])
    if name in ("dealer", "pairing"):
        await away.stop()
    await platform.start([name])
    await cup.play(2)
    await platform.events.wait("competition_ended")
    filed = await cup.file(1, BOARD, [WORSE])
    await cup.panel(filed.appeal)
    await platform.events.wait("standings_published", number=3, cause="ruling")
    await platform.events.wait("board_revealed", count=4)
    rebuilt = await cup.boss.scoring.RebuildStandings(
        scoring.RebuildStandingsRequest(championship="cup", publication=3)
    )
    assert rebuilt.same


async def test_a_draw_that_the_dealer_could_not_answer_is_made_when_it_is_back(platform: Platform) -> None:
    """The list is closed, then the process cannot go on: what is due follows from the log."""
    await platform.start(["pairing", "scoring", "appeals"])
    dealer = await platform.start(["dealer"])
    cup = await Cup.create(platform, entrants=6)
    await platform.events.wait("deals_committed")
    await dealer.stop()
    told = await refused(cup.pair(command_id="pair"))
    assert told.reason == "PEER_UNAVAILABLE"
    assert told.retry
    await platform.events.wait("registration_closed")
    await platform.start(["dealer"])
    await platform.events.wait("round_started")
    assert len(await platform.events.of("round_paired")) == 1
