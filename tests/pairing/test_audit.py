"""What the four services write stands up to somebody who does not trust them, and tells nobody what is secret."""

from __future__ import annotations

import asyncio
import base64
import logging

import asyncpg
import pytest
import structlog

from fupan.pairing.v1 import service_pb2 as pb
from services.ledger import dealing, keys
from services.ledger.audit.verify import verify_file
from services.ledger.auditfile import About, AuditFile
from services.runtime import telemetry
from services.runtime.identity import private_key, trusted_signers
from tests.appeals.courts import BOARD, WORSE
from tests.cup import CHIEF, SEALABLE_US, Cup
from tests.platform import Platform

# Their boards were not played by any rules: only these are ours.
OURS = ("chain", "signatures", "commitments", "draw", "offices", "rulings", "standings")


async def sealed(platform: Platform) -> Cup:
    """A championship with an appeal upheld, a correction, a withdrawal, and a seal."""
    cup = await Cup.create(platform, entrants=10)
    await cup.pair()
    await cup.play(1)
    await cup.boss.pairing.WithdrawEntrant(
        pb.WithdrawEntrantRequest(command_id="w", championship="cup", entrant=4, reason="ill")
    )
    await cup.play(2)
    ended = await platform.events.wait("competition_ended")
    filed = await cup.file(1, BOARD, [WORSE])
    await cup.panel(filed.appeal)
    await platform.events.wait("standings_published", cause="ruling")
    platform.clock.stand(ended.header.time_us + SEALABLE_US)
    await platform.of(CHIEF).pairing.SealChampionship(
        pb.SealChampionshipRequest(command_id="s", championship="cup")
    )
    await platform.events.wait("secret_revealed")
    await platform.events.wait("standings_sealed")
    return cup


async def test_an_outsider_can_check_everything_that_was_decided(platform: Platform) -> None:
    await platform.start()
    await sealed(platform)
    trust = trusted_signers(platform.keys)
    # Without the public keys of this machine: the seals bring their own.
    file = AuditFile(About("championship", "cup", "cup"), tuple(await platform.events.stored()))
    report = verify_file(file, trust)
    checks = {check.name: check for check in report.checks}
    for name in OURS:
        assert checks[name].findings == (), name
        assert checks[name].done, name
    assert checks["standings"].done == 3
    assert set(report.signers) == set(trust)
    assert report.unsigned == ()


async def test_nothing_secret_reaches_logs_streams_or_tables(
    platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it is revealed: the master secret, leaves, keys of appeals, what was written in an appeal, names."""
    lines: list[str] = []

    def keep(_logger: object, _method: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
        lines.append(repr(telemetry.redact(_logger, _method, event)))
        raise structlog.DropEvent

    usual = structlog.get_config()
    structlog.configure(processors=[structlog.processors.format_exc_info, keep])
    handler = logging.Handler()
    monkeypatch.setattr(handler, "emit", lambda record: lines.append(record.getMessage()))
    logging.getLogger().addHandler(handler)
    try:
        await platform.start()
        cup = await Cup.create(platform, entrants=0)
        rows = [
            pb.ImportRow(
                line=n, members=[pb.PersonRow(person_id=f"p-{n}", name=f"韩梅梅{n}", contact="138-0000")]
            )
            for n in range(1, 7)
        ]
        await cup.boss.pairing.ImportEntrants(cup.importing(rows, "i"))
        await cup.pair()
        await platform.events.wait("round_started")
        await cup.tables.open("r1-t1", 1, 1, (1, 2, 3), 2)
        opened = await cup.tables.open_board("r1-t1", 1)
        leaf = await cup.tables.leaf("r1-t1", 1, 1, opened.sequence)
        before = await platform.events.stored()
        await cup.tables.close_board("r1-t1", 1, 1, leaf, (2, -1, -1))
        await cup.tables.play(1, only=[2])
        await cup.tables.open_board("r1-t1", 2)
    finally:
        logging.getLogger().removeHandler(handler)
        structlog.configure(**usual)
    secret = private_key(platform.keys, "sign-pairing").private_bytes_raw()
    token = platform.token("p-1")
    stored = b"".join(one.data for one in before)
    dumped = await dump(platform)
    for name, value in {
        "leaf": leaf,
        "log key": dealing.log_key(leaf, "r1-t1", "1/1/1"),
        "dealer's key": (platform.keys / "dealer.key").read_bytes(),
        "signing key": secret,
        "name": "韩梅梅".encode(),
        "contact": b"138-0000",
    }.items():
        shown = (value, value.hex().encode(), base64.b64encode(value), repr(value)[2:-1].encode())
        told = "\n".join(lines).encode()
        for form in shown:
            assert form not in told, name
            assert form not in stored, name
            assert form not in dumped, name
    assert token not in "\n".join(lines)
    assert lines
    assert keys.signing_public_key(secret)


async def dump(platform: Platform) -> bytes:
    """All rows of all services' tables, as bytes."""
    found = []
    for role in ("dealer", "pairing", "scoring", "appeals"):
        connection = await asyncpg.connect(platform.dsn(role))
        tables = await connection.fetch(
            "SELECT schemaname, tablename FROM pg_tables WHERE tableowner = current_user"
        )
        for table in tables:
            rows = await connection.fetch(f'SELECT * FROM "{table["schemaname"]}"."{table["tablename"]}"')
            found += [b"".join(map(as_bytes, row.values())) for row in rows]
        await connection.close()
        await asyncio.sleep(0)
    return b"".join(found)


def as_bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()
