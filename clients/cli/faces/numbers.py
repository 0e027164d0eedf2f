"""Choices by number: how they are listed, and what a typed number means."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from rich.text import Text

from clients.cli.output import Problem
from clients.cli.words import pick

T = TypeVar("T")

_NUMBER = re.compile(r"[0-9]{1,3}")


def listed(options: Iterable[T], shown: Callable[[T], Text]) -> list[Text]:
    """A line a choice, numbered from 1."""
    return [Text(f"{number:>2}) ").append_text(shown(option)) for number, option in enumerate(options, 1)]


def is_number(typed: str) -> bool:
    """Whether the line is a number of a choice, be there such a choice or not."""
    return _NUMBER.fullmatch(typed) is not None


def chosen(options: Sequence[T], typed: str) -> T:
    """The choice of that number. Raises Problem."""
    if not is_number(typed) or not 1 <= int(typed) <= len(options):
        raise Problem(
            pick(f"a number from 1 to {len(options)}, r or q", f"请输入 1 到 {len(options)}，或 r、q")
        )
    return options[int(typed) - 1]
