"""TLS for clients, mutual TLS between services: a stolen service token alone opens nothing."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import StatusCode

from fupan.dealer.v1 import service_pb2, service_pb2_grpc
from services.runtime.config import Address, Config, ConfigError
from services.runtime.embedded.directory import free_port
from services.runtime.errors import read_status
from services.runtime.identity import create_keys, identity_of
from services.runtime.server import Peers, read_tls
from tests.runtime.certificates import Authority
from tests.runtime.serving import Serving, serving, settings
from tests.servers import SECONDS

DEALS = service_pb2.GetDealsRequest()


@pytest.fixture
def tls(tmp_path: Path) -> dict[str, Path]:
    """Folders of the services `dealer`, `table` and `scoring`, and of a `stranger` with another authority."""
    authority = Authority()
    found = {name: authority.folder(tmp_path / name, name) for name in ("dealer", "table", "scoring")}
    return found | {"stranger": Authority().folder(tmp_path / "stranger", "table")}


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    create_keys(tmp_path / "keys")
    return tmp_path / "keys"


@pytest.fixture
async def dealer(keys: Path, tls: dict[str, Path]) -> AsyncIterator[tuple[Serving, Address]]:
    """A server with both ports, and the peers' one."""
    address = Address("127.0.0.1", free_port())
    variables = {"FUPAN_TLS_DIR": str(tls["dealer"]), "FUPAN_PEER_LISTEN": str(address)}
    async with serving(keys, variables=variables) as running:
        yield running, address


@asynccontextmanager
async def peer_of(running: Serving, tls_dir: Path, address: Address, service: str) -> AsyncIterator[Any]:
    """A stub of the dealer's that `service` holds."""
    config = replace(running.config, service=service, tls_dir=tls_dir, peers={"dealer": address})
    peers = Peers(config, identity_of(config))
    yield service_pb2_grpc.DealerServiceStub(peers.channel("dealer"))
    await peers.close()


async def test_a_service_with_its_certificate_is_served(
    dealer: tuple[Serving, Address], tls: dict[str, Path]
) -> None:
    running, address = dealer
    async with peer_of(running, tls["table"], address, "table") as stub:
        await stub.GetDeals(DEALS)


async def test_a_service_token_with_another_services_certificate_is_refused(
    dealer: tuple[Serving, Address], tls: dict[str, Path]
) -> None:
    running, address = dealer
    async with peer_of(running, tls["scoring"], address, "table") as stub:
        assert await _refused(stub) == (StatusCode.PERMISSION_DENIED, "SERVICE_NOT_PROVEN")


async def test_a_service_token_at_the_clients_port_is_refused(
    dealer: tuple[Serving, Address], tls: dict[str, Path]
) -> None:
    running, _ = dealer
    clients = Address("127.0.0.1", running.server.port)
    async with peer_of(running, tls["table"], clients, "table") as stub:
        assert await _refused(stub) == (StatusCode.PERMISSION_DENIED, "SERVICE_NOT_PROVEN")


async def test_nobody_without_a_certificate_of_the_authority_reaches_the_peers_port(
    dealer: tuple[Serving, Address], tls: dict[str, Path]
) -> None:
    _, address = dealer
    authority = (tls["dealer"] / "ca.crt").read_bytes()
    bare = grpc.ssl_channel_credentials(authority)
    key, certificate, _ = read_tls(tls["stranger"])
    foreign = grpc.ssl_channel_credentials(authority, key, certificate)
    for credentials in (bare, foreign):
        async with grpc.aio.secure_channel(str(address), credentials) as channel:
            stub: Any = service_pb2_grpc.DealerServiceStub(channel)
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await stub.GetDeals(DEALS, timeout=SECONDS)
            assert failed.value.code() is StatusCode.UNAVAILABLE


async def test_people_come_by_tls_without_a_certificate(
    dealer: tuple[Serving, Address], tls: dict[str, Path]
) -> None:
    running, _ = dealer
    credentials = grpc.ssl_channel_credentials((tls["dealer"] / "ca.crt").read_bytes())
    target = f"localhost:{running.server.port}"
    async with grpc.aio.secure_channel(target, credentials) as channel:
        stub: Any = service_pb2_grpc.DealerServiceStub(channel)
        request = service_pb2.GetCommitmentsRequest(championship="open")
        metadata = (("authorization", f"Bearer {running.token('somebody')}"),)
        await stub.GetCommitments(request, metadata=metadata, timeout=SECONDS)
    async with grpc.aio.insecure_channel(target) as channel:
        clear: Any = service_pb2_grpc.DealerServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await clear.GetCommitments(request, timeout=SECONDS)
        assert failed.value.code() is StatusCode.UNAVAILABLE


def test_a_folder_without_its_files_is_named(keys: Path, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"FUPAN_TLS_DIR: \S+tls.key cannot be read"):
        read_tls(tmp_path)
    with pytest.raises(ConfigError, match="FUPAN_PEER_LISTEN is not set"):
        Config.read("table", settings(keys, FUPAN_TLS_DIR=str(tmp_path)))
    with pytest.raises(ConfigError, match="FUPAN_TLS_DIR is not set"):
        Config.read("table", settings(keys, FUPAN_SERVICE_LISTEN="0.0.0.0:50051"))


async def _refused(stub: Any) -> tuple[StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stub.GetDeals(DEALS)
    told = read_status(refused.value)
    assert told is not None, refused.value
    return told.code, told.reason
