"""What could not be carried out of a ruling is told with the appeal, and is settled (C10.6)."""

from __future__ import annotations

import pytest

from fupan.appeals.v1 import service_pb2 as appeals
from fupan.pairing.v1 import events_pb2 as pairing
from fupan.scoring.v1 import events_pb2 as scoring
from services.appeals.carrying import Carrying
from tests.appeals.behind import Behind
from tests.appeals.courts import BOARD, WORSE, ended
from tests.cup import CHIEF
from tests.pairing.test_sealing import SCORING, read
from tests.platform import Platform


def test_what_scoring_refused_is_told_with_its_appeal() -> None:
    final = scoring.CorrectionRefused(
        appeal="a-2",
        reason="RULING_FINAL",
        clause="C10.7",
        detail="the committee's ruling in appeal a-1 is final",
    )
    carrying = Carrying()
    carrying.read_scoring([read(SCORING, 7, scoring.Event(correction_refused=final))])
    (part,) = carrying.refused("cup", "a-2")
    assert (part.by, part.reason, part.clause) == ("scoring", "RULING_FINAL", "C10.7")
    assert part.text == "the committee's ruling in appeal a-1 is final"
    assert "a-1" in part.text_zh
    assert "C10.7" in part.text_zh
    assert part.refused_us == 7
    assert carrying.refused("cup", "a-1") == ()
    assert carrying.refused("other", "a-2") == ()


def test_parts_are_told_in_the_order_in_which_they_were_refused_whatever_was_read_first() -> None:
    carrying = Carrying()
    for time_us in (9, 7):
        refused = scoring.CorrectionRefused(appeal="a-1", reason="NOT_FOUND", detail="there is none")
        carrying.read_scoring([read(SCORING, time_us, scoring.Event(correction_refused=refused))])
    assert [one.refused_us for one in carrying.refused("cup", "a-1")] == [7, 9]


async def test_what_was_refused_just_now_is_settled_also_where_that_is_not_read_yet(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chief referee has seen it at another replica."""
    behind = Behind(monkeypatch)
    cup, _ = await ended(platform)
    appeal = (await cup.file(1, BOARD, [WORSE])).appeal
    await cup.panel(appeal)
    behind.begin()
    refused = pairing.ReseatingRefused(appeal=appeal, reason="ROUND_STARTED", clause="C9.2")
    await cup.tables.pairing(pairing.Event(reseating_refused=refused))
    seen = await platform.events.wait("reseating_refused")
    settle = appeals.SettleRulingRequest(
        command_id="s", championship="cup", appeal=appeal, text="so", refused_us=seen.header.time_us
    )
    await platform.of(CHIEF).appeals.SettleRuling(settle)
    (part,) = (await cup.case(appeal)).not_carried_out
    assert part.settled == "so"
