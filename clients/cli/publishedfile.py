"""Published standings as an audit file has them: of a championship computed over again, of a table or a round as it brings them."""

from __future__ import annotations

from datetime import tzinfo
from pathlib import Path
from typing import Any

from clients.cli import files
from clients.cli.output import USAGE, Problem, in_words
from clients.cli.times import zone
from clients.cli.words import pick
from fupan.scoring.v1 import service_pb2 as pb
from services.domain import Rejected
from services.games.championship import contest, points, teams
from services.games.championship.league import Placing
from services.games.championship.matchpoints import published
from services.games.championship.standings import Standing
from services.games.championship.tables import TEAMS
from services.ledger import auditfile
from services.ledger.audit.evidence import Evidence, gather
from services.ledger.audit.ranking import Standings


def read(path: Path, as_of: str) -> tuple[pb.GetStandingsResponse, tzinfo]:
    """A publication by its number, empty: the newest that the file gives, and the event's zone. Raises Problem."""
    if as_of and not as_of.isdecimal():
        raise Problem(
            pick("--as-of a file is a publication's number", "--from 时 --as-of 须为公布序号"), USAGE
        )
    try:
        evidence = gather(auditfile.parse(files.read(path)))
    except (auditfile.Damaged, Rejected) as error:
        raise Problem(f"{path}: {in_words(error)}") from None
    found = {
        event.message.number: (entry.time_us, event.message)
        for entry, event in evidence.events("scoring")
        if event.kind == "standings_published"
    }
    standings = Standings(evidence)
    for number in [int(as_of)] if as_of else sorted(found, reverse=True):
        order = _order(standings, number)
        if order is None:
            continue
        time_us, event = found[number]
        if contest.digest(order) != event.digest:
            raise Problem(
                pick(
                    f"publication {number} is not what {path} gives: fupan audit verify tells more",
                    f"第 {number} 次公布与 {path} 所得不符：请用 fupan audit verify 复核",
                )
            )
        told = pb.GetStandingsResponse(
            rows=_Rows(evidence).of(order),
            publication=number,
            digest=event.digest,
            cut=event.cut,
            after_round=event.after_round,
            provisional=all(one.kind != "standings_sealed" for _, one in evidence.events("scoring")),
            cause=event.cause,
            published_us=time_us,
        )
        return told, zone(standings.settings.time_zone)
    raise Problem(pick(f"{path} gives no such standings", f"{path} 中没有该次名次"))


def _order(standings: Standings, number: int) -> contest.Order | None:
    try:
        return standings.order(number)
    except (Rejected, ValueError, TypeError, ZeroDivisionError):
        return None


class _Rows:
    """Standings as scoring sends them, with who plays by pairing's log."""

    def __init__(self, evidence: Evidence) -> None:
        self._persons: dict[int, list[str]] = {}
        self._withdrawn: set[int] = set()
        self._win = points.WIN
        for _, event in evidence.events("pairing"):
            match event.kind:
                case "championship_created" if event.message.settings.format == TEAMS:
                    self._win = teams.WIN
                case "entrants_imported":
                    self._persons |= {
                        one.number: [member.person_id for member in one.members]
                        for one in event.message.entrants
                    }
                case "entrant_withdrawn":
                    self._withdrawn.add(event.message.entrant)

    def of(self, order: contest.Order) -> list[pb.StandingRow]:
        """An order's rows, best first."""
        return [
            pb.StandingRow(
                place=one.place,
                entrant=one.entrant,
                persons=self._persons.get(one.entrant, ()),
                byes=one.byes,
                withdrawn=one.entrant in self._withdrawn,
                decided_by=one.decided_by,
                **(self._by_percent(one) if isinstance(one, Standing) else self._by_points(one)),
            )
            for one in order
        ]

    def _by_percent(self, one: Standing) -> dict[str, Any]:
        return {
            "rank": one.rank,
            "shared": one.shared,
            "percent_tenths": one.tenths,
            "units": one.units,
            "beaten_sum": one.beaten_sum,
            "beaten_count": one.beaten_count,
            "rank_counts": one.rank_counts,
            "thinking_us": one.micros,
            "penalty_tenths": one.penalty,
        }

    def _by_points(self, one: Placing) -> dict[str, Any]:
        matches = one.won + one.drawn + one.lost
        most = (matches + one.byes) * self._win
        return {
            "rank": one.place,
            "percent_tenths": published(one.points / most) if most else 0,
            "units": matches,
            "points": str(one.points),
            "net": one.net,
            "head_to_head": one.head_to_head,
            "won": one.won,
            "drawn": one.drawn,
            "lost": one.lost,
        }
