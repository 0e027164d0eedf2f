"""`fupan audit verify`: everything that can be checked of an audit file, offline and without any service."""

from __future__ import annotations

import gc
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

from services.ledger.audit.commitments import check_commitments
from services.ledger.audit.draw import check_draw
from services.ledger.audit.ends import check_ends
from services.ledger.audit.evidence import gather
from services.ledger.audit.offices import check_offices
from services.ledger.audit.origin import Origin
from services.ledger.audit.ranking import Standings, check_standings
from services.ledger.audit.receipts import Receipt, check_receipts
from services.ledger.audit.replay import Replays
from services.ledger.audit.report import Check, Report, Tally
from services.ledger.audit.rulings import check_rulings
from services.ledger.audit.shadow import check_shadow
from services.ledger.auditfile import AuditFile, Damaged, parse


@contextmanager
def uncollected() -> Iterator[None]:
    """Without looking for garbage: nothing that is taken out of a file refers to itself."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


@uncollected()
def verify(
    data: bytes, trust: Collection[str] = (), receipts: Sequence[Receipt] = (), *, shadow: bool = False
) -> Report:
    """Check an audit file as bytes.

    `trust`: fingerprints known from outside (`keys.parse_fingerprint`); without one the origin stays unproven. `shadow`: let
    the second referees read every board too, which takes long. A damaged
    file gives a report with the one check `file` failed. Never raises.
    """
    file_check = Tally("file", "bytes")
    try:
        file = parse(data)
    except Damaged as damage:
        file_check.wrong(damage.subject, damage.version, 0, "DAMAGED", str(damage))
        return Report((file_check.check(),), trusted=tuple(trust))
    file_check.done = len(data)
    if not _records_of_its_kind(file):
        file_check.wrong(
            "",
            0,
            0,
            "EMPTY",
            f"no record of the {file.about.kind} is in the file: there is nothing to verify",
        )
    return verify_file(file, trust, receipts, before=(file_check.check(),), shadow=shadow)


@uncollected()
def verify_file(
    file: AuditFile,
    trust: Collection[str] = (),
    receipts: Sequence[Receipt] = (),
    before: tuple[Check, ...] = (),
    *,
    shadow: bool = False,
) -> Report:
    """Check what an audit file holds; see `verify`. `before` are checks already done on the bytes."""
    evidence = gather(file)
    origin, replays, standings = Origin(evidence, trust), Replays(evidence), Standings(evidence)
    tallies = [
        evidence.chains,
        _guarded("ends", "logs", partial(check_ends, evidence)),
        _guarded("signatures", "signatures", origin.check),
        _guarded("commitments", "leaves", partial(check_commitments, evidence)),
        evidence.opening,
        evidence.bodies,
        replays.deals,
        replays.replay,
        replays.scores,
        _guarded("draw", "rounds", partial(check_draw, evidence, standings)),
        _guarded("offices", "acts", partial(check_offices, evidence)),
        _guarded("rulings", "rulings", partial(check_rulings, evidence)),
        _guarded("standings", "publications", partial(check_standings, evidence, standings)),
    ]
    if receipts:
        tallies.append(_guarded("receipts", "receipts", partial(check_receipts, evidence, receipts)))
    if shadow:
        tallies.append(_guarded("shadow referee", "boards", partial(check_shadow, evidence)))
    return Report(
        (*before, *(tally.check() for tally in tallies)),
        trusted=tuple(trust),
        signers=tuple(sorted(origin.signers)),
        unsigned=tuple(origin.unsigned),
        demo=evidence.dealings.demo,
    )


def _records_of_its_kind(file: AuditFile) -> bool:
    """Whether the file holds any record of what it says it is: of a table or a round more than what the dealer wrote."""
    kind = file.about.kind
    return any(kind == "championship" or ".table." in stored.subject for stored in file.records)


def _guarded(name: str, unit: str, check: Callable[[Tally], None]) -> Tally:
    """What one check came to; forged content that it trips over is a finding, not a crash of the verifier."""
    tally = Tally(name, unit)
    try:
        check(tally)
    except Exception as error:
        tally.wrong("", 0, 0, "UNCHECKABLE", f"{type(error).__name__}: {error}")
    return tally
