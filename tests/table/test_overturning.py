"""The chief referee overturns a referee's ruling at its table, in the clear of who may know of both (C9.2, C9.4, C10.7)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from grpc import StatusCode

from fupan.appeals.v1 import events_pb2 as appeals
from fupan.appeals.v1 import service_pb2 as appeals_service
from fupan.pairing.v1 import events_pb2 as pairing
from fupan.table.v1 import events_pb2 as events
from fupan.table.v1 import service_pb2 as pb
from tests.runtime.serving import appointed
from tests.table.serving import CUP, Cases, Service, refused, seated
from tests.table.test_referee_acts import acts
from tests.table.test_rulings import rule, rulings


def overturning(service: Service, ruling: str, person: str = "judge", **changes: Any) -> Any:
    asked = {"command_id": "o", "text": "no warning", "overturns": ruling, "reason": "his phone was off"}
    request = pb.MakeRulingRequest(championship=CUP, table="t1", **asked | changes)
    return service.stub.MakeRuling(request, **service.auth(person))


@pytest.fixture
async def ruled(service: Service) -> str:
    """A referee has ruled on the open board of a table; `judge` is the chief referee."""
    await seated(service)
    await service.log.write(CUP, appointed("judge", "chief_referee"))
    return await rule(service, "a phone rang")


async def test_C9_2_the_chief_referee_overturns_a_ruling_and_who_may_know_of_it_reads_both(
    service: Service, ruled: str
) -> None:
    denied = await refused(overturning(service, ruled, "ref"))
    assert denied == (StatusCode.PERMISSION_DENIED, "NOT_IN_ROLE")
    assert (await refused(overturning(service, "t1.0123456789ab")))[0] is StatusCode.NOT_FOUND
    assert (await refused(overturning(service, ruled, reason=" ")))[1] == "REASON_MISSING"
    assert len(await rulings(service, "ref")) == 1

    made = (await overturning(service, ruled)).ruling
    # Sent again it is answered as before; anew there is nothing left to overturn, but for the newer one.
    assert (await overturning(service, ruled)).ruling == made
    assert (await refused(overturning(service, ruled, command_id="p")))[1] == "RULING_OVERTURNED"
    for person in ("anna", "ref", "judge"):
        first, second = await rulings(service, person)
        assert first.overturned.ruling == second.ruling == made
        told = first.overturned.text, first.overturned.reason, first.overturned.referee
        assert told == ("no warning", "his phone was off", "judge"), person
        assert first.overturned.made_us == second.made_us > first.made_us
        assert (second.overturns, second.reason) == (ruled, "his phone was off")
        assert not second.HasField("overturned")
    assert await rulings(service, "eve") == []
    assert (await acts(service))[-1].ruling_made == events.RulingMade(
        ruling=made, text="no warning", overturns=ruled, reason="his phone was off"
    )
    again = (await overturning(service, made, command_id="q", text="a warning")).ruling
    assert (await rulings(service, "anna"))[1].overturned.ruling == again


async def test_C9_2_of_two_who_overturn_a_ruling_at_once_one_does(service: Service, ruled: str) -> None:
    await service.log.write(CUP, appointed("dep", "deputy"))
    orders = (("judge", "o"), ("judge", "p"), ("dep", "o"))
    calls = [overturning(service, ruled, person, command_id=name) for person, name in orders]
    told = await asyncio.gather(*calls, return_exceptions=True)
    assert sum(isinstance(one, pb.MakeRulingResponse) for one in told) == 1
    assert len(await rulings(service, "judge")) == 2


async def test_C9_2_what_is_overturned_after_the_round_is_read_with_the_rulings_of_the_table(
    service: Service, ruled: str
) -> None:
    told = pairing.RulingOverturned(
        ruling="t1.later", overturns=ruled, text="no warning", clause="C11.1", reason="his phone was off"
    )
    elsewhere = pairing.RulingOverturned(ruling="t2.later", overturns="t2.some", text="no", reason="why")
    for one in (elsewhere, told):
        await service.log.write(CUP, pairing.Event(ruling_overturned=one))
    await service.runtime.directory.refresh()
    first, second = await rulings(service, "anna")
    assert (first.overturned.ruling, first.overturned.referee) == (second.ruling, "test")
    assert (second.text, second.clause, second.overturns) == ("no warning", "C11.1", ruled)
    assert (second.round, second.board, second.attempt) == (first.round, first.board, first.attempt)
    assert await rulings(service, "eve") == []
    assert (await acts(service))[-1].ruling_made.overturns == ruled
    assert (await refused(overturning(service, ruled)))[1] == "RULING_OVERTURNED"


async def test_C10_7_what_a_committee_has_ruled_on_stays(
    service: Service, ruled: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    contested = appeals.Contested(ruling=appeals.ContestedRuling(ruling=ruled))
    case = appeals_service.Appeal(appeal="a-1", filed=appeals.AppealFiled(contested=contested))
    other = appeals_service.Appeal(appeal="a-0", decision=appeals.AppealDecided(upheld=True))
    monkeypatch.setattr(Cases, "told", [other, case])
    case.decision.upheld = False
    assert (await refused(overturning(service, ruled)))[1] == "RULING_FINAL"
    # While it is only filed the chief referee may (C9.2): a ruling is obeyed until changed.
    case.ClearField("decision")
    made = await overturning(service, ruled)
    # Sent again it is answered as before, whatever came since.
    case.decision.upheld = True
    assert await overturning(service, ruled) == made
    assert (await refused(overturning(service, ruled, text="other")))[1] == "COMMAND_ID_REUSED"
