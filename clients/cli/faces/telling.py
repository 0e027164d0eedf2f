"""Lines of a replay in the language spoken, made of the events' own text."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from rich.text import Text

from clients.cli.words import pick

_SLOT = re.compile(r"\{(-?\d|\*)\}")

Sentences = Mapping[str, tuple[str, str]]
"""English and Chinese by the event's name; `{0}`, `{-1}` stand for one of the words after it, `{*}` for all others."""


def tell(text: str, sentences: Sentences, word: Callable[[str], Text]) -> Text:
    """An event's text (`cards_played 0 SA SA`) as its sentence; `word` shows what stands in a slot."""
    name, *words = text.split()
    sentence = pick(*sentences[name]) if name in sentences else f"{name.replace('_', ' ')} {{*}}"
    slots = {slot for slot in _SLOT.findall(sentence) if slot != "*"}
    named = {int(slot) % len(words) for slot in slots} if words else set()
    others = [each for at, each in enumerate(words) if at not in named]
    line = Text()
    for place, part in enumerate(_SLOT.split(sentence)):
        if place % 2 == 0:
            line.append(part)
            continue
        filled = others if part == "*" else [words[int(part)]]
        line.append_text(Text(" ").join(word(each) for each in filled))
    line.rstrip()
    return line
