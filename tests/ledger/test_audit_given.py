"""Seats that were given later and do not count, or whose people have two, are found (C1.6, C6.4)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from services.ledger import dealing
from services.ledger import record as r
from services.ledger.audit.evidence import gather
from services.ledger.audit.given import check_given
from services.ledger.audit.report import Tally
from services.ledger.auditfile import parse
from services.table import codec
from services.table.decider.clocks import GRACE_US
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


def twice(first: int, second: int, between: Callable[[Table, Table], None], **facts: Any) -> list[str]:
    """What is found where zoe is given and confirmed in a seat of table 1, which plays one board, and then of table 2, another."""
    log = e.Log()
    one, two = Table(log, 1, first, **facts), Table(log, 2, second, **facts)
    one.give(0, "zoe")
    one.confirm(0)
    between(one, two)
    two.now_us = max(two.now_us, one.now_us + MINUTE_US)
    two.give(0, "zoe")
    two.confirm(0)
    one.now_us = two.now_us + MINUTE_US
    one.give(1, "yann")
    one.confirm(1)
    return found(log)


def nothing(one: Table, two: Table) -> None:
    pass


def leave(one: Table, two: Table) -> None:
    one.give(0, "anna", MINUTE_US)
    one.confirm(0)


def close(one: Table, two: Table) -> None:
    one.now_us += MINUTE_US
    one.when(c.CloseBoard("deadline"))


def test_a_person_in_two_seats_at_once_is_found() -> None:
    """C1.6, C6.4: where the same boards are played whoever has sat there, else who still sits there."""
    assert twice(1, 1, nothing) == ["TWO_SEATS"]
    assert twice(1, 1, leave) == ["TWO_SEATS"]
    assert twice(1, 2, nothing) == ["TWO_SEATS"]
    assert twice(1, 2, leave) == []
    assert twice(1, 2, close) == []


def test_a_person_who_is_given_a_seat_and_has_one_of_its_own_is_found() -> None:
    log = e.Log()
    Table(log, 1)
    two = Table(log, 2)
    two.give(0, "anna", MINUTE_US)
    two.confirm(0)
    assert found(log) == ["TWO_SEATS"]


def give_at_both(one: Table, two: Table, later_us: int) -> None:
    """One person is given a seat at both, and both are confirmed."""
    one.give(0, "zoe", MINUTE_US)
    one.confirm(0)
    two.give(0, "zoe", MINUTE_US + later_us)
    two.confirm(0)


def test_two_tables_that_began_or_ended_in_the_same_moments_are_not_blamed() -> None:
    """Clocks differ."""
    log = e.Log()
    one, two = Table(log, 1, 1), Table(log, 2, 2)
    give_at_both(one, two, 1)
    leave(one, two)
    assert found(log) == ["TWO_SEATS"]
    log = e.Log()
    one, two = Table(log, 1, 1), Table(log, 2, 2)
    one.give(0, "zoe", MINUTE_US)
    one.confirm(0)
    one.give(0, "anna", MINUTE_US)
    one.confirm(0)
    two.give(0, "zoe", 2 * MINUTE_US - 1_000_000)
    two.confirm(0)
    assert found(log) == []


def test_of_two_seats_given_at_once_the_one_that_is_given_back_is_no_second_one() -> None:
    log = e.Log()
    one, two = Table(log, 1), Table(log, 2)
    one.give(0, "zoe")
    two.give(0, "zoe")
    one.give_back(0, "r1-t2")
    two.confirm(0)
    one.confirm(0)
    assert found(log) == []


@pytest.mark.parametrize(
    ("sits_at", "codes"), [("r1-t2", []), ("r1-t3", ["OTHER_SEATS"]), ("r1-t9", ["OTHER_SEATS"])]
)
def test_a_seat_that_is_given_back_for_one_that_its_person_never_had_is_found(
    sits_at: str, codes: list[str]
) -> None:
    log = e.Log()
    one, two = Table(log, 1), Table(log, 2)
    Table(log, 3)
    one.give(0, "zoe")
    two.give(0, "zoe")
    one.give_back(0, sits_at)
    assert found(log) == codes
    assert found(log, kind="table") == ([] if sits_at == "r1-t9" else codes)


def test_a_seat_that_is_given_back_and_counted_or_to_somebody_else_is_found() -> None:
    for forged in ("counted", "to another", ""):
        log = e.Log()
        one, two = Table(log, 1), Table(log, 2)
        two.give(0, "zoe")
        one.give(0, "zoe")
        told = {"seat": 0, "person_id": "anna" if forged != "to another" else "yann", "sits_at": "r1-t2"}
        if forged == "counted":
            one.confirm(0)
        log.append(one.subject, [e.TableEvent(seat_replaced=told)])
        assert found(log) == (["OTHER_SEATS"] if forged else [])


@pytest.mark.parametrize(
    "command",
    [
        {"confirm_seat": {"person_id": "zoe", "given_us": 7}},
        {"confirm_seat": {"person_id": "yann", "given_us": given.START_US}},
        {"join_seat": {}},
    ],
)
def test_a_seat_that_is_confirmed_and_was_not_given_is_found(command: dict[str, Any]) -> None:
    log = e.Log()
    one = Table(log, 1)
    one.give(0, "zoe")
    told = e.TableCommand(**command).SerializeToString()
    log.append(one.subject, [e.TableEvent(seat_confirmed={"seat": 0})], command=told)
    assert found(log) == ["OTHER_SEATS"]


@pytest.mark.parametrize("confirms", [True, False])
def test_an_answer_before_the_seat_is_confirmed_is_found(confirms: bool) -> None:
    """C6.4; in records of older versions whoever has sat down is confirmed by that."""
    log = e.Log()
    one = Table(log, 1, confirms_seats=confirms)
    one.open_and_deal()
    seat = one.asked()[0]
    one.give(seat, "zoe")
    one.table = one.table._replace(given_us=(0, 0, 0))  # as if it were confirmed
    if not confirms:
        one.when(c.JoinSeat(seat), "zoe")
    one.answer(seat, one.choose(seat))
    assert found(log, 1) == (["NOT_CONFIRMED"] if confirms else [])


def test_a_clock_answers_for_a_seat_that_is_not_confirmed() -> None:
    log = e.Log()
    one = Table(log, 1)
    one.open_and_deal()
    seat = one.asked()[0]
    one.give(seat, "zoe")
    question = one.board.question(seat)
    assert question is not None
    one.now_us = question.deadline_us + GRACE_US
    one.when(c.ExpireClock(seat, question.ask))
    assert found(log, 1) == []


@pytest.mark.parametrize("revealed", [True, False])
def test_which_seats_are_not_confirmed_is_told_truly_when_a_board_is_closed(
    monkeypatch: pytest.MonkeyPatch, revealed: bool
) -> None:
    closing = TableFraming.closing
    others: tuple[dict[str, Any], ...] = (
        {"given_us": (1, 0, 0)},
        {"given_us": ()},
        {"instead": ("yann", "", "")},
    )
    for told in ({}, *others):
        codes = ["OTHER_CLOSING"] if told else []

        def forged(framing: TableFraming, before: Any, after: Any, told: Any = told) -> r.BoardClosing | None:
            true = closing(framing, before, after)
            return None if true is None else replace(true, **told)

        monkeypatch.setattr(TableFraming, "closing", forged)
        log = e.Log()
        one = Table(log, 1)
        one.open_and_deal()
        one.give(0, "zoe")
        one.when(c.CloseBoard("deadline"))
        assert found(log, *((1,) if revealed else ())) == (codes if revealed else [])


def test_of_a_board_that_cannot_be_read_its_end_says_who_was_confirmed() -> None:
    for confirmed, codes in ((True, ["TWO_SEATS"]), (False, [])):
        log = e.Log()
        one, two = Table(log, 1), Table(log, 2)
        one.open_and_deal()
        one.give(0, "zoe")
        if confirmed:
            one.confirm(0)
        one.when(c.CloseBoard("deadline"))
        two.give(0, "zoe", 10 * MINUTE_US)
        two.confirm(0)
        assert found(log) == codes


def test_a_seat_that_waits_is_given_to_nobody_else_and_keeps_its_table_open() -> None:
    for confirmed in (True, False):
        log = e.Log()
        one = Table(log, 1)
        one.give(0, "zoe")
        if confirmed:
            one.confirm(0)
        log.append(one.subject, [e.TableEvent(seat_replaced={"seat": 0, "person_id": "yann"})])
        assert found(log) == ([] if confirmed else ["NOT_CONFIRMED"])
        log.append(one.subject, [e.TableEvent(table_sealed={})])
        assert found(log) == (["NOT_CONFIRMED"] if confirmed else ["NOT_CONFIRMED"] * 2)


def test_a_seat_goes_back_to_who_had_it_last_and_counted() -> None:
    for back, codes in (("anna", []), ("", []), ("zoe", ["OTHER_SEATS"])):
        log = e.Log()
        one, two = Table(log, 1, confirms_seats=False), Table(log, 2)
        two.give(0, "yann")
        for person in ("zoe", "yann"):
            log.append(one.subject, [e.TableEvent(seat_replaced={"seat": 0, "person_id": person})])
        told = {"seat": 0, "person_id": back, "sits_at": "r1-t2"}
        log.append(one.subject, [e.TableEvent(seat_replaced=told)])
        # The builds that write this log are one, and confirm seats at the other table.
        assert [code for code in found(log) if code != "NOT_CONFIRMED"] == codes


@pytest.mark.parametrize(
    ("person", "code"),
    [("zoe", ""), ("anna-2", ""), ("egon", "NO_SUBSTITUTE"), ("org", "NO_SUBSTITUTE"), ("ref", "NO_SUBSTITUTE"),
     ("late", ""), ("new", ""), ("bo", "TWO_SEATS")],
)  # fmt: skip
def test_a_seat_is_given_to_who_plays_for_nobody_else_and_never_held_an_office(
    person: str, code: str
) -> None:
    """C1.6; of what was told in the seconds before, nobody is held to know."""
    log = e.Log()
    members = {3: ("anna", "anna-2"), 7: ("egon",)}
    entrants = [
        {"number": number, "members": [{"person_id": one} for one in people]}
        for number, people in members.items()
    ]
    told: list[tuple[dict[str, Any], int]] = [
        ({"championship_created": {"organiser": "org"}}, 0),
        ({"entrants_imported": {"import_id": "i", "entrants": entrants}}, 0),
        ({"entrants_import_closed": {"import_id": "i"}}, 0),
        ({"official_appointed": {"person_id": "ref", "role": "referee"}}, 0),
        ({"official_suspended": {"person_id": "ref", "role": "referee"}}, 0),
        ({"official_appointed": {"person_id": "late", "role": "referee"}}, MINUTE_US - 5_000_000),
        (
            {
                "entrants_imported": {
                    "import_id": "j",
                    "entrants": [{"number": 8, "members": [{"person_id": "new"}]}],
                }
            },
            0,
        ),
        ({"entrants_import_closed": {"import_id": "j"}}, MINUTE_US - 5_000_000),
    ]
    for event, after_us in told:
        log.append(e.PAIRING, [e.PairingEvent(**event)], time_us=given.START_US + after_us)
    one = Table(log, 1)
    if code == "TWO_SEATS":
        back = {"seat": 0, "person_id": person}
        log.append(one.subject, [e.TableEvent(seat_replaced=back)], time_us=given.START_US + MINUTE_US)
    else:
        one.give(0, person, MINUTE_US)
    assert found(log) == ([code] if code else [])


def test_a_seat_of_house_ai_is_given_to_nobody() -> None:
    log = e.Log()
    one = Table(log, 1, seats=(Seat(3, "anna"), Seat(4, "bo"), Seat(0, "")))
    log.append(one.subject, [e.TableEvent(seat_replaced={"seat": 2, "person_id": "zoe"})])
    assert found(log) == ["NO_SUBSTITUTE"]


@pytest.mark.parametrize(("after_us", "codes"), [(5_000_000, []), (MINUTE_US, ["OTHER_SEATS"])])
def test_a_seat_is_given_back_for_one_that_was_given_by_then(after_us: int, codes: list[str]) -> None:
    """Clocks differ."""
    log = e.Log()
    one, two = Table(log, 1), Table(log, 2)
    one.give(0, "zoe")
    one.give_back(0, "r1-t2")
    two.give(0, "zoe", after_us)
    assert found(log) == codes


def test_a_seat_that_went_back_and_waits_goes_back_to_nobody() -> None:
    log = e.Log()
    one, two = Table(log, 1), Table(log, 2)
    one.open_and_deal()
    two.give(0, "zoe")
    one.give(0, "zoe")
    one.give_back(0, "r1-t2")
    one.when(c.CloseBoard("deadline"))
    assert one.table.given_us[0] > 0
    assert found(log, 1) == []


@pytest.mark.parametrize(("opened_us", "codes"), [(5_000_000, []), (MINUTE_US, ["TWO_SEATS"])])
def test_a_table_that_was_opened_for_somebody_in_the_same_moments_is_not_held_against_it(
    opened_us: int, codes: list[str]
) -> None:
    log = e.Log()
    one = Table(log, 1)
    one.give(0, "dora", MINUTE_US)
    # The other one was opened so long before.
    log.append(
        e.table_subject(2),
        [e.TableEvent(table_opened=_opened(2, boards=[{"board": 1, "attempt": 1}]))],
        time_us=one.now_us + 1 - opened_us,
    )
    one.confirm(0)
    assert found(log) == codes


def _opened(number: int, **told: Any) -> dict[str, Any]:
    seats = [{"entrant": 3 * number + seat, "person_id": person} for seat, person in enumerate(SEATS[number])]
    return {"round": 1, "table": f"r1-t{number}", "seats": seats, **told}


@pytest.mark.parametrize("over", [True, False])
def test_who_has_a_seat_of_its_own_may_have_another_one_once_nothing_is_played_there(over: bool) -> None:
    """Of a round whose tables play boards of their own."""
    log = e.Log()
    one, two = Table(log, 1, 1), Table(log, 2, 2)
    if over:
        close(one, two)
    two.give(0, "anna", 10 * MINUTE_US)
    two.confirm(0)
    assert found(log) == ([] if over else ["TWO_SEATS"])


def test_a_seat_at_a_table_that_is_over_at_once_is_no_second_one() -> None:
    log = e.Log()
    one, two = Table(log, 1, 1), Table(log, 2, 2)
    give_at_both(one, two, 1_000_000)
    two.when(c.CloseBoard("deadline"))
    assert found(log) == []


@pytest.mark.parametrize("joined", [True, False])
def test_who_sat_down_in_records_of_an_older_version_is_confirmed_by_that(joined: bool) -> None:
    log = e.Log()
    one, two = Table(log, 1, confirms_seats=False), Table(log, 2, confirms_seats=False)
    one.give(0, "zoe")
    if joined:
        one.table = one.table._replace(given_us=(0, 0, 0))
        one.when(c.JoinSeat(0), "zoe")
    two.give(0, "zoe", MINUTE_US)
    two.confirm(0)
    assert found(log) == (["TWO_SEATS"] if joined else [])


def test_the_referee_is_called_from_no_seat_that_waits() -> None:
    for confirmed in (True, False):
        log = e.Log()
        one = Table(log, 1)
        one.give(0, "zoe")
        if confirmed:
            one.confirm(0)
        log.append(one.subject, [e.TableEvent(referee_called={"seat": 0})], actor="zoe")
        assert found(log) == ([] if confirmed else ["NOT_CONFIRMED"])
