"""Rows of standings as their page has them, made once for everybody who follows the same page in the same language."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clients.console.language import Language
from clients.console.page import Pages
from clients.console.paging import page
from clients.console.roster import Entrant
from fupan.scoring.v1 import service_pb2 as scoring

if TYPE_CHECKING:
    from clients.console.desk import Event

_KEPT = 256
"""Pages that are kept; one has about 60 KB."""


@dataclass(frozen=True, slots=True)
class _Made:
    told: scoring.GetStandingsResponse
    names: Mapping[int, Entrant]
    rows: Sequence[str]


class Rows:
    """The newest rows of every page that is followed."""

    def __init__(self, pages: Pages) -> None:
        self._pages = pages
        self._made: OrderedDict[tuple[str, int, str], _Made] = OrderedDict()

    def of(
        self,
        event: Event,
        language: Language,
        told: scoring.GetStandingsResponse,
        names: Mapping[int, Entrant],
        number: int,
    ) -> Sequence[str]:
        """The rows of one page of live standings; the same object while nothing in it changes."""
        key = event.id, number, language.code
        made = self._made.pop(key, None)
        if made is None or made.told is not told or made.names is not names:
            row = self._pages.macro(language, "parts/standing.html", "row")
            shown = page(told.rows, number).items
            made = _Made(told, names, [row(event, one, names.get(one.entrant), 0).strip() for one in shown])
        self._made[key] = made
        while len(self._made) > _KEPT:
            self._made.popitem(last=False)
        return made.rows
