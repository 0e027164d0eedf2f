"""What counts of a board at a table where a ruling or a correction changed it, and where that is told (C9.2, C10.6)."""

from __future__ import annotations

from clients.console import figures
from clients.console.desk import Event
from clients.console.language import Language
from fupan.scoring.v1 import service_pb2 as scoring


def changed(
    event: Event, result: scoring.BoardResult, seat: int, scored: int | None, language: Language
) -> tuple[str, str] | None:
    """What counts for a seat instead of what it `scored`, and the address of the decision; None where nothing changed it."""
    about = [one for one in result.rulings if one.entrant in (0, result.entrants[seat])]
    if not about:
        return None
    last, pick = about[-1], language.pick
    share = "" if event.by_points else f"{figures.tenths(result.percent_tenths[seat])} %"
    match last.kind:
        case "corrected" if result.scores[seat] == scored:
            return None
        case "corrected":
            counts = figures.signed(result.scores[seat])
        case "replayed":
            counts = pick("what was played again", "重打的成绩")
        case "voided":
            counts = pick("void", "作废") + (f"{pick(', ', '，')}{share}" if share else "")
        case _:
            counts = share
    return counts, address(event, last)


def address(event: Event, ruling: scoring.BoardRuling) -> str:
    """The page that tells of a decision: its appeal's, or that of the publication which it changed."""
    home = f"/events/{event.id}"
    if ruling.appeal:
        return f"{home}/appeals/{ruling.appeal}"
    return (
        f"{home}/publications/{ruling.publication}#changes" if ruling.publication else f"{home}/publications"
    )
