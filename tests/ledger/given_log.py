"""Tables of a round in a log, where seats are given, confirmed and given back."""

from __future__ import annotations

from typing import Any

from services.ledger import dealing
from services.ledger import record as r
from services.ledger.audit.evidence import gather
from services.ledger.audit.given import check_given
from services.ledger.audit.report import Tally
from services.ledger.auditfile import parse
from services.table import codec
from services.table.decider.play import SERVICE
from services.table.framing import TableFraming, path_of
from services.table.model import commands as c
from services.table.model.events import BoardSlot, Event, Seat
from tests.ledger import event_log as e
from tests.table import given

MINUTE_US = 60_000_000
FRAMING = TableFraming(None)  # type: ignore[arg-type]
SEATS = {1: ("anna", "bo", "chen"), 2: ("dora", "egon", "fritz"), 3: ("gus", "hans", "ida")}


class Table(given.Script):
    """One of a round's tables, whose records are written to a log as the service writes them."""

    def __init__(self, log: e.Log, number: int, board: int = 1, **facts: Any) -> None:
        self.log_, self.subject = log, e.table_subject(number)
        seats = tuple(Seat(3 * number + seat, person) for seat, person in enumerate(SEATS[number]))
        facts = {"boards": (BoardSlot(board, 1),), "confirms_seats": True, "seats": seats} | facts
        super().__init__(given.facts(table=f"r1-t{number}", championship=e.CUP, **facts))

    def when(self, command: c.Command, actor: str = SERVICE) -> tuple[Event, ...]:
        before = self.table
        self.now_us = r.record_time(self.log_.heads.get(self.subject, r.START), self.now_us)
        events = super().when(command, actor)
        path = FRAMING.seals(before)
        closing = FRAMING.closing(before, self.table)
        leaf = dealing.leaf(e.MASTER, e.CUP, path)
        self.log_.append(
            self.subject,
            [codec.EVENTS.to_proto(event) for event in events],
            command=codec.COMMANDS.encode(command),
            key=dealing.log_key(leaf, self.table.facts.table, path) if path else None,
            path=path,
            closing=closing,
            people=FRAMING.people(before, self.table) if path else (),
            time_us=self.now_us,
            actor=actor,
        )
        return events

    def give(self, seat: int, person: str, at_us: int = 0) -> None:
        self.now_us += at_us
        self.when(c.ReplaceSeat(seat, person, "unwell"), "referee")

    def confirm(self, seat: int) -> None:
        self.when(c.ConfirmSeat(seat, self.table.people[seat], self.table.given_us[seat]))

    def give_back(self, seat: int, sits_at: str) -> None:
        people, given_us = self.table.people, self.table.given_us
        self.when(c.GiveSeatBack(seat, people[seat], sits_at, given_us[seat]))

    def open_and_deal(self) -> None:
        slot = self.table.slot
        assert slot is not None
        self.now_us += MINUTE_US
        self.when(c.OpenBoard(slot.board, slot.attempt))
        path = path_of(self.table.facts, slot)
        deal = dealing.deal(dealing.leaf(e.MASTER, e.CUP, path), path, b"", e.RULES.deck)
        self.when(c.DealBoard(bytes(deal)))


def found(log: e.Log, *reveal: int, kind: str = "championship") -> list[str]:
    """Codes of what is found, boards revealed."""
    for board in reveal:
        path = dealing.board_path(1, board, 1)
        leaf = dealing.leaf(e.MASTER, e.CUP, path)
        e._dealer(log, board_revealed={"path": e._path(board), "leaf": leaf, "batch": 1})
    tally = Tally("draw", "rounds")
    check_given(gather(parse(log.file(kind, e.CUP if kind == "championship" else "r1-t1"))), tally)
    return [one.code for one in tally.findings]
