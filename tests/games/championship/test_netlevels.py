"""Net levels of a match: C8.4."""

from __future__ import annotations

import pytest

from services.domain import Rejected
from services.games.championship.netlevels import LEVELS, clause_as_written, net_levels


def test_C8_4_the_example_of_the_seed() -> None:
    assert net_levels("A", "7") == 6
    assert net_levels("A", "7", a_is_a_level=True) == 7


@pytest.mark.parametrize(
    ("winner", "loser", "net", "with_a"),
    [
        ("K", "T", 3, 3),
        ("A", "K", 0, 1),
        ("A", "A", 0, 0),
        ("A", "2", 11, 12),
        ("2", "2", 0, 0),
        ("5", "9", 0, 0),
    ],
)
def test_C8_4_steps_of_the_levels(winner: str, loser: str, net: int, with_a: int) -> None:
    assert (net_levels(winner, loser), net_levels(winner, loser, a_is_a_level=True)) == (net, with_a)


def test_C8_4_one_step_a_level() -> None:
    assert [net_levels(level, "2", a_is_a_level=True) for level in LEVELS] == list(range(13))


@pytest.mark.parametrize("level", ["", "10", "1", "a", "23", "jo"])
def test_C8_4_other_levels_are_refused(level: str) -> None:
    with pytest.raises(Rejected, match="NO_SUCH_LEVEL"):
        net_levels(level, "2")
    with pytest.raises(Rejected, match="NO_SUCH_LEVEL"):
        net_levels("2", level)


def test_a_sheet_of_an_older_version_is_read_as_one_of_today() -> None:
    """S9.5 is the clause by which a side rises past A and wins; sheets used to say C8.2, which says what a match is."""
    assert [clause_as_written(one) for one in ("C8.2", "S9.5", "C8.3a", "C1.6")] == [
        "S9.5",
        "S9.5",
        "C8.3a",
        "C1.6",
    ]
