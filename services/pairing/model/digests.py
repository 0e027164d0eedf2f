"""Digests of what a championship lists, as its log states them."""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from services.ledger import digests
from services.pairing.model.events import Entrant, SeatedTable


def entrants_digest(entrants: Iterable[Entrant]) -> bytes:
    """Digest of an entrant list, in any order (`ledger.digests`)."""
    listed = sorted(entrants, key=lambda one: one.number)
    return digests.entrants_digest(
        (one.number, [(member.person_id, member.unit_id) for member in one.members]) for one in listed
    )


def seating_digest(tables: Iterable[SeatedTable]) -> bytes:
    """Digest of a round's tables in order (`ledger.digests`)."""
    return digests.seating_digest(
        (one.table, one.group, digests.places(one.entrants, one.members)) for one in tables
    )


def conduct_name(actor: str, command_id: str) -> str:
    """What a record of conduct is called where its reason is kept, by who sent it and under which command id."""
    return sha256(f"{actor} {command_id}".encode()).hexdigest()[:24]
