from __future__ import annotations

import pytest

from clients.console.paging import page, page_of

ITEMS = list(range(250))


@pytest.mark.parametrize(
    ("asked", "number", "first", "last"),
    [(1, 1, 0, 99), (2, 2, 100, 199), (3, 3, 200, 249), (0, 1, 0, 99), (9, 3, 200, 249)],
)
def test_the_nearest_page_there_is(asked: int, number: int, first: int, last: int) -> None:
    shown = page(ITEMS, asked)
    assert (shown.number, shown.pages, shown.start, shown.total) == (number, 3, first, 250)
    assert (shown.items[0], shown.items[-1]) == (first, last)


def test_nothing_is_one_empty_page() -> None:
    assert (page([], 1).pages, list(page([], 4).items)) == (1, [])


def test_everything_on_one_page() -> None:
    assert list(page(ITEMS, 2, whole=True).items) == ITEMS


@pytest.mark.parametrize("index", [0, 99, 100, 249])
def test_an_item_is_on_its_page(index: int) -> None:
    assert ITEMS[index] in page(ITEMS, page_of(index)).items
