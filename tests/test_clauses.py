"""Every clause of the rules that is built is cited by a test, or said to be open in docs/rules-notes.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
NOTES = TESTS.parent / "docs" / "rules-notes.md"

CLAUSES = """
P0 P1.1 P1.2 P2 P3 P4 P5.1 P5.2 P5.3 P5.4 P5.5 P5.6 P5.7 P6.1 P6.2 P6.3 P6.4 P7.1 P7.2 P7.3 P7.4 P7.5 P7.6
P8.1 P8.2 P8.3 P8.4 P8.5 P8.6 P8.7 P8.8 P9 P10 P11.1 P11.2 P12 P13
C1.1 C1.2 C1.3 C1.4 C1.5 C1.6 C1.7 C1.8 C2.1 C2.2 C3.0 C3.1 C3.2 C3.3 C3.4 C3.5 C4.1 C4.2 C4.3 C4.4 C4.5 C5
C6.1 C6.2 C6.3 C6.4 C7.1 C7.2 C7.3 C8.1 C8.2 C8.3 C8.4 C8.5 C8.6
S1.0 S1.1 S1.2 S1.3 S1.4 S2.1 S2.2 S3.1 S3.2 S4.1 S4.2 S4.3 S4.4 S4.5 S4.6 S4.7 S4.8 S5.1 S5.2 S6.1 S6.2 S6.3 S6.4
S7.1 S7.2 S7.3 S8.1 S8.2 S8.3 S8.3a S8.4 S9.1 S9.2 S9.3 S9.4 S9.5 S9.6 S9.7
S10.0 S10.1 S10.2 S10.3 S10.4 S10.5 S10.6a S10.6b S10.6c S10.7 S10.8 S10.9 S10.10 S10.11 S10.12 S10.13 S10.14 S10.15 S10.16 S11
C9.1 C9.2 C9.3 C9.4 C9.5 C10.0 C10.1 C10.2 C10.3 C10.4 C10.5 C10.6 C10.7 C10.8 C10.9 C11.1 C11.2
""".split()


def _cited() -> str:
    here = Path(__file__)
    files = (path for path in TESTS.rglob("*") if path.suffix in (".py", ".ndjson") and path != here)
    return "\n".join(path.read_text("utf-8") for path in files)


def _cites(text: str, clause: str) -> bool:
    """`P6.3`, or `P6_3` in a name; `P6.3` is not cited by `P6.31`."""
    dotted = rf"(?<![A-Za-z0-9.]){re.escape(clause)}(?![0-9]|\.[0-9])"
    named = rf"(?<![A-Za-z0-9])(?i:{re.escape(clause.replace('.', '_'))})(?![0-9]|_[0-9])"
    return re.search(f"{dotted}|{named}", text) is not None


CITED = _cited()
OPEN = NOTES.read_text("utf-8").split("## Not built yet")[1]


@pytest.mark.parametrize("clause", CLAUSES)
def test_every_clause_is_cited_or_open(clause: str) -> None:
    assert _cites(CITED, clause) or _cites(OPEN, clause)


def test_a_longer_number_cites_nothing() -> None:
    assert not _cites("C10.11 C1.10 P6.31", "C10.1")
    assert not _cites("C10.11", "C1.0")
    assert _cites("test_c10_1_too_late", "C10.1")
