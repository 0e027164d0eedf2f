"""The arbitration committee of an event, of which panels are appointed (C9.1)."""

from __future__ import annotations

from services.directory import Championship, Official
from services.domain import Rejected

LEAST = 3


def check(known: Championship) -> None:
    """Whether the committee is large enough to judge at all; that the number that judges is odd a panel sees to (C10.3).

    Raises Rejected.
    """
    count = sum(role == "arbitrator" for _, role in known.officials)
    if count < LEAST:
        raise Rejected(
            "COMMITTEE_TOO_SMALL", "C9.1", f"the arbitration committee has {count} members and needs {LEAST}"
        )


def member(known: Championship, person: str) -> Official:
    """A member of the committee. Raises Rejected."""
    official = known.officials.get((person, "arbitrator"))
    if official is None:
        raise Rejected("NOT_AN_ARBITRATOR", "C9.1", f"{person} is no member of the arbitration committee")
    return official
