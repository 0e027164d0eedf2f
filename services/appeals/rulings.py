"""What committees have ruled on, and the records that say so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from services.appeals.model import events as e
from services.appeals.model.state import Appeal
from services.domain import Cause
from services.runtime.fold import Fold
from services.runtime.log import Applied
from services.runtime.streams import parse


class Ruled(NamedTuple):
    """An appeal that a committee has decided, and the record that says so."""

    filed: e.AppealFiled
    record: Cause


class Rulings:
    """The decided appeals of all championships, as far as the log was read."""

    def __init__(self, log: Fold[Appeal, e.Event]) -> None:
        self._ruled: defaultdict[str, dict[str, Ruled]] = defaultdict(dict)
        """By championship and appeal."""
        log.listen(self._applied)

    def _applied(self, applied: Applied[Appeal, e.Event]) -> None:
        subject, appeal = applied.stored.subject, applied.after
        if appeal.decision is not None and appeal.filed is not None:
            record = Cause(subject, applied.record.version)
            ruled = self._ruled[parse(subject).championship]
            ruled.setdefault(appeal.filed.appeal, Ruled(appeal.filed, record))

    def of(self, championship: str) -> Mapping[str, Ruled]:
        """Those of a championship, by appeal, in the order decided."""
        return self._ruled[championship]

    def filed(self, championship: str) -> list[e.AppealFiled]:
        """What they were about."""
        return [one.filed for one in self._ruled[championship].values()]
