"""What a committee rules is final: nothing is judged twice, nor by two panels at a time (C10.7)."""

from __future__ import annotations

from collections.abc import Sequence

from services.appeals import matters
from services.appeals.desk import Desk
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.appeals.rulings import Rulings
from services.appeals.sittings import Sittings
from services.directory import Championship
from services.domain import Rejected


class Finality:
    """Refuses what was ruled on, or is being judged."""

    def __init__(self, desk: Desk, rulings: Rulings, sittings: Sittings) -> None:
        self._desk = desk
        self._rulings = rulings
        self._sittings = sittings

    def check_not_ruled(
        self, known: Championship, contested: e.Contested, sought: Sequence[e.Remedy]
    ) -> None:
        """Whether no committee has ruled on anything that an appeal would be about (C10.7). Raises Rejected."""
        own = matters.about(known, contested, sought)
        for one in self._rulings.filed(known.id):
            if own & matters.about(known, one.contested, one.sought):
                raise self._ruled_on(known.id, one.appeal)

    def check_to_be_judged(self, known: Championship, state: Appeal) -> None:
        """Whether something is left to be judged, and no other panel, or none that was appointed before, judges it: what that rules
        is final (C10.7). Raises Rejected."""
        assert state.filed is not None
        if appeal := matters.settled_by(known, state.filed, self._rulings.filed(known.id)):
            raise self._ruled_on(known.id, appeal)
        if sitting := self._sittings.before(known, state.filed):
            other = sitting.filed.appeal
            if not self._desk.told(known.id, self._desk.appeal(known.id, other)):
                raise Rejected("PANEL_SITS", "C10.7", "a panel judges this already")
            raise Rejected("PANEL_SITS", "C10.7", f"a panel judges this already, in appeal {other}")

    def _ruled_on(self, championship: str, appeal: str) -> Rejected:
        if not self._desk.told(championship, self._desk.appeal(championship, appeal)):
            return Rejected("RULING_FINAL", "C10.7", "the committee has ruled on this")
        return Rejected("RULING_FINAL", "C10.7", f"the committee has ruled on this in appeal {appeal}")
