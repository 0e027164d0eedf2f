"""Who sits where does not depend on the order in which partitions are read."""

from __future__ import annotations

from itertools import permutations

from services.table.model.events import BoardSlot, Seat
from services.table.model.state import Result, Table
from services.table.seating import Place, Seating
from tests.table.given import facts

ONE, TWO = "fupan.e2026.table.5.cup.r1-t1", "fupan.e2026.table.2.cup.r2-t1"
NOBODY = Table()


def table(subject: str, round_: int, *people: str) -> Table:
    """A table as it stands when these people sit there."""
    opened = facts(
        table=subject.rpartition(".")[2], round=round_, seats=tuple(Seat(1, person) for person in people)
    )
    return NOBODY._replace(opened=opened, people=people, given_us=(0,) * len(people))


FIRST = table(ONE, 1, "anna", "bo", "chen")
SECOND = table(TWO, 2, "chen", "anna", "bo")
LEFT = SECOND._replace(people=("chen", "", "bo"))
CAME_BACK = LEFT._replace(people=("chen", "anna", "bo"))
SUBSTITUTED = LEFT._replace(people=("chen", "dora", "bo"))

HISTORY = (
    (ONE, NOBODY, FIRST, 10),
    (TWO, NOBODY, SECOND, 20),
    (TWO, SECOND, LEFT, 30),
)


def orders() -> list[list[tuple[str, Table, Table, int]]]:
    """Every order that keeps each table's own."""
    mixed = permutations(range(len(HISTORY)))
    return [[HISTORY[n] for n in order] for order in mixed if order.index(1) < order.index(2)]


def read(history: list[tuple[str, Table, Table, int]]) -> Seating:
    seating = Seating(lambda subject: None)
    for subject, before, after, time_us in history:
        seating.note(subject, before, after, time_us)
    return seating


def test_the_newest_seat_is_a_persons_place_whatever_is_read_first() -> None:
    for order in orders():
        seating = read(order)
        assert seating.place("cup", "bo") == Place(TWO, 2)
        assert seating.place("cup", "chen") == Place(TWO, 0)


def test_who_left_its_last_seat_sits_nowhere_whatever_is_read_first() -> None:
    for order in orders():
        assert read(order).place("cup", "anna") is None


def test_who_comes_back_sits_there_again() -> None:
    for order in orders():
        seating = read(order)
        moved = seating.note(TWO, LEFT, CAME_BACK, 40)
        assert moved == ("anna",)
        assert seating.place("cup", "anna") == Place(TWO, 1)


def test_who_was_given_a_seat_that_does_not_count_sits_where_it_sat_whatever_is_read_first() -> None:
    three = "fupan.e2026.table.1.cup.r2-t2"
    other = table(three, 2, "dina", "egon", "fritz")
    lent = other._replace(people=("dora", "egon", "fritz"), given_us=(41, 0, 0))
    back = other._replace(given_us=(42, 0, 0))
    own = [(TWO, NOBODY, SECOND, 20), (TWO, SECOND, SUBSTITUTED, 40)]
    at_once = [(three, NOBODY, other, 21), (three, other, lent, 41)]
    for order in (own + at_once, at_once + own):
        seating = read(order)
        assert seating.place("cup", "dora") == Place(TWO, 1)
        assert seating.place("cup", "dina") is None
        assert seating.given("cup", "dora").keys() == {TWO, three}
        assert not seating.note(three, lent, back, 42, counted=False)
        assert seating.note(three, back, other, 43) == ("dina",)
        assert seating.place("cup", "dora") == Place(TWO, 1)
        assert seating.place("cup", "dina") == Place(three, 0)
        assert seating.given("cup", "dora").keys() == seating.substituted("cup", "dora") == {TWO}
    later = read(at_once)
    later.note(three, lent, back, 42, counted=False)
    assert later.place("cup", "dora") is None
    for subject, before, after, time_us in own:
        later.note(subject, before, after, time_us)
    assert later.place("cup", "dora") == Place(TWO, 1)


def test_tables_of_a_round_stand_in_their_own_order() -> None:
    seating = Seating(lambda subject: None)
    for name in ("r1-t10", "r1-t2", "r1-t1"):
        subject = f"fupan.e2026.table.0.cup.{name}"
        seating.note(subject, NOBODY, table(subject, 1, "anna"), 1)
    assert [subject.rpartition(".")[2] for subject in seating.tables("cup")] == ["r1-t1", "r1-t2", "r1-t10"]


def test_a_substitute_is_remembered_with_its_tables_and_nobody_who_got_an_own_seat_back() -> None:
    seating = read([*HISTORY, (TWO, LEFT, SUBSTITUTED, 40), (TWO, SUBSTITUTED, CAME_BACK, 50)])
    assert seating.substituted("cup", "dora") == {TWO}
    assert seating.place("cup", "dora") is None
    for person in ("anna", "bo", "chen"):
        assert not seating.substituted("cup", person)
    assert not seating.substituted("other", "dora")


def test_who_came_and_left_within_a_board_that_was_not_read_is_a_substitute_too() -> None:
    result = Result(BoardSlot(1, 1), False, left=("anna", "dora"))
    skipped = SECOND._replace(people=("chen", "", "bo"), closed=1, results=(result,))
    seating = read([*HISTORY[:2], (TWO, SECOND, skipped, 40)])
    assert seating.substituted("cup", "dora") == {TWO}
    assert not seating.substituted("cup", "anna")


def test_who_was_heard_of_on_a_sealed_board_and_did_not_count_is_no_substitute_once_it_is_passed_over() -> (
    None
):
    seating = read(list(HISTORY[:2]))
    seating.overheard(TWO, SECOND, ("chen", "dora", "egon"))
    assert seating.substituted("cup", "dora") == seating.substituted("cup", "egon") == {TWO}
    result = Result(BoardSlot(1, 1), False, left=("bo",))
    skipped = SECOND._replace(
        people=("chen", "anna", "egon"), closed=1, results=(result,), given_us=(0, 0, 35)
    )
    seating.note(TWO, SECOND, skipped, 40)
    assert not seating.substituted("cup", "dora")
    assert seating.substituted("cup", "egon") == seating.given("cup", "egon").keys() == {TWO}


def test_who_had_sat_at_a_table_before_is_remembered_there_though_a_second_seat_did_not_count() -> None:
    seating = read([*HISTORY, (TWO, LEFT, SUBSTITUTED, 40), (TWO, SUBSTITUTED, CAME_BACK, 50)])
    seating.note(TWO, CAME_BACK, SUBSTITUTED, 60)
    seating.note(TWO, SUBSTITUTED, CAME_BACK, 61, counted=False)
    assert seating.substituted("cup", "dora") == seating.given("cup", "dora").keys() == {TWO}
    assert seating.place("cup", "dora") is None


def test_a_person_is_found_at_the_tables_that_were_opened_for_it() -> None:
    seating = read(list(HISTORY))
    assert set(seating.opened("cup", "anna")) == {ONE, TWO}
    assert seating.opened("cup", "dora") == seating.opened("other", "anna") == ()
