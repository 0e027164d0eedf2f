"""How a service is found and reaches others: health, reflection, peers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import StatusCode
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from fupan.dealer.v1 import service_pb2 as dealer_pb2
from fupan.dealer.v1 import service_pb2_grpc as dealer_pb2_grpc
from services.runtime.config import Address
from services.runtime.identity import caller, identity_of
from services.runtime.server import Peers
from tests.runtime.serving import methods, serving


async def test_health_and_reflection_answer_without_token_or_deadline(keys: Path) -> None:
    async with serving(keys) as running:
        health: Any = health_pb2_grpc.HealthStub(running.channel)
        for name in ("", "liveness", "fupan.table.v1.TableService"):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        with pytest.raises(grpc.aio.AioRpcError) as unknown:
            await health.Check(health_pb2.HealthCheckRequest(service="nobody"))
        assert unknown.value.code() is StatusCode.NOT_FOUND
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(running.channel)
        ask = reflection_pb2.ServerReflectionRequest(list_services="")
        (answer,) = [one async for one in reflection.ServerReflectionInfo(iter([ask]))]
        shown = {service.name for service in answer.list_services_response.service}
        assert {f"{name.rpartition('/')[0].lstrip('/')}" for name in methods()} <= shown


async def test_a_peer_brings_its_own_token_and_a_deadline(keys: Path) -> None:
    seen: list[Any] = []

    async def get_deals(request: Any, context: Any) -> Any:
        seen.append((caller(context).service, context.time_remaining()))
        return dealer_pb2.GetDealsResponse()

    async with serving(keys, GetDeals=get_deals) as running:
        config = replace(running.config, peers={"dealer": Address("127.0.0.1", running.server.port)})
        peers = Peers(config, identity_of(config))
        stub: Any = dealer_pb2_grpc.DealerServiceStub(peers.channel("dealer"))
        await stub.GetDeals(dealer_pb2.GetDealsRequest())
        await peers.close()
    ((service, remaining),) = seen
    assert service == "table"
    assert 0 < remaining < 11  # gRPC rounds the deadline up
