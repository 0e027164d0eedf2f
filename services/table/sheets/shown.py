"""A score sheet as it is shown: everything of C8.6 but names, which pairing knows."""

from __future__ import annotations

from fupan.table.v1 import sheet_service_pb2 as pb
from services.games.championship.sheet import Sheet, Signature
from services.games.shengji.infringements import find
from services.games.shengji.result import SIDES
from services.table.model.sheets import InfringementEntered, MatchSheet, SheetResult
from services.table.model.state import Table
from services.table.sheets.codec import FIGURES, RESULT


def shown(table: Table) -> pb.Sheet:
    """The sheet of a table with real cards, as far as it is written."""
    facts, written, sheet = table.facts, table.written, table.written.sheet
    told = pb.Sheet(
        championship=facts.championship,
        table=facts.table,
        round=facts.round,
        ruleset=facts.ruleset,
        state=_state(table),
        sides=_sides(table),
        infringements=[infringement(one) for one in written.infringements],
    )
    if written.figures is None or sheet is None:
        return told
    told.figures.CopyFrom(FIGURES.to_proto(written.figures))
    _sign(told, written, sheet)
    if sheet.result is not None:
        result = SheetResult(sheet.result.winner, sheet.result.levels, sheet.result.clause)
        told.result.CopyFrom(RESULT.to_proto(result))
    return told


def infringement(one: InfringementEntered) -> pb.SheetInfringement:
    """An infringement with what the catalogue says of it (S10)."""
    row = find(one.code)
    outcome = row.outcomes[one.finding]
    return pb.SheetInfringement(
        deal=one.deal,
        seat=one.seat,
        act=one.act,
        code=one.code,
        finding=one.finding,
        cards=one.cards,
        fine=one.fine,
        reason=one.reason,
        what=row.what,
        effect=outcome.effect,
        ends=outcome.ends,
        points_if_defender=outcome.defender,
        points_if_declarer=outcome.declarer,
    )


def _state(table: Table) -> str:
    sheet = table.written.sheet
    if sheet is not None and sheet.counts:
        return sheet.state
    if table.course is not None and table.course.ended is not None:
        return "closed"
    return "empty" if sheet is None else sheet.state


def _sides(table: Table) -> list[pb.SheetSide]:
    facts, sheet = table.facts, table.written.sheet
    sides = [
        pb.SheetSide(entrant=facts.seats[one].entrant, players=[table.people[one], table.people[one + 2]])
        for one in SIDES
    ]
    points = None if sheet is None else sheet.match_points
    net = None if sheet is None or facts.match is None else sheet.difference(facts.match.a_is_a_level)
    if points is not None and net is not None:
        for side, made, gained in zip(sides, points, net, strict=True):
            side.points, side.net_levels = made, gained
    return sides


def _sign(told: pb.Sheet, written: MatchSheet, sheet: Sheet) -> None:
    taken_by = dict(written.taken_by)

    def signature(one: Signature) -> pb.SheetSignature:
        return pb.SheetSignature(person=one.by, time_us=one.at, taken_by=taken_by.get(one.by, ""))

    told.signatures.extend(signature(one) for one in sheet.signatures)
    told.refusals.extend(
        pb.SheetRefusal(
            person=one.player, reason=one.reason, entered_by=one.entered.by, time_us=one.entered.at
        )
        for one in sheet.refusals
    )
    if sheet.third_party is not None:
        told.third_party.CopyFrom(signature(sheet.third_party))
    if sheet.witness is not None:
        told.witness.CopyFrom(signature(sheet.witness))
    if sheet.referee is not None:
        told.referee.CopyFrom(pb.SheetSignature(person=sheet.referee.by, time_us=sheet.referee.at))
    told.decision = sheet.decision
