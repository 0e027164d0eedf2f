"""Sealed ballots (C10.4): a commitment that fixes a vote, and its opening readable only with the appeal's key.

The commitment binds vote, appeal and member under 32 random bytes, so that it tells nothing and opens in one way
only; the opening is a sealed box to the appeal's X25519 key, which is released when voting has closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from services.domain import Rejected
from services.ledger import keys
from services.ledger.frame import purpose

OPENING = 32
"""Random bytes of a ballot's opening."""

# Equally long, so that the length of a box tells nothing.
_UPHOLD, _REJECT = b"\x01", b"\x00"


@dataclass(frozen=True, slots=True)
class SealedBallot:
    """What is cast: `commitment` (32 bytes) and `sealed_opening`, the box with vote and opening."""

    commitment: bytes
    sealed_opening: bytes


@dataclass(frozen=True, slots=True)
class OpenBallot:
    """A vote that has been opened, with the random bytes that prove it."""

    uphold: bool
    opening: bytes


def commitment(appeal: str, member: str, uphold: bool, opening: bytes) -> bytes:
    """The commitment to one member's vote in one appeal, 32 bytes."""
    vote = _UPHOLD if uphold else _REJECT
    return sha256(purpose("ballot", vote, opening, appeal.encode(), member.encode())).digest()


def seal_ballot(
    appeal: str, member: str, uphold: bool, public: bytes, opening: bytes, ephemeral: bytes
) -> SealedBallot:
    """A vote sealed to the appeal's `public` key; `opening` and `ephemeral` are 32 fresh random bytes each."""
    plain = (_UPHOLD if uphold else _REJECT) + opening
    return SealedBallot(
        commitment(appeal, member, uphold, opening),
        keys.seal_box(public, ephemeral, _context(appeal, member), plain),
    )


def open_ballot(appeal: str, member: str, ballot: SealedBallot, private: bytes) -> OpenBallot:
    """The vote in `ballot`. Raises Rejected (BALLOT_UNREADABLE, BALLOT_MISMATCH)."""
    try:
        plain = keys.open_box(private, _context(appeal, member), ballot.sealed_opening)
    except keys.SealBroken:
        raise Rejected("BALLOT_UNREADABLE", "C10.4", f"{member}'s ballot does not open") from None
    if len(plain) != 1 + OPENING or plain[:1] not in (_UPHOLD, _REJECT):
        raise Rejected("BALLOT_UNREADABLE", "C10.4", f"{member}'s ballot holds no vote")
    opened = OpenBallot(plain[:1] == _UPHOLD, plain[1:])
    if not fits(appeal, member, ballot.commitment, opened):
        raise Rejected(
            "BALLOT_MISMATCH", "C10.4", f"{member}'s ballot opens to another vote than it committed to"
        )
    return opened


def fits(appeal: str, member: str, committed: bytes, opened: OpenBallot) -> bool:
    """Whether an opened vote is the one that was committed to; anybody can check this once votes are published."""
    return commitment(appeal, member, opened.uphold, opened.opening) == committed


def _context(appeal: str, member: str) -> bytes:
    return purpose("ballot box", appeal.encode(), member.encode())
