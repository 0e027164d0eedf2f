"""Which panels sit, in the order in which they were appointed: of those that judge the same thing the first does, whichever
replicas have appointed them (C10.7)."""

from __future__ import annotations

from collections import defaultdict
from typing import NamedTuple

from services.appeals import matters
from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.directory import Championship
from services.domain import Cause
from services.runtime.fold import Fold
from services.runtime.log import Applied
from services.runtime.streams import parse


class Sitting(NamedTuple):
    """A panel: the appeal that it judges, and the record that appointed it, with its place in the stream."""

    filed: e.AppealFiled
    record: Cause
    sequence: int


class Sittings:
    """The panels that vote or have voted, of all championships, as far as the log was read."""

    def __init__(self, log: Fold[Appeal, e.Event]) -> None:
        self._panels: defaultdict[str, dict[str, Sitting]] = defaultdict(dict)
        """By championship and subject."""
        log.listen(self._applied)

    def _applied(self, applied: Applied[Appeal, e.Event]) -> None:
        subject, appeal = applied.stored.subject, applied.after
        panels = self._panels[parse(subject).championship]
        if appeal.filed is None or appeal.phase not in ("voting", "counting"):
            panels.pop(subject, None)
        elif any(isinstance(one, e.PanelAppointed) for one in applied.events):
            record = Cause(subject, applied.record.version)
            panels[subject] = Sitting(appeal.filed, record, applied.stored.sequence)

    def before(self, known: Championship, filed: e.AppealFiled) -> Sitting | None:
        """The panel that judges something that an appeal is about, and was appointed before that one's, if it has one."""
        panels, own = self._panels[known.id].values(), matters.about(known, filed.contested, filed.sought)
        mine = next((one.sequence for one in panels if one.filed.appeal == filed.appeal), None)
        return min(
            (
                one
                for one in panels
                if one.filed.appeal != filed.appeal
                and (mine is None or one.sequence < mine)
                and own & matters.about(known, one.filed.contested, one.filed.sought)
            ),
            key=lambda one: one.sequence,
            default=None,
        )
