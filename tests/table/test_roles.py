"""What somebody is told to be in a championship, so that clients offer nobody what would be refused."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import Any

import pytest
from grpc import StatusCode

from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.table.v1 import service_pb2 as pb
from services.runtime import even
from tests.runtime.serving import EPOCH, appointed
from tests.table.serving import CUP, Service, refused, seated
from tests.table.test_service_seats import replace


async def part(service: Service, person: str) -> tuple[list[str], bool]:
    told = await service.stub.GetRoles(pb.GetRolesRequest(championship=CUP), **service.auth(person))
    return list(told.roles), told.watches


async def test_players_officials_and_others_are_told_what_they_are(service: Service) -> None:
    """An official who plays sees no other table (P13, C9.3); a substitute is a player (C1.6)."""
    await seated(service)
    assert await part(service, "anna") == (["player"], False)
    assert await part(service, "ref") == (["referee"], True)
    assert await part(service, "olga") == (["organiser"], True)
    assert await part(service, "bo") == (["player", "referee"], False)
    assert await part(service, "dora") == ([], False)
    await replace(service, "dora")
    assert await part(service, "dora") == (["player"], False)


async def test_what_somebody_has_just_become_or_ceased_to_be_is_told_at_once(service: Service) -> None:
    await seated(service)
    await service.log.write(CUP, appointed("eve", "chief_referee"))
    assert await part(service, "eve") == (["chief_referee"], True)
    ended = pairing_pb.OfficialSuspended(person_id="ref", role="referee", reason="asleep")
    await service.log.write(CUP, pairing_pb.Event(official_suspended=ended))
    assert await part(service, "ref") == ([], False)


async def test_all_who_come_at_once_have_every_stream_asked_once(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(even, "EVEN_SECONDS", 0.001)  # within which others ask, too
    await seated(service)
    store, asked, ours = service.runtime.store, list[str](), ContextVar("ours", default=False)
    last = store.last_sequence

    async def counting(stream: str) -> int:
        if ours.get():  # the archive begins to read at the same time
            asked.append(stream)
        return await last(stream)

    monkeypatch.setattr(store, "last_sequence", counting)
    refresh = service.runtime.access.roles.refresh
    ours.set(True)
    await asyncio.gather(*(refresh() for _ in range(100)))
    assert sorted(asked) == sorted([EPOCH.stream("pairing"), *EPOCH.table_streams()])


async def test_nobody_and_no_championship_are_refused(service: Service) -> None:
    await seated(service)
    nobody: Any = service.stub.GetRoles(pb.GetRolesRequest(championship=CUP), timeout=10)
    assert (await refused(nobody))[0] is StatusCode.UNAUTHENTICATED
    elsewhere = service.stub.GetRoles(pb.GetRolesRequest(championship="elsewhere"), **service.auth("ref"))
    assert (await refused(elsewhere))[0] is StatusCode.NOT_FOUND
