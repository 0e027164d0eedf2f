"""The demo's championship: created, entered, officials appointed, started; each step once, however often it is tried."""

from __future__ import annotations

import secrets
from dataclasses import dataclass

import yaml

from clients.cli.championship import listed
from clients.cli.connection import Fupan
from clients.cli.entrants import enter
from clients.cli.generate import people
from clients.cli.output import say
from clients.cli.roster import Row
from clients.cli.words import pick
from fupan.pairing.v1 import service_pb2 as pb

CHIEF = "chief-referee"
ARBITRATORS = tuple(f"arbitrator-{number}" for number in range(1, 6))
PANEL = 3

OVER = ("ended", "sealed")
"""Phases of a championship in which nothing is played any more."""

_MAX_SEED = 2**63 - 1
# Generous: on the slowest machine no clock ever decides a board.
_CLOCK_MS = 60_000
_JOIN_WAIT_MS = 60_000


@dataclass(frozen=True, slots=True)
class Event:
    """What is to be played. `seed` None: any."""

    ruleset: str
    form: str
    entrants: int
    rounds: int
    boards: int
    seed: int | None

    def fits(self, settings: pb.GetChampionshipResponse) -> bool:
        """Whether a championship of the log is this event."""
        told = settings.settings
        return (
            told.demo
            and (told.ruleset, told.format, told.rounds, told.boards_per_round)
            == (self.ruleset, self.form, self.rounds, self.boards)
            and settings.entrants in (0, self.entrants)
            and self.seed in (None, told.demo_seed)
        )


async def found(fupan: Fupan, event: Event) -> str:
    """The championship of the event: an unfinished one, else one of the same seed, else a new one."""
    known = await listed(fupan)
    unfinished = [one for one in known if one.settings.demo and one.phase not in OVER]
    same = [one for one in known if event.seed is not None and event.fits(one)]
    for one in (*unfinished, *same):
        championship = one.settings.championship
        if not event.fits(one):
            say(
                pick(
                    f"{championship} is unfinished: it is played on with its own settings",
                    f"{championship} 尚未结束：按其原有设置继续",
                )
            )
        if one.phase == "registration":
            await _begin(fupan, championship, event)
        return championship
    return await _create(fupan, event, {one.settings.championship for one in known})


async def _create(fupan: Fupan, event: Event, taken: set[str]) -> str:
    seed = secrets.randbelow(_MAX_SEED) if event.seed is None else event.seed
    # The id enters every deal, so the same seed must give the same one in a fresh directory.
    championship = next(name for number in range(1, 10_000) if (name := f"demo-{number}") not in taken)
    document = {
        "championship": championship,
        "name": f"Demo, seed {seed}",
        "ruleset": event.ruleset,
        "format": event.form,
        "rounds": event.rounds,
        "boards_per_round": event.boards,
        "clocks": {
            "play_ms": _CLOCK_MS,
            "claim_ms": _CLOCK_MS,
            "claim_floor_ms": 0,
            "join_wait_ms": _JOIN_WAIT_MS,
            "board_pause_ms": 0,
        },
        "automatic_rounds": True,
        "demo": {"seed": seed},
    }
    await fupan.pairing.CreateChampionship(
        pb.CreateChampionshipRequest(
            command_id="demo-create", document=yaml.safe_dump(document, sort_keys=False)
        )
    )
    await _begin(fupan, championship, event)
    return championship


async def _begin(fupan: Fupan, championship: str, event: Event) -> None:
    """Enter everybody, appoint the officials, start round 1. Ids of the commands never change."""
    members = enumerate(people(event.entrants, seed=1), start=2)
    await enter(fupan, championship, "demo-entrants", [Row(line, 0, (one,)) for line, one in members])
    officials = [(CHIEF, "chief_referee", "referees")]
    officials += [(person, "arbitrator", f"unit-of-{person}") for person in ARBITRATORS]
    for person, role, unit in officials:
        await fupan.pairing.AppointOfficial(
            pb.AppointOfficialRequest(
                command_id=f"demo-appoint-{person}",
                championship=championship,
                person_id=person,
                role=role,
                unit_id=unit,
            )
        )
    await fupan.pairing.PairRound(
        pb.PairRoundRequest(command_id="demo-pair", championship=championship, round=1)
    )
