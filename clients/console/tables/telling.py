"""Sentences of a replay, made of the events' own text; cards and tiles in them keep their colour."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from clients.console.language import Language

_SLOT = re.compile(r"\{(-?\d|\*)\}")


class Word(NamedTuple):
    """A piece of a sentence; `kind` is `red` or `black` for what is printed on a card or tile, else empty."""

    text: str
    kind: str = ""


Sentence = tuple[Word, ...]


class Choice(NamedTuple):
    """Something a seat may do: an action by its canonical text, and as people read it."""

    text: str
    said: Sentence


Sentences = Mapping[str, tuple[str, str]]
"""English and Chinese by the event's name; `{0}`, `{-1}` stand for one of the words after it, `{*}` for all others."""


def tell(
    text: str, sentences: Sentences, language: Language, show: Callable[[str, Language], Word]
) -> Sentence:
    """An event's text (`tile_played 0 s5`) as its sentence; `show` makes a word of what stands in a slot."""
    name, *words = text.split()
    sentence = language.pick(*sentences[name]) if name in sentences else f"{name.replace('_', ' ')} {{*}}"
    named = {int(slot) % len(words) for slot in _SLOT.findall(sentence) if slot != "*"} if words else set()
    others = [word for at, word in enumerate(words) if at not in named]
    told: list[Word] = []
    for place, part in enumerate(_SLOT.split(sentence)):
        if place % 2 == 0:
            told.append(Word(part))
        else:
            told += spaced(show(one, language) for one in (others if part == "*" else [words[int(part)]]))
    return tuple([word for word in told if word.text])


def spaced(words: Iterable[Word]) -> list[Word]:
    """Words with a space between them."""
    made: list[Word] = []
    for word in words:
        made += [Word(" "), word] if made else [word]
    return made
