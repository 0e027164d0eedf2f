"""A long list, a page at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

T = TypeVar("T")

SIZE = 100
"""Rows a page has."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """One page: `items` of `total`, the first of them at `start`; pages count from 1. `whole`: everything on one."""

    items: Sequence[T]
    number: int
    pages: int
    start: int
    total: int
    whole: bool = False


def page(items: Sequence[T], number: int, whole: bool = False, size: int = SIZE) -> Page[T]:
    """The page of that number, the nearest there is; or everything, for print."""
    pages = max(1, -(-len(items) // size))
    if whole:
        return Page(items, 1, pages, 0, len(items), True)
    number = min(max(number, 1), pages)
    start = (number - 1) * size
    return Page(items[start : start + size], number, pages, start, len(items))


def page_of(index: int, size: int = SIZE) -> int:
    """The page on which an item lies."""
    return index // size + 1
