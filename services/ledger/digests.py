"""Digests that stand in the log for something long: entrants, seatings, parameters, ballots."""

from __future__ import annotations

import json
from collections.abc import Iterable
from hashlib import sha256
from typing import Any


def canonical_json(value: Any) -> bytes:
    """The one JSON text of a value: UTF-8, keys sorted, no spaces, no escapes beyond JSON's own."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    ).encode()


def params_digest(params: Any) -> bytes:
    """Digest of resolved ruleset parameters, as in every record's header."""
    return sha256(canonical_json(params)).digest()


def entrants_digest(entrants: Iterable[tuple[int, Iterable[tuple[str, str]]]]) -> bytes:
    """Digest of an entrant list: (number, [(person id, unit id), …]) in ascending number (C1.2).

    One line an entrant: `number person:unit person:unit …`.
    """
    return _lines((str(number), *map(":".join, members)) for number, members in entrants)


def seating_digest(tables: Iterable[tuple[str, int, Iterable[int | str]]]) -> bytes:
    """Digest of a round's tables in order: (table id, group, who sits there by seat: `places`).

    One line a table: `table group place place …`.
    """
    return _lines((table, str(group), *map(str, seats)) for table, group, seats in tables)


def places(entrants: Iterable[int], members: Iterable[int] = ()) -> Iterable[int | str]:
    """Who sits at a table, by seat: the entrant's number, 0 for house AI; with its `members` `entrant.member`, from 0."""
    which = tuple(members)
    return [f"{entrant}.{one}" for entrant, one in zip(entrants, which, strict=True)] if which else entrants


def ballots_digest(appeal: str, ballots: Iterable[tuple[str, bytes]]) -> bytes:
    """Digest of an appeal's sealed ballots: (member, commitment), in any order (C10.4).

    A line with the appeal's id, then one a ballot, by member: `member commitment`, the commitment in hexadecimal.
    """
    return _lines([(appeal,), *((member, commitment.hex()) for member, commitment in sorted(ballots))])


def _lines(lines: Iterable[Iterable[str]]) -> bytes:
    """SHA-256 of lines of words, a space between words and a line feed after each line; words hold neither."""
    hashed = sha256()
    for words in lines:
        hashed.update(f"{' '.join(words)}\n".encode())
    return hashed.digest()
