"""What the table service decides and frames is what verification replays: clocks, house AI, referee and all."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any, cast

import pytest

from services.ledger import dealing, keys, merkle, seals
from services.ledger import record as r
from services.ledger.audit.report import Status
from services.ledger.audit.verify import verify
from services.table import codec
from services.table.decider.clocks import GRACE_US
from services.table.decider.play import SERVICE
from services.table.framing import TableFraming
from services.table.model import commands as c
from services.table.model.events import BoardSlot, Event, Seat, TableOpened
from services.table.model.state import Table
from tests.ledger import event_log as e
from tests.table import given

SUBJECT = e.table_subject(1)
BOARDS = 3
PATHS = [dealing.board_path(1, board, 1) for board in range(1, BOARDS + 1)]
LEAVES = {path: dealing.leaf(e.MASTER, e.CUP, path) for path in PATHS}
FRAMING = TableFraming(cast(Any, None))


class Recorded(given.Script):
    """A table whose records are written to a log as the service writes them."""

    def __init__(self, log: e.Log, opened: TableOpened) -> None:
        self.records = log
        super().__init__(opened)

    def when(self, command: c.Command, actor: str = SERVICE) -> tuple[Event, ...]:
        before = self.table
        self.now_us = r.record_time(self.records.heads.get(SUBJECT, r.START), self.now_us)
        events = super().when(command, actor)
        if events:
            path = FRAMING.seals(before)
            self.records.append(
                SUBJECT,
                [codec.EVENTS.to_proto(event) for event in events],
                command=codec.COMMANDS.encode(command),
                key=dealing.log_key(LEAVES[path], "r1-t1", path) if path else None,
                path=path,
                closing=FRAMING.closing(before, self.table),
                people=FRAMING.people(before, self.table) if path else (),
                params_digest=FRAMING.ruleset(self.table)[1],
                time_us=self.now_us,
                actor=actor,
            )
        return events

    def confirm(self) -> None:
        """The seat that was given counts, if it waits for that."""
        person, given_us = self.table.people[0], self.table.given_us[0]
        if given_us:
            self.when(c.ConfirmSeat(0, person, given_us))

    def open_and_deal(self) -> None:
        slot = self.table.slot
        assert slot is not None
        self.now_us += 60_000_000
        self.when(c.OpenBoard(slot.board, slot.attempt))
        path = dealing.board_path(1, slot.board, slot.attempt)
        self.when(c.DealBoard(bytes(dealing.deal(LEAVES[path], path, b"", e.RULES.deck))))

    def seal(self) -> None:
        head = self.records.heads[SUBJECT]
        public = keys.signing_public_key(e.SIGNER)
        signature = keys.sign(e.SIGNER, seals.table_head(SUBJECT, head.version, head.hash))
        command = c.SealTable(head.version, head.hash, signature, keys.fingerprint(public), public)
        self.when(command)


def played(seed: int, demo: bool) -> e.Log:
    """A table where seats answer, let the clock run out, are paused, replaced and helped; the last board is closed."""
    rng = random.Random(seed)
    log = e.Log()
    e._dealer(log, secret_created={"commitment": dealing.commitment(e.MASTER)})
    root = merkle.root(merkle.entry(path, LEAVES[path]) for path in PATHS)
    boards = [e._path(board) for board in range(1, BOARDS + 1)]
    e._dealer(log, deals_committed={"batch": 1, "merkle_root": root, "boards": boards})
    table = Recorded(
        log,
        given.facts(
            table="r1-t1",
            championship=e.CUP,
            boards=tuple(BoardSlot(board, 1) for board in range(1, BOARDS + 1)),
            seats=(Seat(1, "anna"), Seat(2, "bo"), Seat(0, "")),
            demo=demo,
            demo_seed=seed,
        ),
    )
    for _ in range(BOARDS - 1):
        table.open_and_deal()
        # A substitute that was given a seat elsewhere at once, of which nothing is left but the record.
        table.when(c.ReplaceSeat(0, "egon", "unwell"), "referee")
        table.when(c.GiveSeatBack(0, "egon", "r1-t2", table.table.given_us[0]))
        table.confirm()
        assert "egon" not in table.board.left
        while not table.board.closed:
            step(table, rng)
    table.open_and_deal()
    table.answer(table.asked()[0], table.choose(table.asked()[0]))
    table.when(c.CloseBoard("deadline"))
    table.seal()
    for path, board in zip(PATHS, boards, strict=True):
        e._dealer(log, board_revealed={"path": board, "leaf": LEAVES[path], "batch": 1})
    return log


def step(table: Recorded, rng: random.Random) -> None:
    """One thing that happens while a board is open."""
    seat = rng.choice(table.asked())
    question = table.board.question(seat)
    assert question is not None
    what = rng.random()
    if what < 0.1 or table.now_us + 3_000_000 > question.deadline_us:
        table.now_us = max(table.now_us, question.deadline_us + GRACE_US)
        table.when(c.ExpireClock(seat, question.ask))
    elif what < 0.13:
        table.when(c.PauseTable("noise"), "referee")
        table.now_us += 5_000_000
        table.when(c.ResumeTable(), "referee")
    elif what < 0.15:
        table.when(c.ReplaceSeat(0, rng.choice(("", "anna", "dora")), "unwell"), "referee")
        table.confirm()
    else:
        table.now_us += rng.randrange(3_000_000)
        table.answer(seat, table.choose(seat))


@pytest.mark.parametrize("demo", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_a_table_of_the_service_verifies(seed: int, demo: bool) -> None:
    log = played(seed, demo)
    report = verify(log.file("table", "r1-t1"), [keys.fingerprint(keys.signing_public_key(e.SIGNER))])
    assert [str(finding) for finding in report.findings] == []
    checks = {check.name: check for check in report.checks}
    assert (checks["deals"].done, checks["scores"].done) == (BOARDS, BOARDS - 1)
    assert checks["replay"].done > 20
    assert checks["replay"].status is checks["sealed records"].status is Status.OK
    sealed = sum(r.decode(stored.data).sealed for stored in log.records)
    assert checks["sealed records"].done == sealed


def withdrawn(
    monkeypatch: pytest.MonkeyPatch, told: tuple[int, ...] | None, tells_seats: bool = False
) -> list[str]:
    """Findings of a table that an entrant left, whose boards were then closed; `told` of whose seats, None: what is true."""
    closing = TableFraming.closing

    def forged(framing: TableFraming, before: Table, after: Table) -> r.BoardClosing | None:
        true = closing(framing, before, after)
        return true if true is None or told is None else replace(true, taken_over=told)

    monkeypatch.setattr(TableFraming, "closing", forged)
    log = e.Log()
    e._dealer(log, secret_created={"commitment": dealing.commitment(e.MASTER)})
    slots = (BoardSlot(1, 1), BoardSlot(2, 1))
    seats = (Seat(1, "anna"), Seat(2, "bo"), Seat(0, ""))
    facts = given.facts(table="r1-t1", championship=e.CUP, boards=slots, seats=seats, tells_seats=tells_seats)
    table = Recorded(log, facts)
    table.open_and_deal()
    table.when(c.ReplaceSeat(1, "", "withdrawn"))
    for _ in slots:
        table.when(c.CloseBoard("deadline"))
    table.seal()
    for path, board in zip(PATHS, (1, 2), strict=False):
        e._dealer(log, board_revealed={"path": e._path(board), "leaf": LEAVES[path], "batch": 1})
    report = verify(log.file("table", "r1-t1"), [keys.fingerprint(keys.signing_public_key(e.SIGNER))])
    return [one.code for check in report.checks if check.name == "scores" for one in check.findings]


def test_whose_seats_house_ai_had_on_an_unfinished_board_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """C1.7, C2.2; records of versions that did not say it still verify."""
    assert withdrawn(monkeypatch, None) == withdrawn(monkeypatch, ()) == []
    assert withdrawn(monkeypatch, (0,)) == ["OTHER_SEATS", "OTHER_SEATS"]


def test_who_is_told_to_sit_there_while_a_board_is_open_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    """C1.6; records of versions that did not tell it still verify."""
    assert withdrawn(monkeypatch, None) == []
    for told, codes in ((), []), (("anna", "dora", ""), ["OTHER_SEATS"]):
        monkeypatch.setattr(TableFraming, "people", lambda framing, before, after, told=told: told)
        assert sorted(set(withdrawn(monkeypatch, None))) == codes


@pytest.mark.parametrize(
    ("tells", "other", "codes"), [(True, False, ["OTHER_SEATS"]), (True, True, []), (False, False, [])]
)
def test_a_program_that_tells_who_is_given_a_seat_tells_it_always(
    monkeypatch: pytest.MonkeyPatch, tells: bool, other: bool, codes: list[str]
) -> None:
    """C1.6; a replica of an older version may serve a table which one of this version has opened."""
    header = r.Header

    def older(*fields: Any) -> r.Header:
        made = header(*fields)
        return made._replace(writer=replace(made.writer, build="older")) if other and made.key_ids else made

    monkeypatch.setattr(r, "Header", older)
    assert withdrawn(monkeypatch, None, tells) == []
    monkeypatch.setattr(TableFraming, "people", lambda framing, before, after: ())
    assert withdrawn(monkeypatch, None, tells) == codes
