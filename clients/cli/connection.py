"""The services as one caller sees them: addresses, channels, stubs."""

from __future__ import annotations

import asyncio
import os
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import grpc
from grpc import aio

from clients.cli import refusals
from clients.cli.bearer import Token, interceptors
from clients.cli.options import Link
from clients.cli.output import USAGE, Problem
from clients.cli.places import Place, find
from clients.cli.tokens import checked_person, signing_key
from clients.cli.words import pick
from clients.robot.tokens import Signer, person_of
from fupan.appeals.v1.service_pb2_grpc import AppealsServiceStub
from fupan.common.v1.log_service_pb2_grpc import LogServiceStub
from fupan.dealer.v1.service_pb2_grpc import DealerServiceStub
from fupan.pairing.v1 import service_pb2 as pairing_pb
from fupan.pairing.v1.service_pb2_grpc import PairingServiceStub
from fupan.scoring.v1.service_pb2_grpc import ScoringServiceStub
from fupan.table.v1.service_pb2_grpc import TableServiceStub
from fupan.table.v1.sheet_service_pb2_grpc import SheetServiceStub

if TYPE_CHECKING:
    from fupan.appeals.v1.service_pb2_grpc import AppealsServiceAsyncStub
    from fupan.common.v1.log_service_pb2_grpc import LogServiceAsyncStub
    from fupan.dealer.v1.service_pb2_grpc import DealerServiceAsyncStub
    from fupan.pairing.v1.service_pb2_grpc import PairingServiceAsyncStub
    from fupan.scoring.v1.service_pb2_grpc import ScoringServiceAsyncStub
    from fupan.table.v1.service_pb2_grpc import TableServiceAsyncStub
    from fupan.table.v1.sheet_service_pb2_grpc import SheetServiceAsyncStub

T = TypeVar("T")

_TOKEN = re.compile(r"[!-~]+")
"""What may stand in a header: gRPC never ends a call with anything else."""

PATIENCE = 5.0
"""Seconds that a command waits for a service that is away."""

_CHANNEL = (
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    # A service that comes back is found within a second, not after two minutes.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1_000),
)


class Fupan:
    """The five services for one caller. `token` gives the caller's bearer token, empty for nobody's; `patience` is in
    seconds. Close it, or use it by `async with`."""

    def __init__(self, place: Place, token: Token, patience: float = PATIENCE) -> None:
        self.place = place
        self.token = token
        self.patience = patience
        self._callers = interceptors(token, patience)
        self._channels: dict[str, aio.Channel] = {}

    async def __aenter__(self) -> Fupan:
        return self

    async def __aexit__(self, *_: object) -> None:
        for channel in self._channels.values():
            await channel.close(None)

    def channel(self, service: str) -> aio.Channel:
        """The channel to a service. Raises Problem where its address is not known."""
        address = self.place.services.get(service)
        if address is None:
            raise Problem(
                pick(f"--server says no address of {service}", f"--server 没有给出 {service} 的地址"), USAGE
            )
        if address not in self._channels:
            self._channels[address] = channel(address, self._callers)
        return self._channels[address]

    @property
    def person(self) -> str:
        """Whom the services will know the caller as, empty for nobody. Raises Problem."""
        token = self.token()
        return _person_of(token) if token else ""

    @cached_property
    def pairing(self) -> PairingServiceAsyncStub:
        """Championships, entrants, rounds."""
        return PairingServiceStub(self.channel("pairing"))

    @cached_property
    def dealer(self) -> DealerServiceAsyncStub:
        """Commitments and deals."""
        return DealerServiceStub(self.channel("dealer"))

    @cached_property
    def table(self) -> TableServiceAsyncStub:
        """Tables and boards."""
        return TableServiceStub(self.channel("table"))

    @cached_property
    def sheets(self) -> SheetServiceAsyncStub:
        """Score sheets of matches with real cards."""
        return SheetServiceStub(self.channel("table"))

    @cached_property
    def scoring(self) -> ScoringServiceAsyncStub:
        """Standings and corrections."""
        return ScoringServiceStub(self.channel("scoring"))

    @cached_property
    def appeals(self) -> AppealsServiceAsyncStub:
        """Appeals and rulings."""
        return AppealsServiceStub(self.channel("appeals"))

    def log(self, service: str) -> LogServiceAsyncStub:
        """The log of one service."""
        return LogServiceStub(self.channel(service))


def run(link: Link, work: Callable[[Fupan], Coroutine[Any, Any, T]]) -> T:
    """Run `work` as the caller that `link` names; errors of services become a Problem."""

    async def working() -> T:
        async with connect(link) as fupan:
            return await work(fupan)

    return asyncio.run(working())


def order(link: Link, call: Callable[[Fupan, Any], Awaitable[T]]) -> T:
    """What an order is answered. `call` gets the services, and the fields that every order has: a fresh command id, and the
    championship that is meant."""

    async def work(fupan: Fupan) -> T:
        championship = await championship_of(fupan, link)
        return await call(fupan, {"command_id": command_id(), "championship": championship})

    return run(link, work)


@asynccontextmanager
async def connect(link: Link) -> AsyncIterator[Fupan]:
    """The services as the caller that `link` names. Raises Problem, for errors of services too."""
    place = find(link.server)
    with refusals.told():
        async with Fupan(place, token_of(link, place)) as fupan:
            yield fupan


def token_of(link: Link, place: Place) -> Token:
    """The token given, or one of the person given or the operator by a local platform's keys; else none."""
    if link.token:
        if not _TOKEN.fullmatch(link.token):
            raise Problem(pick("--token: this is no bearer token", "--token：不是登录令牌"), USAGE)
        if link.person and link.person != (person := _person_of(link.token)):
            raise Problem(
                pick(
                    f"--as says {link.person}, and the token is {person}'s: a token alone says who acts",
                    f"--as 指 {link.person}，而令牌属于 {person}：有令牌时由令牌决定身份",
                ),
                USAGE,
            )
        return lambda: link.token
    keys = Path(link.keys) if link.keys else place.keys
    person = checked_person(link.person) if link.person else place.operator
    if link.person and keys is None:
        raise Problem(pick("--as needs the keys of a local platform", "--as 需要本地平台的密钥"), USAGE)
    return Signer(signing_key(keys), person) if keys is not None and person else str


def _person_of(token: str) -> str:
    """Whom a bearer token says it is of. Raises Problem."""
    try:
        return person_of(token)
    except ValueError:
        raise Problem(pick("--token: this is no bearer token", "--token：不是登录令牌"), USAGE) from None


def command_id() -> str:
    """A fresh command id."""
    return secrets.token_hex(12)


async def championship_of(fupan: Fupan, link: Link) -> str:
    """The championship meant: the one named, else the only one there is. Raises Problem."""
    if link.championship:
        return link.championship
    listed = await fupan.pairing.ListChampionships(pairing_pb.ListChampionshipsRequest(page_size=100))
    ids = [one.settings.championship for one in listed.championships]
    if len(ids) == 1:
        return ids[0]
    if not ids:
        raise Problem(pick("there is no championship yet", "还没有赛事"), USAGE)
    raise Problem(
        pick(
            f"which championship? --championship {'|'.join(ids)}",
            f"请选择赛事：--championship {'|'.join(ids)}",
        ),
        USAGE,
    )


def channel(address: str, callers: Sequence[Any]) -> aio.Channel:
    """A channel to `address`: in clear on this machine, by TLS elsewhere (`FUPAN_TLS_CA` names a file of issuers)."""
    host = address.rpartition(":")[0].strip("[]")
    if host in ("127.0.0.1", "::1", "localhost"):
        return aio.insecure_channel(address, options=_CHANNEL, interceptors=callers)
    issuers = os.environ.get("FUPAN_TLS_CA")
    credentials = grpc.ssl_channel_credentials(Path(issuers).read_bytes() if issuers else None)
    return aio.secure_channel(address, credentials, options=_CHANNEL, interceptors=callers)
