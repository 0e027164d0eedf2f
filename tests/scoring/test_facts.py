"""Facts from the log: the same whatever the arrival order, in memory and in PostgreSQL, at every cut."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.games.championship.contest import Terms, digest, order
from services.games.championship.params import Params
from services.ledger.record import Stored
from services.runtime.postgres import Database, migrate
from services.runtime.streams import Epoch, stream_of
from services.scoring.facts import Reader
from services.scoring.field import Field, contest
from services.scoring.projection import SCHEMA, FactsProjection, FactsQuery, Marks, Only
from services.scoring.refold import Folded
from tests.scoring.streams import EPOCH, Event, Streams, event

ALL = event()
PAIRING = EPOCH.stream("pairing")
WHOLE = {stream: len(records) for stream, records in ALL.records.items()}


def folded(records: Iterable[Stored], cut: dict[str, int] | None = None) -> Field:
    within = Folded("cup")
    for stored in records:
        if cut is None or stored.sequence <= cut.get(stored.stream, 0):
            within.take(stored)
    return within.field()


def digest_of(field: Field) -> bytes:
    return digest(order(contest(field, (), Terms("individual", Params(), 2, 2))))


def in_turn(streams: Sequence[str]) -> list[Stored]:
    """All records, streams interleaved as given."""
    left = {stream: iter(records) for stream, records in ALL.records.items()}
    return [next(left[stream]) for stream in streams]


TURNS = [stream for stream, records in ALL.records.items() for _ in records]


def test_what_counts_of_the_event() -> None:
    field = folded(in_turn(TURNS))
    assert field.entrants == (1, 2, 3, 4, 5, 6, 7)
    assert field.seats == {
        (1, "r1-t1"): (1, (1, 2, 3)),
        (1, "r1-t101"): (1, (4, 5, 6)),
        (2, "r2-t1"): (1, (3, 2, 1)),
        (2, "r2-t2"): (1, (7, 5, 6)),
    }
    assert field.closed_everywhere() == {(1, 1), (1, 2), (2, 1)}
    assert {one.scores for one in field.boards if one.table == "r1-t101"} == {(1, -1, 0), ()}
    assert field.byes == ((2, 4),)
    assert sorted((one.table, one.winner, one.deals) for one in field.matches) == [
        ("r2-t1", 1, 2),
        ("r2-t2", None, 2),
    ]


@settings(max_examples=50, deadline=None)
@given(st.permutations(TURNS))
def test_standings_do_not_depend_on_arrival_order_across_streams(turns: list[str]) -> None:
    assert digest_of(folded(in_turn(turns))) == digest_of(folded(in_turn(TURNS)))


def test_what_a_newer_version_wrote_is_counted_and_skipped() -> None:
    streams = Streams()
    streams.pairing(Event())
    reader = Reader()
    assert list(reader.read(streams.records[PAIRING][0])) == []
    assert reader.skipped == 1


def test_what_a_table_did_not_write_is_counted_and_skipped() -> None:
    """Bytes that are no event, and a record that is no body: whoever wrote them, the others' facts go on."""
    streams = Streams()
    subject = streams.epoch.table_subject("cup", "r1-t1")
    streams.write_bytes(subject, b"\x9a\x01\xff")
    (stored,) = streams.records[stream_of(subject)]
    reader = Reader()
    assert list(reader.read(stored)) == []
    assert reader.skipped == 1


@pytest.fixture
async def facts_database(database: str) -> AsyncIterator[Database]:
    found = await Database.connect(database)
    await migrate(found, SCHEMA, FactsProjection.migrations)
    yield found
    await found.close()


async def project(database: Database, streams: Streams, batch: int) -> None:
    """Apply all records, `batch` at a time."""
    projection = FactsProjection(tuple(streams.records), lambda championship, person: person == "an")
    for records in streams.records.values():
        for start in range(0, len(records), batch):
            async with database.transaction(SCHEMA) as connection:
                assert await projection.apply(connection, records[start : start + batch]) == 0


def comparable(field: Field) -> tuple[object, ...]:
    unordered = (sorted(part, key=str) for part in (field.boards, field.byes, field.matches))
    return field.entrants, dict(field.seats), *unordered, field.sequence


@pytest.mark.parametrize("batch", [1, 3, 100])
async def test_the_projection_holds_what_the_log_says_at_every_cut(
    facts_database: Database, batch: int
) -> None:
    await project(facts_database, ALL, batch)
    query = FactsQuery(facts_database, EPOCH.id, PAIRING)
    # Seats that were changed later cannot be asked for as they were before; every other cut can.
    cuts = [WHOLE, *({**WHOLE, stream: WHOLE[stream] // 2} for stream in WHOLE if stream != PAIRING), {}]
    for cut in cuts:
        assert comparable(await query.field("cup", cut)) == comparable(folded(in_turn(TURNS), cut)), cut
    whole = await query.field("cup", WHOLE)
    assert await query.marks("cup") == Marks(
        whole.closed_everywhere(), whole.sequence, frozenset({(2, "r2-t1"), (2, "r2-t2")}), replays=1
    )
    assert await query.marks("other") == Marks(frozenset(), 0)


async def test_one_boards_facts_are_the_same_as_those_within_all(facts_database: Database) -> None:
    await project(facts_database, ALL, 100)
    query = FactsQuery(facts_database, EPOCH.id, PAIRING)
    whole, part = await query.field("cup", WHOLE), await query.field("cup", WHOLE, Only(1, (2,)))
    assert set(part.boards) == {one for one in whole.boards if (one.round, one.board) == (1, 2)}
    assert part.seats == {key: one for key, one in whole.seats.items() if key[0] == 1}
    assert part.closed_everywhere() == {(1, 2)}


async def test_two_epochs_may_each_have_a_cup(facts_database: Database) -> None:
    """A yearly event bears the same name, plays the same tables, and has other results."""
    last_year = event(epoch=Epoch("e0", 3))
    last_year.close("r2-t2", 2, 2, (7, -7, 0))
    await project(facts_database, last_year, 100)
    await project(facts_database, ALL, 100)
    query = FactsQuery(facts_database, EPOCH.id, PAIRING)
    assert comparable(await query.field("cup", WHOLE)) == comparable(folded(in_turn(TURNS)))
    assert (2, 2) not in (await query.marks("cup")).shown


async def test_whoever_was_given_a_seat_is_known_when_its_board_is_closed(facts_database: Database) -> None:
    """C1.6: who has played in an entrant's place learns nothing of open tables; of house AI and entrants nothing is kept."""
    streams = Streams()
    streams.close("r1-t1", 1, 1, (3, -1, -2), people=("an", "", "eva"), left=("an", "fei"))
    streams.give_seat("r1-t1", "gao")
    streams.give_seat("r1-t1", "")
    await project(facts_database, streams, 1)
    query = FactsQuery(facts_database, EPOCH.id, PAIRING)
    found = [person for person in ("an", "eva", "fei", "gao", "") if await query.substituted("cup", person)]
    assert found == ["eva", "fei", "gao"]
    assert not await query.substituted("other", "eva")


@pytest.mark.parametrize("first", ["tables", "pairing"])
async def test_what_a_decision_brings_counts_where_the_tables_own_stream_says_nothing(
    facts_database: Database, first: str
) -> None:
    """C9.2: whichever is read first, for publications are computed again from streams that are read side by side."""
    aside = Streams()
    aside.close("r1-t1", 1, 1, (9, -9, 0))
    aside.close("r1-t2", 1, 1, (2, -1, -1), people=("an", "eva", ""))
    aside.end_match("r1-t1", 1, 1)
    aside.end_match("r1-t2", 1, 1)
    kept: dict[str, list[bytes]] = {}
    for one in (stored for records in aside.records.values() for stored in records):
        kept.setdefault(one.subject.rpartition(".")[2], []).append(one.data)
    streams = Streams()
    streams.enter("i1", 1, 2, 3, 4, 5, 6)
    streams.seat(1, (1, 2, 3), (4, 5, 6))
    streams.paired(1)
    streams.close("r1-t1", 1, 1, (1, 0, -1))
    streams.end_match("r1-t1", 1, 0)
    for table, told in kept.items():
        streams.decide(table, *told, b"\xff no record")
    whole = {stream: len(records) for stream, records in streams.records.items()}
    streams.records = dict(
        sorted(streams.records.items(), key=lambda one: one[0].startswith("TABLE"), reverse=first == "tables")
    )
    read = [one for records in streams.records.values() for one in records]
    projection = FactsProjection(tuple(streams.records), lambda championship, person: person == "an")
    for records in streams.records.values():
        async with facts_database.transaction(SCHEMA) as connection:
            await projection.apply(connection, records)
    query = FactsQuery(facts_database, EPOCH.id, PAIRING)
    for field in (folded(read), await query.field("cup", whole)):
        assert {one.table: one.scores for one in field.boards} == {"r1-t1": (1, 0, -1), "r1-t2": (2, -1, -1)}
        assert {one.table: one.winner for one in field.matches} == {"r1-t1": 0, "r1-t2": 1}
        assert field.closed_everywhere() == {(1, 1)}
    assert (await query.marks("cup")).shown == {(1, 1)}
    assert await query.substituted("cup", "eva")
    before = {**whole, PAIRING: whole[PAIRING] - 2}
    for field in (folded(read, before), await query.field("cup", before)):
        assert {one.table for one in field.boards} == {"r1-t1"}
