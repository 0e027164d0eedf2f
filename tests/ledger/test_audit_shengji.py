"""Boards and matches of Shengji as the table service writes them are what verification replays: bids, lots, levels and all."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, cast

import pytest

from services.ledger import dealing, keys, merkle, seals
from services.ledger.audit.report import Report, Status
from services.ledger.audit.verify import verify
from services.ledger.dealing import parse_board_path
from services.ledger.record import START, record_time
from services.table import codec
from services.table.decider.clocks import GRACE_US
from services.table.decider.play import SERVICE
from services.table.framing import TableFraming, path_of
from services.table.model import commands as c
from services.table.model import matches
from services.table.model.dealing import drawing, drawn
from services.table.model.events import Acted, Event, TableOpened
from tests.ledger import event_log as e
from tests.table import given
from tests.table.four import boards, match

TABLE = "r1-t1"
SUBJECT = e.table_subject(1)
FRAMING = TableFraming(cast(Any, None))
DEALS = 6


def leaf(path: str) -> bytes:
    return dealing.leaf(e.MASTER, e.CUP, path)


class Recorded(given.Script):
    """A table whose records are written to a log as the service writes them."""

    def __init__(self, log: e.Log, opened: TableOpened, seed: int) -> None:
        self.records = log
        self.rng = random.Random(seed)
        super().__init__(opened)

    def when(self, command: c.Command, actor: str = SERVICE) -> tuple[Event, ...]:
        before = self.table
        head = self.records.heads.get(SUBJECT, START)
        self.now_us = record_time(head, self.now_us)
        events = super().when(command, actor)
        if events:
            path = FRAMING.seals(before)
            self.records.append(
                SUBJECT,
                [codec.EVENTS.to_proto(event) for event in events],
                command=codec.COMMANDS.encode(command),
                key=dealing.log_key(leaf(path), TABLE, path) if path else None,
                path=path,
                closing=FRAMING.closing(before, self.table),
                params_digest=FRAMING.ruleset(self.table)[1],
                time_us=self.now_us,
                actor=actor,
            )
        return events

    def play_board(self) -> None:
        """The next board from its opening to its end."""
        slot = self.table.slot
        assert slot is not None
        self.now_us += 60_000_000
        self.when(c.OpenBoard(slot.board, slot.attempt))
        path, rules = path_of(self.table.facts, slot), self.table.rules
        lot = dealing.lot(leaf(path), path, 4) if self.table.course is not None and slot.board == 1 else None
        self.when(c.DealBoard(bytes(dealing.deal(leaf(path), path, b"", rules.deck)), lot))
        if drawing(self.board.game):
            self.draw()
        while not self.board.closed:
            self.step()

    def draw(self) -> None:
        """Cards are drawn, and everybody bids as soon as it may."""
        dealing_, rules = self.board.dealing, self.table.rules
        assert dealing_ is not None
        for card in range(1, 100):
            self.now_us = dealing_.drawn_us(card) + 1_000
            for seat in range(4):
                offers = rules.options(drawn(rules, self.board.game, card), seat)
                if offers and self.rng.random() < 0.2:
                    bid = c.Act(self.board.slot.board, seat, 0, offers[0], received_us=self.now_us)
                    self.when(bid, self.table.people[seat])
            if self.rng.random() < 0.03:
                self.when(c.PauseTable("noise"), "referee")
                self.now_us += 5_000_000
                self.when(c.ResumeTable(), "referee")
            if self.rng.random() < 0.03:
                self.now_us += 1_000_000
                self.when(c.ExtendClocks(1_000_000, "restart"))
            dealing_ = self.board.dealing or dealing_
        self.now_us = dealing_.drawn_us(100) + GRACE_US
        self.when(c.DrawCards())

    def step(self) -> None:
        """One thing that happens while a board is open."""
        seat = self.rng.choice(self.table.rules.asked(self.board.game))
        question = self.board.question(seat)
        assert question is not None
        what = self.rng.random()
        if what < 0.05 or self.now_us > question.deadline_us:
            self.now_us = max(self.now_us, question.deadline_us + GRACE_US)
            self.when(c.ExpireClock(seat, question.ask))
        elif what < 0.07 and question.question == "play":
            fine = c.RecordInfringement(seat, "S10.15", "fine", "a signal", 20)
            self.when(fine, "referee")
        else:
            self.answer(seat, self.table.rules.choose(self.table.rules.view(self.board.game, seat)))

    def seal(self) -> None:
        head = self.records.heads[SUBJECT]
        signer = self.records.signer
        public = keys.signing_public_key(signer)
        signature = keys.sign(signer, seals.table_head(SUBJECT, head.version, head.hash))
        command = c.SealTable(head.version, head.hash, signature, keys.fingerprint(public), public)
        self.when(command)


def all_deals(table: Recorded) -> None:
    """All boards, or as many deals as the match has."""
    while table.table.slot is not None:
        table.play_board()
        if table.table.course is not None and table.table.course.limited(table.now_us):
            table.when(c.EndMatch())


def recorded(
    opened: TableOpened,
    seed: int,
    *,
    signer: bytes = e.SIGNER,
    forge: dict[str, e.Forge] | None = None,
    play: Callable[[Recorded], None] = all_deals,
) -> tuple[e.Log, Recorded]:
    """A table played to its seal, its leaves committed before and revealed after."""
    log = e.Log(signer, forge or {})
    e._dealer(log, secret_created={"commitment": dealing.commitment(e.MASTER)})
    of = TABLE if opened.match is not None else ""
    paths = [dealing.board_path(1, board, 1, of) for board in range(1, DEALS + 1)]
    told = [parse_board_path(path)._asdict() for path in paths]
    root = merkle.root(merkle.entry(path, leaf(path)) for path in paths)
    e._dealer(log, deals_committed={"batch": 1, "merkle_root": root, "boards": told, "purpose": "match"})
    table = Recorded(log, opened, seed)
    play(table)
    table.seal()
    for path, board in zip(paths, told, strict=True):
        e._dealer(log, board_revealed={"path": board, "leaf": leaf(path), "batch": 1})
    return log, table


def verified(log: e.Log) -> Report:
    return verify(log.file("table", TABLE), [keys.fingerprint(keys.signing_public_key(e.SIGNER))])


OPENED = {
    "boards": boards(table=TABLE, championship=e.CUP),
    "match": match(deals=2, table=TABLE, championship=e.CUP),
    "match drawn at a pace": match(deals=2, deal_pace_ms=300, table=TABLE, championship=e.CUP),
}


@pytest.mark.parametrize("kind", OPENED)
@pytest.mark.parametrize("seed", range(2))
def test_a_table_of_the_service_verifies(kind: str, seed: int) -> None:
    log, table = recorded(OPENED[kind], seed)
    report = verified(log)
    assert [str(finding) for finding in report.findings] == []
    checks = {check.name: check for check in report.checks}
    assert checks["deals"].done == table.table.closed
    assert checks["replay"].status is checks["sealed records"].status is checks["scores"].status is Status.OK
    assert checks["replay"].done > 150


@pytest.mark.parametrize(
    ("what", "code"),
    [({"levels": ["A", "2"]}, "OTHER_MATCH"), ({"net_levels": 9}, "OTHER_MATCH")],
)
def test_c8_4_an_end_that_does_not_follow_from_the_deals_is_found(what: dict[str, Any], code: str) -> None:
    log, table = recorded(OPENED["match"], 0)
    assert table.table.course is not None
    forged = codec.EVENTS.to_proto(table.table.course.ended)
    for name, value in what.items():
        if isinstance(value, list):
            del getattr(forged.match_ended, name)[:]
            getattr(forged.match_ended, name).extend(value)
        else:
            setattr(forged.match_ended, name, value)
    log.append(SUBJECT, [forged], params_digest=FRAMING.ruleset(table.table)[1])
    assert code in {finding.code for check in verified(log).checks for finding in check.findings}


def until_levels_differ(table: Recorded) -> matches.Course:
    """The match after as many deals as that takes."""
    while True:
        table.play_board()
        course = table.table.course
        assert course is not None
        if not course.level:
            return course


def to_the_end_of_its_time(table: Recorded) -> None:
    """Deals until the levels differ, a pause, and nothing more until the clock decides."""
    until_levels_differ(table)
    table.when(c.PauseTable("a call"), "referee")
    table.now_us += 600_000_000
    table.when(c.ResumeTable(), "referee")
    course = table.table.course
    assert course is not None
    table.now_us = course.ends_us
    table.when(c.EndMatch())


def turned(ended: Any) -> None:
    """The other side is told to have won, without a level."""
    ended.winner, ended.net_levels = 1 - ended.winner, 0


def within_its_time(name: str) -> e.Forge:
    """The end of the match is told to have been ten minutes earlier, as if nobody had paused it."""

    def forge(message: Any) -> None:
        setattr(message, name, getattr(message, name) - 600_000_000)

    return forge


TIMED = match(90, table=TABLE, championship=e.CUP)


def test_c8_3a_a_match_that_the_clock_decides_verifies() -> None:
    log, table = recorded(TIMED, 0, play=to_the_end_of_its_time)
    assert table.table.course is not None
    assert table.table.course.ended is not None
    assert table.table.course.ended.clause == "C8.3a"
    assert [str(finding) for finding in verified(log).findings] == []


@pytest.mark.parametrize(
    ("kind", "forge", "found"),
    [
        ("match_ended", turned, "deals and clock give"),
        ("match_ended", lambda ended: setattr(ended, "clause", "C8.3c"), "deals and clock give"),
        ("match_ended", within_its_time("ended_us"), "at another time"),
        ("table_resumed", within_its_time("match_ends_us"), "the records' times give"),
        (
            "board_opened",
            lambda opened: setattr(opened.match, "deciding", "C8.3b"),
            "no clause lets this deal",
        ),
        ("board_opened", lambda opened: within_its_time("ends_us")(opened.match), "the records' times give"),
    ],
)
def test_c8_3_a_verdict_that_is_not_the_clocks_is_found(kind: str, forge: e.Forge, found: str) -> None:
    log, _ = recorded(TIMED, 0, forge={kind: forge}, play=to_the_end_of_its_time)
    assert any(found in str(finding) for finding in verified(log).findings)


def test_c8_3_a_match_that_is_ended_before_its_time_is_found() -> None:
    def early(table: Recorded) -> None:
        course = until_levels_differ(table)
        table.now_us += 1_000_000
        ended = matches.ended(course, 1, matches.settled(course), table.now_us)
        table.records.append(
            SUBJECT,
            [codec.EVENTS.to_proto(ended)],
            command=codec.COMMANDS.encode(c.EndMatch()),
            params_digest=FRAMING.ruleset(table.table)[1],
            time_us=table.now_us,
        )
        table.table = table.table._replace(course=matches.over(course, ended))
        table.version += 1

    log, _ = recorded(TIMED, 0, play=early)
    assert any("ended before" in str(finding) for finding in verified(log).findings)


def test_s4_4_a_bid_that_counted_for_another_card_than_the_newest_is_found() -> None:
    """The seat was quick enough for one card; who wrote the log let it count for a later one."""
    log = e.Log()
    e._dealer(log, secret_created={"commitment": dealing.commitment(e.MASTER)})
    path = dealing.board_path(1, 1, 1, TABLE)
    root = merkle.root([merkle.entry(path, leaf(path))])
    board = parse_board_path(path)._asdict()
    e._dealer(log, deals_committed={"batch": 1, "merkle_root": root, "boards": [board], "purpose": "match"})
    log.forge["acted"] = lambda acted: setattr(acted, "received_us", acted.received_us - 300_000)
    table = Recorded(log, OPENED["match drawn at a pace"], 0)
    table.play_board()
    assert any(one.asked_us == 0 for record in table.log for one in record if isinstance(one, Acted))
    e._dealer(log, board_revealed={"path": board, "leaf": leaf(path), "batch": 1})
    assert "OTHER_EVENT" in {finding.code for check in verified(log).checks for finding in check.findings}
