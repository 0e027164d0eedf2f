"""Who is who, from pairing's events."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence

import pytest

from fupan.pairing.v1 import events_pb2 as pb
from services.directory import Directory, Noticed
from services.runtime import catchup
from services.runtime.errors import NotFound, Unavailable
from services.runtime.forks import Ruled
from services.runtime.identity import Caller
from services.runtime.memory import MemoryStore
from services.table.rounds import opened
from tests.runtime.serving import EPOCH, PairingLog, appointed, created, entered


class World:
    """A log of pairing's and a directory that follows it."""

    def __init__(self) -> None:
        self.store = MemoryStore()
        self.log = PairingLog(self.store)
        self.directory = Directory(self.store, EPOCH)

    async def write(self, *events: pb.Event, championship: str = "open", time_us: int = 0) -> None:
        await self.log.write(championship, *events, time_us=time_us)
        await self.directory.refresh()


@pytest.fixture
async def world() -> AsyncIterator[World]:
    made = World()
    await made.directory.start()
    yield made
    await made.directory.stop()


def suspended(person: str, role: str) -> pb.Event:
    return pb.Event(official_suspended=pb.OfficialSuspended(person_id=person, role=role))


def seated(round_: int, chunk: int, tables: Mapping[str, Sequence[int]]) -> pb.Event:
    chunk_ = pb.RoundSeated(round=round_, chunk=chunk, tables=_tables(tables))
    return pb.Event(round_seated=chunk_)


def paired(round_: int, tables: int) -> pb.Event:
    return pb.Event(round_paired=pb.RoundPaired(round=round_, tables=tables))


def _tables(tables: Mapping[str, Sequence[int]]) -> list[pb.SeatedTable]:
    return [pb.SeatedTable(table=name, group=1, entrants=entrants) for name, entrants in tables.items()]


async def test_who_creates_a_championship_is_its_organiser(world: World) -> None:
    await world.write(created("open", "li-na"), time_us=500)
    championship = world.directory.get("open")
    assert (championship.id, championship.organiser, championship.created_us) == ("open", "li-na", 500)
    assert world.directory.settings("open").rounds == 2
    assert world.directory.roles("open", "li-na") == {"organiser"}
    assert world.directory.authority("open", "li-na", "organiser") == "fupan.e1.pairing.open@1"
    assert world.directory.championships() == ["open"]


async def test_there_is_nothing_to_know_of_a_championship_there_is_not(world: World) -> None:
    assert not world.directory.known("open")
    assert world.directory.roles("open", "li-na") == frozenset()
    assert not world.directory.plays("open", "li-na")
    for ask in (world.directory.get, world.directory.settings):
        with pytest.raises(NotFound):
            ask("open")


async def test_an_office_is_held_from_appointment_to_suspension(world: World) -> None:
    await world.write(created("open"))
    await world.write(appointed("wang-wei", "referee"))
    await world.write(appointed("wang-wei", "arbitrator"))
    assert world.directory.roles("open", "wang-wei") == {"referee", "arbitrator"}
    assert world.directory.authority("open", "wang-wei", "referee") == "fupan.e1.pairing.open@2"
    await world.write(suspended("wang-wei", "referee"))
    assert world.directory.roles("open", "wang-wei") == {"arbitrator"}
    assert world.directory.authority("open", "wang-wei", "referee") == ""
    await world.write(suspended("nobody", "referee"))
    await world.write(appointed("wang-wei", "referee"))
    assert world.directory.authority("open", "wang-wei", "referee") == "fupan.e1.pairing.open@6"


async def test_championships_do_not_mix(world: World) -> None:
    await world.write(created("open"), appointed("wang-wei", "referee"))
    await world.write(created("youth", "li-na"), *entered("i1", {1: ["wang-wei"]}), championship="youth")
    assert world.directory.roles("open", "wang-wei") == {"referee"}
    assert world.directory.roles("youth", "wang-wei") == {"player"}
    assert world.directory.championships() == ["open", "youth"]


async def test_an_import_counts_when_it_is_closed(world: World) -> None:
    await world.write(created("open"))
    first, closing = entered("i1", {1: ["a"], 2: ["b"]})
    second = entered("i1", {3: ["c", "d"]})[0]
    other = entered("i2", {9: ["z"]})[0]
    await world.write(first)
    await world.write(other)
    await world.write(second)
    assert not world.directory.plays("open", "a")
    await world.write(closing)
    championship = world.directory.get("open")
    assert dict(championship.entrant_of) == {"a": 1, "b": 2, "c": 3, "d": 3}
    assert [member.person_id for member in championship.entrants[3].members] == ["c", "d"]
    assert world.directory.authority("open", "d", "player") == "fupan.e1.pairing.open@4"
    assert world.directory.plays("open", "d")
    assert not world.directory.plays("open", "z")


async def test_who_withdraws_stays_a_player(world: World) -> None:
    """What was played stays, and appeals stay open (C1.6, C10.1)."""
    await world.write(created("open"), *entered("i1", {1: ["a"]}))
    await world.write(pb.Event(entrant_withdrawn=pb.EntrantWithdrawn(entrant=1)))
    assert world.directory.get("open").withdrawn == {1}
    assert world.directory.roles("open", "a") == {"player"}
    assert world.directory.plays("open", "a")


async def test_persons_of_a_team_sit_in_two_rooms(world: World) -> None:
    """C7.2: members by seat; where none are named the first member sits."""
    await world.write(created("open"))
    await world.write(*entered("one", {1: ["a", "b", "c", "d"], 2: ["e", "f", "g", "h"], 3: ["i"]}))
    tables = [
        pb.SeatedTable(table="t1-open", group=1, entrants=[1, 2, 1, 2], members=[0, 0, 1, 1]),
        pb.SeatedTable(table="t1-closed", group=1, entrants=[2, 1, 2, 1], members=[2, 2, 3, 3]),
        pb.SeatedTable(table="t2", group=1, entrants=[3, 0]),
    ]
    await world.write(pb.Event(round_seated=pb.RoundSeated(round=1, tables=tables)), paired(1, 3))
    open_ = world.directory.get("open")
    round_ = open_.rounds[1]
    sitting = {
        name: [open_.person_at(table, seat) for seat in range(len(table.entrants))]
        for name, table in round_.tables.items()
    }
    assert sitting == {"t1-open": ["a", "e", "b", "f"], "t1-closed": ["g", "c", "h", "d"], "t2": ["i", ""]}
    assert [table.table for table in round_.tables_of(1)] == ["t1-open", "t1-closed"]
    assert [table.table for table in round_.tables_of(3)] == ["t2"]
    assert round_.tables_of(9) == ()
    table = opened(open_, round_, round_.tables["t1-closed"])
    assert [(seat.entrant, seat.person_id) for seat in table.seats] == [
        (2, "g"),
        (1, "c"),
        (2, "h"),
        (1, "d"),
    ]


async def test_a_round_is_seated_in_chunks_that_count_when_it_is_paired(world: World) -> None:
    await world.write(created("open"))
    await world.write(seated(1, 0, {"old": [1, 2, 3]}))
    # A first chunk begins anew.
    await world.write(seated(1, 0, {"t1": [1, 2, 3]}))
    await world.write(seated(1, 1, {"t2": [4, 5, 0]}))
    before = world.directory.get("open")
    assert (before.rounds[1].phase, before.current_round) == ("seating", None)
    await world.write(paired(1, 2))
    now = world.directory.get("open").current_round
    assert now is not None
    assert (now.number, now.phase) == (1, "paired")
    assert {name: table.entrants for name, table in now.tables.items()} == {"t1": (1, 2, 3), "t2": (4, 5, 0)}
    assert dict(now.table_of) == {1: "t1", 2: "t1", 3: "t1", 4: "t2", 5: "t2"}
    override = pb.SeatingOverridden(round=1, tables=_tables({"t1": [3, 2, 1], "t2": [0, 5, 4]}))
    await world.write(pb.Event(seating_overridden=override))
    assert world.directory.get("open").rounds[1].tables["t1"].entrants == (3, 2, 1)


async def test_rounds_and_phases_follow_the_events(world: World) -> None:
    await world.write(created("open"))
    phases = [world.directory.get("open").phase]
    for event in (
        pb.Event(registration_closed=pb.RegistrationClosed(count=0)),
        seated(1, 0, {"t1": [1]}),
        paired(1, 1),
        pb.Event(round_started=pb.RoundStarted(round=1, board_deadline_us=99)),
        pb.Event(round_closed=pb.RoundClosed(round=1)),
        seated(2, 0, {"t2": [1]}),
        paired(2, 1),
        pb.Event(competition_ended=pb.CompetitionEnded()),
        pb.Event(championship_sealed=pb.ChampionshipSealed()),
    ):
        await world.write(event)
        state = world.directory.get("open")
        now = state.current_round
        phases.append(f"{state.phase} {now.number} {now.phase}" if now else state.phase)
    assert phases == [
        "registration",
        "running",
        "running",
        "running 1 paired",
        "running 1 running",
        "running 1 closed",
        "running 1 closed",
        "running 2 paired",
        "ended 2 paired",
        "sealed 2 paired",
    ]
    assert world.directory.get("open").rounds[1].board_deadline_us == 99


async def test_a_board_played_again_is_known_by_its_table(world: World) -> None:
    """C10.6."""
    table = pb.SeatedTable(table="r1-t1-a2", group=1, entrants=[1, 2, 3])
    seated = pb.ReplaySeated(round=1, board=4, attempt=2, table=table, replaces="r1-t1")
    await world.write(created("open"), pb.Event(replay_seated=seated))
    (replay,) = world.directory.get("open").replays.values()
    assert (replay.round, replay.board, replay.attempt) == (1, 4, 2)
    assert (replay.table.table, replay.table.entrants) == ("r1-t1-a2", (1, 2, 3))
    assert world.directory.get("open").rounds == {}
    await world.write(pb.Event(competition_ended=pb.CompetitionEnded()))
    assert not world.directory.get("open").played
    await world.write(pb.Event(board_replayed=pb.BoardReplayed(table="r1-t1-a2")))
    assert world.directory.get("open").played


async def test_listeners_are_told_after_the_fold_and_from_the_first_record() -> None:
    world = World()
    noticed: list[tuple[str, int, frozenset[str]]] = []

    def listen(what: Noticed) -> None:
        noticed.append((what.kind, what.place.version, what.championship.roles("wang-wei")))
        assert world.directory.get(what.championship.id) is what.championship

    world.directory.listen(listen)
    await world.log.write("open", created("open"), appointed("wang-wei", "referee"))
    await world.directory.start()
    await world.write(suspended("wang-wei", "referee"))
    await world.directory.stop()
    assert noticed == [
        ("championship_created", 1, frozenset()),
        ("official_appointed", 1, {"referee"}),
        ("official_suspended", 2, frozenset()),
    ]


async def test_what_this_version_does_not_know_is_skipped_and_counted(world: World) -> None:
    newer = pb.Event()
    newer.MergeFromString(b"\xfa\x3e\x00")  # an alternative with a number of the future
    await world.write(created("open"), newer, appointed("wang-wei", "referee"))
    assert world.directory.skipped == 1
    assert world.directory.roles("open", "wang-wei") == {"referee"}


async def test_refresh_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catchup, "PATIENCE", 0)
    world = World()
    await world.log.write("open", created("open"))
    with pytest.raises(Unavailable, match="POSITION_NOT_REACHED"):
        await world.directory.refresh()


async def test_open_tables_are_watched_by_services_and_by_officials_who_do_not_play(world: World) -> None:
    await world.write(created("open"), appointed("ref", "referee"), appointed("anna", "referee"))
    await world.write(*entered("one", {1: ["anna"], 2: ["bo"]}))

    def watches(subject: str, championship: str = "open") -> bool:
        return world.directory.watches(championship, Caller(subject))

    assert watches("ref")
    assert watches("service:pairing")
    assert not any(watches(one) for one in ("anna", "bo", "stranger", ""))
    assert not watches("ref", "another")


async def test_what_was_decided_on_histories_is_known_by_subject_and_version(world: World) -> None:
    """C9.2; the newest decision on a version stands."""
    await world.write(created("open"))
    table = EPOCH.table_subject("open", "r1-t1")

    def decided(version: int, until: int, *records: bytes) -> pb.Event:
        told = pb.ForkDecided(subject=table, version=version, until=until, records=records)
        return pb.Event(fork_decided=told)

    await world.write(decided(3, 7, b"one"), decided(3, 9), decided(5, 9, b"other"))
    rulings = world.directory.get("open").rulings
    assert rulings == {table: {3: Ruled(3, 9, ()), 5: Ruled(5, 9, (b"other",))}}
