"""Remedies (C10.6): the kinds that an event knows, what a filled form asks for, what a decision of the log carried out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

from google.protobuf.message import Message
from starlette.exceptions import HTTPException

from clients.console.desk import Event
from fupan.scoring.v1 import events_pb2 as scoring
from services.ledger.audit.ruled import REMEDY_OF


def kinds(event: Event, pairing: bool = False) -> tuple[str, ...]:
    """What can be ruled in this format: of points matches as a whole (C8.2), of teams boards without percentages (C7.2); where a
    `pairing` is contested, also other seats."""
    if pairing:
        return "reseat", *kinds(event)
    if event.settings.format == "points":
        return ("match",)
    if event.settings.format == "teams":
        return "correct", "void"
    return "correct", "void", "assign", "replay", "penalty"


class Wrong(HTTPException):
    """A field of a form that holds nothing which can be read, of which remedy of several."""

    def __init__(self, field: str, number: int = 1) -> None:
        super().__init__(400)
        self.field = field
        self.number = number


def read(form: Mapping[str, str]) -> scoring.Remedy | None:
    """The remedy that a form asks for, None for none. Raises Wrong, HTTPException for what our forms do not send."""
    where: dict[str, Any] = {"table": form.get("table", "")}
    kind = form.get("remedy", "")
    if kind in ("correct", "void", "replay", "assign"):
        where |= {"round": _read(whole, form, "round"), "board": _read(whole, form, "board")}
    attempt = whole(form.get("attempt") or "1")
    match kind:
        case "":
            return None
        case "correct":
            scores = _each(signed, form, "scores")
            return scoring.Remedy(
                correct_result=scoring.CorrectResult(**where, attempt=attempt, scores=scores)
            )
        case "void":
            shares = _each(_tenths, form, "shares")
            return scoring.Remedy(void_board=scoring.VoidBoard(**where, attempt=attempt, tenths=shares))
        case "replay":
            return scoring.Remedy(replay_board=scoring.ReplayBoard(**where, attempt=attempt))
        case "assign":
            share = scoring.AssignPercent(
                round=where["round"],
                board=where["board"],
                entrant=_read(whole, form, "share_entrant"),
                tenths=_read(_tenths, form, "share"),
            )
            return scoring.Remedy(assign_percent=share)
        case "penalty":
            fine = scoring.SetPenalty(
                penalty=form.get("penalty", ""),
                entrant=_read(whole, form, "penalty_entrant"),
                tenths=_read(_tenths, form, "fine"),
            )
            return scoring.Remedy(set_penalty=fine)
        case "reseat":
            tables = [_seated(one) for one in form.get("seats", "").split(";") if one.strip()]
            other = scoring.ReseatRound(round=whole(form.get("pairing")), tables=tables)
            return scoring.Remedy(reseat_round=other)
        case "match":
            where |= {"round": _read(whole, form, "round"), "winner": whole(form.get("winner"))}
            levels = form.get("levels", "").upper().replace("10", "T").split()
            return scoring.Remedy(correct_match=scoring.CorrectMatch(**where, levels=levels))
    raise HTTPException(400)


def carried_out(event: scoring.Event) -> scoring.Remedy | None:
    """The remedy that a decision of the log carried out; None where it is none."""
    kind = event.WhichOneof("kind") or ""
    if kind not in REMEDY_OF:
        return None
    remedy = scoring.Remedy()
    target = getattr(remedy, REMEDY_OF[kind])
    target.SetInParent()
    copy_fields(getattr(event, kind), target)
    return remedy


def copy_fields(source: Message, target: Message) -> None:
    """Give `target` what `source` says in plain fields of the same name."""
    known = target.DESCRIPTOR.fields_by_name
    for field, value in source.ListFields():
        if field.name not in known or field.message_type is not None:
            continue
        if field.is_repeated:
            getattr(target, field.name).extend(value)
        else:
            setattr(target, field.name, value)


def whole(text: str | None) -> int:
    """A whole number of a form, below a million. Raises HTTPException."""
    if not (text and text.isascii() and text.isdigit() and len(text) < 7):
        raise HTTPException(400)
    return int(text)


def _read(as_what: Callable[[str], int], form: Mapping[str, str], name: str) -> int:
    """What a field of a form holds. Raises Wrong."""
    try:
        return as_what(form.get(name, ""))
    except HTTPException:
        raise Wrong(name) from None


def _each(as_what: Callable[[str], int], form: Mapping[str, str], name: str) -> list[int]:
    """What a field holds, value by value. Raises Wrong."""
    return [_read(as_what, {name: one}, name) for one in form.get(name, "").split()]


def _seated(text: str) -> scoring.TableSeats:
    """A table's seats, `r2-t1: 4 2 6`. Raises Wrong."""
    table, _, entrants = text.replace("：", ":").partition(":")
    return scoring.TableSeats(table=table.strip(), entrants=_each(whole, {"seats": entrants}, "seats"))


def signed(text: str) -> int:
    """A score, with either kind of minus. Raises HTTPException."""
    sign = -1 if text[:1] in ("-", "−") else 1
    return sign * whole(text.lstrip("+-−"))


def _tenths(text: str) -> int:
    """A percentage in tenths. Raises HTTPException."""
    try:
        tenths = Decimal(text) * 10
    except ArithmeticError:  # no number, or one beyond all bounds
        raise HTTPException(400) from None
    if not (tenths.is_finite() and 0 <= tenths <= 1000 and tenths == int(tenths)):
        raise HTTPException(400)
    return int(tenths)
