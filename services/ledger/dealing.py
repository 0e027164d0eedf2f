"""Secrets, leaves, keys and the unbiased shuffle; `docs/dealing.md` specifies them byte for byte.

    master secret (512 bits, one a championship)
      └ leaf (256 bits, one a path: round/board/attempt, round/table/deal/attempt of a match, or draw/<name>)
          ├ deal key: with the batch's public entropy; keys the shuffle
          ├ log key: one a table; seals the board's records
          ├ lot: of a match's first deal; keys who draws first
          └ draw seed: with the entrant list's digest and the entropy; keys the draw

Nothing here draws randomness: the master secret comes from outside.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256, shake_256
from typing import NamedTuple, TypeVar

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from services.ledger.frame import purpose

T = TypeVar("T")

MASTER = 64
"""Bytes of a championship's master secret."""

LEAF = 32
"""Bytes of a leaf, and of every key derived from it."""


def board_path(round_: int, board: int, attempt: int, match: str = "") -> str:
    """Path of a board's leaf; all three count from 1. Of a deal of a match: with the table that plays it."""
    return f"{round_}/{match}/{board}/{attempt}" if match else f"{round_}/{board}/{attempt}"


class Path(NamedTuple):
    """A board's path taken apart; see `board_path`."""

    round: int
    board: int
    attempt: int
    match: str = ""


def parse_board_path(path: str) -> Path:
    """The inverse of `board_path`. Raises ValueError."""
    round_, *match, board, attempt = path.split("/")
    if len(match) > 1:
        raise ValueError(f"{path} is no path of a board")
    return Path(int(round_), int(board), int(attempt), *match)


def lot(leaf: bytes, path: str, seats: int) -> int:
    """The seat drawn by lot for a match, from the leaf of its first deal (S3.2)."""
    return shuffle(_hkdf(leaf, purpose("lot", path.encode())), range(seats))[0]


def draw_path(name: str) -> str:
    """Path of a draw's leaf, for example `draw/round-1`."""
    return f"draw/{name}"


def commitment(master: bytes) -> bytes:
    """SHA-256 of the master secret: public from the first record, checked when the secret is revealed."""
    return sha256(master).digest()


def leaf(master: bytes, championship: str, path: str) -> bytes:
    """The leaf of one path, 32 bytes. A revealed leaf tells nothing of the master secret or another leaf."""
    if len(master) != MASTER:
        raise ValueError(f"a master secret has {MASTER} bytes")
    return _hkdf(master, purpose("leaf", championship.encode(), path.encode()))


def deal_key(leaf: bytes, path: str, entropy: bytes) -> bytes:
    """Key of the board's shuffle. `entropy` is the batch's public entropy, empty where none was named."""
    return _hkdf(leaf, purpose("deal", path.encode(), entropy))


def log_key(leaf: bytes, table: str, path: str) -> bytes:
    """Key that seals the records of one table's board until it is revealed."""
    return _hkdf(leaf, purpose("log", table.encode(), path.encode()))


def draw_seed(leaf: bytes, entrants_digest: bytes, entropy: bytes) -> bytes:
    """Key of a draw's shuffle (C6.1)."""
    return _hkdf(leaf, purpose("draw", entrants_digest, entropy))


def deal(leaf: bytes, path: str, entropy: bytes, deck: Sequence[T]) -> tuple[T, ...]:
    """The board's cards in the order they are dealt: the canonical `deck`, shuffled under the deal key."""
    return shuffle(deal_key(leaf, path, entropy), deck)


def draw(leaf: bytes, entrants_digest: bytes, entropy: bytes, entrants: Sequence[T]) -> tuple[T, ...]:
    """Entrants (in ascending number) in the order drawn (C6.1)."""
    return shuffle(draw_seed(leaf, entrants_digest, entropy), entrants)


def shuffle(key: bytes, items: Sequence[T]) -> tuple[T, ...]:
    """A permutation of `items`, every one equally likely over all keys: Fisher-Yates on SHAKE-256(key).

    For i = n-1 … 1, swap item i with item j, j uniform in 0 … i by rejection: take as few bytes as can tell
    i + 1 values apart, as a big-endian number; reject it unless it is below the greatest multiple of i + 1
    there is; j = remainder.
    """
    cards = list(items)
    take = _stream(key, len(cards))
    for i in range(len(cards) - 1, 0, -1):
        n = i + 1
        if n <= 256:
            limit = 256 - 256 % n
            while (x := next(take)) >= limit:
                pass
        else:
            width = (i.bit_length() + 7) // 8
            limit = 256**width - 256**width % n
            while (x := int.from_bytes([next(take) for _ in range(width)], "big")) >= limit:
                pass
        j = x % n
        cards[i], cards[j] = cards[j], cards[i]
    return tuple(cards)


def _stream(key: bytes, items: int) -> Iterator[int]:
    """The bytes of SHAKE-256(key), without end; `items` only guesses how many will be asked for."""
    xof = shake_256(key)
    start, end = 0, items + items // 4 + 32
    while True:
        yield from xof.digest(end)[start:]
        start, end = end, 2 * end


def _hkdf(secret: bytes, info: bytes) -> bytes:
    """HKDF-SHA-256 without salt, 32 bytes."""
    return HKDF(SHA256(), LEAF, None, info).derive(secret)
