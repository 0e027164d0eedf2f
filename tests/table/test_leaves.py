"""Leaves are asked for in batches, once a board, and never known before a table opened it."""

from __future__ import annotations

import asyncio
import dataclasses

import pytest

from services.runtime.errors import Unavailable
from services.table.leaves import BATCH, Leaves, Opened
from tests.table.logs import EPOCH, StandInDealer

BOARD = Opened(EPOCH.table_subject("cup", "t1"), "1/1/1", 4)


def board(number: int, table: str = "t1") -> Opened:
    return Opened(EPOCH.table_subject("cup", table), f"1/{number}/1", 4)


async def test_tables_that_open_boards_at_the_same_time_ask_in_one_call() -> None:
    dealer = StandInDealer()
    leaves = Leaves(dealer.ask)
    got = await asyncio.gather(*(leaves.fetch(board(n, t)) for n in (1, 2) for t in ("t1", "t2")))
    assert [[b.path for b in call] for call in dealer.asked] == [["1/1/1", "1/2/1"]]
    assert [leaf.leaf for leaf in got] == [
        dealer.leaf("cup", path) for path in ("1/1/1", "1/1/1", "1/2/1", "1/2/1")
    ]
    assert leaves.held("cup", "1/1/1") == got[0]
    assert await leaves.fetch(board(1, "t3")) == got[0]
    assert len(dealer.asked) == 1


async def test_a_leaf_is_told_apart_by_championship() -> None:
    dealer = StandInDealer()
    leaves = Leaves(dealer.ask)
    one, other = await asyncio.gather(
        leaves.fetch(BOARD),
        leaves.fetch(dataclasses.replace(BOARD, subject=EPOCH.table_subject("other", "t1"))),
    )
    assert one != other


async def test_a_refused_board_does_not_keep_the_others_waiting() -> None:
    dealer = StandInDealer()
    dealer.refused = {"1/2/1"}
    leaves = Leaves(dealer.ask)
    good, bad = await asyncio.gather(leaves.fetch(board(1)), leaves.fetch(board(2)), return_exceptions=True)
    assert not isinstance(good, BaseException)
    assert isinstance(bad, Unavailable)
    assert leaves.held("cup", "1/2/1") is None


async def test_while_the_dealer_is_away_asking_fails_and_may_be_repeated() -> None:
    dealer = StandInDealer()
    dealer.away = True
    leaves = Leaves(dealer.ask)
    with pytest.raises(Unavailable):
        await leaves.fetch(BOARD)
    dealer.away = False
    assert (await leaves.fetch(BOARD)).leaf == dealer.leaf("cup", "1/1/1")


async def test_calls_are_no_larger_than_a_batch() -> None:
    dealer = StandInDealer()
    leaves = Leaves(dealer.ask)
    await asyncio.gather(*(leaves.fetch(board(n)) for n in range(1, BATCH + 2)))
    assert [len(call) for call in dealer.asked] == [BATCH, 1]


async def test_what_is_revealed_needs_no_asking_but_opens_no_record_by_itself() -> None:
    dealer = StandInDealer()
    leaves = Leaves(dealer.ask)
    leaves.reveal("cup", "1/1/1", b"l" * 32)
    assert leaves.held("cup", "1/1/1") is None
    assert (await leaves.fetch(BOARD)).leaf == b"l" * 32
    assert dealer.asked == []


def test_a_leaf_never_shows_in_a_text() -> None:
    from services.table.leaves import Leaf

    assert "secret" not in f"{Leaf(b'secret')!r} {Leaf(b'secret')}"
