"""What the signatures of a championship are made over: a table's head, and the seal of the whole event."""

from __future__ import annotations

from collections.abc import Iterable

from services.ledger import merkle
from services.ledger.frame import frame


def table_head(subject: str, version: int, head: bytes) -> bytes:
    """What `TableSealed` signs: that `head` is the hash of this version of this table's subject."""
    return b"\0".join([b"fupan table head", subject.encode(), str(version).encode(), head])


def championship_root(
    heads: Iterable[tuple[str, int, bytes]],
    standings: Iterable[tuple[int, bytes]],
) -> bytes:
    """The Merkle root that the championship's seal signs.

    `heads`: (subject, version, hash) of every table and every appeal; `standings`: (number, digest) of every
    publication; both in any order. Entries: heads by subject, then publications by number.
    """
    entries = [frame(b"head", s.encode(), str(v).encode(), h) for s, v, h in sorted(heads)]
    entries += [frame(b"standings", str(number).encode(), digest) for number, digest in sorted(standings)]
    return merkle.root(entries)


def championship_seal(subject: str, root: bytes) -> bytes:
    """What `ChampionshipSealed` signs; `subject` is the championship's in pairing's stream."""
    return b"\0".join([b"fupan championship seal", subject.encode(), root])
