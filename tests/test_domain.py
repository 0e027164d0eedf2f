"""Named tuples changed at the price of making one."""

from typing import NamedTuple

import pytest

from services.domain import changer


class Place(NamedTuple):
    table: str
    seat: int
    joined: bool = False


def test_changed_is_what_replace_gives() -> None:
    there = Place("t1", 2)
    assert changer(Place, "joined", "seat")(there, True, 0) == there._replace(seat=0, joined=True)
    assert type(changer(Place, "table")(there, "t2")) is Place


def test_a_field_that_is_not_there_is_refused_when_the_program_starts() -> None:
    with pytest.raises(ValueError, match="Place has no board"):
        changer(Place, "board")
