"""Events as one line of text, for replays: the event's name, the seat, the cards."""

from __future__ import annotations

import re
from dataclasses import fields
from functools import lru_cache
from typing import Any

from services.games.shengji import cards
from services.games.shengji.events import Event

_CAPITAL = re.compile(r"(?<=[a-z])(?=[A-Z])")


@lru_cache(maxsize=1 << 12)
def tell(event: Event) -> str:
    """An event's text: seats and numbers plain, cards as `SA` … `JO`, a flag by its name when it is set."""
    words = [_CAPITAL.sub("_", type(event).__name__).lower()]
    for field in fields(event):
        words += _words(field.name, getattr(event, field.name))
    return " ".join(words)


def _words(name: str, value: Any) -> list[str]:
    if name == "cards":
        return list(map(cards.show, value))
    if isinstance(value, bool):
        return [name] if value else []
    if isinstance(value, tuple):
        return list(map(str, value))
    return [str(value)]
