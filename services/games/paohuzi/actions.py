"""What a seat may do: play a tile, claim the tile on offer, pass; with its canonical text.

Draws and compulsory melds (wei, ti, pao) happen by themselves and are not actions (P12).
"""

from __future__ import annotations

from dataclasses import dataclass

from services.domain import Rejected
from services.games.paohuzi import melds, tiles
from services.games.paohuzi.melds import Meld


@dataclass(frozen=True, slots=True)
class Win:
    """Win (胡) on the tile on offer, or on what one has just drawn or been dealt (P8)."""


@dataclass(frozen=True, slots=True)
class Peng:
    """Take the tile on offer with a pair from the hand (碰, P4)."""


@dataclass(frozen=True, slots=True)
class Eat:
    """Take the tile on offer into a run or jiao (吃): `using` two tiles of the hand, ascending.

    `along` are the runs and jiao laid along with it (比, P7.5), ascending by name and tiles.
    """

    using: tuple[int, ...]
    along: tuple[Meld, ...] = ()


@dataclass(frozen=True, slots=True)
class Play:
    """Play one tile of the hand (P5.4)."""

    tile: int


@dataclass(frozen=True, slots=True)
class Pass:
    """Take nothing, or leave a win that one may take before nothing else is owed."""


Action = Win | Peng | Eat | Play | Pass

WIN, PENG, PASS = Win(), Peng(), Pass()
PLAYS = tuple(Play(tile) for tile in range(21))
"""The action that plays a kind, by its code; index 0 is unused."""

_WORDS: dict[str, Action] = {"win": WIN, "peng": PENG, "pass": PASS}


def along_of(members: list[int]) -> Meld:
    """The run or jiao that is laid along with `members`; what is neither goes by the name of a run."""
    ordered = sorted(members)
    return Meld("jiao" if melds.is_jiao(ordered) else "run", tuple(ordered))


def canonical(action: Action) -> Action:
    """The same action in the one way the engine writes it; tile and meld order of an eat do not matter."""
    if not isinstance(action, Eat):
        return action
    along = sorted(
        (along_of(list(meld.tiles)) for meld in action.along), key=lambda meld: (meld.name, meld.tiles)
    )
    return Eat(tuple(sorted(action.using)), tuple(along))


def parse(text: str) -> Action:
    """An action from its text: `play s5`, `eat s7 s8 + s4 s5 s6`, `peng`, `win`, `pass`.

    Whether the melds of an eat are legal is left to the engine. Raises Rejected("MALFORMED_ACTION").
    """
    words = text.split() if isinstance(text, str) else []
    if len(words) == 1 and words[0] in _WORDS:
        return _WORDS[words[0]]
    try:
        if len(words) == 2 and words[0] == "play":
            return PLAYS[tiles.parse(words[1])]
        if words and words[0] == "eat":
            using, *along = _groups(words[1:])
            if len(using) == 2 and all(len(members) == 3 for members in along):
                return canonical(Eat(tuple(using), tuple(along_of(members) for members in along)))
    except Rejected as refusal:
        raise Rejected("MALFORMED_ACTION", detail=refusal.detail) from None
    raise Rejected("MALFORMED_ACTION", detail=f"{text!r} is not an action")


def _groups(words: list[str]) -> list[list[int]]:
    groups: list[list[int]] = [[]]
    for word in words:
        if word == "+":
            groups.append([])
        else:
            groups[-1].append(tiles.parse(word))
    return groups


def show(action: Action) -> str:
    """The canonical text of an action; `parse(show(a)) == a` for canonical ones."""
    match action:
        case Play(tile):
            return f"play {tiles.show(tile)}"
        case Eat(using, along):
            groups = [using, *(meld.tiles for meld in along)]
            return "eat " + " + ".join(" ".join(tiles.show(tile) for tile in group) for group in groups)
        case Win():
            return "win"
        case Peng():
            return "peng"
        case Pass():
            return "pass"
