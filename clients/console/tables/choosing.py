"""What a person may answer at the desk: by choosing an action, or by laying cards of its own."""

from __future__ import annotations

from typing import NamedTuple

from clients.boards.telling import Sentence


class Choice(NamedTuple):
    """Something a seat may do: an action by its canonical text, as people read it, and the cards or tiles of its hand it takes."""

    text: str
    said: Sentence
    uses: tuple[str, ...] = ()


class Laying(NamedTuple):
    """Cards that the viewer chooses itself: the first word of the action, and how many it takes, 0 for any number."""

    word: str
    needs: int = 0
