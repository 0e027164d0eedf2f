"""A championship as the directory knows it, folded from pairing's events."""

from __future__ import annotations

from typing import Any

from fupan.pairing.v1 import events_pb2 as pb
from services import directory
from services.directory import Championship, Place

SUBJECT = "fupan.e1.pairing.cup"
WINDOW_MS = 3 * 3600 * 1000
ENDED, CLOSED = 9_000_000, 5_000_000

Event: Any = pb


def championship(
    *events: tuple[str, Any, int],
    starts: str = "competition",
    form: str = "individual",
    real_cards: bool = False,
) -> Championship:
    """Two boards a round, entrants 1 to 9 of units u-1 to u-9; then `events` (kind, event, time)."""
    settings = pb.Settings(
        championship="cup",
        format=form,
        rounds=2,
        boards_per_round=2,
        window_starts=starts,
        appeal_window_ms=WINDOW_MS,
        real_cards=real_cards,
    )
    known = directory.create(
        pb.ChampionshipCreated(settings=settings, organiser="boss"), Place(SUBJECT, 1, 1)
    )
    entrants = [
        pb.Entrant(number=n, members=[pb.Member(person_id=f"p-{n}", unit_id=f"u-{n}")]) for n in range(1, 10)
    ]
    past: list[tuple[str, Any, int]] = [
        ("entrants_imported", pb.EntrantsImported(import_id="i", entrants=entrants), 2),
        ("entrants_import_closed", pb.EntrantsImportClosed(import_id="i"), 3),
        *events,
    ]
    for version, (kind, event, time_us) in enumerate(past, 2):
        known = directory.evolve(known, kind, event, Place(SUBJECT, version, time_us))
    return known


def paired(round_: int, *tables: tuple[int, ...]) -> list[tuple[str, Any, int]]:
    seated = [
        pb.SeatedTable(table=f"r{round_}-t{number}", group=1, entrants=entrants)
        for number, entrants in enumerate(tables, 1)
    ]
    return [
        ("round_seated", pb.RoundSeated(round=round_, tables=seated), 4),
        ("round_paired", pb.RoundPaired(round=round_), 4),
    ]


def closed(round_: int, at_us: int = CLOSED) -> tuple[str, Any, int]:
    return "round_closed", pb.RoundClosed(round=round_), at_us


def ended(at_us: int = ENDED) -> tuple[str, Any, int]:
    return "competition_ended", pb.CompetitionEnded(), at_us


def arbitrator(person: str, unit: str = "") -> tuple[str, Any, int]:
    return "official_appointed", pb.OfficialAppointed(person_id=person, role="arbitrator", unit_id=unit), 3
