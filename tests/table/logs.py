"""The table service's log in tests: over a store in memory, with a dealer that can be sent away."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from hashlib import sha256
from typing import Any

from services.ledger import dealing
from services.ledger.record import Writer
from services.runtime.errors import Unavailable
from services.runtime.log import Answer, Envelope, Log
from services.runtime.store import EventStore
from services.runtime.streams import Epoch
from services.table.codec import COMMANDS, EVENTS
from services.table.decider import TableDecider
from services.table.decider.play import SERVICE
from services.table.framing import TableFraming, path_of
from services.table.leaves import Leaf, Leaves, Opened, Refused
from services.table.model import commands as c
from services.table.model.events import Event, TableOpened
from services.table.model.state import Board, Table
from tests.table.given import FACTS, START_US, greedy

EPOCH = Epoch("e2026", 1)


class StandInDealer:
    """Gives out a leaf for every board but those in `refused`, unless it is `away`."""

    def __init__(self) -> None:
        self.away = False
        self.refused: set[str] = set()
        self.asked: list[list[Opened]] = []

    async def ask(self, boards: Sequence[Opened]) -> Sequence[Leaf]:
        self.asked.append(list(boards))
        if self.away:
            raise Unavailable("PEER_UNAVAILABLE")
        if any(board.path in self.refused for board in boards):
            raise Refused("not opened")
        return [Leaf(self.leaf(*board.key)) for board in boards]

    @staticmethod
    def leaf(championship: str, path: str) -> bytes:
        return sha256(f"{championship} {path}".encode()).digest()


class Replica:
    """One replica's log of tables, its clock set by the test."""

    def __init__(self, store: EventStore, dealer: StandInDealer, name: str = "a") -> None:
        self.now_us = START_US
        self.leaves = Leaves(dealer.ask)
        self.ids = map(f"{name}-{{}}".format, itertools.count(1))
        self.log: Log[Table, c.Command, Event] = Log(
            store,
            Writer("table", name, "test"),
            EPOCH.id,
            TableDecider(),
            COMMANDS,
            EVENTS,
            lambda: self.now_us,
            TableFraming(self.leaves),
        )

    async def start(self) -> Replica:
        await self.log.start(EPOCH.table_streams())
        return self

    async def stop(self) -> None:
        await self.log.stop()
        await self.leaves.stop()

    async def send(
        self, command: c.Command, actor: str = SERVICE, id_: str = "", **more: Any
    ) -> Answer[Event]:
        return await self.log.handle(SUBJECT, command, Envelope(actor, id_ or next(self.ids)), **more)

    @property
    def table(self) -> Table:
        state = self.log.state(SUBJECT)
        assert state is not None
        return state

    @property
    def board(self) -> Board:
        assert self.table.board is not None
        return self.table.board

    async def open(self, facts: TableOpened = FACTS) -> None:
        """Open the table, with everybody there."""
        await self.send(c.OpenTable(facts))
        for seat, person in enumerate(self.table.people):
            if person:
                await self.send(c.JoinSeat(seat), person)

    async def give(self, seat: int, person: str) -> None:
        """A referee gives a seat to somebody, and that counts; to nobody: house AI."""
        await self.send(c.ReplaceSeat(seat, person, "illness"), "ref")
        if person:
            await self.send(c.ConfirmSeat(seat, person, self.table.given_us[seat]))

    async def open_board(self) -> None:
        """Open the next board."""
        self.now_us += 60_000_000
        slot = self.table.slot
        assert slot is not None
        await self.send(c.OpenBoard(slot.board, slot.attempt))

    async def deal(self) -> None:
        """Deal the open board as its leaf says."""
        table, slot = self.table, self.board.slot
        path = path_of(table.facts, slot)
        leaf = StandInDealer.leaf("cup", path)
        lot = 1 if table.course is not None and slot.board == 1 else None
        await self.send(c.DealBoard(bytes(dealing.deal(leaf, path, b"", table.rules.deck)), lot))

    def next_answer(self) -> tuple[c.Act, str]:
        """What a greedy player would answer for a seat that is waited for, and who that is."""
        board, rules = self.board, self.table.rules
        seat = rules.asked(board.game)[0]
        question = board.question(seat)
        assert question is not None
        self.now_us = max(self.now_us, question.shown_us)
        action = greedy(board.game, seat, rules)
        act = c.Act(board.slot.board, seat, question.ask, action, received_us=self.now_us)
        return act, self.table.people[seat] or SERVICE

    async def answer(self, times: int = 1) -> None:
        """Some answers, one after the other."""
        for _ in range(times):
            await self.send(*self.next_answer())

    async def play_out(self) -> None:
        """Answers until the board is closed."""
        while not self.board.closed:
            await self.answer()


SUBJECT = EPOCH.table_subject("cup", "t1")
