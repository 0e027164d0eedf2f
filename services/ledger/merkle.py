"""Merkle trees as in RFC 6962: roots, and proofs that one entry is in a root.

Leaves are hashed as SHA-256(0x00 ‖ data), nodes as SHA-256(0x01 ‖ left ‖ right); a node without a right
neighbour goes up as it is. The root of nothing is SHA-256("").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256


def entry(path: str, leaf: bytes) -> bytes:
    """The data of a committed leaf: path ‖ 0x00 ‖ leaf."""
    return path.encode() + b"\0" + leaf


def leaf_hash(data: bytes) -> bytes:
    """Hash of one entry."""
    return sha256(b"\0" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """Hash of an inner node."""
    return sha256(b"\1" + left + right).digest()


class Tree:
    """All levels of a tree over `entries`, so that every proof is a walk of log n steps."""

    def __init__(self, entries: Iterable[bytes]) -> None:
        levels = [[leaf_hash(data) for data in entries]]
        while len(levels[-1]) > 1:
            levels.append(_level_above(levels[-1]))
        self._levels = levels

    @property
    def size(self) -> int:
        """Number of entries."""
        return len(self._levels[0])

    @property
    def root(self) -> bytes:
        """The root hash, 32 bytes."""
        return self._levels[-1][0] if self.size else sha256(b"").digest()

    def proof(self, index: int) -> tuple[bytes, ...]:
        """The sibling hashes from entry `index` (from 0) up to the root. Raises IndexError."""
        if not 0 <= index < self.size:
            raise IndexError(f"entry {index} of {self.size}")
        path = []
        for level in self._levels[:-1]:
            sibling = index ^ 1
            if sibling < len(level):
                path.append(level[sibling])
            index >>= 1
        return tuple(path)


def root(entries: Iterable[bytes]) -> bytes:
    """The root hash over `entries` in order."""
    return Tree(entries).root


def included(root: bytes, data: bytes, index: int, size: int, proof: Sequence[bytes]) -> bool:
    """Whether `proof` shows that `data` is entry `index` of `size` under `root` (RFC 9162, 2.1.3.2)."""
    if not 0 <= index < size:
        return False
    node, last = leaf_hash(data), size - 1
    for sibling in proof:
        if last == 0:
            return False
        if index & 1 or index == last:
            node = node_hash(sibling, node)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            node = node_hash(node, sibling)
        index, last = index >> 1, last >> 1
    return last == 0 and node == root


def _level_above(level: list[bytes]) -> list[bytes]:
    above = [node_hash(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
    if len(level) % 2:
        above.append(level[-1])
    return above
