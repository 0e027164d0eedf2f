"""What a verification says: each check by name, what it covered, what it found, what it could not do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from services.ledger.record import Finding

_ONE = {"leaves": "leaf"}
"""What one of a unit is called where it is not the unit without its last letter."""


class Status(StrEnum):
    """Outcome of one check."""

    OK = "ok"
    FAILED = "failed"
    NOT_POSSIBLE = "not possible"


@dataclass(frozen=True, slots=True)
class Check:
    """One check: how many `units` of what it covered, what is wrong, what could not be checked and why, and what would be wrong
    had nobody decided upon it."""

    name: str
    done: int
    unit: str
    findings: tuple[Finding, ...] = ()
    missing: tuple[str, ...] = ()
    settled: tuple[str, ...] = ()

    @property
    def status(self) -> Status:
        """Failed with any finding; not possible when something was missing and nothing was covered."""
        if self.findings:
            return Status.FAILED
        return Status.NOT_POSSIBLE if self.missing and not self.done else Status.OK

    @property
    def detail(self) -> str:
        """One line for people."""
        unit = _ONE.get(self.unit, self.unit.removesuffix("s")) if self.done == 1 else self.unit
        parts = [f"{self.done} {unit} checked"]
        if self.findings:
            parts.append(f"{len(self.findings)} wrong")
        if self.missing:
            parts.append(f"{len(self.missing)} not possible")
        if self.settled:
            parts.append(f"{len(self.settled)} settled by decision")
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Report:
    """A verification. `signers`: fingerprints that signed, `trusted`: those the caller trusts, `demo`: proves nothing.

    `unsigned`: subjects of tables that no signature covers.
    """

    checks: tuple[Check, ...]
    trusted: tuple[str, ...] = ()
    signers: tuple[str, ...] = ()
    unsigned: tuple[str, ...] = ()
    demo: bool = False

    @property
    def ok(self) -> bool:
        """Whether nothing was found wrong; what was not possible is no fault."""
        return all(check.status is not Status.FAILED for check in self.checks)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything found wrong, check by check."""
        return tuple(finding for check in self.checks for finding in check.findings)

    @property
    def verdict(self) -> str:
        """The last line: `consistent, origin unproven`, `consistent and signed by …`, or `inconsistent: …`."""
        if not self.ok:
            count = len(self.findings)
            return f"inconsistent: {count} finding{'s' if count != 1 else ''}"
        if not self.trusted:
            return "consistent, origin unproven"
        signed = f"consistent and signed by {', '.join(self.signers)}"
        return f"{signed}; {len(self.unsigned)} tables not sealed yet" if self.unsigned else signed


class Tally:
    """Collects what one check does."""

    def __init__(self, name: str, unit: str) -> None:
        self.name = name
        self.unit = unit
        self.done = 0
        self.findings: list[Finding] = []
        self.missing: list[str] = []
        self.settled: list[str] = []

    def wrong(self, subject: str, version: int, sequence: int, code: str, detail: str) -> None:
        """Note a finding."""
        self.findings.append(Finding(subject, version, sequence, code, detail))

    def check(self) -> Check:
        """The check so far; what is missing for the same reason is named once."""
        findings, settled = tuple(self.findings), tuple(self.settled)
        return Check(self.name, self.done, self.unit, findings, _once(self.missing), settled)


def _once(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(texts))
