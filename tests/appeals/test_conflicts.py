"""Who may not judge (C10.3)."""

from __future__ import annotations

import pytest

from services.appeals.conflicts import conflicts, parties
from services.appeals.model import events as e
from tests.appeals.known import arbitrator, championship, paired

KNOWN = championship(
    *paired(1, (1, 2, 3), (4, 5, 6)),
    *paired(2, (1, 4, 0), (2, 5, 6)),
    arbitrator("judge", "u-99"),
    arbitrator("cousin", "u-3"),
    arbitrator("friend", "u-2"),
    arbitrator("mate", "u-5"),
    arbitrator("plain"),
    *(arbitrator(f"p-{number}", f"u-{number}") for number in (2, 4, 5, 7, 8)),
)


def filed(contested: e.Contested, *sought: e.Remedy, entrant: int = 1) -> e.AppealFiled:
    return e.AppealFiled("a-1", entrant, contested, b"", sought, 0, 0, "CNY")


BOARD = filed(e.ContestedBoard("r1-t1", 1, 1, 1))
RULED_ON = filed(e.ContestedRuling("r1-t2.1", e.ContestedBoard("r1-t2", 1, 1, 1)))
PUBLICATION = filed(e.ContestedPublication(1))


@pytest.mark.parametrize(
    ("person", "appeal", "why"),
    [
        ("judge", BOARD, []),
        ("plain", BOARD, []),
        ("p-7", BOARD, []),  # an entrant that had nothing to do with it
        ("cousin", BOARD, ["shares a unit with a party"]),
        ("friend", BOARD, ["shares a unit with a party"]),
        ("friend", PUBLICATION, []),  # only the appellant is a party there
        (
            "p-2",
            BOARD,
            [
                "is a party",
                "played the contested board",
                "played at a table with a party",
                "shares a unit with a party",
            ],
        ),
        ("p-4", BOARD, ["played the contested board", "played at a table with a party"]),
        ("p-5", BOARD, ["played the contested board", "played at a table with a party"]),
        ("mate", RULED_ON, ["shares a unit with a party"]),
        ("friend", RULED_ON, []),
        ("p-7", RULED_ON, []),
        ("p-8", RULED_ON, []),
        ("p-5", PUBLICATION, []),
        ("p-4", PUBLICATION, ["played at a table with a party"]),
        ("p-2", PUBLICATION, ["played at a table with a party"]),
    ],
)
def test_why_somebody_may_not_judge(person: str, appeal: e.AppealFiled, why: list[str]) -> None:
    assert conflicts(KNOWN, appeal, person, ()) == why


def test_nobody_has_to_be_an_entrant_or_of_a_unit() -> None:
    assert conflicts(championship(), filed(e.ContestedPairing(1)), "nobody", ()) == []


@pytest.mark.parametrize(
    ("seat", "appeal", "why"),
    [
        ((1, "r1-t1"), BOARD, ["played the contested board", "played at a table with a party"]),
        ((1, "r1-t2"), BOARD, ["played the contested board"]),
        ((2, "r2-t1"), BOARD, ["played at a table with a party"]),
        ((2, "r2-t2"), PUBLICATION, []),
        ((2, "r2-t1"), PUBLICATION, ["played at a table with a party"]),
    ],
)
def test_C10_3_a_substitute_has_played(seat: tuple[int, str], appeal: e.AppealFiled, why: list[str]) -> None:
    """C1.6: whom a referee gave an entrant's seat, and who was made an arbitrator after that."""
    assert conflicts(KNOWN, appeal, "judge", {seat}) == why


RULED = e.RemedyAuthority("arbitration", "a-1", "ruling in appeal a-1")
OF_TABLE_2: tuple[e.Remedy, ...] = (
    e.CorrectResult("r1-t2", 1, 1, 1, (0, 0, 0), RULED),
    e.VoidBoard("r1-t2", 1, 1, 1, (600, 600, 600), RULED),
    e.ReplayBoard("r1-t2", 1, 1, 1, RULED),
    e.CorrectMatch("r1-t2", 1, 0, ("A", "7"), RULED),
)
OTHER_SEATS = e.ReseatRound(2, (e.TableSeats("r2-t1", (5, 4, 0)), e.TableSeats("r2-t2", (2, 1, 6))), RULED)


@pytest.mark.parametrize("sought", OF_TABLE_2, ids=lambda one: type(one).__name__)
@pytest.mark.parametrize(
    "contested", [e.ContestedPublication(1), e.ContestedRuling("v-1"), e.ContestedPairing(2)]
)
def test_C10_3_who_played_at_a_table_that_a_remedy_is_asked_for_is_a_party(
    contested: e.Contested, sought: e.Remedy
) -> None:
    appeal = filed(contested, sought)
    assert parties(KNOWN, appeal) == {1, 4, 5, 6}
    assert conflicts(KNOWN, appeal, "mate", ()) == ["shares a unit with a party"]
    assert "is a party" in conflicts(KNOWN, appeal, "p-5", ())
    assert "played at a table with a party" in conflicts(KNOWN, appeal, "p-2", ())
    assert conflicts(KNOWN, appeal, "judge", ()) == []
    assert "played at a table with a party" in conflicts(KNOWN, appeal, "judge", {(1, "r1-t2")})


@pytest.mark.parametrize(
    ("sought", "concerned"),
    [
        (e.AssignPercent(5, 1, 2, 600, RULED), {1, 5}),
        (e.SetPenalty("late-1", 5, 25, RULED), {1, 5}),
        (OTHER_SEATS, {1, 2, 4, 5, 6}),
    ],
)
def test_C10_3_whom_a_remedy_names_is_a_party(sought: e.Remedy, concerned: set[int]) -> None:
    appeal = filed(e.ContestedPublication(1), sought)
    assert parties(KNOWN, appeal) == concerned
    assert conflicts(KNOWN, appeal, "mate", ()) == ["shares a unit with a party"]


@pytest.mark.parametrize(
    ("sought", "why"),
    [
        (OF_TABLE_2[0], ["played the contested board"]),
        (e.AssignPercent(5, 1, 2, 600, RULED), ["played the contested board"]),
        (e.SetPenalty("late-1", 5, 25, RULED), []),
    ],
)
def test_C10_3_who_played_a_board_that_a_remedy_is_asked_for_does_not_judge(
    sought: e.Remedy, why: list[str]
) -> None:
    """At a table of its own, which meets no party: the boards are the same."""
    known = championship(*paired(1, (1, 2, 3), (4, 5, 6), (7, 8, 9)), arbitrator("p-7", "u-7"))
    assert conflicts(known, filed(e.ContestedPublication(1), sought), "p-7", ()) == why
