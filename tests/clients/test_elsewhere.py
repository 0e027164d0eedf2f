"""A demo whose NATS and PostgreSQL run elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from clients.cli import kinds
from clients.cli.connection import Fupan
from clients.cli.local.event import Event, found
from clients.cli.local.hosting import play_to_end
from clients.cli.local.report import conclude
from clients.cli.local.stack import OPERATOR, Wanted, running
from clients.cli.output import Problem
from clients.cli.places import find
from clients.cli.tokens import signing_key
from clients.robot.tokens import Signer
from tests.conftest import NatsServer

MACHINE = Event(kinds.find("paohuzi", "machine"), "machine", entrants=3, rounds=1, boards=1, seed=7)


@pytest.fixture
def elsewhere(nats_server: NatsServer, database: str, epoch: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """What an operator sets."""
    host = nats_server.url.removeprefix("nats://")
    monkeypatch.setenv("FUPAN_NATS_URL", f"nats://operator:{nats_server.password}@{host}")
    monkeypatch.setenv("FUPAN_POSTGRES_DSN", database)
    monkeypatch.setenv("FUPAN_EPOCH", epoch.id)


async def test_a_championship_against_the_machine_on_servers_elsewhere(
    elsewhere: None, epoch: Any, tmp_path: Path
) -> None:
    messages: list[str] = []
    async with running(Wanted(tmp_path, demo=True), messages.append) as place:
        assert find(str(tmp_path)) == place
        assert place.keys is not None
        async with Fupan(place, Signer(signing_key(place.keys), OPERATOR), patience=60.0) as fupan:
            championship = await found(fupan, MACHINE)
            receipts = await play_to_end(fupan, championship)
            result = await conclude(fupan, championship, receipts, None)
            # The same seed again is the same championship, and it is over.
            assert await found(fupan, MACHINE) == championship
            assert await play_to_end(fupan, championship) == []
    assert receipts
    assert sorted(row["entrant"] for row in result.final) == [1, 2, 3]
    assert result.log.verified
    assert len(result.log.reports) == 3 + 1
    assert result.appeal is not None
    assert result.appeal["upheld"]
    assert [row["entrant"] for row in result.final] != [row["entrant"] for row in result.rebuilt]
    with pytest.raises(Problem):
        find(str(tmp_path))
