"""Which command ids a subject has seen, in few bytes: a table keeps hundreds, and there are thousands of tables."""

from __future__ import annotations

from array import array
from functools import lru_cache
from hashlib import blake2b


class CommandIndex:
    """Command id → stream sequence of the record that accepted it.

    Ids are kept as 64-bit digests; whoever finds one reads the record and compares the id itself, so that a collision
    costs a read and nothing else. A linear search over a few hundred machine words takes about a microsecond; beyond that
    a dictionary takes over.
    """

    __slots__ = ("_digests", "_large", "_sequences")

    SMALL = 512

    def __init__(self) -> None:
        self._digests = array("Q")
        self._sequences = array("Q")
        self._large: dict[int, int] | None = None

    def add(self, command_id: str, sequence: int) -> None:
        """Remember one accepted command."""
        digest = _digest(command_id)
        if self._large is not None:
            self._large[digest] = sequence
            return
        self._digests.append(digest)
        self._sequences.append(sequence)
        if len(self._digests) > self.SMALL:
            self._large = dict(zip(self._digests, self._sequences, strict=True))
            self._digests, self._sequences = array("Q"), array("Q")

    def find(self, command_id: str) -> int | None:
        """Sequence of the record that may hold this command, or None when it is certainly new."""
        digest = _digest(command_id)
        if self._large is not None:
            return self._large.get(digest)
        try:
            return self._sequences[self._digests.index(digest)]
        except ValueError:
            return None


@lru_cache(maxsize=4096)
def _digest(command_id: str) -> int:
    return int.from_bytes(blake2b(command_id.encode(), digest_size=8).digest(), "big")
