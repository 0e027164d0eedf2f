"""Digests that stand in the log for something long: entrants, seatings, parameters, ballots."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Any

from services.ledger.frame import frame, purpose


def canonical_json(value: Any) -> bytes:
    """The one JSON text of a value: UTF-8, keys sorted, no spaces, no escapes beyond JSON's own."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def params_digest(params: Any) -> bytes:
    """Digest of resolved ruleset parameters, as in every record's header."""
    return sha256(canonical_json(params)).digest()


def entrants_digest(entrants: Iterable[tuple[int, Iterable[tuple[str, str]]]]) -> bytes:
    """Digest of an entrant list: (number, [(person id, unit id), …]) in ascending number (C1.2)."""
    return _digest(
        purpose("entrants"),
        ([str(number), *(word for member in members for word in member)] for number, members in entrants),
    )


def seating_digest(round_: int, tables: Iterable[tuple[str, int, Sequence[int]]]) -> bytes:
    """Digest of a round's tables in order: (table id, group, entrant numbers by seat with 0 for house AI)."""
    return _digest(
        purpose("seating", str(round_).encode()),
        ([table, str(group), *map(str, entrants)] for table, group, entrants in tables),
    )


def ballots_digest(appeal: str, ballots: Iterable[tuple[str, bytes]]) -> bytes:
    """Digest of an appeal's sealed ballots: (member, commitment), in any order (C10.4)."""
    hashed = sha256(purpose("ballots", appeal.encode()))
    for member, commitment in sorted(ballots):
        hashed.update(frame(member.encode(), commitment))
    return hashed.digest()


def _digest(start: bytes, rows: Iterable[Sequence[str]]) -> bytes:
    hashed = sha256(start)
    for row in rows:
        hashed.update(frame(*[word.encode() for word in row]))
    return hashed.digest()
