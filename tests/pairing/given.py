"""Pairing's past in the tests of its decider."""

from __future__ import annotations

from typing import Any

from services.pairing import decider
from services.pairing.document import resolve
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.digests import entrants_digest, seating_digest
from tests.specification import NOON, Fact, Given, Specification

PAIRING = Specification(decider, "fupan.e1.pairing.cup")
KEYS = ("key",)


def settings(**changed: Any) -> e.Settings:
    """Settings of a file that leaves nearly everything out."""
    document = {"championship": "cup", "name": "Cup", "rounds": 2, "boards_per_round": 2, **changed}
    return resolve("\n".join(f"{key}: {value}" for key, value in document.items()), demo_allowed=True)


def created(**changed: Any) -> Fact:
    return Fact(e.ChampionshipCreated(settings(**changed), "boss", "e1", KEYS), by="boss")


def entrants(*numbers: int) -> tuple[e.Entrant, ...]:
    return tuple(e.Entrant(number, (e.Member(f"p-{number}", f"u-{number}"),)) for number in numbers)


def entered(*numbers: int, import_id: str = "i1") -> tuple[e.Event, ...]:
    listed = entrants(*numbers)
    return (
        e.EntrantsImported(import_id, 0, listed),
        e.EntrantsImportClosed(import_id, len(listed), entrants_digest(listed)),
    )


def registered(*numbers: int) -> e.RegistrationClosed:
    return e.RegistrationClosed(len(numbers), entrants_digest(entrants(*numbers)))


def seats(round_: int, *tables: tuple[int, ...]) -> tuple[e.SeatedTable, ...]:
    return tuple(
        e.SeatedTable(f"r{round_}-t{number}", 1, entrants) for number, entrants in enumerate(tables, 1)
    )


def pairing(round_: int, tables: tuple[e.SeatedTable, ...]) -> tuple[c.PairRound, e.RoundPaired]:
    """A round's command and what it becomes."""
    digest = seating_digest(tables)
    basis = ("draw", 0, b"") if round_ == 1 else ("standings", round_ - 1, b"standings")
    command = c.PairRound(round_, 1, *basis, 1, b"root", digest)
    return command, e.RoundPaired(round_, len(tables), digest, *basis, 1, b"root")


SIX = (1, 2, 3, 4, 5, 6)
FIRST = seats(1, (1, 2, 3), (4, 5, 6))
OPEN = (created(), *entered(*SIX))
DRAWN = (*OPEN, registered(*SIX))
PAIRED = (*DRAWN, e.RoundSeated(1, 0, FIRST), pairing(1, FIRST)[1])
STARTED = (*PAIRED, Fact(e.RoundStarted(1, 0), at=NOON))
CLOSED = (*STARTED, Fact(e.RoundClosed(1, incomplete=False, reason=""), at=NOON))


def ended(at: int = NOON, **changed: Any) -> Given:
    """A competition of one round that has ended."""
    past = (
        created(rounds=1, **changed),
        *PAIRED[1:],
        e.RoundStarted(1, 0),
        e.RoundClosed(1, incomplete=False, reason=""),
        Fact(e.CompetitionEnded(), at=at),
    )
    return PAIRING.given(*past)
