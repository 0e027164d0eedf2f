"""Seats that a committee ruled for a round that has not begun are carried out once, or refused in the log (C10.6)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from fupan.appeals.v1 import events_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as scoring
from services.domain import Cause, Rejected
from services.ledger import record as ledger
from services.pairing import decider
from services.pairing.codec import COMMANDS, EVENTS
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.reseating import Reseating
from services.pairing.rounds import PairingLog
from services.runtime.log import Envelope, Log
from services.runtime.memory import MemoryStore
from tests.pairing.given import FIRST, KEYS, SIX, entrants, pairing, settings
from tests.runtime.records import WRITER
from tests.specification import NOON

SUBJECT = "fupan.e1.pairing.cup"
RULED = Cause("fupan.e1.appeals.cup.a-1", 9)
SEATS = (("r1-t1", (4, 2, 3)), ("r1-t2", (1, 5, 6)))
DECIDED = appeals.AppealDecided(
    upheld=True,
    remedies=[
        scoring.Remedy(
            reseat_round=scoring.ReseatRound(
                round=1, tables=[scoring.TableSeats(table=table, entrants=who) for table, who in SEATS]
            )
        )
    ],
)


async def paired() -> tuple[PairingLog, MemoryStore]:
    """A championship whose first round has not begun; its log, and where that lies."""
    store = MemoryStore()
    log: PairingLog = Log(store, WRITER, "e1", decider, COMMANDS, EVENTS, lambda: NOON)
    past: tuple[c.Command, ...] = (
        c.CreateChampionship(settings(), KEYS),
        c.ImportEntrants("i1", 0, entrants(*SIX)),
        c.CloseImport("i1"),
        c.CloseRegistration(),
        c.SeatTables(1, 0, FIRST),
        pairing(1, FIRST)[0],
    )
    for number, command in enumerate(past):
        await log.handle(SUBJECT, command, Envelope("boss", f"c{number}"))
    return log, store


def seats(log: PairingLog) -> tuple[tuple[str, tuple[int, ...]], ...]:
    state = log.state(SUBJECT)
    assert state is not None
    return tuple((one.table, one.entrants) for one in state.rounds[0].tables)


async def carried_out(log: PairingLog) -> None:
    """Read from appeals' log from the beginning, as after every start."""
    reseating = Reseating(log, lambda _: SUBJECT)
    assert reseating.ruled("cup", "a-1", DECIDED, RULED)
    await reseating.step("cup")


async def test_seats_are_exchanged_once() -> None:
    log, _ = await paired()
    for _ in range(2):
        await carried_out(log)
    assert seats(log) == SEATS
    assert log.head(SUBJECT).version == 7


async def test_C10_7_seats_that_were_asked_for_in_vain_stay_as_they_are() -> None:
    log, _ = await paired()
    filed = appeals.AppealFiled(sought=DECIDED.remedies)
    for _ in range(2):
        reseating = Reseating(log, lambda _: SUBJECT)
        reseating.filed("cup", "a-1", filed)
        assert reseating.ruled("cup", "a-1", appeals.AppealDecided(upheld=False), RULED)
        await reseating.step("cup")
    assert seats(log) == tuple((one.table, one.entrants) for one in FIRST)
    assert log.head(SUBJECT).version == 7
    command = c.OverrideSeating(1, FIRST, "as they are")
    await log.handle(SUBJECT, command, Envelope("chief", "o1"))
    turned = tuple(replace(one, entrants=one.entrants[::-1]) for one in FIRST)
    with pytest.raises(Rejected) as refused:
        await log.handle(SUBJECT, c.OverrideSeating(1, turned, "nicer"), Envelope("chief", "o2"))
    assert (refused.value.reason, refused.value.clause) == ("RULING_FINAL", "C10.7")


async def test_C10_7_seats_that_another_committee_ruled_are_not_left_as_they_were() -> None:
    log, _ = await paired()
    reseating = Reseating(log, lambda _: SUBJECT)
    reseating.filed("cup", "a-2", appeals.AppealFiled(sought=DECIDED.remedies))
    judged = scoring.Remedy(set_penalty=scoring.SetPenalty(penalty="late", entrant=1))
    assert not reseating.ruled("cup", "a-2", appeals.AppealDecided(left=[judged]), RULED)


async def test_what_no_record_holds_is_refused_and_the_event_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    log, _ = await paired()
    encode = ledger.encode

    def tight(record: ledger.Record) -> bytes:
        if b"r1-t1" in record.content:
            raise Rejected("RECORD_TOO_LARGE", "", "the record names tables")
        return encode(record)

    monkeypatch.setattr(ledger, "encode", tight)
    for _ in range(2):
        await carried_out(log)
    assert seats(log) == tuple((one.table, one.entrants) for one in FIRST)
    assert log.head(SUBJECT).version == 7
    answer = await log.repeated(SUBJECT, Envelope("service:pairing", "reseat 1 a-1"), lambda _: True)
    assert answer is not None
    (refused,) = answer.events
    assert isinstance(refused, e.ReseatingRefused)
    assert (refused.appeal, refused.reason, refused.clause) == ("a-1", "SEATING_TOO_LARGE", "C9.2")
    assert "several orders" in refused.detail
