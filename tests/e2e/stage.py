"""A championship in the middle of everything, for requests of every kind to be thrown at."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from grpc_health.v1 import health_pb2, health_pb2_grpc

from clients.robot.seat import Moment
from fupan.appeals.v1 import events_pb2 as appeals_events
from fupan.appeals.v1 import service_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as scoring_events
from services.access import RULES
from services.ledger import record as ledger
from services.runtime.config import SERVICES
from services.runtime.store import Stored
from tests.e2e import scratch
from tests.e2e.callers import tokens
from tests.e2e.canary import Secret, Seeded, of_bytes
from tests.e2e.directory import Inside
from tests.e2e.messages import Vocabulary
from tests.e2e.scratch import Cup
from tests.e2e.sender import Sender
from tests.servers import SECONDS

DONE, OPEN = "r1-t1", "r1-t2"
ROUND = (1, 2)
"""Boards of the round."""

STALLS_AT = 4


@dataclass(frozen=True)
class Stage:
    """One table has finished its boards, the other stands in the middle of the first; two appeals, one before its panel."""

    inside: Inside
    cup: Cup
    seated: dict[str, tuple[str, ...]]
    appeals: tuple[str, ...]
    sender: Sender
    pid: int
    """Process id of the services."""

    @property
    def callers(self) -> tuple[str, ...]:
        """Everybody who may call, and everybody who may not."""
        return tuple(self.sender.tokens)

    def entitled(self, method: str) -> list[str]:
        """Callers with a role that may call a method."""
        people = {
            "operator": [scratch.OPERATOR],
            "organiser": [scratch.OPERATOR],
            "chief_referee": [scratch.CHIEF],
            "referee": [scratch.REFEREE],
            "arbitrator": list(scratch.ARBITRATORS),
            "player": [*self.seated[OPEN], self.seated[DONE][0]],
            "public": ["nobody", "stranger", self.seated[OPEN][0], scratch.REFEREE],
            "anyone": ["stranger", self.seated[OPEN][0]],
        }
        who = RULES[method].who
        return [one for word in sorted(who) for one in people.get(word, [word] if ":" in word else [])]

    @property
    def vocabulary(self) -> Vocabulary:
        """What exists here."""
        epoch, cup = self.inside.epoch, self.cup.id
        subjects = [epoch.subject(service, cup) for service in ("pairing", "dealer", "scoring")]
        subjects += [epoch.table_subject(cup, table) for table in (DONE, OPEN)]
        people = (*self.cup.persons, scratch.REFEREE, *scratch.ARBITRATORS)
        return Vocabulary(cup, people, (DONE, OPEN, "r9-t9"), (*self.appeals, "a-none"), subjects)


@asynccontextmanager
async def set_up(inside: Inside, championship: str) -> AsyncIterator[Stage]:
    """The stage on a platform that runs."""
    cup = await scratch.found(inside, championship, entrants=6, rounds=2)
    await cup.pair()
    seated = await cup.tables()
    done = [asyncio.create_task(cup.play(person)) for person in seated[DONE]]
    stalled = [asyncio.create_task(cup.play(person, _until_it_stalls)) for person in seated[OPEN]]
    await asyncio.wait(stalled, return_when=asyncio.FIRST_COMPLETED)
    await cup.until(lambda told: told.tables_done == 1)
    for task in (*done, *stalled):
        task.cancel()
    await asyncio.gather(*done, *stalled, return_exceptions=True)
    filed = await _appeals(cup)
    people = (scratch.OPERATOR, scratch.CHIEF, scratch.REFEREE, *scratch.ARBITRATORS)
    players = (*seated[OPEN], seated[DONE][0])
    sender = Sender(
        inside, championship, tokens(inside, (*people, *players, "stranger")), _secrets(inside, cup)
    )
    yield Stage(inside, cup, seated, filed, sender, inside.pid("services"))
    await sender.close()


def _until_it_stalls(moment: Moment) -> bool:
    return moment.ask < STALLS_AT


async def _appeals(cup: Cup) -> tuple[str, ...]:
    """Two appeals against the pairing: one with its panel voting, one without its fee."""
    filed, lifted = [], scoring_events.SetPenalty(penalty="late-1", entrant=1, tenths=0)
    for person in cup.persons[:2]:
        async with cup.inside.caller(person) as player:
            told = await player.appeals.FileAppeal(
                appeals.FileAppealRequest(
                    command_id="file",
                    championship=cup.id,
                    contested=appeals_events.Contested(pairing=appeals_events.ContestedPairing(round=1)),
                    grounds="we were not drawn by lot",
                    sought=[scoring_events.Remedy(set_penalty=lifted)],
                )
            )
            filed.append(told)
    async with cup.inside.caller(scratch.OPERATOR) as operator:
        first: dict[str, Any] = {"championship": cup.id, "appeal": filed[0].appeal}
        fee: dict[str, Any] = {"amount": filed[0].fee_amount, "currency": filed[0].fee_currency}
        await operator.appeals.RecordFee(appeals.RecordFeeRequest(command_id="fee", **fee, **first))
        await operator.appeals.AppointPanel(
            appeals.AppointPanelRequest(command_id="panel", members=scratch.ARBITRATORS, **first)
        )
    return tuple(told.appeal for told in filed)


def _secrets(inside: Inside, cup: Cup) -> list[Secret]:
    """What no answer may hold: of open boards, and what services are known by."""
    seeded = Seeded(cup.id, cup.seed)
    secrets = [one for board in ROUND for one in seeded.secrets(f"1/{board}/1", (DONE, OPEN))]
    directory = inside.directory
    passwords = [directory.secret(f"{kind}/{name}") for kind in ("nats", "postgres") for name in SERVICES]
    keys = [of_bytes("dealer.key", (inside.data / "keys/dealer.key").read_bytes())]
    return [*secrets, *keys, *(Secret("a password", (one.encode(),)) for one in passwords)]


async def positions(inside: Inside) -> dict[str, int]:
    """Last sequence of every stream."""
    store = await inside.log()
    found = {spec.name: await store.last_sequence(spec.name) for spec in inside.epoch.specs()}
    await store.close()
    return found


async def command_ids(stage: Stage) -> Counter[str]:
    """Ids of all commands that were accepted, by the log as the operator user reads it with the keys of the boards."""
    seeded, found = Seeded(stage.cup.id, stage.cup.seed), Counter[str]()
    store = await stage.inside.log()
    for spec in stage.inside.epoch.specs():
        for sequence in range(1, await store.last_sequence(spec.name) + 1):
            stored = await store.get(spec.name, sequence)
            if stored is not None and stored.data and stage.cup.id in stored.subject.split("."):
                found[_command_id(seeded, stored)] += 1
    await store.close()
    return found


def _command_id(seeded: Seeded, stored: Stored) -> str:
    record = ledger.decode(stored.data)
    key = None
    if record.sealed:
        key = seeded.log_key(stored.subject.rpartition(".")[2], record.header.key_ids[0])
    return ledger.body_of(record, key).command_id


async def unharmed(stage: Stage) -> None:
    """The services are the same processes, well, and nothing surprised them; what was refused left no record."""
    assert stage.inside.pid("services") == stage.pid
    async with stage.inside.caller("") as anybody:
        for service in SERVICES:
            health = health_pb2_grpc.HealthStub(anybody.channel(service))
            told = await health.Check(health_pb2.HealthCheckRequest(), timeout=SECONDS)
            assert told.status == health_pb2.HealthCheckResponse.SERVING, service
    lines = (stage.inside.data / "logs/services.log").read_text().splitlines()
    bad = [line for line in lines if '"internal_error"' in line or "Traceback" in line]
    assert not bad, "\n".join(bad[:3])
    recorded = await command_ids(stage)
    assert sorted(stage.sender.refused_ids - stage.sender.accepted_ids & recorded.keys()) == []
