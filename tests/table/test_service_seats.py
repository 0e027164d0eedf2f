"""Seats that change hands, over gRPC: to house AI, to substitutes, and who may be one (C1.6)."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import pytest
from grpc import StatusCode

from fupan.common.v1 import log_service_pb2 as log_pb
from fupan.common.v1.log_service_pb2_grpc import LogServiceStub
from fupan.pairing.v1 import events_pb2 as pairing_pb
from fupan.table.v1 import service_pb2 as pb
from services.runtime.memory import MemoryStore
from services.table import api, rulings
from tests.runtime.serving import PairingLog, appointed, entered
from tests.table.serving import (
    CUP,
    PEOPLE,
    Deals,
    Service,
    World,
    paired,
    refused,
    seated,
    serving,
    started,
)


async def test_a_withdrawn_entrants_seat_goes_to_house_ai(service: Service) -> None:
    (anna, bo, _) = await seated(service)
    withdrawn = pairing_pb.EntrantWithdrawn(entrant=1, reason="ill")
    await service.log.write(CUP, pairing_pb.Event(entrant_withdrawn=withdrawn))
    await anna.until(lambda: anna.got[-1].WhichOneof("kind") == "waiting")
    await bo.until(lambda: bo.last("update").view.paohuzi.fronts[0].played)


async def test_so_does_that_of_who_withdraws_while_a_board_is_played_again(service: Service) -> None:
    """C1.6, C10.6."""
    await paired(service.log)
    closed = pairing_pb.RoundClosed(round=1, incomplete=True, reason="storm")
    table = pairing_pb.SeatedTable(table="t1-a2", group=1, entrants=[1, 2, 3])
    replay = pairing_pb.ReplaySeated(round=1, board=1, attempt=2, table=table, replaces="t1")
    await service.log.write(CUP, started(), pairing_pb.Event(round_closed=closed))
    await service.log.write(CUP, pairing_pb.Event(replay_seated=replay))
    anna, bo, chen = (service.play(person) for person in PEOPLE)
    for stream in (anna, bo, chen):
        await stream.until_update()
    withdrawn = pairing_pb.EntrantWithdrawn(entrant=1, reason="ill")
    await service.log.write(CUP, pairing_pb.Event(entrant_withdrawn=withdrawn))
    await anna.until(lambda: anna.got[-1].WhichOneof("kind") == "waiting")
    await bo.until(lambda: bo.last("update").view.paohuzi.fronts[0].played)


async def replace(
    service: Service, person: str, seat: int = 0, command_id: str = ""
) -> pb.ReplaceSeatResponse:
    """The referee gives a seat to somebody."""
    request = pb.ReplaceSeatRequest(
        command_id=command_id or f"to-{person}",
        championship=CUP,
        table="t1",
        seat=seat,
        person_id=person,
        reason="illness",
    )
    given: pb.ReplaceSeatResponse = await service.stub.ReplaceSeat(request, **service.auth("ref"))
    return given


async def test_a_substitute_who_is_no_entrant_plays_also_after_a_restart(world: World) -> None:
    store = MemoryStore()
    log = PairingLog(store)
    async with serving(world, store, log) as service:
        await seated(service)
        stranger = service.play("dora")
        await stranger.task
        assert stranger.error is not None
        assert stranger.error.code() is StatusCode.PERMISSION_DENIED
        await replace(service, "dora")
        dora = service.play("dora")
        update = await dora.until_update()
        assert (dora.last("seated").seat, update.ask) == (0, 1)
        shown = await service.stub.GetView(pb.GetViewRequest(championship=CUP), **service.auth("dora"))
        assert shown.update.view == update.view
        joined = pb.JoinRequest(command_id="j", championship=CUP)
        assert (await service.stub.Join(joined, **service.auth("dora"))).seated.seat == 0
        request = pb.ActRequest(championship=CUP, answer=dora.answer(update))
        assert (await service.stub.Act(request, **service.auth("dora"))).receipt.hash
    async with serving(world, store, log) as service:
        again = service.play("dora")
        assert (await again.until_update()).view.paohuzi.hand


async def test_only_who_cannot_know_the_boards_is_a_substitute(service: Service) -> None:
    """C1.6: the boards of a round are the same everywhere."""
    await seated(service)
    for person in ("bo", "ref", "olga"):
        assert await refused(replace(service, person)) == (
            StatusCode.FAILED_PRECONDITION,
            "CANNOT_SUBSTITUTE",
        )
    assert await refused(replace(service, "Dora!")) == (StatusCode.INVALID_ARGUMENT, "MALFORMED")
    assert await refused(replace(service, "dora", seat=3)) == (StatusCode.NOT_FOUND, "NO_SUCH_SEAT")
    await replace(service, "dora")
    await replace(service, "anna")  # an entrant's own people always may


async def test_who_was_an_official_is_no_substitute(service: Service) -> None:
    """C1.6: it may have seen these boards."""
    await seated(service)
    ended = pairing_pb.OfficialSuspended(person_id="ref", role="referee", reason="asleep")
    await service.log.write(CUP, appointed("ref-2", "referee"), pairing_pb.Event(official_suspended=ended))
    request = pb.ReplaceSeatRequest(
        command_id="to-ref", championship=CUP, table="t1", seat=0, person_id="ref", reason="illness"
    )
    told = await refused(service.stub.ReplaceSeat(request, **service.auth("ref-2")))
    assert told == (StatusCode.FAILED_PRECONDITION, "CANNOT_SUBSTITUTE")


async def test_nobody_of_a_team_changes_over_to_its_other_room(service: Service) -> None:
    """C6.4, C7.2: both rooms play the same boards; a board played again is another deal."""
    await paired(service.log, boards_per_round=2)
    await service.log.write(CUP, *entered("two", {n: [f"p-{n}"] for n in (5, 6)}))
    await service.log.write(CUP, *entered("three", {4: ["ma", "mi", "mo"]}))
    rooms = [
        pairing_pb.SeatedTable(table="t1", group=1, entrants=[4, 2, 3], members=[0, 0, 0]),
        pairing_pb.SeatedTable(table="t2", group=1, entrants=[5, 4, 6], members=[0, 1, 0]),
    ]
    await service.log.write(CUP, pairing_pb.Event(round_seated=pairing_pb.RoundSeated(round=1, tables=rooms)))
    await service.log.write(CUP, pairing_pb.Event(round_paired=pairing_pb.RoundPaired(round=1, tables=2)))
    ma, mi = service.play("ma"), service.play("mi")
    await service.log.write(CUP, started())
    await ma.until(lambda: ma.last("seated"))
    await mi.until(lambda: mi.last("seated"))
    assert await refused(replace(service, "mi")) == (StatusCode.FAILED_PRECONDITION, "CANNOT_SUBSTITUTE")
    await replace(service, "mo")
    # Nor does a reserve, from one room into the other.
    await replace(service, "ma")
    to_other = pb.ReplaceSeatRequest(
        command_id="mo-2", championship=CUP, table="t2", seat=1, person_id="mo", reason="illness"
    )
    told = await refused(service.stub.ReplaceSeat(to_other, **service.auth("ref")))
    assert told == (StatusCode.FAILED_PRECONDITION, "CANNOT_SUBSTITUTE")


@pytest.mark.parametrize("replicas", [1, 2])
async def test_of_two_seats_given_to_somebody_at_once_one_is_refused(
    world: World, replicas: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever replicas give them."""
    store = MemoryStore()
    log = PairingLog(store)
    async with AsyncExitStack() as running:
        services = [await running.enter_async_context(serving(world, store, log)) for _ in range(replicas)]
        await paired(log, boards_per_round=2)
        await log.write(CUP, *entered("two", {n: [f"p-{n}"] for n in (4, 5, 6)}))
        tables = [
            pairing_pb.SeatedTable(table=name, group=1, entrants=entrants)
            for name, entrants in (("t1", (1, 2, 3)), ("t2", (4, 5, 6)))
        ]
        seated_anew = pairing_pb.RoundSeated(round=1, tables=tables)
        await log.write(CUP, pairing_pb.Event(round_seated=seated_anew))
        await log.write(CUP, pairing_pb.Event(round_paired=pairing_pb.RoundPaired(round=1, tables=2)))
        streams = services[0].play("anna"), services[0].play("p-4")
        await log.write(CUP, started())
        for stream in streams:
            await stream.until(partial(stream.last, "seated"))
        append = store.append

        async def late(subject: str, data: bytes, expected: int) -> int:
            for _ in range(1_000):  # whoever was asked meanwhile is heard first
                await asyncio.sleep(0)
            return await append(subject, data, expected)

        monkeypatch.setattr(store, "append", late)
        asked = [
            pb.ReplaceSeatRequest(
                command_id=f"to-{one}",
                championship=CUP,
                table=one,
                seat=1,
                person_id="dora",
                reason="illness",
            )
            for one in ("t1", "t2")
        ]
        giving = [
            services[-number].stub.ReplaceSeat(one, **services[0].auth("ref"))
            for number, one in enumerate(asked)
        ]
        answers = await asyncio.gather(*giving, return_exceptions=True)
        assert sorted(type(one).__name__ for one in answers) == ["AioRpcError", "ReplaceSeatResponse"]
        lost = next(number for number, one in enumerate(answers) if isinstance(one, Exception))
        # Sent again it is told the same, and who sat there before sits there.
        again = services[-lost].stub.ReplaceSeat(asked[lost], **services[0].auth("ref"))
        assert await refused(again) == (StatusCode.FAILED_PRECONDITION, "CANNOT_SUBSTITUTE")
        listed = pb.ListTablesRequest(championship=CUP, round=1)
        for service in services:
            told = await service.stub.ListTables(listed, **services[0].auth("ref"))
            seats = [[seat.person_id for seat in one.seats] for one in told.tables]
            assert sum("dora" in one for one in seats) == 1
            assert seats[lost][1] == ("bo", "p-5")[lost]


@pytest.mark.parametrize("rpc", ["Join", "GetView", "Act", "CallReferee"])
async def test_a_substitute_is_known_as_soon_as_the_service_is_there_again(
    world: World, monkeypatch: pytest.MonkeyPatch, rpc: str
) -> None:
    """Who sits there is told by a board that is still sealed to it, whose key it asks for."""
    store, given = MemoryStore(), asyncio.Event()
    log = PairingLog(store)
    async with serving(world, store, log) as service:
        await seated(service)
        await replace(service, "dora")
        dora = service.play("dora")
        answer = dora.answer(await dora.until_update())
    get_deals = Deals.GetDeals

    async def held(dealer: Deals, request: Any, context: Any) -> Any:
        await given.wait()
        return await get_deals(dealer, request, context)

    monkeypatch.setattr(Deals, "GetDeals", held)
    asked = {
        "Join": pb.JoinRequest(command_id="j", championship=CUP),
        "GetView": pb.GetViewRequest(championship=CUP),
        "Act": pb.ActRequest(championship=CUP, answer=answer),
        "CallReferee": pb.CallRefereeRequest(command_id="c", championship=CUP, reason="noise"),
    }
    async with serving(world, store, log) as service:
        calling = asyncio.ensure_future(getattr(service.stub, rpc)(asked[rpc], **service.auth("dora")))
        await service.stub.GetRoles(pb.GetRolesRequest(championship=CUP), **service.auth("dora"))
        given.set()
        await calling


async def test_a_substitute_plays_the_event_whatever_office_it_gets_later(service: Service) -> None:
    await seated(service)
    given = await replace(service, "dora")
    await service.log.write(CUP, appointed("dora", "referee"))
    # Sent again it is answered as before.
    assert await replace(service, "dora") == given
    for call in (
        service.stub.WatchTable(
            pb.WatchTableRequest(championship=CUP, table="t1"), **service.auth("dora")
        ).read(),
        service.stub.PauseTable(pb.PauseTableRequest(championship=CUP, table="t1"), **service.auth("dora")),
    ):
        assert await refused(call) == (StatusCode.PERMISSION_DENIED, "PLAYS_THE_EVENT")
    subject = service.runtime.epoch.table_subject(CUP, "t1")
    book: Any = LogServiceStub(service.channel)
    request = log_pb.ReadLogRequest(subject=subject)
    assert await refused(book.ReadLog(request, **service.auth("dora")).read()) == (
        StatusCode.PERMISSION_DENIED,
        "LOG_NOT_OPEN",
    )
    assert (await book.ReadLog(request, **service.auth("ref")).read()).records


async def test_an_order_that_was_accepted_stays_so_where_its_board_was_never_read(world: World) -> None:
    """C1.6: whoever sits there by then, whatever else that person may be."""
    store = MemoryStore()
    log = PairingLog(store)
    async with serving(world, store, log) as service:
        await seated(service, boards_per_round=2)
        given = await replace(service, "dora")
        back = await replace(service, "anna")
        await log.write(CUP, appointed("dora", "referee"))
        assert await refused(replace(service, "dora", command_id="anew")) == (
            StatusCode.FAILED_PRECONDITION,
            "CANNOT_SUBSTITUTE",
        )
        assert await replace(service, "dora") == given
        close = pb.CloseBoardRequest(command_id="close", championship=CUP, table="t1", reason="no light")
        await service.stub.CloseBoard(close, **service.auth("ref"))
        bo = service.play("bo")
        await bo.until_update(lambda update: update.board == 2)
    async with serving(world, store, log) as service:
        assert await replace(service, "dora") == given
        assert await replace(service, "anna") == back


async def waiting(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> tuple[asyncio.Task[pb.ReplaceSeatResponse], asyncio.Event]:
    """A seat is being given to somebody, and is not confirmed before the event is set: nobody can read on until then."""
    store, held, written = service.runtime.store, asyncio.Event(), asyncio.Event()
    append, last = store.append, store.last_sequence

    async def appended(subject: str, data: bytes, expected: int) -> int:
        monkeypatch.setattr(store, "last_sequence", waits)
        sequence = await append(subject, data, expected)
        written.set()
        return sequence

    async def waits(stream: str) -> int:
        await held.wait()
        return await last(stream)

    monkeypatch.setattr(store, "append", appended)
    giving = asyncio.create_task(replace(service, "dora"))
    await written.wait()
    return giving, held


async def test_who_has_lost_its_seat_while_it_asked_for_its_view_is_shown_nothing_of_it(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """P13: it is somebody else's by then."""
    await seated(service)
    giving, held = await waiting(service, monkeypatch)
    asking = asyncio.Event()

    async def and_then(answer: Any, *more: Any) -> Any:
        asking.set()
        result = await answer
        await replace(service, "egon")
        return result

    monkeypatch.setattr(api, "evenly", and_then)
    asked = service.stub.GetView(pb.GetViewRequest(championship=CUP), **service.auth("dora"))
    viewing = asyncio.create_task(refused(asked))
    await asking.wait()
    held.set()
    assert await viewing == (StatusCode.PERMISSION_DENIED, "NOT_SEATED")
    await giving


async def test_what_was_ruled_at_a_table_is_told_to_who_was_given_a_seat_once_that_counts(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C6.4, C9.3: a ruling may tell of the cards."""
    await seated(service)
    ruling = pb.MakeRulingRequest(command_id="r", championship=CUP, table="t1", text="the king was shown")
    await service.stub.MakeRuling(ruling, **service.auth("ref"))
    giving, held = await waiting(service, monkeypatch)
    asking = asyncio.Event()

    async def noted(answer: Any) -> Any:
        asking.set()
        return await answer

    monkeypatch.setattr(rulings, "evenly", noted)
    listed = pb.ListRulingsRequest(championship=CUP, table="t1")
    listing = asyncio.ensure_future(service.stub.ListRulings(listed, **service.auth("dora")))
    await asking.wait()
    assert not listing.done()
    held.set()
    assert [one.text for one in (await listing).rulings] == ["the king was shown"]
    await giving


async def test_an_entrant_withdraws_while_a_seat_of_its_own_is_not_confirmed(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C1.6: the seat is house AI's as soon as it is."""
    anna, bo, _ = await seated(service)
    giving, held = await waiting(service, monkeypatch)
    withdrawn = pairing_pb.EntrantWithdrawn(entrant=1, reason="ill")
    await service.log.write(CUP, pairing_pb.Event(entrant_withdrawn=withdrawn))
    await anna.until(lambda: anna.got[-1].WhichOneof("kind") == "waiting")
    held.set()
    await giving
    await bo.until(lambda: bo.last("update").view.paohuzi.fronts[0].played)
