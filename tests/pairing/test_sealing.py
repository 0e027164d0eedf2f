"""What stands between a championship and its seal (C10.8)."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from fupan.appeals.v1 import events_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as scoring
from fupan.table.v1 import events_pb2 as table
from services.domain import Rejected
from services.ledger import keys, seals
from services.ledger import record as ledger
from services.pairing.sealing import Sealing, events_of
from services.runtime.follower import Read
from tests.pairing.given import ended

PRIVATE = bytes(range(32))
SUBJECT = "fupan.e1.pairing.cup"
TABLES = ["fupan.e1.table.0.cup.r1-t1", "fupan.e1.table.1.cup.r1-t2"]
APPEAL, SCORING = "fupan.e1.appeals.cup.a-1", "fupan.e1.scoring.cup"
STATE = ended().state
BY_COMMITTEE = scoring.Authority(by="arbitration", appeal="a-1", reason="x")
REMEDY = scoring.Remedy(set_penalty=scoring.SetPenalty(penalty="x", entrant=1))


def read(subject: str, version: int, *events: Any) -> Read:
    header = ledger.Header(
        subject, version, bytes(32), "e1", ledger.Writer("x", "x", "x"), "", b"", (), version
    )
    body = ledger.Body("x", "", "", None, "c", b"", b"", tuple(one.SerializeToString() for one in events))
    data = ledger.encode(ledger.Record(header, ledger.encode_body(body), False))
    return Read(ledger.Stored("x", version, subject, data), ledger.decode(data), body)


def table_sealed(subject: str, version: int = 9) -> Read:
    event = table.TableSealed(head_version=version, head=subject.encode())
    return read(subject, version + 1, table.Event(table_sealed=event))


def published(version: int = 1, number: int = 1, after: int = 1) -> Read:
    event = scoring.StandingsPublished(number=number, after_round=after, digest=bytes([number]))
    return read(SCORING, version, scoring.Event(standings_published=event))


FILED = read(APPEAL, 1, appeals.Event(appeal_filed=appeals.AppealFiled(appeal="a-1")))
UPHELD = read(APPEAL, 2, appeals.Event(appeal_decided=appeals.AppealDecided(upheld=True, remedies=[REMEDY])))
REJECTED = read(APPEAL, 2, appeals.Event(appeal_decided=appeals.AppealDecided(upheld=False)))
RULED = read(SCORING, 2, scoring.Event(penalty_set=scoring.PenaltySet(penalty="x", authority=BY_COMMITTEE)))
REFUSED = read(SCORING, 2, scoring.Event(correction_refused=scoring.CorrectionRefused(appeal="a-1")))


def sealing(
    tables: list[Read], of_appeals: list[Read], of_scoring: list[Read], order: str = "tas"
) -> Sealing:
    """What was read, stream by stream in some order."""
    found = Sealing(PRIVATE)
    steps: dict[str, Callable[[], None]] = {
        "t": lambda: found.read_tables(tables, events_of(tables, table.Event)),
        "a": lambda: found.read_appeals(events_of(of_appeals, appeals.Event)),
        "s": lambda: found.read_scoring(events_of(of_scoring, scoring.Event)),
    }
    for step in order:
        steps[step]()
    return found


SEALED = [table_sealed(one) for one in TABLES]


def refusal(found: Sealing) -> str:
    with pytest.raises(Rejected) as raised:
        found.seal(STATE, SUBJECT, TABLES)
    assert raised.value.clause == "C10.8"
    return raised.value.reason


@pytest.mark.parametrize(
    ("found", "reason"),
    [
        (sealing(SEALED[:1], [], [published()]), "TABLES_NOT_SEALED"),
        (sealing(SEALED, [FILED], [published()]), "APPEALS_OPEN"),
        (sealing(SEALED, [], []), "STANDINGS_NOT_PUBLISHED"),
        (sealing(SEALED, [], [published(after=0)]), "STANDINGS_NOT_PUBLISHED"),
        (sealing(SEALED, [], [published(), RULED]), "STANDINGS_NOT_PUBLISHED"),
        (sealing(SEALED, [FILED, UPHELD], [published()]), "STANDINGS_NOT_PUBLISHED"),
    ],
)
def test_what_is_missing_is_said(found: Sealing, reason: str) -> None:
    assert refusal(found) == reason


@pytest.mark.parametrize("order", ["".join(one) for one in itertools.permutations("tas")])
def test_the_order_in_which_streams_are_read_does_not_matter(order: str) -> None:
    ruled = sealing(SEALED, [FILED, UPHELD], [published(), RULED, published(3, 2)], order)
    command = ruled.seal(STATE, SUBJECT, TABLES)
    decided = ledger.record_hash(bytes(32), UPHELD.stored.data)
    heads = [(subject, 9, subject.encode()) for subject in TABLES]
    root = seals.championship_root([*heads, (APPEAL, 2, decided)], [(1, b"\x01"), (2, b"\x02")])
    assert (command.root, command.publication) == (root, 2)
    assert command.key == keys.fingerprint(command.public_key)
    assert keys.signed(command.public_key, command.signature, seals.championship_seal(SUBJECT, root))


def test_what_ended_without_remedies_leaves_nothing_to_apply() -> None:
    for over in (
        REJECTED,
        read(APPEAL, 2, appeals.Event(appeal_lapsed=appeals.AppealLapsed())),
        read(APPEAL, 2, appeals.Event(appeal_withdrawn=appeals.AppealWithdrawn())),
    ):
        assert sealing(SEALED, [FILED, over], [published()]).seal(STATE, SUBJECT, TABLES).publication == 1
    refused = sealing(SEALED, [FILED, UPHELD], [published(), REFUSED])
    assert refused.seal(STATE, SUBJECT, TABLES).publication == 1


def test_a_table_that_was_sealed_again_counts_with_its_last_head() -> None:
    again = table_sealed(TABLES[0], 12)
    one, other = sealing(SEALED, [], [published()]), sealing([*SEALED, again], [], [published()])
    assert one.seal(STATE, SUBJECT, TABLES).root != other.seal(STATE, SUBJECT, TABLES).root


def test_a_table_whose_signed_history_fell_is_not_sealed_until_it_is_signed_anew() -> None:
    """C9.2: what the chief referee let stand instead has another end, or none yet."""
    paused = table.Event(table_paused=table.TablePaused(reason="power cut"))
    brought = read(TABLES[0], 2, paused)
    brought = replace(brought, stored=brought.stored._replace(sequence=SEALED[0].stored.sequence))
    fallen = sealing([*SEALED, brought], [], [published()])
    assert (fallen.ended(TABLES[0]), fallen.ended(TABLES[1])) == (False, True)
    with pytest.raises(Rejected, match="TABLES_NOT_SEALED"):
        fallen.seal(STATE, SUBJECT, TABLES)
    # Whatever comes first at a start.
    for tables in ([*SEALED, brought, table_sealed(TABLES[0], 12)], [*SEALED, read(TABLES[0], 1)]):
        assert sealing(tables, [], [published()]).ended(TABLES[0])
