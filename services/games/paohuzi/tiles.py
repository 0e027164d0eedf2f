"""The 80 tiles (P1): four each of small 一 … 十 and big 壹 … 拾.

A tile is known by the code of its kind: 1–10 small, 11–20 big; 0 is a tile seen face down. The tiles of a
hand are held as *counts*, a tuple of length 21 indexed by code; entry 0 counts face-down tiles.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from services.domain import Rejected

HIDDEN = 0
KINDS: range = range(1, 21)
COPIES = 4
DECK: tuple[int, ...] = tuple(kind for kind in KINDS for _ in range(COPIES))

RED: frozenset[int] = frozenset({2, 7, 10, 12, 17, 20})
"""二 七 十 贰 柒 拾 (P1.1)."""

Counts = tuple[int, ...]
"""Number of tiles by kind code, length 21."""

_NAMES = ("", *(f"s{rank}" for rank in range(1, 11)), *(f"b{rank}" for rank in range(1, 11)))
_CODES = {name: code for code, name in enumerate(_NAMES) if name}
_CHINESE = "〇一二三四五六七八九十壹贰叁肆伍陆柒捌玖拾"


def rank(kind: int) -> int:
    """Point (牌点) 1–10 of a kind; size does not matter (P1.2)."""
    return (kind - 1) % 10 + 1


def is_big(kind: int) -> bool:
    """Whether a kind is one of 壹 … 拾."""
    return kind > 10


def twin(kind: int) -> int:
    """The kind of the same point in the other size (六 ↔ 陆)."""
    return kind - 10 if kind > 10 else kind + 10


def count(tiles: Iterable[int]) -> Counts:
    """Counts of `tiles`, given by code."""
    counts = [0] * 21
    for tile in tiles:
        counts[tile] += 1
    return tuple(counts)


def expand(counts: Sequence[int]) -> tuple[int, ...]:
    """The tiles behind `counts`, ascending."""
    return tuple(kind for kind, number in enumerate(counts) for _ in range(number))


def parse(text: Any) -> int:
    """Code of a tile written `s1` … `s10`, `b1` … `b10`. Raises Rejected("MALFORMED_TILE")."""
    try:
        return _CODES[text]
    except (KeyError, TypeError):
        raise Rejected("MALFORMED_TILE", "P1.1", f"{text!r} is not a tile") from None


def show(kind: int) -> str:
    """Text of a kind, `s1` … `b10`; `??` for a face-down tile."""
    return _NAMES[kind] if kind else "??"


def chinese(kind: int) -> str:
    """The character on a kind's face, 一 … 拾; 〇 for a face-down tile."""
    return _CHINESE[kind]
