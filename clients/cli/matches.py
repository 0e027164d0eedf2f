"""A match of many deals on the terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from clients.boards import matches
from clients.cli.words import pick
from fupan.table.v1 import service_pb2
from services.games.shengji.result import side

_SHOWN = 3
"""Deals that are told of, the newest ones."""


def lines(match: service_pb2.MatchView, seat: int | None) -> Iterator[Text]:
    """Where the match stands for the one at `seat`, None for who sits at none, its last deals, and its end."""
    own = None if seat is None else side(seat)
    if match.levels:
        yield Text(matches.standing(match, own, pick))
    for deal in match.played[-_SHOWN:]:
        yield Text(f"   {matches.deal(deal, pick)}", "dim")
    if match.HasField("ended"):
        yield Text(matches.ended(match.ended, own, pick), "bold green")
