"""Sentences about boards, made of the text of actions and events; what is printed on cards and tiles keeps its colour."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

_SLOT = re.compile(r"\{(-?\d|\*)\}")

Pick = Callable[[str, str], str]
"""Which of two texts, English and Chinese, is in the reader's language."""


class Word(NamedTuple):
    """A piece of a sentence; `kind` is `red` or `black` for what is printed on a card or tile, `strong` for what ends a board."""

    text: str
    kind: str = ""


Sentence = tuple[Word, ...]

Sentences = Mapping[str, tuple[str, str]]
"""English and Chinese by the event's name; `{0}`, `{-1}` stand for one of the words after it, `{*}` for all others."""


def tell(text: str, sentences: Sentences, pick: Pick, show: Callable[[str, Pick], Word]) -> Sentence:
    """An event's text (`tile_played 0 s5`) as its sentence; `show` makes a word of what stands in a slot."""
    name, *words = text.split()
    sentence = pick(*sentences[name]) if name in sentences else f"{name.replace('_', ' ')} {{*}}"
    named = {int(slot) % len(words) for slot in _SLOT.findall(sentence) if slot != "*"} if words else set()
    others = [word for at, word in enumerate(words) if at not in named]
    told: list[Word] = []
    for place, part in enumerate(_SLOT.split(sentence)):
        if place % 2 == 0:
            told.append(Word(part))
        else:
            told += spaced(show(one, pick) for one in (others if part == "*" else [words[int(part)]]))
    told = [word for word in told if word.text]
    if told:
        # Of a last slot that nothing was left for, the space before it.
        told[-1] = told[-1]._replace(text=told[-1].text.rstrip())
    return tuple([word for word in told if word.text])


def spaced(words: Iterable[Word]) -> list[Word]:
    """Words with a space between them."""
    made: list[Word] = []
    for word in words:
        made += [Word(" "), word] if made else [word]
    return made


def plain(sentence: Sentence) -> str:
    """The sentence without its colours."""
    return "".join(word.text for word in sentence)
