"""Seals announced and answered by replicas that read and write late, and are killed: whatever happens, what was accepted is sealed
(C10.8)."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.directory import Directory
from services.domain import Rejected
from services.ledger.record import Writer, body_of, decode
from services.pairing import decider as pairing
from services.pairing.announcing import Announcing
from services.pairing.codec import COMMANDS, EVENTS
from services.pairing.desk import Desk
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.state import Championship
from services.pairing.progress import Progress
from services.pairing.replays import Replays
from services.pairing.reseating import Reseating
from services.pairing.rounds import PairingLog, Rounds
from services.pairing.sealing import Sealing
from services.runtime import worklist
from services.runtime.errors import Unavailable
from services.runtime.follower import Follower, Read, catch_up
from services.runtime.log import Envelope, Log
from services.runtime.memory import MemoryStore
from services.runtime.streams import Epoch
from services.scoring import codec as scored
from services.scoring import decider as scoring
from services.scoring import desk as scoring_desk
from services.scoring import model as m
from tests.late import Late
from tests.pairing.given import ended
from tests.specification import NOON

EPOCH = Epoch("e1", 1)
PAIRING, SCORING = EPOCH.subject("pairing", "cup"), EPOCH.subject("scoring", "cup")
SECONDS = 20.0
"""In which everything comes to rest."""
PRIVATE = bytes(range(32))
ABSENT = ("playoffs", "overturning", "persons", "reasons", "tables_log", "substitutes")
"""What a desk has and no seal needs."""
AGAIN = "again"
"""The penalty that stands for a board to be played again: while it is not lifted nothing is sealed."""

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("seal"), st.integers(0, 1)),
        st.tuples(st.just("correct"), st.integers(0, 1), st.sampled_from(("late", AGAIN, "lifted"))),
        st.tuples(st.just("go"), st.integers(0, 15)),
        st.tuples(st.just("go"), st.integers(0, 15)),
        st.tuples(st.just("go"), st.integers(0, 15)),
        st.tuples(st.just("flow"), st.integers(0, 3)),
        st.tuples(st.just("kill"), st.integers(0, 3)),
    ),
    max_size=40,
)


class Tables:
    """What scoring computes, here of rulings alone."""

    streams = ()

    async def catch_up(self) -> None:
        pass

    async def substituted(self, championship: str, person: str) -> bool:
        return False

    async def played(self, championship: str, number: int) -> bool:
        return True

    async def live(self, championship: str, rulings: tuple[m.Ruled, ...]) -> Any:
        return SimpleNamespace(cut=m.Cut(()), digest=sha256(repr(rulings).encode()).digest(), rows=())


class Played(Replays):
    """Boards that are played again, by what was read of scoring's log."""

    again = False

    def waiting(self, state: Championship) -> int:
        return int(self.again)


@dataclass
class Replica:
    """A process that pairs, or that scores."""

    store: Late
    desk: Any
    log: Any
    work: worklist.Worklist[str]
    stopping: asyncio.Event = field(default_factory=asyncio.Event)
    alive: bool = True


async def pairs(store: Late, name: str) -> Replica:
    log: PairingLog = Log(
        store, Writer("pairing", name, "test"), "e1", pairing, COMMANDS, EVENTS, lambda: NOON
    )
    directory = Directory(store, EPOCH)
    none: Any = None
    absent: dict[str, Any] = dict.fromkeys(ABSENT)
    rounds = Rounds(log, lambda one: PAIRING, none, none, Progress())
    replays, reseating = Played(log, lambda one: PAIRING, none), Reseating(log, lambda one: PAIRING)
    sealing = Sealing(PRIVATE)
    for table in ended().state.rounds[0].tables:
        sealing.of("cup").tables[EPOCH.table_subject("cup", table.table)] = 9, b"head"

    async def read(reads: list[Read]) -> None:
        for one in reads:
            for data in one.body.events if one.body else ():
                event = scored.EVENTS.decode(data)
                if isinstance(event, m.PenaltySet) and event.penalty == AGAIN:
                    replays.again = event.tenths > 0
        await desk.read_scoring(reads)

    followers = [Follower(store, EPOCH.stream("scoring"), read)]
    desk = Desk(
        **absent,
        log=log,
        rounds=rounds,
        replays=replays,
        reseating=reseating,
        announcing=Announcing(
            log, rounds, replays, reseating, sealing, EPOCH, lambda: NOON, lambda: catch_up(followers)
        ),
        progress=Progress(),
        sealing=sealing,
        directory=directory,
        epoch=EPOCH,
        clock=lambda: NOON,
        trusted_keys=(),
        demo_allowed=True,
        catch_up=lambda: catch_up(followers),
        caught_up=log.catch_up,
    )
    await directory.start()
    await log.start([EPOCH.stream("pairing")])
    await followers[0].start()
    return Replica(store, desk, log, desk.steps)


async def scores(store: Late, name: str) -> Replica:
    log: Any = Log(
        store, Writer("scoring", name, "test"), "e1", scoring, scored.COMMANDS, scored.EVENTS, lambda: NOON
    )
    directory = Directory(store, EPOCH)

    async def heard() -> None:
        pass

    tables: Any = Tables()
    desk = scoring_desk.Desk(log, tables, directory, EPOCH, heard)
    await directory.start()
    await log.start([EPOCH.stream("scoring")])
    return Replica(store, desk, log, desk.publications)


@dataclass
class Asked:
    """What somebody asked for, and what came of it: None while nobody knows."""

    number: int
    what: str
    replica: Replica
    told: str | None = None


@dataclass
class World:
    """Two replicas that pair and two that score, of one log."""

    whole: MemoryStore = field(default_factory=MemoryStore)
    replicas: list[Replica] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)
    names: Iterator[int] = field(default_factory=itertools.count)

    async def begin(self) -> None:
        past = [one.event for one in ended(appeals="{final_authority: chief_referee}").events]
        written: Any = SimpleNamespace(
            decide=lambda state, command, meta: [past[meta.version - 1]],
            evolve=pairing.evolve,
            initial=pairing.initial,
        )
        log: PairingLog = Log(
            self.whole, Writer("pairing", "first", "test"), "e1", written, COMMANDS, EVENTS, lambda: NOON
        )
        for number in range(len(past)):
            await log.handle(PAIRING, c.AnnounceSeal(), Envelope("boss", f"past-{number}"))
        for number in range(4):
            self.replicas.append(await self.replica(number))
        await self.until(lambda: self.ledger.publications != () and not self.unrest())
        for one in self.replicas:
            one.store.flows = False

    @property
    def ledger(self) -> m.Ledger:
        found: m.Ledger = self.replicas[2].log.state(SCORING) or scoring.INITIAL
        return found

    @property
    def state(self) -> Championship:
        found: Championship = self.replicas[0].log.state(PAIRING)
        return found

    async def replica(self, number: int) -> Replica:
        """One that has read everything there is."""
        made = await (pairs if number < 2 else scores)(Late(self.whole), f"r{next(self.names)}")
        self.spawn(made.work.run(made.stopping))
        return made

    def spawn(self, work: Any) -> None:
        self.tasks.add(asyncio.create_task(work))

    async def settle(self) -> None:
        for _ in range(30):
            await asyncio.sleep(0)

    async def until(self, condition: Any) -> None:
        async with asyncio.timeout(SECONDS):
            while not condition():  # noqa: ASYNC110
                await asyncio.sleep(0.001)

    async def step(self, kind: str, number: int, what: str = "") -> None:
        match kind:
            case "seal":
                self.ask(self.replicas[number], "seal")
            case "correct":
                self.ask(self.replicas[2 + number], what)
            case "go":
                waiting = [one.store for one in self.replicas if one.store.waiting]
                if waiting:
                    waiting[number % len(waiting)].go(number // len(waiting))
            case "flow":
                self.replicas[number].store.flow()
                await self.settle()
                self.replicas[number].store.flows = False
            case "kill":
                self.replicas[number].alive = False
                self.replicas[number] = await self.replica(number)
                self.replicas[number].store.flows = False
        await self.settle()

    def ask(self, replica: Replica, what: str) -> None:
        asked = Asked(len(self.asked), what, replica)
        self.asked.append(asked)
        self.spawn(self.tell(asked))

    async def tell(self, asked: Asked) -> None:
        asked.told = await self.answer(asked.replica, asked)

    async def answer(self, replica: Replica, asked: Asked) -> str | None:
        """What a replica answers: the seal's publication, "done", why not, or None for nothing that holds."""
        id_ = f"{asked.what}-{asked.number}"
        try:
            if asked.what == "seal":
                _, sealed = await replica.desk.seal("cup", id_)
                return f"sealed {sealed.publication}"
            penalty, tenths = (AGAIN, 0) if asked.what == "lifted" else (asked.what, asked.number + 1)
            command = m.SetPenalty(penalty, 1, tenths, m.Authority("chief_referee", "", "why"))
            await replica.desk.correct("cup", command, id_)
        except Rejected as refused:
            return refused.reason
        except Unavailable:
            return None
        return "done"

    def unrest(self) -> list[str]:
        """What is not at rest yet."""
        found = [f"{one.what} {one.number}" for one in self.asked if one.told is None and one.replica.alive]
        for subject, pair in ((PAIRING, self.replicas[:2]), (SCORING, self.replicas[2:])):
            if len({one.log.head(subject) for one in pair}) > 1:
                found.append(f"{subject} is read to {[one.log.head(subject).version for one in pair]}")
        ledger = self.ledger
        if self.state.sealing:
            found.append("a seal is announced")
        if ledger.sealed is None and ledger.fixed > ledger.reopened:
            found.append("standings are fixed")
        if (self.state.seal is None) != (ledger.sealed is None) or ledger.unpublished:
            found.append("scoring is behind")
        return found

    async def end(self) -> None:
        """Everything goes on, and comes to rest."""
        for one in self.replicas:
            one.store.flow()
        await self.settle()
        try:
            await self.until(lambda: not self.unrest())
        except TimeoutError:
            raise AssertionError(self.unrest()) from None

    async def close(self) -> None:
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()
        await asyncio.gather(*self.tasks, return_exceptions=True)


async def check(world: World) -> None:
    told = [
        EVENTS.decode(data)
        async for stored in world.whole.read(PAIRING)
        for data in body_of(decode(stored.data)).events
    ]
    seals = [one for one in told if isinstance(one, e.SealAnnounced | e.SealWithdrawn | e.ChampionshipSealed)]
    for number, (announced, fate) in enumerate(zip(seals[::2], seals[1::2], strict=True), 1):
        assert announced == e.SealAnnounced(number)
        assert not isinstance(fate, e.SealAnnounced)
        assert (fate.number if isinstance(fate, e.SealWithdrawn) else fate.announcement) == number
    state, ledger = world.state, world.ledger
    ruled = [one.event for one in ledger.rulings if isinstance(one.event, m.PenaltySet)]
    if state.seal is not None:
        final = ledger.publication(state.seal.publication)
        assert final is not None
        assert final is ledger.publications[-1]
        assert all(one.version < final.version for one in ledger.rulings), "decided after what was sealed"
        assert ledger.sealed == m.StandingsSealed(state.seal.publication, final.event.digest)
        again = [one.tenths for one in ruled if one.penalty == AGAIN]
        assert not again or again[-1] == 0, "sealed while a board is to be played again"
    written = {(one.penalty, one.tenths) for one in ruled}
    for asked in world.asked:
        if asked.what == "seal":
            assert asked.told != "done"
            if asked.told is not None and asked.told.startswith("sealed"):
                assert state.seal is not None
        elif asked.what != "lifted" and asked.told is not None:
            assert ((asked.what, asked.number + 1) in written) == (asked.told == "done"), asked
        if asked.told == "done":
            for replica in world.replicas[2:]:
                assert await world.answer(replica, asked) == "done", asked
        if (asked.told or "").startswith("sealed"):  # who only joined in has no record of the own
            for replica in world.replicas[:2]:
                assert await world.answer(replica, asked) in (asked.told, "CHAMPIONSHIP_SEALED"), asked


async def whatever_happens(steps: list[tuple[Any, ...]]) -> None:
    world = World()
    try:
        await world.begin()
        for step in steps:
            await world.step(*step)
        await world.end()
        await check(world)
    finally:
        await world.close()


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(STEPS)
def test_C10_8_whatever_replicas_do_what_was_accepted_is_in_what_is_sealed(
    steps: list[tuple[Any, ...]],
) -> None:
    async def unchecked(*given: Any) -> None:
        """Whether a correction fits the facts, of which there are none here."""

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(worklist, "WAITS", (0.001,))
        patched.setattr(scoring_desk.Desk, "check", unchecked)
        asyncio.run(whatever_happens(steps))
