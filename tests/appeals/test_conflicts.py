"""Who may not judge (C10.3)."""

from __future__ import annotations

import pytest

from services.appeals.conflicts import conflicts
from services.appeals.model import events as e
from tests.appeals.known import arbitrator, championship, paired

KNOWN = championship(
    *paired(1, (1, 2, 3), (4, 5, 6)),
    *paired(2, (1, 4, 0), (2, 5, 6)),
    arbitrator("judge", "u-99"),
    arbitrator("cousin", "u-3"),
    arbitrator("friend", "u-2"),
    arbitrator("plain"),
    *(arbitrator(f"p-{number}", f"u-{number}") for number in (2, 4, 5, 7, 8)),
)


def filed(contested: e.Contested, entrant: int = 1) -> e.AppealFiled:
    return e.AppealFiled("a-1", entrant, contested, b"", (), 0, 0, "CNY")


BOARD = filed(e.ContestedBoard("r1-t1", 1, 1, 1))
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
