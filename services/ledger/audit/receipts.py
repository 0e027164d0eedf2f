"""Receipts that players kept: hashes of records. One that is in no record means that history was rewritten."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from services.domain import Rejected
from services.ledger.audit.evidence import Evidence
from services.ledger.audit.report import Tally

_HASH = re.compile(r"[0-9a-fA-F]{64}")


@dataclass(frozen=True, slots=True)
class Receipt:
    """The hash of a record that was acknowledged; `subject` and `championship` where the client knew them, else empty."""

    subject: str
    hash: bytes
    championship: str = ""


def parse_receipts(text: str) -> tuple[Receipt, ...]:
    """Receipts from NDJSON, `{"hash": "<64 hex digits>", "subject": "…", "championship": "…"}` a line, both names optional, other
    keys ignored.

    Raises Rejected("MALFORMED_RECEIPT") with the line's number.
    """
    receipts = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.strip():
            receipts.append(_parse_line(number, line))
    return tuple(receipts)


def _parse_line(number: int, line: str) -> Receipt:
    try:
        told = json.loads(line)
    except (ValueError, RecursionError):
        told = None
    if isinstance(told, dict):
        digest, names = told.get("hash"), [told.get("subject", ""), told.get("championship", "")]
        if isinstance(digest, str) and _HASH.fullmatch(digest) and all(isinstance(one, str) for one in names):
            return Receipt(names[0], bytes.fromhex(digest), names[1])
    raise Rejected("MALFORMED_RECEIPT", "", f"line {number} is no receipt", line=str(number))


def check_receipts(evidence: Evidence, receipts: Iterable[Receipt], tally: Tally) -> None:
    """Every receipt's hash must be that of a record in the file, and of its subject where it names one."""
    subjects = {entry.hash: subject for subject, entries in evidence.subjects.items() for entry in entries}
    everything = evidence.entire and not evidence.playing
    for receipt in receipts:
        if receipt.subject and receipt.subject not in evidence.subjects:
            tally.missing.append(f"{receipt.subject} is not in this file")
            continue
        if receipt.championship not in ("", evidence.about.championship):
            tally.missing.append(f"receipts of championship {receipt.championship} are not of this file's")
            continue
        found = subjects.get(receipt.hash)
        if found is None and not receipt.subject and not everything:
            tally.missing.append(
                "receipts that name no subject may be of records that only the championship's file has, once nothing is played"
            )
            continue
        tally.done += 1
        if found is None or (receipt.subject and found != receipt.subject):
            detail = f"no record has the acknowledged hash {receipt.hash.hex()}: history was rewritten"
            tally.wrong(receipt.subject or evidence.about.id, 0, 0, "RECEIPT_CONTRADICTED", detail)
