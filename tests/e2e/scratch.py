"""A platform of a test's own, where seeded deals may exist and nothing is played but what the test plays."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from grpc import aio

from clients.cli.connection import Fupan
from clients.robot.player import decide
from clients.robot.seat import Moment, Seat
from clients.robot.tokens import Signer, mint, signing_key
from fupan.pairing.v1 import service_pb2 as pb
from fupan.table.v1.service_pb2_grpc import TableServiceStub
from services.games.shengji.actions import PASS
from tests.e2e.command import SECONDS, Running
from tests.e2e.directory import Inside

OPERATOR = "operator"
CHIEF, REFEREE = "chief", "referee"
ARBITRATORS = ("judge-1", "judge-2", "judge-3")
LONG_MS = 3_600_000

Plays = Callable[[Moment], bool]
"""Whether a player answers this question; it leaves where it does not."""


@asynccontextmanager
async def platform(place: Path, environment: Mapping[str, str] | None = None) -> AsyncIterator[Inside]:
    """NATS, PostgreSQL and all services, with `environment` for them."""
    data = place / "data"
    data.mkdir(mode=0o711)
    # What a demo leaves in its directory: from then on seeded deals may exist there.
    (data / "services.json").write_text(json.dumps({"all": {"FUPAN_DEMO": "1"}}))
    async with Running("up", "--data", data, environment=dict(environment or {})) as up:
        await up.says("The platform runs")
        yield Inside(data)
        ended = await up.interrupt()
        assert ended.code == 0, ended.err


@dataclass(frozen=True)
class Cup:
    """A championship with people entered and officials appointed; its rounds start by themselves once paired."""

    inside: Inside
    id: str
    seed: int
    persons: tuple[str, ...]

    def token(self, person: str) -> str:
        """What somebody signs in with, good for ten minutes."""
        assert self.inside.place.keys is not None
        return mint(signing_key(self.inside.place.keys), person, 600)

    async def pair(self) -> None:
        """Draw and start the first round."""
        async with self.inside.caller(OPERATOR) as operator:
            await operator.pairing.PairRound(
                pb.PairRoundRequest(command_id="pair", championship=self.id, round=1)
            )

    async def tables(self, round_: int = 1) -> dict[str, tuple[str, ...]]:
        """Persons by seat of every table of a round."""
        async with self.inside.caller(OPERATOR) as operator:
            told = await operator.pairing.GetRound(pb.GetRoundRequest(championship=self.id, round=round_))
        return {
            one.table.table: tuple(
                self.persons[number - 1] if number else "" for number in one.table.entrants
            )
            for one in told.tables
        }

    async def play(self, person: str, plays: Plays = lambda _: True) -> None:
        """Play as a robot does, until `plays` says no or the championship has ended."""
        place = self.inside.place
        assert place.keys is not None
        signer = Signer(signing_key(place.keys), person)
        async with aio.insecure_channel(place.services["table"]) as channel:
            seat = Seat(TableServiceStub(channel), self.id, signer)
            async with aclosing(seat.moments()) as moments:
                async for told in moments:
                    if isinstance(told, Moment) and (told.due or told.may_bid):
                        if not plays(told):
                            return
                        action = decide(person, told)
                        if told.due or action != PASS:
                            await seat.answer(told, action)

    async def until(self, like: Callable[[pb.WatchRoundResponse], bool]) -> None:
        """Return when the running round is like that."""
        async with self.inside.caller(OPERATOR) as operator, asyncio.timeout(SECONDS):
            async for told in operator.pairing.WatchRound(pb.WatchRoundRequest(championship=self.id)):
                if like(told):
                    return


async def found(
    inside: Inside,
    championship: str,
    entrants: int,
    rounds: int = 1,
    boards: int = 2,
    seed: int = 11,
    ruleset: str = "paohuzi/competitive-2017",
    match_deals: int = 0,
    **settings: Any,
) -> Cup:
    """Create a championship of persons `<championship>-1` …, with clocks that never run out and other `settings` of its file.

    With `match_deals` of pairs, which play matches of so many deals, drawn a card every 20 ms; of pairs in that format, too.
    """
    clocks = {"play_ms": LONG_MS, "claim_ms": LONG_MS, "claim_floor_ms": 0, "board_pause_ms": 0}
    if ruleset.startswith("shengji"):
        clocks |= {"bid_ms": LONG_MS, "bury_ms": LONG_MS, "deal_pace_ms": 20 if match_deals else 0}
    of = 2 if match_deals or settings.get("format") == "pairs" else 1
    played: dict[str, Any] = {"boards_per_round": boards}
    if match_deals:
        played = {"format": "points", "match": {"deals": match_deals}}
    document = {
        "championship": championship,
        "name": "Cup",
        "ruleset": ruleset,
        "rounds": rounds,
        "clocks": {**clocks, "join_wait_ms": LONG_MS},
        "demo": {"seed": seed},
        **played,
        **settings,
    }
    persons = tuple(f"{championship}-{number}" for number in range(1, of * entrants + 1))
    async with inside.caller(OPERATOR) as operator:
        await operator.pairing.CreateChampionship(
            pb.CreateChampionshipRequest(command_id="create", document=yaml.safe_dump(document))
        )
        await operator.pairing.ImportEntrants(_rows(championship, persons, of))
        offices = [
            (CHIEF, "chief_referee"),
            (REFEREE, "referee"),
            *((one, "arbitrator") for one in ARBITRATORS),
        ]
        for person, role in offices:
            await appoint(operator, championship, person, role)
    return Cup(inside, championship, seed, persons)


async def _rows(
    championship: str, persons: Sequence[str], of: int
) -> AsyncIterator[pb.ImportEntrantsRequest]:
    yield pb.ImportEntrantsRequest(header=pb.ImportHeader(command_id="enter", championship=championship))
    members = [
        pb.PersonRow(person_id=person, unit_id=f"unit-{number}", name=f"Name {number}")
        for number, person in enumerate(persons, 1)
    ]
    for number, first in enumerate(range(0, len(members), of), 1):
        row = pb.ImportRow(line=number, number=number, members=members[first : first + of])
        yield pb.ImportEntrantsRequest(row=row)


async def appoint(operator: Fupan, championship: str, person: str, role: str) -> None:
    """Give somebody an office."""
    await operator.pairing.AppointOfficial(
        pb.AppointOfficialRequest(
            command_id=f"appoint-{person}",
            championship=championship,
            person_id=person,
            role=role,
            unit_id=f"unit-of-{person}",
        )
    )
