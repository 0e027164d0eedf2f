"""What an event may be played as, and what follows: formats by ruleset, movements, entrants, clocks (C1.4, C1.8, C7, C8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from services.domain import Rejected
from services.games.championship.points import MATCH_MICROS, ROUNDS
from services.games.championship.tables import (
    HOWELL,
    INDIVIDUAL,
    MACHINE,
    MITCHELL,
    PAIRS,
    POINTS,
    ROUND_ROBIN,
    SWISS,
    TEAMS,
)


@dataclass(frozen=True, slots=True)
class Format:
    """`members` are the fewest and the most persons of an entrant (C1.4); the first of `movements` is the default."""

    members: tuple[int, int]
    movements: tuple[str, ...] = (SWISS,)
    rounds: int = 3
    """Where the file says nothing."""
    boards: int = 4
    """Boards a round where the file says nothing; 0: a match has deals of its own (C8.2)."""


FORMATS: Mapping[str, Format] = {
    INDIVIDUAL: Format((1, 1)),
    MACHINE: Format((1, 1)),
    PAIRS: Format((2, 2), (SWISS, MITCHELL, HOWELL)),
    TEAMS: Format((4, 6), (SWISS, ROUND_ROBIN)),
    POINTS: Format((2, 2), rounds=ROUNDS, boards=0),
}
"""Everything there is; which of them a ruleset is played in says PLAYED."""

MATCHES, BOARDS = "shengji/xiamen-2015", "shengji/duplicate-2017"
"""Duplicate boards of Shengji fix declarer and level (S9.6), in a match both are found by play (C8.2)."""

PLAYED: Mapping[str, tuple[str, ...]] = {
    "paohuzi/competitive-2017": (INDIVIDUAL, MACHINE),
    BOARDS: (INDIVIDUAL, MACHINE, PAIRS, TEAMS),
    MATCHES: (POINTS,),
}
"""Formats by ruleset. The main event of Paohuzi is duplicate with Swiss movement (C1.8)."""

CLOCKS: Mapping[str, Mapping[str, int]] = {
    "paohuzi": {"play_ms": 15_000, "claim_ms": 8_000},
    "shengji": {"play_ms": 5_000, "claim_ms": 5_000, "bid_ms": 5_000, "bury_ms": 10_000, "deal_pace_ms": 0},
}
"""The clocks of a game and how long they are where the file says nothing, milliseconds (P12, S11)."""

MATCH_PACE_MS = 300
"""So often a card is drawn where trumps are bid meanwhile and the file says nothing (S3.1, S4.1)."""

MATCH_MINUTES = MATCH_MICROS // 60_000_000

FINAL_AUTHORITY: Mapping[str, str] = {MATCHES: "chief_referee"}
"""Rulesets whose default is not arbitration (C10.0)."""

INTERPRETER: Mapping[str, str] = {
    "paohuzi/competitive-2017": "national_federation",
    BOARDS: "referee_group",
    MATCHES: "referee_group",
}
"""Who interprets the rules, recorded with the ruleset (C10.0)."""


def ruleset_of(game: str, form: str) -> str:
    """The ruleset of a file that names the game alone, or not even that."""
    if game == "shengji":
        return MATCHES if form == POINTS else BOARDS
    return "paohuzi/competitive-2017"


def check_format(ruleset: str, form: str, movement: str) -> None:
    """Whether a ruleset is played in a format with this movement. Raises Rejected."""
    game = ruleset.partition("/")[0]
    played = PLAYED.get(ruleset, ())
    if form not in played:
        clause = "C1.8" if game == "paohuzi" else "C8.2" if form == POINTS else "S9.6"
        raise Rejected("FORMAT_REFUSED", clause, f"{ruleset} is not played as {form}: {', '.join(played)}")
    offered = FORMATS[form].movements
    if movement not in offered:
        clause = "C1.8" if game == "paohuzi" else "C7.3"
        raise Rejected("MOVEMENT_REFUSED", clause, f"{form} has the movement {' or '.join(offered)}")
