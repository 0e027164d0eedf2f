"""Opaque positions: what a command answers and a query may wait for."""

from __future__ import annotations

from base64 import urlsafe_b64decode, urlsafe_b64encode

from services.domain import Rejected

# Of a sequence; Python refuses to read thousands of digits, with an error of its own.
_DIGITS = 20


def position(stream: str, sequence: int) -> str:
    """The position just after a stream's record; opaque to clients."""
    return urlsafe_b64encode(f"{stream}@{sequence}".encode()).decode().rstrip("=")


def parse_position(text: str) -> tuple[str, int]:
    """Stream and sequence of a position. Raises Rejected("MALFORMED_POSITION")."""
    try:
        stream, _, sequence = urlsafe_b64decode(text + "=" * (-len(text) % 4)).decode().rpartition("@")
        if stream and sequence.isascii() and sequence.isdigit() and len(sequence) < _DIGITS:
            return stream, int(sequence)
    except ValueError:
        pass
    raise Rejected("MALFORMED_POSITION", "", "a position is passed back exactly as it was given out")
