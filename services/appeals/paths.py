"""Where the dealer finds a board, and the key that opens its records once its leaf is known."""

from __future__ import annotations

from fupan.dealer.v1 import events_pb2 as dealer
from services.appeals.model import events as e
from services.directory import Championship
from services.games.championship.tables import POINTS
from services.ledger.dealing import board_path, log_key


def path_of(known: Championship, at: e.ContestedBoard) -> dealer.BoardPath:
    """The path of a board's leaf."""
    return dealer.BoardPath(round=at.round, board=at.board, attempt=at.attempt, match=_match(known, at))


def key_of(known: Championship, at: e.ContestedBoard, leaf: bytes) -> bytes:
    """The key of a board's records at its table."""
    return log_key(leaf, at.table, board_path(at.round, at.board, at.attempt, _match(known, at)))


def _match(known: Championship, at: e.ContestedBoard) -> str:
    """The match in a path: of the points format a board's table, which plays deals of its own."""
    return at.table if known.settings.format == POINTS else ""
