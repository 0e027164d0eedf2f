"""What an audit file says was accepted: every answer once, every board once, every receipt there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from services.ledger import auditfile
from services.ledger.audit.evidence import Evidence, gather
from services.ledger.audit.receipts import parse_receipts


def read(path: Path) -> Evidence:
    """The records of an audit file, opened."""
    return gather(auditfile.parse(path.read_bytes()))


def nothing_twice(evidence: Evidence) -> None:
    """No command was recorded twice, no question answered twice, no board closed twice."""
    for subject, entries in evidence.subjects.items():
        ids = Counter(entry.command_id for entry in entries if entry.read)
        assert _repeated(ids) == [], subject
        answered: Counter[tuple[object, ...]] = Counter()
        closed: Counter[tuple[object, ...]] = Counter()
        board = 0
        for entry in entries:
            for event in entry.events:
                match event.kind:
                    case "board_opened":
                        board = event.message.board
                    case "acted":
                        # Zero: a bid that nobody asked for.
                        if ask := entry.command.ask if entry.order in ("act", "expire_clock") else 0:
                            answered[board, event.message.seat, ask] += 1
                    case "board_finished" | "board_closed_unfinished":
                        closed[event.message.board, event.message.attempt] += 1
        assert _repeated(answered) == [], subject
        assert _repeated(closed) == [], subject


def boards_finished(evidence: Evidence) -> int:
    """Boards that were played to their end, all tables together."""
    return sum(event.kind == "board_finished" for _, event in evidence.events("table"))


def nothing_lost(evidence: Evidence, receipts: Path) -> int:
    """Every receipt is that of a record; how many there are."""
    hashes = {entry.hash for entries in evidence.subjects.values() for entry in entries}
    kept = parse_receipts(receipts.read_text())
    assert [one.hash.hex() for one in kept if one.hash not in hashes] == []
    return len(kept)


def _repeated(counted: Counter[str] | Counter[tuple[object, ...]]) -> Iterable[object]:
    return [one for one, times in counted.items() if times > 1]
