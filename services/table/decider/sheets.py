"""Score sheets of matches with real cards: entered, signed, disputed, decided, confirmed (C8.6, C9.2-C9.4, S9.2, S10).

What is entered must add up: levels and declarers follow from deal to deal (S9.3-S9.5), fines are those of the infringements that
were entered (S10). Who is a referee or the chief is for the caller to know. What passes here, the fold takes up by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.domain import Meta, Rejected
from services.games.championship import sheet as rules
from services.games.championship.netlevels import PAST_A, clause_as_written, net_levels
from services.games.championship.points import Due, MatchResult
from services.games.championship.sheet import DISPUTED, DealLine, Refusal, Sheet, SheetSide, Signature
from services.games.clauses import CLAUSES
from services.games.shengji import infringements
from services.games.shengji.infringements import Outcome
from services.games.shengji.result import SEATS, SIDES
from services.games.shengji.tally import Found, add_up
from services.table.model import sheets as s
from services.table.model.events import Event, MatchEnded
from services.table.model.sheets import MatchSheet
from services.table.model.state import Table, resolved

MOST_DEALS = 99
"""More than 90 minutes hold."""

MOST_ACTS = 99

MOST_CARDS = 25
"""A hand."""

MOST_FINE = infringements.WHOLE_DECK
"""What a referee may choose as a fine, at most."""

DUE: Mapping[str, Due | None] = {
    "": None,
    "finish_deal": Due.FINISH_DEAL,
    "one_more_deal": Due.ONE_MORE_DEAL,
}
"""Why the last deal was still played (C8.3), as it is stored."""

BY_PLAY = ("C8.", PAST_A)
"""Clauses by which play decides a match, and no ruling."""

# Infringements


def enter_infringement(table: Table, command: s.EnterInfringement, meta: Meta) -> Sequence[Event]:
    """InfringementEntered with the fine that the catalogue says. One act is fined once (S9.2)."""
    written = _open(table)
    _stated(command.reason)
    if command.seat not in SEATS:
        raise Rejected("NO_SUCH_SEAT", "S2.1", "seats go from 0 to 3")
    if not 1 <= command.deal <= MOST_DEALS:
        raise Rejected("NO_SUCH_DEAL", "C8.6", "deals are counted from 1")
    if not 1 <= command.act <= MOST_ACTS:
        raise Rejected("OUT_OF_RANGE", "S9.2", "a seat's acts in a deal are counted from 1")
    row = infringements.find(command.code, infringements.under(_params(table)))
    outcome = row.outcomes.get(command.finding)
    if outcome is None:
        found = ", ".join(row.outcomes)
        raise Rejected("NO_SUCH_FINDING", row.code, f"{row.code} is found as one of: {found}")
    for one in written.infringements:
        if one.key == (command.deal, command.seat, command.act):
            raise Rejected(
                "FINED_ALREADY",
                "S9.2",
                f"one act is fined once: act {one.act} of seat {one.seat} in deal {one.deal} stands as {one.code};"
                " another act has another number",
            )
    entered = s.InfringementEntered(
        deal=command.deal,
        seat=command.seat,
        act=command.act,
        code=command.code,
        finding=command.finding,
        cards=command.cards,
        fine=_fine(outcome, command.cards, command.amount),
        reason=command.reason,
    )
    return (entered,)


def _fine(outcome: Outcome, cards: int, amount: int | None) -> int:
    """The points of a fine. Raises Rejected where the amount is not the referee's to say, or missing."""
    if not 1 <= cards <= MOST_CARDS or (amount or 0) > MOST_FINE:
        raise Rejected(
            "FINE_OUT_OF_RANGE", "S10", f"1 to {MOST_CARDS} cards, and a fine of {MOST_FINE} points at most"
        )
    if outcome.defender is not None and amount is None:
        return 0
    if outcome.defender is not None:
        raise Rejected("FINE_OUT_OF_RANGE", "S10", "the row itself says what the deal then counts")
    return -infringements.rule(outcome, 0, defender=True, units=cards, amount=amount).points


def lift_infringement(table: Table, command: s.LiftInfringement, meta: Meta) -> Sequence[Event]:
    """InfringementLifted: it was entered by mistake."""
    written = _open(table)
    _stated(command.reason)
    if not any(one.key == (command.deal, command.seat, command.act) for one in written.infringements):
        raise Rejected(
            "NOTHING_ENTERED", "S10", f"no act {command.act} of seat {command.seat} in deal {command.deal}"
        )
    return (s.InfringementLifted(command.deal, command.seat, command.act, command.reason),)


# Figures


def enter_sheet(table: Table, command: s.EnterSheet, meta: Meta) -> Sequence[Event]:
    """SheetEntered with the result that the deals lead to; entered anew it says why (C9.4)."""
    if _open(table).entered:
        _stated(command.reason)
    figures = _filled(table, command.figures, meta)
    _tallied(table, figures)
    result = rules.result_of(lines(figures), DUE[figures.last_deal])
    return (
        s.SheetEntered(figures, s.SheetResult(result.winner, result.levels, result.clause), command.reason),
    )


def decide_sheet(table: Table, command: s.DecideSheet, meta: Meta) -> Sequence[Event]:
    """SheetDecided and MatchEnded: a dispute is over, or a side wins by a ruling, whatever was entered (C9.2)."""
    written = _open(table)
    _stated(command.reason)
    disputed = written.sheet is not None and written.sheet.state == DISPUTED
    if command.winner is None and not disputed:
        raise Rejected(
            "SHEET_NOT_DISPUTED", "C8.6", "nobody disputes the sheet; a referee confirms it when signed"
        )
    given = command.figures or written.figures or s.SheetFigures("", 0, 0, ())
    figures = _filled(table, given, meta)
    levels = _tallied(table, figures)
    if command.winner is None:
        result = rules.result_of(lines(figures), DUE[figures.last_deal])
    elif command.winner not in SIDES:
        raise Rejected("MALFORMED_SHEET", "C9.2", "a ruling names the winning side, 0 or 1")
    elif command.clause not in CLAUSES or command.clause.startswith(BY_PLAY):
        raise Rejected(
            "NO_SUCH_CLAUSE", "C9.2", f"{command.clause!r} is no clause that gives a match to a side"
        )
    else:
        result = MatchResult(command.winner, levels, command.clause)
    decided = s.SheetDecided(
        figures, s.SheetResult(result.winner, result.levels, result.clause), command.reason
    )
    return (decided, _ended(table, figures, decided.result))


def _filled(table: Table, figures: s.SheetFigures, meta: Meta) -> s.SheetFigures:
    """The figures with what the table knows where nothing was written."""
    filled = replace(
        figures,
        place=figures.place or table.facts.table,
        started_us=figures.started_us or min(table.free_us, figures.ended_us or table.free_us),
        ended_us=figures.ended_us or meta.time_us,
    )
    if filled.started_us < 0 or filled.ended_us > meta.time_us:
        raise Rejected("OUT_OF_RANGE", "C8.6", "the match has ended by now, and began after 1970")
    if filled.ended_us < filled.started_us:
        raise Rejected("ENDED_BEFORE_IT_BEGAN", "C8.6", "the match ended before it began")
    if filled.last_deal not in DUE or len(filled.deals) > MOST_DEALS:
        raise Rejected(
            "MALFORMED_SHEET", "C8.3", f"at most {MOST_DEALS} deals, the last one as C8.3 names it"
        )
    if any(len(deal.fines) != len(SIDES) or len(deal.rises) != len(SIDES) for deal in filled.deals):
        raise Rejected("MALFORMED_SHEET", "C8.6", "every deal has its fines and rises by side")
    _check_number(table, filled)
    return filled


def _check_number(table: Table, figures: s.SheetFigures) -> None:
    """Whether the event allows a match so many deals; both sides still at 2, one more is played (C8.3). Raises Rejected."""
    assert table.facts.match is not None
    entered, most = len(figures.deals), table.facts.match.deals
    if 0 < most < entered - (figures.last_deal == "one_more_deal"):
        raise Rejected(
            "SHEET_DOES_NOT_ADD_UP",
            "C8.3",
            f"{entered} deals, where a match of this event has {most} at most",
            detail_zh=f"登记了 {entered} 副，本赛事每场至多 {most} 副",
        )


def _tallied(table: Table, figures: s.SheetFigures) -> tuple[str, str]:
    """Levels at the end of figures that add up. Raises Rejected."""
    found = [
        Found(one.deal, one.seat, one.code, one.finding, one.fine) for one in table.written.infringements
    ]
    return add_up(_params(table), lines(figures), found)


def _params(table: Table) -> Any:
    return resolved(table.facts.ruleset, table.facts.params)


def lines(figures: s.SheetFigures) -> tuple[DealLine, ...]:
    """The deals as the arithmetic takes them, two figures by side. Raises ValueError for another number of figures."""
    found = []
    for deal in figures.deals:
        (fines, other_fines), (rises, other_rises) = deal.fines, deal.rises
        sides = (fines, other_fines), (rises, other_rises)
        found.append(DealLine(deal.declarer, deal.level, deal.points, *sides))
    return tuple(found)


def _ended(table: Table, figures: s.SheetFigures, result: s.SheetResult) -> MatchEnded:
    """What scoring reads of every match, with real cards or not."""
    assert table.facts.match is not None
    clause = clause_as_written(result.clause)
    past_a = clause == PAST_A
    winner, loser = result.levels[result.winner], result.levels[1 - result.winner]
    return MatchEnded(
        round=table.facts.round,
        winner=result.winner,
        levels=result.levels,
        past_a=tuple(past_a and one == result.winner for one in SIDES),
        net_levels=net_levels(winner, loser, table.facts.match.a_is_a_level),
        deals=len(figures.deals),
        clause=clause,
        started_us=figures.started_us,
        ended_us=figures.ended_us,
    )


# Signatures


def sign_sheet(table: Table, command: s.SignSheet, meta: Meta) -> Sequence[Event]:
    """SheetSigned by a player, a third party or a witness."""
    _signed(_sheet(table), command, Signature(command.person, meta.time_us))
    return (s.SheetSigned(command.person, command.capacity),)


def refuse_signature(table: Table, command: s.RefuseSignature, meta: Meta) -> Sequence[Event]:
    """SignatureRefused, which the referee enters with the reason (C8.6)."""
    rules.refuse(_sheet(table), _refusal(command, meta))
    return (s.SignatureRefused(command.person, command.reason),)


def dispute_sheet(table: Table, command: s.DisputeSheet, meta: Meta) -> Sequence[Event]:
    """SheetDisputed by a player, even one that has signed: the chief referee decides."""
    _disputed(_sheet(table), _refusal(command, meta))
    return (s.SheetDisputed(command.person, command.reason),)


def confirm_sheet(table: Table, command: s.ConfirmSheet, meta: Meta) -> Sequence[Event]:
    """SheetConfirmed and MatchEnded, once both sides have signed (C8.6)."""
    written, sheet = table.written, _sheet(table)
    if not all(side.players for side in sheet.sides):
        raise Rejected(
            "SHEET_NOT_SIGNED", "C8.6", "nobody is left of a side to sign; the chief referee decides"
        )
    rules.verify(sheet, Signature(meta.actor, meta.time_us))
    figures, result = written.figures, sheet.result
    assert figures is not None
    assert result is not None
    told = s.SheetResult(result.winner, result.levels, result.clause)
    return (s.SheetConfirmed(), _ended(table, figures, told))


def _refusal(command: s.RefuseSignature | s.DisputeSheet, meta: Meta) -> Refusal:
    return Refusal(command.person, command.reason, Signature(meta.actor, meta.time_us))


def _signed(sheet: Sheet, signed: s.SignSheet | s.SheetSigned, signature: Signature) -> Sheet:
    match signed.capacity:
        case "player":
            return rules.sign(sheet, signature)
        case "third_party":
            return rules.attest(sheet, third_party=signature)
        case "witness":
            return rules.attest(sheet, witness=signature)
    raise Rejected("MALFORMED_SHEET", "C8.6", "one signs as player, third_party or witness")


def _disputed(sheet: Sheet, refusal: Refusal) -> Sheet:
    """The sheet without the signature of who disputes it."""
    kept = tuple(one for one in sheet.signatures if one.by != refusal.player)
    return rules.refuse(replace(sheet, signatures=kept), refusal)


# What they rest on


def _open(table: Table) -> MatchSheet:
    """What is written, while it may be changed. Raises Rejected."""
    if table.written.counts:
        raise Rejected("SHEET_VERIFIED", "C8.6", f"the sheet of {table.facts.table} has been verified")
    if table.course is not None and table.course.ended is not None:
        raise Rejected("MATCH_OVER", "C2.2", "the match was closed without a result")
    return table.written


def _sheet(table: Table) -> Sheet:
    """The sheet with its figures, while it may be changed. Raises Rejected."""
    sheet = _open(table).sheet
    if sheet is None:
        raise Rejected("NOTHING_ENTERED", "C8.6", f"no result is entered for {table.facts.table}")
    return sheet


def _stated(reason: str) -> None:
    if not reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")


# The fold


def _infringement_entered(table: Table, event: s.InfringementEntered, meta: Meta) -> Table:
    standing = (*table.written.infringements, event)
    return _anew(table, tuple(sorted(standing, key=lambda one: one.key)))


def _infringement_lifted(table: Table, event: s.InfringementLifted, meta: Meta) -> Table:
    lifted = event.deal, event.seat, event.act
    return _anew(table, tuple(one for one in table.written.infringements if one.key != lifted))


def _anew(table: Table, standing: tuple[s.InfringementEntered, ...]) -> Table:
    """Other infringements: the deals are to be entered anew."""
    return table._replace(written=MatchSheet(standing, entered=table.written.entered))


def _sheet_entered(table: Table, event: s.SheetEntered, meta: Meta) -> Table:
    sheet = _lettered(table, event)
    return table._replace(written=MatchSheet(table.written.infringements, event.figures, sheet, entered=True))


def _lettered(table: Table, event: s.SheetEntered | s.SheetDecided) -> Sheet:
    """A sheet with the figures of an event on it, unsigned."""
    facts, people, figures = table.facts, table.people, event.figures
    sides = [
        SheetSide(facts.seats[one].entrant, tuple(filter(None, (people[one], people[one + 2]))), ())
        for one in SIDES
    ]
    blank = Sheet(facts.table, figures.place, figures.started_us, (sides[0], sides[1]))
    one, two = event.result.levels
    result = MatchResult(event.result.winner, (one, two), event.result.clause)
    return rules.enter(blank, figures.ended_us, lines(figures), ruled=result)


def _sheet_signed(table: Table, event: s.SheetSigned, meta: Meta) -> Table:
    written = table.written
    assert written.sheet is not None
    sheet = _signed(written.sheet, event, Signature(event.person, meta.time_us))
    taken = written.taken_by
    if meta.actor != event.person:
        taken = (*taken, (event.person, meta.actor))
    return table._replace(written=replace(written, sheet=sheet, taken_by=taken))


def _signature_refused(table: Table, event: s.SignatureRefused | s.SheetDisputed, meta: Meta) -> Table:
    written = table.written
    assert written.sheet is not None
    refusal = Refusal(event.person, event.reason, Signature(meta.actor, meta.time_us))
    return table._replace(written=replace(written, sheet=_disputed(written.sheet, refusal)))


def _sheet_decided(table: Table, event: s.SheetDecided, meta: Meta) -> Table:
    written = table.written
    sheet, before = _lettered(table, event), written.sheet
    if before is not None and written.figures == event.figures:
        # What was signed is what counts.
        kept = before.signatures, before.third_party, before.witness
        sheet = replace(sheet, signatures=kept[0], third_party=kept[1], witness=kept[2])
    if before is not None:
        sheet = replace(sheet, refusals=before.refusals)
    sheet = replace(sheet, referee=Signature(meta.actor, meta.time_us), decision=event.reason)
    return table._replace(written=replace(written, figures=event.figures, sheet=sheet, entered=True))


def _sheet_confirmed(table: Table, event: s.SheetConfirmed, meta: Meta) -> Table:
    written = table.written
    assert written.sheet is not None
    sheet = rules.verify(written.sheet, Signature(meta.actor, meta.time_us))
    return table._replace(written=replace(written, sheet=sheet))


DECIDE: Mapping[type, Callable[[Table, Any, Meta], Sequence[Event]]] = {
    s.EnterInfringement: enter_infringement,
    s.LiftInfringement: lift_infringement,
    s.EnterSheet: enter_sheet,
    s.SignSheet: sign_sheet,
    s.RefuseSignature: refuse_signature,
    s.DisputeSheet: dispute_sheet,
    s.DecideSheet: decide_sheet,
    s.ConfirmSheet: confirm_sheet,
}

EVOLVE: Mapping[type, Callable[[Table, Any, Meta], Table]] = {
    s.InfringementEntered: _infringement_entered,
    s.InfringementLifted: _infringement_lifted,
    s.SheetEntered: _sheet_entered,
    s.SheetSigned: _sheet_signed,
    s.SignatureRefused: _signature_refused,
    s.SheetDisputed: _signature_refused,
    s.SheetDecided: _sheet_decided,
    s.SheetConfirmed: _sheet_confirmed,
}
