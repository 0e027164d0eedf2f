"""What counts of a board at a table where a ruling or a correction changed it, and where that is told (C9.2, C10.6)."""

from __future__ import annotations

from clients.boards import counting
from clients.console import figures
from clients.console.desk import Event
from clients.console.language import Language
from fupan.scoring.v1 import service_pb2 as scoring


def changed(
    event: Event, result: scoring.BoardResult, seat: int, scored: int | None, language: Language
) -> tuple[str, str] | None:
    """What counts for a seat instead of what it `scored`, and the address of the decision; None where nothing changed it."""
    counts = counting.now(result, seat, scored)
    if counts is None:
        return None
    return _said(event, counts, language), address(event, counts.ruling)


def _said(event: Event, counts: counting.Now, language: Language) -> str:
    pick = language.pick
    share = "" if event.by_points or counts.tenths is None else f"{figures.tenths(counts.tenths)} %"
    match counts.ruling.kind:
        case "corrected":
            return figures.signed(counts.score or 0)
        case "replayed":
            return pick("what was played again", "重打的成绩")
        case "voided":
            return pick("void", "作废") + (f"{pick(', ', '，')}{share}" if share else "")
    return share


def address(event: Event, ruling: scoring.BoardRuling) -> str:
    """The page that tells of a decision: its appeal's, or that of the publication which it changed."""
    home = f"/events/{event.id}"
    if ruling.appeal:
        return f"{home}/appeals/{ruling.appeal}"
    return (
        f"{home}/publications/{ruling.publication}#changes" if ruling.publication else f"{home}/publications"
    )
