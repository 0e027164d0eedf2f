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
        for one in rulings:
            match one.event:
                case m.ResultCorrected() | m.BoardVoided() | m.BoardSuperseded() as event:
                    self._last[event.round, event.board, event.table] = one
                case m.PercentAssigned() as event:
                    self._last[event.round, event.board, event.entrant] = one
                case m.MatchCorrected() as event:
                    self._last[event.round, MATCH, event.table] = one

    def on(self, round_: int, board: int, table: str) -> m.Ruling | None:
        """The last ruling on a board at a table."""
        found = self._last.get((round_, board, table))
        return found.event if found else None

    def told(self, round_: int, boards: Iterable[int], about: Sequence[str | int]) -> list[pb.BoardRuling]:
        """What was decided `about` tables, by their ids, and entrants, by their numbers, board by board."""
        keys = ((round_, board, one) for board in boards for one in dict.fromkeys(about))
        return [self._told(self._last[key]) for key in keys if key in self._last]

    def _told(self, ruled: m.Ruled) -> pb.BoardRuling:
        authority = ruled.event.authority
        return pb.BoardRuling(
            kind=_KINDS[type(ruled.event)],
            by=authority.by,
            appeal=authority.appeal,
            publication=sum(one.version < ruled.version for one in self._publications),
            entrant=ruled.event.entrant if isinstance(ruled.event, m.PercentAssigned) else 0,
        )
