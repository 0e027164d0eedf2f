"""Pairing's past in the tests of its decider."""

from __future__ import annotations

from typing import Any

from services.pairing import decider
from services.pairing import model as m
from services.pairing.document import resolve
from tests.specification import NOON, Fact, Given, Specification

PAIRING = Specification(decider, "fupan.e1.pairing.cup")
KEYS = ("key",)


def settings(**changed: Any) -> m.Settings:
    """Settings of a file that leaves nearly everything out."""
    document = {"championship": "cup", "name": "Cup", "rounds": 2, "boards_per_round": 2, **changed}
    return resolve("\n".join(f"{key}: {value}" for key, value in document.items()), demo_allowed=True)


def created(**changed: Any) -> Fact:
    return Fact(m.ChampionshipCreated(settings(**changed), "boss", "e1", KEYS), by="boss")


def entrants(*numbers: int) -> tuple[m.Entrant, ...]:
    return tuple(m.Entrant(number, (m.Member(f"p-{number}", f"u-{number}"),)) for number in numbers)


def entered(*numbers: int, import_id: str = "i1") -> tuple[m.Event, ...]:
    listed = entrants(*numbers)
    return (
        m.EntrantsImported(import_id, 0, listed),
        m.EntrantsImportClosed(import_id, len(listed), m.entrants_digest(listed)),
    )


def registered(*numbers: int) -> m.RegistrationClosed:
    return m.RegistrationClosed(len(numbers), m.entrants_digest(entrants(*numbers)))


def seats(round_: int, *tables: tuple[int, ...]) -> tuple[m.SeatedTable, ...]:
    return tuple(
        m.SeatedTable(f"r{round_}-t{number}", 1, entrants) for number, entrants in enumerate(tables, 1)
    )


def pairing(round_: int, tables: tuple[m.SeatedTable, ...]) -> tuple[m.PairRound, m.RoundPaired]:
    """A round's command and what it becomes."""
    digest = m.seating_digest(tables)
    basis = ("draw", 0, b"") if round_ == 1 else ("standings", round_ - 1, b"standings")
    command = m.PairRound(round_, 1, *basis, 1, b"root", digest)
    return command, m.RoundPaired(round_, len(tables), digest, *basis, 1, b"root")


SIX = (1, 2, 3, 4, 5, 6)
FIRST = seats(1, (1, 2, 3), (4, 5, 6))
OPEN = (created(), *entered(*SIX))
DRAWN = (*OPEN, registered(*SIX))
PAIRED = (*DRAWN, m.RoundSeated(1, 0, FIRST), pairing(1, FIRST)[1])
STARTED = (*PAIRED, Fact(m.RoundStarted(1, 0), at=NOON))
CLOSED = (*STARTED, Fact(m.RoundClosed(1, incomplete=False, reason=""), at=NOON))


def ended(at: int = NOON, **changed: Any) -> Given:
    """A competition of one round that has ended."""
    past = (
        created(rounds=1, **changed),
        *PAIRED[1:],
        m.RoundStarted(1, 0),
        m.RoundClosed(1, incomplete=False, reason=""),
        Fact(m.CompetitionEnded(), at=at),
    )
    return PAIRING.given(*past)
