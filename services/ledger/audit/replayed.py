"""Boards that rulings had played again: which of them count, as an outsider works it out (C9.2, C10.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from services.ledger.audit.evidence import Event
from services.ledger.record import BoardClosing

_ON_A_BOARD = ("result_corrected", "board_voided", "board_superseded")

At = tuple[int, int, str]
"""(round, board, table)"""


@dataclass(frozen=True, slots=True)
class Replays:
    """What was ordered up to some ruling: every `BoardSuperseded`, and the last ruling on each table's board."""

    orders: tuple[Any, ...] = ()
    last: Mapping[At, Any] = field(default_factory=dict)

    def after(self, event: Event) -> Replays:
        """What is ordered once more was ruled."""
        if event.kind not in _ON_A_BOARD:
            return self
        message = event.message
        orders = (*self.orders, message) if event.kind == "board_superseded" else self.orders
        return replace(self, orders=orders, last={**self.last, _first(message): message})

    def counting(self, closings: Iterable[tuple[str, BoardClosing]]) -> Mapping[tuple[str, int], str]:
        """By a replay's table and attempt the table whose seats it has, of those that every table of their deal has closed."""
        if not self.orders:
            return {}
        closed = {(one.round, one.board, one.attempt, table) for table, one in closings}
        waiting = {_deal(one) for one in self.orders if (*_deal(one), one.by_table) not in closed}
        return {
            (one.by_table, one.by_attempt): one.table
            for one in self.orders
            if self.last[_first(one)] is one and _deal(one) not in waiting
        }


def _first(message: Any) -> At:
    return message.round, message.board, message.table


def _deal(message: Any) -> tuple[int, int, int]:
    return message.round, message.board, message.by_attempt
