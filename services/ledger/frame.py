"""Joining byte strings so that they can be taken apart in one way only.

`frame(a, b)` = u32be(len a) ‖ a ‖ u32be(len b) ‖ b. Key derivations and commitments go over a frame that
begins with the scheme and the purpose, so that a value made for one purpose never passes for another.
"""

from __future__ import annotations

SCHEME = b"fupan/1"
"""First part of every frame with a purpose; a change of any construction changes it."""


def frame(*parts: bytes) -> bytes:
    """The parts, each after its length as four bytes, big-endian."""
    return b"".join([len(part).to_bytes(4, "big") + part for part in parts])


def purpose(name: str, *parts: bytes) -> bytes:
    """A frame that begins with the scheme and what it is for."""
    return frame(SCHEME, name.encode(), *parts)
