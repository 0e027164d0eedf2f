"""Sentences about boards on the terminal."""

from __future__ import annotations

from rich.text import Text

from clients.boards.telling import Sentence

STYLES = {"red": "bold red", "black": "bold", "strong": "bold green"}
"""How a word is shown, by its kind."""


def text(sentence: Sentence) -> Text:
    """A sentence in its colours."""
    return Text.assemble(*[(word.text, STYLES.get(word.kind, "")) for word in sentence])
