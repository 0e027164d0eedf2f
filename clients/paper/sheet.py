"""A score sheet as a record with the names of its players, and as rows (C8.6)."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Any

from fupan.pairing.v1 import service_pb2 as pairing
from fupan.table.v1 import sheet_pb2
from fupan.table.v1 import sheet_service_pb2 as pb

SIDES = ("0+2", "1+3")


def record(
    sheet: pb.Sheet, event: pairing.GetChampionshipResponse, names: Names, zone: tzinfo
) -> dict[str, Any]:
    """Everything of C8.6, with names and units; times in the event's zone, None where nothing is."""
    written = sheet.HasField("figures")
    return {
        "championship": sheet.championship,
        "name": event.settings.name,
        "match": sheet.table,
        "round": sheet.round,
        "ruleset": sheet.ruleset,
        "state": sheet.state,
        "place": sheet.figures.place,
        "started": _moment(sheet.figures.started_us, zone),
        "ended": _moment(sheet.figures.ended_us, zone),
        "sides": [_side(sheet, number, names, written) for number in range(len(sheet.sides))],
        "winner": SIDES[sheet.result.winner] if sheet.HasField("result") else None,
        "clause": sheet.result.clause,
        "deals": [_played(number, deal) for number, deal in enumerate(sheet.figures.deals, 1)],
        "infringements": [_infringement(one, sheet, names) for one in sheet.infringements],
        "signatures": [_signature(one, names, zone) for one in sheet.signatures],
        "refusals": [
            {
                "person": one.person,
                "name": names.of(one.person),
                "reason": one.reason,
                "entered_by": one.entered_by,
                "time": _moment(one.time_us, zone),
            }
            for one in sheet.refusals
        ],
        "third_party": _signature(sheet.third_party, names, zone) if sheet.HasField("third_party") else None,
        "witness": _signature(sheet.witness, names, zone) if sheet.HasField("witness") else None,
        "referee": _signature(sheet.referee, names, zone) if sheet.HasField("referee") else None,
        "decision": sheet.decision,
    }


class Names:
    """Names and units of an event's players by person id, asked from pairing; empty where erased or not given."""

    def __init__(self, entrants: list[pairing.ListedEntrant]) -> None:
        self._known = {
            member.person_id: (name, member.unit_id)
            for one in entrants
            for member, name in zip(one.entrant.members, one.names, strict=True)
        }

    def of(self, person: str) -> str:
        """A person's name."""
        return self._known.get(person, ("", ""))[0]

    def unit(self, person: str) -> str:
        """The unit a person plays for."""
        return self._known.get(person, ("", ""))[1]


def _side(sheet: pb.Sheet, number: int, names: Names, written: bool) -> dict[str, Any]:
    side = sheet.sides[number]
    return {
        "seats": SIDES[number],
        "entrant": side.entrant,
        "players": [
            {"seat": number + 2 * place, "person": one, "name": names.of(one), "unit": names.unit(one)}
            for place, one in enumerate(side.players)
            if one
        ],
        "points": side.points if written else None,
        "level": sheet.result.levels[number] if written else None,
        "net_levels": side.net_levels if written else None,
    }


def _played(number: int, deal: sheet_pb2.SheetDeal) -> dict[str, Any]:
    return {
        "deal": number,
        "declarer": deal.declarer,
        "level": deal.level,
        "points": deal.points,
        "fines": list(deal.fines),
        "rises": list(deal.rises),
    }


def _infringement(one: pb.SheetInfringement, sheet: pb.Sheet, names: Names) -> dict[str, Any]:
    person = sheet.sides[one.seat % 2].players[one.seat // 2]
    return {
        "deal": one.deal,
        "seat": one.seat,
        "act": one.act,
        "person": person,
        "name": names.of(person),
        "code": one.code,
        "finding": one.finding,
        "cards": one.cards,
        "fine": one.fine,
        "what": one.what,
        "effect": one.effect,
        "ends": one.ends,
        "reason": one.reason,
    }


def _signature(one: pb.SheetSignature, names: Names, zone: tzinfo) -> dict[str, Any]:
    return {
        "person": one.person,
        "name": names.of(one.person),
        "time": _moment(one.time_us, zone),
        "taken_by": one.taken_by,
    }


def flat(told: Mapping[str, Any]) -> Iterator[tuple[str, int, str, Any]]:
    """A record as rows (section, number, field, value): one match, then sides, deals and so on, each counted from 1."""
    for key, value in told.items():
        if isinstance(value, list):
            for number, item in enumerate(value, 1):
                yield from ((key, number, field, cell) for field, cell in _cells(item))
        elif isinstance(value, dict):
            yield from ((key, 1, field, cell) for field, cell in _cells(value))
        else:
            yield "match", 1, key, value


def csv_of(told: Mapping[str, Any]) -> bytes:
    """The record in rows, for spreadsheets that know UTF-8 by its mark."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("section", "number", "field", "value"))
    writer.writerows((*place, _cell(value)) for *place, value in flat(told))
    return text.getvalue().encode("utf-8-sig")


def _cell(value: Any) -> Any:
    """A value as CSV has it: yes, no and times as in JSON, times in UTC."""
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")
    return str(value).lower() if isinstance(value, bool) else value


def _moment(microseconds: int, zone: tzinfo) -> datetime | None:
    return datetime.fromtimestamp(microseconds / 1_000_000, zone) if microseconds else None


def _cells(item: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Fields of an item; what is by side or by player is counted in its name: `fines_02`, `player_1_name`."""
    for field, value in item.items():
        if field == "players":
            for number, player in enumerate(value, 1):
                yield from ((f"player_{number}_{name}", cell) for name, cell in player.items())
        elif isinstance(value, list):
            yield from zip((f"{field}_02", f"{field}_13"), value, strict=True)
        else:
            yield field, value
