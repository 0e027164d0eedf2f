"""JetStreamStore keeps the contract on three replicas, also while their leader is killed."""

from __future__ import annotations

import asyncio
import json

import pytest

from services.runtime.jetstream import JetStreamStore
from services.runtime.provenance import EXPECTED
from services.runtime.store import Conflict, EventStore
from services.runtime.streams import Epoch, stream_of
from services.runtime.writer import append
from tests.runtime import lossy
from tests.runtime.conftest import NatsCluster
from tests.runtime.store_contract import StoreContract, following

pytestmark = pytest.mark.cluster


class TestClusteredStore(StoreContract):
    @pytest.fixture
    def store(self, cluster_store: JetStreamStore) -> EventStore:
        return cluster_store

    @pytest.fixture
    def second(self, second_cluster_store: JetStreamStore) -> EventStore:
        return second_cluster_store

    @pytest.fixture
    def lose(self, cluster_store: JetStreamStore, monkeypatch: pytest.MonkeyPatch) -> lossy.Lose:
        return lossy.connection(cluster_store, monkeypatch)


async def test_one_winner_and_two_codes(cluster_store: JetStreamStore, epoch: Epoch) -> None:
    """What the server answers to fifty appends with one expectation, in its own words."""
    subject = epoch.subject("scoring", "cup")
    answers = await asyncio.gather(
        *(
            cluster_store.nc.request(subject, b"%d" % n, timeout=10, headers={EXPECTED: "0"})
            for n in range(50)
        )
    )
    codes = [json.loads(answer.data).get("error", {}).get("err_code") for answer in answers]
    assert codes.count(None) == 1
    assert set(codes) <= {None, 10071, 10164}
    assert 10164 in codes


async def test_fifty_writers_one_wins(cluster_store: JetStreamStore, epoch: Epoch) -> None:
    subject = epoch.subject("scoring", "cup")
    results = await asyncio.gather(
        *(cluster_store.append(subject, b"%d" % n, 0) for n in range(50)), return_exceptions=True
    )
    assert results.count(1) == 1
    assert sum(isinstance(result, Conflict) for result in results) == 49


async def test_the_killed_leader_loses_doubles_and_stalls_nothing(
    nats_cluster: NatsCluster, cluster_store: JetStreamStore, epoch: Epoch
) -> None:
    subject = epoch.subject("scoring", "cup")
    stream = stream_of(subject)
    async with following(cluster_store, stream) as reader:
        sequence = 0
        for n in range(200):
            if n == 100:
                info = await cluster_store.js.stream_info(stream)
                assert info.cluster
                leader = nats_cluster.processes[info.cluster.leader or ""]
                leader.kill()
            until = asyncio.get_running_loop().time() + 30
            sequence = await append(cluster_store, subject, b"%d" % n, sequence, until)
        await reader.until_count(200)
    await leader.up()
    assert [record.sequence for record in reader.records] == list(range(1, 201))
    assert [int(record.data) for record in reader.records] == list(range(200))
