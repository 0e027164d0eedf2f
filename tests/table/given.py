"""Tables for tests: facts, a deal, and a script that says commands to the decider and keeps what came of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from services.domain import Meta
from services.games import registry
from services.games.rules import Ruleset
from services.ledger import dealing
from services.table.decider import TableDecider
from services.table.decider.play import SERVICE
from services.table.model import commands as c
from services.table.model.events import BoardSlot, Event, Seat, TableOpened
from services.table.model.state import Board, Table

RULESET = "paohuzi/competitive-2017"
SUBJECT = "fupan.e2026.table.0.cup.t1"
PEOPLE = ("anna", "bo", "chen")
START_US = 1_000_000_000_000

FACTS = TableOpened(
    championship="cup",
    table="t1",
    round=1,
    group=1,
    seats=tuple(Seat(number + 1, person) for number, person in enumerate(PEOPLE)),
    boards=(BoardSlot(1, 1), BoardSlot(2, 1)),
    ruleset=RULESET,
    params="{}",
    play_clock_ms=15_000,
    claim_clock_ms=8_000,
    claim_floor_ms=800,
    join_wait_ms=60_000,
    board_pause_ms=5_000,
    board_deadline_us=0,
    demo=False,
    demo_seed=0,
)

RULES = registry.find(RULESET)


def facts(**changes: Any) -> TableOpened:
    """`FACTS` with some fields changed."""
    return dataclasses.replace(FACTS, **changes)


def deal(number: int, rules: Ruleset = RULES) -> bytes:
    """One of many deals, always the same for a number."""
    return bytes(dealing.shuffle(number.to_bytes(32, "big"), rules.deck))


def greedy(game: Any, seat: int, rules: Ruleset = RULES) -> Any:
    """The first option that is no play; where there is none, the fallback player's."""
    if rules.question(game, seat) in ("claim", "bid"):
        return rules.options(game, seat)[0]
    return rules.fallback(game, seat)


class Script:
    """A table told one command after the other. `now_us` is the clock, to be moved by the test."""

    def __init__(self, opened: TableOpened = FACTS) -> None:
        self.decider = TableDecider()
        self.table = Table()
        self.version = 0
        self.now_us = START_US
        self.log: list[tuple[Event, ...]] = []
        self.when(c.OpenTable(opened))

    def when(self, command: c.Command, actor: str = SERVICE) -> tuple[Event, ...]:
        """The events of a command at `now_us`; they are folded. Raises Rejected, changing nothing."""
        meta = Meta(SUBJECT, self.version + 1, self.now_us, actor, f"command-{self.version + 1}")
        events = tuple(self.decider.decide(self.table, command, meta))
        for event in events:
            self.table = self.decider.evolve(self.table, event, meta)
        if events:
            self.version += 1
            self.log.append(events)
        return events

    def give(self, seat: int, person: str) -> None:
        """A referee gives a seat to somebody, and that counts."""
        self.when(c.ReplaceSeat(seat, person, "illness"), "ref")
        self.when(c.ConfirmSeat(seat, person, self.table.given_us[seat]))

    def dealt(self, number: int = 1) -> Script:
        """Everybody sits down, the next board is opened and dealt."""
        for seat, person in enumerate(self.table.people):
            if person:
                self.when(c.JoinSeat(seat), person)
        slot = self.table.slot
        assert slot is not None
        self.when(c.OpenBoard(slot.board, slot.attempt))
        self.when(c.DealBoard(deal(number, self.table.rules), self.lot))
        return self

    @property
    def lot(self) -> int | None:
        """The first drawer of a match's first deal; None for other deals."""
        return 1 if self.table.course is not None and self.table.closed == 0 else None

    @property
    def board(self) -> Board:
        """The board on the table."""
        assert self.table.board is not None
        return self.table.board

    def asked(self) -> tuple[int, ...]:
        """Seats with an open question."""
        return tuple(question.seat for question in self.board.questions)

    def answer(self, seat: int, action: Any, **more: Any) -> tuple[Event, ...]:
        """The seat's own answer to its open question, received as soon as it is shown, or `now_us` if later."""
        question = self.board.question(seat)
        assert question is not None, f"seat {seat} has no question"
        self.now_us = max(self.now_us, question.shown_us)
        more.setdefault("received_us", self.now_us)
        command = c.Act(self.board.slot.board, seat, question.ask, action, **more)
        return self.when(command, self.table.people[seat] or SERVICE)

    def choose(self, seat: int) -> Any:
        """A greedy player's answer: the best claim it may make, else what the fallback player plays.

        House AI gets better; what these tests rely on must not.
        """
        return greedy(self.board.game, seat, self.table.rules)

    def play_out(self, pick: Sequence[int] = ()) -> None:
        """Greedy players answer for everybody until the board is closed; `pick` names who goes first where several are asked."""
        order = list(pick)
        while not self.board.closed:
            waited = self.table.rules.asked(self.board.game)
            seat = waited[order.pop() % len(waited)] if order else waited[0]
            self.answer(seat, self.choose(seat))
