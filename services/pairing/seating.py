"""Who sits where in a round, as records say it, with a certificate of the draw (C6.1, C7, C8.1)."""

from __future__ import annotations

from collections.abc import Sequence

from fupan.dealer.v1.service_pb2 import RevealDrawResponse
from services.games.championship.meetings import Round
from services.games.championship.tables import Plan, Tables, met
from services.ledger import dealing
from services.ledger.digests import canonical_json
from services.pairing.model.digests import entrants_digest
from services.pairing.model.events import Entrant, SeatedTable
from services.pairing.model.state import Championship

DRAW = "round-1"
"""Name of the draw that seats round 1, and every round of a fixed movement."""

CHUNK = 2_000
"""Tables one record holds."""


def drawn(leaf: bytes, entropy: bytes, entrants: Sequence[Entrant]) -> tuple[int, ...]:
    """Entrant numbers in the order the committed draw gives (C6.1)."""
    numbers = sorted(entrant.number for entrant in entrants)
    return dealing.draw(leaf, entrants_digest(entrants), entropy, numbers)


def seated(round_: int, tables: Tables) -> tuple[SeatedTable, ...]:
    """The tables of a round under their ids."""
    return tuple(
        SeatedTable(f"r{round_}-{one.name}", one.group, one.entrants, one.members) for one in tables.tables
    )


def played(state: Championship) -> tuple[Round, ...]:
    """Who has met whom so far, and who had byes."""
    assert state.settings is not None
    form = state.settings.format
    return tuple(
        met(form, one.number, [table.entrants for table in one.tables], one.pairing.byes)
        for one in state.rounds
        if one.pairing is not None
    )


def chunks(tables: Sequence[SeatedTable]) -> list[tuple[SeatedTable, ...]]:
    """Tables in records' portions; of a round of byes alone one without any."""
    return [tuple(tables[i : i + CHUNK]) for i in range(0, len(tables) or 1, CHUNK)]


def certificate(
    plan: Plan,
    championship: str,
    entrants: Sequence[Entrant],
    tables: Sequence[SeatedTable],
    byes: Sequence[int],
    draw: RevealDrawResponse,
) -> bytes:
    """Everything the draw of round 1 can be recomputed from, as canonical JSON (docs/dealing.md).

    `entrants` as the list was closed, `tables` and `byes` as the draw gave them, `draw` as the dealer revealed it. Who has neither
    seat nor bye withdrew before the round was paired (C1.6).
    """
    placed = {number for one in tables for number in one.entrants} | set(byes)
    document = {
        "certificate": "fupan/seating/1",
        "championship": championship,
        "format": plan.format,
        "movement": plan.movement,
        "rounds": plan.rounds,
        "seats": plan.seats,
        "machine_seat": plan.machine_seat,
        "groups": plan.groups,
        "line_method": plan.line_method,
        "entrants": [
            [entrant.number, [[member.person_id, member.unit_id] for member in entrant.members]]
            for entrant in sorted(entrants, key=lambda one: one.number)
        ],
        "entrants_digest": entrants_digest(entrants).hex(),
        "withdrawn": sorted(one.number for one in entrants if one.number not in placed),
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
        "tables": [
            [one.table, one.group, list(one.entrants), *([list(one.members)] if one.members else [])]
            for one in tables
        ],
        "byes": list(byes),
    }
    return canonical_json(document)
