"""Who agrees to what a referee enters of a board with real cards (C8.6)."""

from __future__ import annotations

from collections.abc import Sequence

from services.domain import Rejected
from services.games.shengji.result import SIDES, side


def check_agreed(people: Sequence[str], agreed: Sequence[str], explained: bool) -> None:
    """Whether somebody of each side has agreed. `people` by seat, "" where nobody sits; `explained`: a reason says why it
    counts all the same. Raises Rejected."""
    sides = {person: side(seat) for seat, person in enumerate(people) if person}
    if unknown := [one for one in agreed if one not in sides]:
        raise Rejected("NOT_AT_THIS_TABLE", "C8.6", f"{unknown[0]} does not play at this table")
    if {sides[one] for one in agreed} != set(SIDES) and not explained:
        raise Rejected(
            "SIDE_NOT_AGREED", "C8.6", "of each side somebody agrees, or a reason says why it counts"
        )
