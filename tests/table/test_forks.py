"""A table of which stream and archive hold different histories: nothing is accepted until the chief referee has decided, then the
one that was chosen goes on."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

import pytest

from services.domain import Rejected
from services.ledger.dealing import log_key
from services.ledger.record import Stored, glance
from services.runtime.entry import head_after
from services.runtime.forks import Ruled
from services.runtime.memory import MemoryStore
from services.table.framing import path_of
from services.table.leaves import Leaves
from services.table.model import commands as c
from services.table.replay import key_of, steps
from tests.table.logs import SUBJECT, Replica, StandInDealer

IN_DOUBT = 9
"""Version of a record in the middle of the board."""

_numbers = itertools.count(1)


async def stored(store: MemoryStore) -> list[Stored]:
    return [one async for one in store.read(SUBJECT)]


async def made_of(records: Iterable[Stored]) -> MemoryStore:
    """A stream that holds these records."""
    store, last = MemoryStore(), 0
    for one in records:
        last = await store.append(SUBJECT, one.data, last)
    return store


async def history() -> list[Stored]:
    """A table in the middle of its first board."""
    store = MemoryStore()
    replica = await begun(store)
    await replica.open()
    await replica.open_board()
    await replica.deal()
    await replica.answer(8)
    await replica.stop()
    return await stored(store)


async def begun(store: MemoryStore) -> Replica:
    return await Replica(store, StandInDealer(), f"r{next(_numbers)}").start()


async def another(shared: Sequence[Stored]) -> list[Stored]:
    """Another history that begins with some records: the board is closed where it was played on."""
    store = await made_of(shared)
    replica = await begun(store)
    await replica.log.unlock(SUBJECT)
    await replica.send(c.CallReferee(0, "no such thing happened"), "anna")
    await replica.stop()
    return await stored(store)


async def refuses(replica: Replica) -> None:
    with pytest.raises(Rejected, match="SUBJECT_SUSPENDED"):
        await replica.send(c.CloseBoard("deadline"))


async def as_before(records: Sequence[Stored]) -> Replica:
    """A replica that never saw anything else."""
    replica = await begun(await made_of(records))
    await replica.log.unlock(SUBJECT)
    return replica


async def goes_on(replica: Replica, store: MemoryStore, ruled: Ruled) -> None:
    """The board is played to its end, and a replica that starts later comes to the same."""
    await replica.play_out()
    assert glance((await stored(store))[-1].data)[0] == replica.log.head(SUBJECT).version
    later = await begun(store)
    await later.log.rule(SUBJECT, ruled)
    await later.log.unlock(SUBJECT)
    assert later.table == replica.table
    assert later.log.head(SUBJECT) == replica.log.head(SUBJECT)
    await later.stop()


@pytest.mark.parametrize("damage", ["removed", "unreadable"])
async def test_the_archived_history_stands_where_a_record_is_gone(damage: str) -> None:
    records = await history()
    bad = [] if damage == "removed" else [Stored("", 0, SUBJECT, b"\xff" * 40)]
    store = await made_of([*records[: IN_DOUBT - 1], *bad, *records[IN_DOUBT:]])
    replica, whole = await begun(store), await as_before(records)
    with pytest.raises(Rejected, match="SUBJECT_SUSPENDED"):
        await replica.log.unlock(SUBJECT)
    await refuses(replica)
    branch = tuple(one.data for one in records[IN_DOUBT - 1 :])
    ruled = Ruled(IN_DOUBT, len(await stored(store)), branch)
    await replica.log.rule(SUBJECT, ruled)
    await replica.log.unlock(SUBJECT)
    assert replica.table == whole.table
    await goes_on(replica, store, ruled)
    for one in (replica, whole):
        await one.stop()


async def test_of_two_histories_the_archived_one_stands() -> None:
    records = await history()
    store = await made_of(await another(records[: IN_DOUBT - 1]))
    replica, whole = await begun(store), await as_before(records)
    await replica.log.unlock(SUBJECT)
    assert replica.table.referee_called
    replica.log.hold(SUBJECT, IN_DOUBT, IN_DOUBT)
    await refuses(replica)
    ruled = Ruled(IN_DOUBT, len(await stored(store)), tuple(one.data for one in records[IN_DOUBT - 1 :]))
    await replica.log.rule(SUBJECT, ruled)
    await replica.log.unlock(SUBJECT)
    assert replica.table == whole.table
    await goes_on(replica, store, ruled)
    for one in (replica, whole):
        await one.stop()


async def test_of_two_histories_the_streams_own_stands() -> None:
    records = await history()
    store = await made_of(await another(records[: IN_DOUBT - 1]))
    replica = await begun(store)
    await replica.log.unlock(SUBJECT)
    before = replica.table
    replica.log.hold(SUBJECT, IN_DOUBT, IN_DOUBT)
    await refuses(replica)
    ruled = Ruled(IN_DOUBT, len(await stored(store)), ())
    await replica.log.rule(SUBJECT, ruled)
    assert replica.table == before
    # Told again, as after a restart: it is decided.
    replica.log.hold(SUBJECT, IN_DOUBT, IN_DOUBT)
    await goes_on(replica, store, ruled)
    await replica.stop()


async def test_what_is_not_decided_stays_suspended() -> None:
    records = await history()
    store = await made_of(records)
    replica = await begun(store)
    await replica.log.unlock(SUBJECT)
    for version in (IN_DOUBT, len(records)):
        replica.log.hold(SUBJECT, version, version)
    await replica.log.rule(SUBJECT, Ruled(IN_DOUBT, IN_DOUBT, ()))
    await refuses(replica)
    await replica.log.rule(SUBJECT, Ruled(len(records), len(records), ()))
    await replica.send(c.CloseBoard("deadline"))
    await replica.stop()


async def decided(archive: bool) -> tuple[Replica, MemoryStore, list[Stored]]:
    """A board that goes on after the archive's history, or the stream's, was chosen, in which somebody calls the referee; and what
    stands of it."""
    records = await history()
    other = await another(records[: IN_DOUBT - 1])
    stream, kept = (records, other) if archive else (other, records)
    store = await made_of(stream)
    replica = await begun(store)
    await replica.log.unlock(SUBJECT)
    branch = tuple(one.data for one in kept[IN_DOUBT - 1 :]) if archive else ()
    await replica.log.rule(SUBJECT, Ruled(IN_DOUBT, len(stream), branch))
    await replica.log.unlock(SUBJECT)
    await replica.play_out()
    later = (await stored(store))[len(stream) :]
    return replica, store, [*(other if archive else stream), *later]


@pytest.mark.parametrize("archive", [True, False], ids=["the archive's", "the stream's"])
async def test_the_records_that_are_read_are_those_that_stand(archive: bool) -> None:
    replica, _, stands = await decided(archive)
    read = [one async for one in replica.log.read(SUBJECT)]
    assert [one.data for one in read] == [one.data for one in stands]
    assert [glance(one.data)[0] for one in read] == list(range(1, len(stands) + 1))
    assert head_after(read[-1]).hash == replica.log.head(SUBJECT).hash
    for place in (0, IN_DOUBT - 2, IN_DOUBT - 1, IN_DOUBT, len(read) - 1):
        after = head_after(read[place])
        assert [one async for one in replica.log.read(SUBJECT, after)] == read[place + 1 :]
    await replica.stop()


@pytest.mark.parametrize("archive", [True, False], ids=["the archive's", "the stream's"])
async def test_a_replay_and_the_last_board_are_those_of_the_history_that_stands(archive: bool) -> None:
    replica, _, _ = await decided(archive)
    table = replica.table
    assert table.result is not None
    path = path_of(table.facts, table.result.slot)
    key = log_key(StandInDealer.leaf("cup", path), table.facts.table, path)
    told = [step async for step in steps(replica.log, SUBJECT, path, key)]
    assert told[-1].table.closed == 1
    assert told[-1].table.result == table.result
    assert any(step.table.referee_called for step in told)
    dealer = StandInDealer()
    assert await key_of(Leaves(dealer.ask), replica.log, SUBJECT, path) == key
    assert dealer.asked[0][0].sequence < IN_DOUBT
    await replica.stop()


async def test_a_command_of_the_history_that_stands_gets_its_first_answer() -> None:
    """Accepted in a record that the decision brought; what was accepted in the one that fell was not."""
    records = await history()
    kept = await made_of(records[: IN_DOUBT - 1])
    replica = await begun(kept)
    await replica.log.unlock(SUBJECT)
    first = await replica.send(c.CallReferee(0, "help"), "anna", "mine")
    await replica.send(c.PauseTable("help"), "ref", "his")
    await replica.stop()
    branch = tuple(one.data for one in (await stored(kept))[IN_DOUBT - 1 :])
    store = await made_of(records)
    replica = await begun(store)
    await replica.log.unlock(SUBJECT)
    warning = c.RecordInfringement(2, "A3", "warning", "whispered", 0)
    fallen = await replica.send(warning, "ref", "fell")
    await replica.log.rule(SUBJECT, Ruled(IN_DOUBT, fallen.sequence, branch))
    await replica.log.unlock(SUBJECT)
    length = replica.log.head(SUBJECT).version
    again = await replica.send(c.CallReferee(0, "help"), "anna", "mine")
    assert (again.repeated, again.hash, again.version) == (True, first.hash, first.version)
    assert (await replica.send(c.PauseTable("help"), "ref", "his")).repeated
    assert replica.log.head(SUBJECT).version == length
    anew = await replica.send(warning, "ref", "fell")
    assert (anew.repeated, anew.version) == (False, length + 1)
    await replica.stop()
