"""Who sits where: the draw of round 1 and the movement afterwards (C1.3, C1.5, C6), with a certificate of the draw."""

from __future__ import annotations

from collections.abc import Sequence

from fupan.dealer.v1.service_pb2 import RevealDrawResponse
from services.games.championship.movement import (
    Seating,
    seat_against_machine,
    seat_by_lot,
    seat_by_rank,
)
from services.ledger import dealing
from services.ledger.digests import canonical_json
from services.pairing.model import Entrant, SeatedTable, Settings, entrants_digest

DRAW = "round-1"
"""Name of the draw that seats round 1."""

CHUNK = 2_000
"""Tables one record holds."""


def drawn(leaf: bytes, entropy: bytes, entrants: Sequence[Entrant]) -> tuple[int, ...]:
    """Entrant numbers in the order the committed draw gives (C6.1)."""
    numbers = sorted(entrant.number for entrant in entrants)
    return dealing.draw(leaf, entrants_digest(entrants), entropy, numbers)


def seat(settings: Settings, seats: int, round_: int, order: Sequence[int]) -> tuple[SeatedTable, ...]:
    """The tables of a round for `order` (drawn, or best first), `seats` at a table."""
    at_a_table = 1 if settings.format == "machine" else seats
    groups = min(settings.groups, -(-len(order) // at_a_table))
    if settings.format == "machine":
        tables = seat_against_machine(order, seats, settings.machine_seat, groups)
    elif round_ == 1:
        tables = seat_by_lot(order, seats, groups)
    else:
        tables = seat_by_rank(order, seats, groups, settings.layout)
    return tuple(_table(round_, number, table) for number, table in enumerate(tables, 1))


def chunks(tables: Sequence[SeatedTable]) -> list[tuple[SeatedTable, ...]]:
    """Tables in records' portions."""
    return [tuple(tables[i : i + CHUNK]) for i in range(0, len(tables), CHUNK)]


def certificate(
    settings: Settings,
    seats: int,
    entrants: Sequence[Entrant],
    tables: Sequence[SeatedTable],
    draw: RevealDrawResponse,
) -> bytes:
    """Everything the draw of round 1 can be recomputed from, as canonical JSON (docs/dealing.md).

    `entrants` as the list was closed, `tables` as the draw gave them, `draw` as the dealer revealed it. Who has no seat withdrew
    before the round was paired (C1.6).
    """
    seated = {number for one in tables for number in one.entrants}
    document = {
        "certificate": "fupan/seating/1",
        "championship": settings.championship,
        "format": settings.format,
        "seats": seats,
        "machine_seat": settings.machine_seat,
        "groups": settings.groups,
        "entrants": [
            [entrant.number, [[member.person_id, member.unit_id] for member in entrant.members]]
            for entrant in sorted(entrants, key=lambda one: one.number)
        ],
        "entrants_digest": entrants_digest(entrants).hex(),
        "withdrawn": sorted(one.number for one in entrants if one.number not in seated),
        "draw": {
            "name": DRAW,
            "leaf": draw.leaf.hex(),
            "entropy": draw.entropy.hex(),
            "proof": [one.hex() for one in draw.proof],
            "batch": draw.batch,
            "index": draw.index,
            "size": draw.size,
            "merkle_root": draw.merkle_root.hex(),
        },
        "tables": [[one.table, one.group, list(one.entrants)] for one in tables],
    }
    return canonical_json(document)


def _table(round_: int, number: int, seating: Seating) -> SeatedTable:
    return SeatedTable(f"r{round_}-t{number}", seating.group, tuple(one or 0 for one in seating.seats))
