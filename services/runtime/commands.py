"""Which command ids a subject has seen, in few bytes: a table keeps hundreds, and there are thousands of tables."""

from __future__ import annotations

from array import array


class CommandIndex:
    """Command id → stream sequence of the record that accepted it.

    Ids are kept as this process's 64-bit hashes; whoever finds one reads the record and compares the id itself, so that a collision
    costs a read and nothing else. A linear search over a few hundred machine words takes about a microsecond; beyond that
    a dictionary takes over.
    """

    __slots__ = ("_hashes", "_large", "_sequences")

    SMALL = 512

    def __init__(self) -> None:
        self._hashes = array("q")
        self._sequences = array("Q")
        self._large: dict[int, int] | None = None

    def add(self, command_id: str, sequence: int) -> None:
        """Remember one accepted command."""
        hashed = hash(command_id)
        if self._large is not None:
            self._large[hashed] = sequence
            return
        self._hashes.append(hashed)
        self._sequences.append(sequence)
        if len(self._hashes) > self.SMALL:
            self._large = dict(zip(self._hashes, self._sequences, strict=True))
            self._hashes, self._sequences = array("q"), array("Q")

    def find(self, command_id: str) -> int | None:
        """Sequence of the record that may hold this command, or None when it is certainly new."""
        hashed = hash(command_id)
        if self._large is not None:
            return self._large.get(hashed)
        try:
            return self._sequences[self._hashes.index(hashed)]
        except ValueError:
            return None
