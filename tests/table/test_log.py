"""The log of tables: what is sealed, what a replica without keys knows, and what a repeated command is told."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Sequence

import pytest

from services.domain import Rejected
from services.ledger import record as ledger
from services.runtime.errors import Unavailable
from services.runtime.memory import MemoryStore
from services.table.leaves import Leaf, Opened
from services.table.model import commands as c
from services.table.model.events import Acted
from tests.table.four import match
from tests.table.logs import SUBJECT, Replica, StandInDealer


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def dealer() -> StandInDealer:
    return StandInDealer()


@pytest.fixture
async def first(store: MemoryStore, dealer: StandInDealer) -> AsyncIterator[Replica]:
    replica = await Replica(store, dealer).start()
    await replica.open()
    await replica.open_board()
    await replica.deal()
    yield replica
    await replica.stop()


async def records(store: MemoryStore) -> list[ledger.Record]:
    return [ledger.decode(stored.data) async for stored in store.read(SUBJECT)]


async def test_a_board_is_sealed_from_its_deal_to_its_end_and_only_the_result_is_clear(
    first: Replica, store: MemoryStore
) -> None:
    await first.play_out()
    written = await records(store)
    assert [record.sealed for record in written] == [False] * 5 + [True] * (len(written) - 5)
    assert {record.header.key_ids for record in written[5:]} == {("1/1/1",)}
    assert all(record.header.params_digest for record in written)
    assert [record.closing for record in written[:-1]] == [None] * (len(written) - 1)
    closing, result = written[-1].closing, first.table.result
    assert closing is not None
    assert result is not None
    assert (closing.scores, closing.thinking_us) == (result.scores, result.thinking_us)
    assert closing.people == ("anna", "bo", "chen")


async def test_a_restarted_replica_asks_for_the_leaf_and_goes_on_where_the_board_was(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    await first.answer(4)
    second = await Replica(store, dealer, "b").start()
    assert second.log.waits(SUBJECT)
    assert second.table.board is not None
    assert second.table.board.game is None
    await second.log.unlock(SUBJECT)
    assert second.table == first.table
    assert second.log.head(SUBJECT) == first.log.head(SUBJECT)
    second.now_us = first.now_us
    await second.play_out()
    await second.stop()


async def test_a_replica_that_passes_over_a_board_knows_which_seats_given_within_it_are_not_confirmed(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    """C1.6: and one that was is."""
    await first.give(0, "dora")
    await first.send(c.ReplaceSeat(1, "egon", "unwell"), "ref")
    given_us = first.table.given_us
    assert [bool(since) for since in given_us] == [False, True, False]
    await first.send(c.CloseBoard("no light"))
    await first.open_board()
    dealer.away = True
    second = await Replica(store, dealer, "b").start()
    assert second.log.state(SUBJECT) is not None
    assert (second.table.people, second.table.given_us) == (first.table.people, given_us)
    assert second.table.instead == first.table.instead == ("", "bo", "")
    dealer.away = False
    await second.stop()


async def test_replicas_take_turns_at_one_table(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    second = await Replica(store, dealer, "b").start()
    both = [first, second]
    while not first.board.closed:
        act, actor = first.next_answer()
        second.now_us = first.now_us
        await both[0].send(act, actor)
        both.reverse()
        await asyncio.gather(*(r.log.wait_for("TABLE-e2026-0", r.log.head(SUBJECT).sequence) for r in both))
        await both[0].log.wait_for("TABLE-e2026-0", both[1].log.head(SUBJECT).sequence)
    assert second.table == first.table
    await second.stop()


async def test_p6_4_of_a_question_that_is_over_no_replica_asks_whether_another_knows_better(
    first: Replica, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = []
    reading = store.read

    def noted(subject: str, *place: int) -> AsyncIterator[ledger.Stored]:
        read.append(subject)
        return reading(subject, *place)

    monkeypatch.setattr(store, "read", noted)
    act, actor = first.next_answer()
    await first.send(act, actor)
    with pytest.raises(Rejected, match="QUESTION_OVER"):
        await first.send(act, actor)
    assert read == []
    with pytest.raises(Rejected, match="QUESTION_OVER"):
        await first.send(dataclasses.replace(act, ask=act.ask + 1), actor)
    assert read == [SUBJECT]  # another replica may have put it


async def test_without_its_key_a_closed_board_is_still_opened_for_what_only_its_records_say(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    act, actor = first.next_answer()
    await first.send(act, actor, "the first answer")
    await first.give(1, "dora")
    await first.play_out()
    second = await Replica(store, dealer, "b").start()
    again = await second.send(act, actor, "the first answer")
    assert again.repeated
    assert second.table == first.table
    await second.stop()


async def test_who_came_and_left_within_a_sealed_board_is_told_when_that_is_closed(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    """C1.6, C10.3: nobody else's records say it in the clear."""
    for person in ("dora", "", "bo", "dora", "bo"):
        await first.give(1, person)
    await first.play_out()
    closing = (await records(store))[-1].closing
    assert closing is not None
    assert (closing.people, closing.left) == (("anna", "bo", "chen"), ("bo", "dora"))
    await first.open_board()
    dealer.away = True
    second = await Replica(store, dealer, "b").start()
    assert second.table.result == first.table.result
    assert second.table.board == first.table.board
    await second.stop()


async def test_who_sits_there_is_told_in_the_clear_while_the_board_is_open(
    first: Replica, store: MemoryStore
) -> None:
    """C1.6: a record that gives a seat away says so, and no other does."""
    written = len(await records(store))
    for person in ("dora", "", "bo"):
        act, actor = first.next_answer()
        await first.send(act, actor)
        await first.give(1, person)
    await first.play_out()
    await first.give(2, "dora")  # between two boards, in the clear anyway
    told = (await records(store))[written:]
    assert [record.people for record in told if record.people] == [
        ("anna", person, "chen") for person in ("dora", "", "bo")
    ]
    given = (record for record in told if record.people)
    assert all(record.sealed and record.closing is None for record in given)


async def test_boards_before_the_last_are_known_by_their_results_alone(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    await first.give(1, "dora")
    await first.play_out()
    await first.open_board()
    dealer.away = True
    second = await Replica(store, dealer, "b").start()
    table = second.table
    assert (table.closed, table.result, table.people) == (1, first.table.result, first.table.people)
    assert table.board == first.table.board
    assert not second.log.waits(SUBJECT)
    await second.stop()


async def test_c9_3_a_call_for_a_referee_is_remembered_though_its_board_is_not_read(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    await first.send(c.CallReferee(0, "a quarrel"), "anna")
    await first.play_out()
    await first.open_board()
    dealer.away = True
    second = await Replica(store, dealer, "b").start()
    assert second.table.closed == 1
    assert second.table.referee_called
    await second.stop()


async def test_c8_3_a_match_stands_where_its_last_deal_led_to_whatever_was_written_since(
    store: MemoryStore, dealer: StandInDealer
) -> None:
    first = await Replica(store, dealer).start()
    await first.open(match())
    await first.open_board()
    await first.deal()
    await first.play_out()
    await first.send(c.PauseTable("noise"), "ref")
    await first.send(c.ResumeTable(), "ref")
    second = await Replica(store, dealer, "b").start()
    second.now_us = first.now_us
    await second.log.unlock(SUBJECT)
    assert second.table == first.table
    dealer.away = True
    third = await Replica(store, dealer, "c").start()
    assert third.log.head(SUBJECT) == first.log.head(SUBJECT)
    await (
        second.open_board()
    )  # it says in the clear where the match stands, so nobody needs the deal before it
    await third.log.wait_for("TABLE-e2026-0", second.log.head(SUBJECT).sequence)
    assert third.log.head(SUBJECT) == second.log.head(SUBJECT)
    assert third.table.course == second.table.course
    assert third.table.course is not None
    assert third.table.course.match.deals == 1
    for replica in (first, second, third):
        await replica.stop()


async def test_a_repeated_command_gets_its_first_answer_and_its_id_serves_no_other(first: Replica) -> None:
    act, actor = first.next_answer()
    answer = await first.send(act, actor, "once")
    again = await first.send(act, actor, "once")
    assert again.repeated
    assert (again.hash, again.version, again.events) == (answer.hash, answer.version, answer.events)
    assert isinstance(again.events[0], Acted)
    for other, who in ((act, "bo"), (c.CallReferee(0, ""), actor)):
        with pytest.raises(Rejected, match="COMMAND_ID_REUSED"):
            await first.send(other, who, "once")


async def test_after_a_restart_commands_of_earlier_boards_still_get_their_first_answers(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    act, actor = first.next_answer()
    answer = await first.send(act, actor, "once")
    await first.send(c.PauseTable("noise"), "ref", "pause")
    await first.send(c.ResumeTable(), "ref")
    await first.play_out()
    await first.open_board()
    await first.deal()

    second = await Replica(store, dealer, "b").start()
    second.now_us = first.now_us
    dealer.asked.clear()
    await second.log.unlock(SUBJECT)
    await second.answer(2)
    assert {board.path for asked in dealer.asked for board in asked} == {"1/2/1"}  # the open board is enough
    again = await second.send(act, actor, "once")
    assert again.repeated
    assert (again.hash, again.version, again.events) == (answer.hash, answer.version, answer.events)
    assert (await second.send(c.PauseTable("noise"), "ref", "pause")).repeated
    assert not second.table.paused_us
    for other, who in ((act, "bo"), (c.CallReferee(0, ""), actor)):
        with pytest.raises(Rejected, match="COMMAND_ID_REUSED"):
            await second.send(other, who, "once")
    await second.play_out()
    await second.stop()


async def test_nothing_is_written_to_an_opened_board_before_its_key_is_here(
    store: MemoryStore, dealer: StandInDealer
) -> None:
    replica = await Replica(store, dealer).start()
    await replica.open()
    await replica.open_board()
    dealer.away = True
    with pytest.raises(Unavailable):
        await replica.send(c.CallReferee(0, "where are the tiles?"), "anna")
    dealer.away = False
    await replica.send(c.CallReferee(0, "where are the tiles?"), "anna")
    assert (await records(store))[-1].sealed
    await replica.stop()


async def test_a_key_that_does_not_come_ends_with_the_deadline(
    store: MemoryStore, dealer: StandInDealer
) -> None:
    replica = await Replica(store, dealer).start()
    await replica.open()
    await replica.open_board()
    never: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def ask(boards: object) -> list[object]:
        await never
        return []

    replica.leaves._ask = ask  # type: ignore[assignment]
    with pytest.raises(TimeoutError):
        await replica.send(c.CloseBoard("deadline"), deadline=0.05)
    never.cancel()
    await replica.stop()


async def test_the_follower_reads_back_what_was_just_written_without_opening_it(
    first: Replica, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[ledger.Record] = []
    body_of = ledger.body_of

    def counted(record: ledger.Record, key: bytes | None = None) -> ledger.Body:
        opened.append(record)
        return body_of(record, key)

    monkeypatch.setattr(ledger, "body_of", counted)
    seen: list[int] = []
    first.log.listen(lambda applied: seen.append(applied.record.version))
    await first.play_out()
    assert seen == sorted(set(seen))
    assert opened == []


async def test_a_key_that_comes_when_the_next_board_is_played_already_opens_nothing_of_that(
    first: Replica, store: MemoryStore, dealer: StandInDealer, monkeypatch: pytest.MonkeyPatch
) -> None:
    second = await Replica(store, dealer, "b").start()
    ask, asked, given = dealer.ask, asyncio.Event(), asyncio.Event()

    async def slowly(boards: Sequence[Opened]) -> Sequence[Leaf]:
        asked.set()
        await given.wait()
        return await ask(boards)

    monkeypatch.setattr(second.leaves, "_ask", slowly)
    unlocking = asyncio.create_task(second.log.unlock(SUBJECT))
    await asked.wait()
    await first.play_out()
    await first.open_board()
    await first.deal()
    await first.answer(2)
    await second.log.wait_for("TABLE-e2026-0", first.log.head(SUBJECT).sequence)
    assert (second.log.waits(SUBJECT), second.table.closed) == (True, 1)
    given.set()
    await unlocking
    assert second.table.board == first.table.board
    second.now_us = first.now_us
    await second.play_out()
    await second.stop()


async def test_the_head_of_a_sealed_board_is_known_without_its_key(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    await first.answer(3)
    second = await Replica(store, dealer, "b").start()
    assert second.log.waits(SUBJECT)
    assert second.log.head(SUBJECT) == first.log.head(SUBJECT)
    await first.answer(1)
    await second.log.wait_for("TABLE-e2026-0", first.log.head(SUBJECT).sequence)
    assert second.log.head(SUBJECT) == first.log.head(SUBJECT)
    await first.play_out()
    await first.open_board()
    await second.log.wait_for("TABLE-e2026-0", first.log.head(SUBJECT).sequence)
    assert not second.log.waits(SUBJECT)
    assert second.log.head(SUBJECT) == first.log.head(SUBJECT)
    await second.stop()


async def test_a_sealed_board_that_does_not_open_suspends_its_table(
    first: Replica, store: MemoryStore, dealer: StandInDealer
) -> None:
    await first.answer(3)
    damaged, last = MemoryStore(), 0
    written = [stored async for stored in store.read(SUBJECT)]
    for stored in written:
        data = stored.data if stored is not written[-2] else stored.data[:-1] + bytes([stored.data[-1] ^ 1])
        last = await damaged.append(SUBJECT, data, last)
    second = await Replica(damaged, dealer, "b").start()
    with pytest.raises(Rejected, match="SUBJECT_SUSPENDED"):
        await second.log.unlock(SUBJECT)
    with pytest.raises(Rejected, match="SUBJECT_SUSPENDED"):
        await second.send(c.PauseTable("why"), "ref")
    await second.stop()
