"""The demo's championship: created, entered, officials appointed, started; each step once, however often it is tried."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

from clients.cli.championship import listed
from clients.cli.connection import Fupan
from clients.cli.entrants import enter
from clients.cli.generate import field
from clients.cli.kinds import Kind
from clients.cli.output import say
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
_CLOCKS = {"paohuzi": ("play_ms", "claim_ms"), "shengji": ("play_ms", "claim_ms", "bid_ms", "bury_ms")}
_PACES = {
    "paohuzi": ("claim_floor_ms", "board_pause_ms"),
    "shengji": ("claim_floor_ms", "board_pause_ms", "deal_pace_ms"),
}
"""Waits for the sake of people, of which there are none."""

_JOIN_WAIT_MS = 60_000


@dataclass(frozen=True, slots=True)
class Event:
    """What is to be played; `boards` are those of a round, or the most deals of a match. `seed` None: any."""

    kind: Kind
    form: str
    entrants: int
    rounds: int
    boards: int
    seed: int | None

    def fits(self, settings: pb.GetChampionshipResponse) -> bool:
        """Whether a championship of the log is this event."""
        told = settings.settings
        boards = told.match_deals if self.kind.match else told.boards_per_round
        return (
            told.demo
            and (told.ruleset, told.format, told.rounds, boards)
            == (self.kind.ruleset, self.form, self.rounds, self.boards)
            and settings.entrants in (0, self.entrants)
            and self.seed in (None, told.demo_seed)
        )

    def document(self, championship: str, seed: int) -> dict[str, Any]:
        """Its championship file."""
        game = self.kind.game
        return {
            "championship": championship,
            "name": f"Demo, seed {seed}",
            "ruleset": self.kind.ruleset,
            "format": self.form,
            "rounds": self.rounds,
            **self.kind.length(self.boards),
            "clocks": {
                **dict.fromkeys(_CLOCKS[game], _CLOCK_MS),
                **dict.fromkeys(_PACES[game], 0),
                "join_wait_ms": _JOIN_WAIT_MS,
            },
            "automatic_rounds": True,
            "demo": {"seed": seed},
        }


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
    document = yaml.safe_dump(event.document(championship, seed), sort_keys=False)
    await fupan.pairing.CreateChampionship(
        pb.CreateChampionshipRequest(command_id="demo-create", document=document)
    )
    await _begin(fupan, championship, event)
    return championship


async def _begin(fupan: Fupan, championship: str, event: Event) -> None:
    """Enter everybody, appoint the officials, start round 1. Ids of the commands never change."""
    rows = list(field(event.entrants, event.kind.members, seed=1))
    await enter(fupan, championship, "demo-entrants", rows)
    for person, role, unit in _officials():
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


def _officials() -> Iterator[tuple[str, str, str]]:
    """Person, office and unit."""
    yield CHIEF, "chief_referee", "referees"
    for person in ARBITRATORS:
        yield person, "arbitrator", f"unit-of-{person}"
