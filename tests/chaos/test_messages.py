"""Ten thousand random and mutated messages to every RPC of every service, by callers of every kind."""

from __future__ import annotations

import os

import pytest

from tests.chaos.conftest import Report
from tests.e2e import scratch
from tests.e2e import stage as staging
from tests.e2e.command import folder
from tests.e2e.messages import calls
from tests.e2e.sender import each

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(1800)]

MESSAGES = int(os.environ.get("FUPAN_CHAOS_MESSAGES", "10000"))


async def test_ten_thousand_messages(report: Report) -> None:
    with folder() as place:
        async with (
            scratch.platform(place, {"FUPAN_RATE": "100000:100000"}) as inside,
            staging.set_up(inside, "fuzz") as stage,
        ):
            made = calls(stage.vocabulary, stage.callers, stage.entitled)
            await each(made, MESSAGES, stage.sender.send, seed=False)
            await staging.unharmed(stage)
            told = stage.sender
            refused = f"{told.counts['OK']} answered, refused for {len(told.reasons)} reasons"
            report.add(f"{MESSAGES} random and mutated messages", refused, "", "", "")
            assert len(told.reasons) > 40
