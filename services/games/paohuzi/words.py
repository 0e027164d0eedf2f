"""Events as text, one line each, for replays: the event's name, then its fields (`tile_played 0 s5`)."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache
from typing import Any

from services.games.paohuzi import tiles
from services.games.paohuzi.events import Event
from services.games.paohuzi.melds import Meld

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=1 << 12)
def tell(event: Event) -> str:
    """An event's text: seats and numbers plain, tiles as `s1` … `b10`, melds behind `+`, a flag by its name when it is set."""
    words = [_CAPITAL.sub("_", type(event).__name__).lower()]
    for field in fields(event):
        words += _words(field.name, getattr(event, field.name))
    return " ".join(words)


def _words(name: str, value: Any) -> list[str]:
    if name == "tile":
        return [tiles.show(value)]
    if name == "using":
        return [tiles.show(tile) for tile in value]
    if isinstance(value, bool):
        return [name] if value else []
    if isinstance(value, tuple):
        return [word for item in value for word in _meld(item)]
    return [str(value)]


def _meld(item: Any) -> list[str]:
    if isinstance(item, Meld):
        return ["+", item.name, *(tiles.show(tile) for tile in item.tiles)]
    return [str(item)]
