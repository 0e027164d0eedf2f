"""Panels of the same thing that two replicas appoint at once: the first in the log judges it (C10.7)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as scoring_events
from services.appeals.counting import Counting
from services.dealer.desk import Desk as Dealer
from tests.appeals.courts import BOARD, WORSE, about, ended
from tests.cup import ARBITRATORS, Cup
from tests.platform import OPERATOR, Platform, refused

BETTER = scoring_events.Remedy(
    correct_result=scoring_events.CorrectResult(
        table="r1-t1", round=1, board=1, attempt=1, scores=[20, -10, -10]
    )
)


async def appointed_at_once(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> tuple[Cup, str, str]:
    """An event with two panels, each appointed where the other was not known of yet: their appeals in the order of the log."""
    cup, _ = await ended(platform)
    second = await platform.start(["appeals"], "r2")
    appeals = [(await cup.file(1, BOARD, [WORSE])).appeal, (await cup.file(2, None, [BETTER])).appeal]
    for appeal in appeals:
        await cup.pay(appeal)
    both, create = asyncio.Barrier(2), Dealer.create_appeal_key

    async def together(dealer: Dealer, *asked: Any) -> Any:
        await both.wait()  # whoever asks for a key has looked whether another panel sits
        return await create(dealer, *asked)

    monkeypatch.setattr(Dealer, "create_appeal_key", together)

    def asked(appeal: str) -> pb.AppointPanelRequest:
        return pb.AppointPanelRequest(
            command_id=f"panel-{appeal}", championship="cup", appeal=appeal, members=ARBITRATORS[:3]
        )

    await asyncio.gather(
        platform.of(OPERATOR).appeals.AppointPanel(asked(appeals[0])),
        platform.of(OPERATOR, platform.ports | second.ports).appeals.AppointPanel(asked(appeals[1])),
    )
    await platform.events.wait("panel_appointed", count=2)
    first, other = [
        one.stored.subject.rpartition(".")[2] for one in await platform.events.of("panel_appointed")
    ]
    return cup, first, other


async def test_the_panel_that_came_second_is_dissolved_and_nobody_failed_it(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup, first, other = await appointed_at_once(platform, monkeypatch)
    dissolved = await platform.events.wait("panel_dissolved", about(other))
    assert dissolved.event.judged_in == first
    cause = dissolved.body.cause
    assert cause is not None
    assert cause.subject.endswith(first)
    assert (await cup.case(other)).phase == "received"
    for member in ARBITRATORS[:3]:
        await cup.vote(first, member, uphold=True)
    dismissed = await platform.events.wait("appeal_dismissed", about(other))
    assert dismissed.event.ruled_in == first
    assert len(await platform.events.of("panel_dissolved")) == 1
    assert len(await platform.events.of("appeal_decided")) == 1


async def test_what_the_second_panel_votes_before_it_is_dissolved_is_refused(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever replica is asked: none of them has yet done what is due."""

    async def later(counting: Counting, subject: str) -> None:
        return

    monkeypatch.setattr(Counting, "_step", later)
    cup, first, other = await appointed_at_once(platform, monkeypatch)
    for replica, member in zip(platform.replicas, ARBITRATORS[:2], strict=True):
        ports = platform.ports | replica.ports
        told = await refused(cup.vote(other, member, uphold=True, ports=ports))
        assert (told.reason, told.clause) == ("PANEL_SITS", "C10.7")
        await cup.vote(first, member, uphold=True, ports=ports)
    cast = await platform.events.wait("ballot_cast", about(first), count=2)
    assert (await platform.events.of("ballot_cast"))[-1] == cast
