"""Events that lose their entrants until nobody is left to meet, on real servers (C1.5, C1.6, C7.3)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from fupan.dealer.v1 import service_pb2 as dealer
from fupan.pairing.v1 import service_pb2 as pb
from services.pairing.rounds import Rounds
from tests.cup import Cup
from tests.pairing.formats import byes_of, check_rebuilt_and_audited, played, seal, standings, tables_of
from tests.platform import Platform, refused


async def test_a_round_in_which_nobody_meets_anybody_is_passed(platform: Platform) -> None:
    """Of three teams the one that was to meet the other two goes: each of these has two byes, and the event goes on to its end."""
    await platform.start()
    cup = await Cup.create(
        platform, entrants=3, members=4, game="shengji", format="teams", rounds=3, movement="round_robin"
    )
    await cup.pair()
    (gone,) = await byes_of(cup, 1)
    left = sorted({1, 2, 3} - {gone})
    await platform.events.wait("round_started", round=1)
    await cup.boss.pairing.WithdrawEntrant(
        pb.WithdrawEntrantRequest(command_id="w", championship="cup", entrant=gone, reason="ill")
    )
    await played(cup, 1)
    for number in (2, 3):
        await platform.events.wait("standings_published", after_round=number)
        assert (await tables_of(cup, number), sorted(await byes_of(cup, number))) == ([], left)
    await seal(cup)
    rows = {row.entrant: row for row in (await standings(cup)).rows}
    for one in left:
        won = 2 * rows[one].won + rows[one].drawn
        assert (rows[one].byes, Fraction(rows[one].points)) == (2, won + 2 * max(won, 1))
    assert rows[gone].byes == 1
    await check_rebuilt_and_audited(cup, 3)


async def test_C1_6_who_withdraws_in_the_instant_of_pairing_is_not_seated(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The seats that were drawn up with it are drawn up anew without it; the operator notices nothing."""
    await platform.start()
    cup = await Cup.create(platform, entrants=4)
    seated, left = Rounds._seated, iter([2])

    async def late(rounds: Rounds, *given: Any) -> Any:
        command = await seated(rounds, *given)
        for entrant in left:
            await cup.boss.pairing.WithdrawEntrant(
                pb.WithdrawEntrantRequest(command_id="w", championship="cup", entrant=entrant, reason="ill")
            )
        return command

    monkeypatch.setattr(Rounds, "_seated", late)
    await cup.pair(command_id="pair")
    tables = await tables_of(cup, 1)
    assert sorted(one for table in tables for one in table.entrants if one) == [1, 3, 4]
    assert len(await platform.events.of("round_paired")) == 1


@pytest.mark.parametrize("left", [1, 0])
async def test_an_event_that_ends_before_anybody_plays_is_published_and_sealed(
    left: int, platform: Platform
) -> None:
    """C1.6, C10.8: of two pairs one goes, or both, while the draw waits for its public entropy."""
    await platform.start()
    cup = await Cup.create(platform, entrants=2, members=2, game="shengji", format="pairs")
    await platform.events.wait("deals_committed")
    named = dealer.NameEntropyRequest(command_id="n", championship="cup", batch=1, source="lottery")
    await cup.boss.dealer.NameEntropy(named)
    assert (await refused(cup.pair())).reason == "ENTROPY_MISSING"
    for entrant in range(left + 1, 3):
        await cup.boss.pairing.WithdrawEntrant(
            pb.WithdrawEntrantRequest(
                command_id=f"w{entrant}", championship="cup", entrant=entrant, reason="ill"
            )
        )
    published = await platform.events.wait("standings_published")
    assert (published.event.after_round, published.event.entrants) == (0, 2)
    await seal(cup)
    await check_rebuilt_and_audited(cup, 1)


async def test_an_event_that_nobody_entered_is_published_and_sealed(platform: Platform) -> None:
    """C10.8."""
    await platform.start()
    cup = await Cup.create(platform, entrants=0)
    await platform.events.wait("deals_committed")
    ended = pb.EndCompetitionRequest(command_id="e", championship="cup", reason="nobody came")
    await cup.boss.pairing.EndCompetition(ended)
    published = await platform.events.wait("standings_published")
    assert (published.event.after_round, published.event.entrants) == (0, 0)
    await seal(cup)
    await check_rebuilt_and_audited(cup, 1)
