"""What was decided about boards and matches, as it is told beside their results (C9.2, C10.6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from fupan.scoring.v1 import service_pb2 as pb
from services.scoring import model as m

_KINDS: Mapping[type[m.Ruling], str] = {
    m.ResultCorrected: "corrected",
    m.MatchCorrected: "corrected",
    m.BoardVoided: "voided",
    m.BoardSuperseded: "replayed",
    m.PercentAssigned: "assigned",
}
"""What a decision did."""

MATCH = 0
"""In place of a board's number: what is about a whole match."""


class Decided:
    """`rulings`, the last one on each thing, beside the publications of `ledger`."""

    def __init__(self, rulings: Iterable[m.Ruled], ledger: m.Ledger) -> None:
        self._publications = ledger.publications
        self._last: dict[tuple[int, int, str | int], m.Ruled] = {}
        self._lifts: dict[tuple[int, int, str | int], int] = {}
        """By board and table, the number of the last ruling that lifted percentages of its entrants (C10.6)."""
        for one in rulings:
            match one.event:
                case m.ResultCorrected() | m.BoardVoided() | m.BoardSuperseded() as event:
                    at = event.round, event.board
                    self._last[*at, event.table] = one
                    self._lifts[*at, event.table] = one.number
                    if isinstance(event, m.BoardSuperseded):
                        self._lifts[*at, event.by_table] = one.number
                case m.PercentAssigned() as event:
                    self._last[event.round, event.board, event.entrant] = one
                case m.MatchCorrected() as event:
                    self._last[event.round, MATCH, event.table] = one

    def on(self, round_: int, board: int, table: str) -> m.Ruling | None:
        """The last ruling on a board at a table."""
        found = self._last.get((round_, board, table))
        return found.event if found else None

    def told(self, round_: int, boards: Iterable[int], about: Sequence[str | int]) -> list[pb.BoardRuling]:
        """What was decided `about` tables, by their ids, and their entrants, by their numbers, board by board; no percentage that a
        later ruling at one of those tables has lifted."""
        named, found = dict.fromkeys(about), []
        for board in boards:
            lifted = max((self._lifts.get((round_, board, one), 0) for one in named), default=0)
            ruled = (self._last.get((round_, board, one)) for one in named)
            found += [
                self._told(one)
                for one in ruled
                if one and not (isinstance(one.event, m.PercentAssigned) and one.number < lifted)
            ]
        return found

    def _told(self, ruled: m.Ruled) -> pb.BoardRuling:
        authority = ruled.event.authority
        return pb.BoardRuling(
            kind=_KINDS[type(ruled.event)],
            by=authority.by,
            appeal=authority.appeal,
            publication=sum(one.version < ruled.version for one in self._publications),
            entrant=ruled.event.entrant if isinstance(ruled.event, m.PercentAssigned) else 0,
        )
