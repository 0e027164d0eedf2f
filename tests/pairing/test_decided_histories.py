"""Boards that only the archive's history of a table has ended, end for every service once that history stands (C9.2)."""

from __future__ import annotations

from typing import Any

from fupan.common.v1 import log_service_pb2 as log
from fupan.common.v1.log_service_pb2_grpc import LogServiceStub
from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import events_pb2 as table
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.platform import Caller, Platform, refused
from tests.tables import Event


async def test_a_round_ends_with_the_boards_that_a_decision_brings(platform: Platform) -> None:
    await platform.start()
    cup = await Cup.create(platform, entrants=6, rounds=1, boards_per_round=1)
    await cup.pair()
    await platform.events.wait("round_started")
    await cup.tables.play(1, only=[1])
    name, tables = "r1-t2", cup.tables
    await tables.open(name, 1, 1, await cup.at(name), 1)
    opened = await tables.open_board(name, 1)
    leaf = await tables.leaf(name, 1, 1, opened.sequence)
    tables.aside = brought = list[bytes]()
    await tables.close_board(name, 1, 1, leaf, (7, -3, -4))
    await tables.seal(name)
    sealed = tables.heads[tables.subject(name)]
    tables.aside, tables.heads[tables.subject(name)] = None, opened
    forged = Event(table_sealed=table.TableSealed(head_version=1, head=bytes(32)))
    await tables.write(tables.subject(name), [forged])
    assert not await platform.events.of("round_closed")
    await tables.decide(name, opened.version + 1, *brought)
    await platform.events.wait("board_revealed")
    await platform.events.wait("round_closed")
    published = await platform.events.wait("standings_published", after_round=1)
    ended = await platform.events.wait("competition_ended")
    # Also for services that begin anew, and read the stream with what fell.
    await platform.replicas[-1].stop()
    await platform.start()
    platform.clock.stand(ended.header.time_us + SEALABLE_US)
    seal = pairing.SealChampionshipRequest(command_id="seal", championship="cup")
    answer = await platform.of(CHIEF).pairing.SealChampionship(seal)
    assert answer.seal.publication == published.event.number == 1
    assert sealed.version == opened.version + 2
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    checks = {check.name: check for check in verify_file(file).checks}
    for check in ("chain", "signatures", "commitments", "draw", "standings"):
        assert checks[check].findings == (), check
        assert checks[check].done, check
    assert len(checks["chain"].settled) == 1


async def test_records_that_a_decision_holds_are_read_by_everybody_once_the_round_is_closed(
    platform: Platform,
) -> None:
    """C9.3: how a board ended that others still play is told to officials who do not play."""
    await platform.start()
    cup = await Cup.create(platform, entrants=9, rounds=1, boards_per_round=1)
    await cup.pair()
    await platform.events.wait("round_started")
    name, tables, subject = "r1-t2", cup.tables, platform.epoch.subject("pairing", "cup")

    def read(person: str | None) -> Any:
        stub = LogServiceStub(platform._channel(platform.ports["pairing"]))
        caller = Caller(stub, None if person is None else platform.token(person))
        return anext(aiter(caller.ReadLog(log.ReadLogRequest(subject=subject))))

    await cup.tables.play(1, only=[1])
    await tables.open(name, 1, 1, await cup.at(name), 1)
    opened = await tables.open_board(name, 1)
    leaf = await tables.leaf(name, 1, 1, opened.sequence)
    tables.aside = brought = list[bytes]()
    await tables.close_board(name, 1, 1, leaf, (7, -3, -4))
    await tables.seal(name)
    tables.aside, tables.heads[tables.subject(name)] = None, opened
    await tables.write(
        tables.subject(name), [Event(table_sealed=table.TableSealed(head_version=1, head=bytes(32)))]
    )
    assert (await read(None)).records
    await tables.decide(name, opened.version + 1, *brought)
    await platform.events.wait("fork_decided")
    for person in ("p-1", None):
        assert (await refused(read(person))).reason == "LOG_NOT_OPEN", person
    for person in (CHIEF, "service:scoring"):
        assert (await read(person)).records, person
    await cup.tables.play(1, only=[3])
    await platform.events.wait("round_closed")
    assert (await read(None)).records
