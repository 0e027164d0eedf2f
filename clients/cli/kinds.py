"""Kinds of event that this command sets up by itself: the games, their formats, and what follows from both."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from clients.cli.output import USAGE, Problem
from clients.cli.words import pick

Game = Literal["paohuzi", "shengji"]
Form = Literal["individual", "machine", "pairs", "teams", "points"]


@dataclass(frozen=True, slots=True)
class Kind:
    """A format of a game: the ruleset, and how many persons an entrant has (C1.4). `match`: two entrants play a match of many
    deals instead of boards (C8.2). `rounds`: as many as there are where nobody says (C8.1)."""

    ruleset: str
    members: int = 1
    match: bool = False
    rounds: int = 3

    @property
    def game(self) -> str:
        """The game of the ruleset."""
        return self.ruleset.partition("/")[0]

    def length(self, boards: int) -> dict[str, Any]:
        """What a championship file says for so many boards a round, or at most so many deals a match."""
        return {"match": {"deals": boards}} if self.match else {"boards_per_round": boards}


_PAOHUZI = Kind("paohuzi/competitive-2017")
_DUPLICATE = "shengji/duplicate-2017"

KINDS: Mapping[str, Mapping[str, Kind]] = {
    "paohuzi": {"individual": _PAOHUZI, "machine": _PAOHUZI},
    "shengji": {
        "individual": Kind(_DUPLICATE),
        "machine": Kind(_DUPLICATE),
        "pairs": Kind(_DUPLICATE, 2),
        "teams": Kind(_DUPLICATE, 4),
        "points": Kind("shengji/xiamen-2015", 2, match=True, rounds=5),
    },
}
"""By game and format."""


def find(game: Game, form: Form) -> Kind:
    """A format of a game. Raises Problem with those there are."""
    kind = KINDS[game].get(form)
    if kind is None:
        formats = ", ".join(KINDS[game])
        raise Problem(
            pick(
                f"{game} is not played as {form}: --format is one of {formats}",
                f"{game} 没有 {form} 赛制，--format 可为 {formats}",
            ),
            USAGE,
        )
    return kind
