"""Secrets whose bytes a test knows, in every notation in which they might come to light, and the search for them."""

from __future__ import annotations

import hashlib
import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from services.games import registry
from services.games.paohuzi import tiles
from services.ledger import dealing

RULES = registry.find("paohuzi/competitive-2017")


@dataclass(frozen=True)
class Secret:
    """Something that must not be found, and how it could be written."""

    name: str
    forms: tuple[bytes, ...]


def of_bytes(name: str, data: bytes) -> Secret:
    """A key, a leaf: as it is, in hexadecimal, in either base64 at any place of a longer text."""
    shifted = [
        encode(bytes(shift) + data)[(0, 2, 3)[shift] : (shift + len(data)) // 3 * 4]
        for encode in (b64encode, urlsafe_b64encode)
        for shift in range(3)
    ]
    return Secret(name, tuple(dict.fromkeys([*_binary(data), *shifted])))


def of_tiles(name: str, kinds: Sequence[int]) -> Secret:
    """A deal, a hand: besides `of_bytes` as a list of numbers and as the names of the tiles in several ways."""
    names = [tiles.show(kind) for kind in kinds]
    faces = [tiles.chinese(kind) for kind in kinds]
    texts = [
        json.dumps(list(kinds)),
        json.dumps(list(kinds), separators=(",", ":")),
        *(separator.join(names) for separator in (" ", ",", ", ", "", '", "', '","')),
        *(separator.join(faces) for separator in ("", " ", ",")),
    ]
    written = [text.strip("[]").encode() for text in texts]
    return Secret(name, (*of_bytes(name, bytes(kinds)).forms, *written))


def of_counts(name: str, counts: Sequence[int]) -> Secret:
    """A hand by numbers of tiles, 21 entries."""
    texts = (json.dumps(list(counts)), json.dumps(list(counts), separators=(",", ":")))
    return Secret(name, (*_binary(bytes(counts)), *(text.strip("[]").encode() for text in texts)))


def _binary(data: bytes) -> tuple[bytes, bytes, bytes]:
    return data, data.hex().encode(), data.hex().upper().encode()


class Seeded:
    """What the demo's seeded dealer holds for one championship, worked out again (`docs/dealing.md`)."""

    def __init__(self, championship: str, seed: int) -> None:
        self.championship = championship
        self.master = hashlib.sha512(f"fupan demo {seed} {championship}".encode()).digest()

    def leaf(self, path: str) -> bytes:
        """The leaf of a board or a draw."""
        return dealing.leaf(self.master, self.championship, path)

    def log_key(self, table: str, path: str) -> bytes:
        """The key of one table's records of a board."""
        return dealing.log_key(self.leaf(path), table, path)

    def deal(self, path: str) -> tuple[int, ...]:
        """The tiles of a board in the order they are dealt."""
        return dealing.deal(self.leaf(path), path, b"", RULES.deck)

    def hands(self, path: str) -> list[tuple[int, ...]]:
        """Tiles by kind of each seat's hand as it is dealt."""
        state = RULES.start(RULES.resolve({}), int(path.split("/")[1]), self.deal(path))
        return [RULES.view(state, seat).hand for seat in range(RULES.seats)]

    def secrets(self, path: str, tables: Iterable[str]) -> Iterator[Secret]:
        """Everything that must not be known of a board before it is revealed."""
        deal = self.deal(path)
        yield of_bytes(f"master secret of {self.championship}", self.master)
        yield of_bytes(f"leaf of {path}", self.leaf(path))
        yield of_bytes(f"deal key of {path}", dealing.deal_key(self.leaf(path), path, b""))
        for table in tables:
            yield of_bytes(f"log key of {table} {path}", self.log_key(table, path))
        yield of_tiles(f"deal of {path}", deal)
        yield of_tiles(f"first tiles of {path}", deal[:20])
        yield of_tiles(f"last tiles of {path}", deal[-19:])
        for seat, hand in enumerate(self.hands(path)):
            yield of_tiles(f"hand of seat {seat} of {path}", tiles.expand(hand))
            yield of_counts(f"tiles by kind of seat {seat} of {path}", hand)


def found(secrets: Iterable[Secret], data: bytes) -> list[str]:
    """Names of the secrets that stand in `data` in any form."""
    return [secret.name for secret in secrets if any(form in data for form in secret.forms)]
