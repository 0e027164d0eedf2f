"""Who sits at a table whose open board is sealed to a replica: it finds out before it tells or shows anything (C1.6)."""

from __future__ import annotations

import pytest

from services.runtime.errors import Unavailable
from services.runtime.memory import MemoryStore
from services.table.model import commands as c
from tests.table.halls import Room
from tests.table.logs import StandInDealer
from tests.table.test_hall import seated


async def test_who_gave_up_a_seat_is_shown_nothing_by_a_replica_that_cannot_read_the_board_yet() -> None:
    """C1.6: and whoever has it now is known there as somebody who plays."""
    store, dealer = MemoryStore(), StandInDealer()
    first = await Room(store, dealer).start()
    subject, _ = await seated(first)
    dealer.away = True
    second = await Room(store, dealer, first.time, "b", owns=lambda subject: False).start()
    await first.send(subject, c.ReplaceSeat(0, "dora", "illness"), "ref")
    await second.settle()
    assert second.log.waits(subject)
    assert second.hall.seating.substituted("cup", "dora") == {subject}
    with pytest.raises(Unavailable):
        await second.hall.place("cup", "anna")
    dealer.away = False
    assert await second.hall.place("cup", "anna") is None
    assert await second.hall.place("cup", "dora") == (subject, 0)
    await first.stop()
    await second.stop()


async def test_a_board_that_another_replica_has_dealt_meanwhile_is_read_before_it_is_told_who_sits_where() -> (
    None
):
    """This one was to deal it, and does not know that another one has."""
    store, dealer = MemoryStore(), StandInDealer()
    first = await Room(store, dealer).start()
    subject, _ = await seated(first)
    dealer.away = True
    second = await Room(store, dealer, first.time, "b").start()
    desk = next(second.hall.desks())
    desk.locked = False
    await first.send(subject, c.ReplaceSeat(0, "dora", "illness"), "ref")
    await second.settle()
    with pytest.raises(Unavailable):
        await second.hall.unlock()
    dealer.away = False
    await second.hall.unlock()
    assert second.hall.seating.given("cup", "dora").keys() == {subject}
    await first.stop()
    await second.stop()
