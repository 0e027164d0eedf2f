"""What one seat alone knows shows in nothing that the others are sent: many boards, where `tests/e2e` plays one a kind."""

from __future__ import annotations

from itertools import islice

import pytest

from tests.e2e.conftest import world as world
from tests.e2e.test_interference import KINDS, nobody_else_notices, pairs
from tests.table.serving import World

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(900)]

BOARDS = 40


@pytest.mark.parametrize("kind", KINDS)
async def test_the_others_get_the_same_bytes_at_the_same_times(
    world: World, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    for pair in islice(pairs(*KINDS[kind]), BOARDS):
        await nobody_else_notices(world, pair, monkeypatch)
