"""Forms that ask for remedies, one or several (C10.6): what stands in them, and beside which field a refusal belongs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from clients.console.language import Language
from clients.console.refusals import Refusal
from clients.console.remedies import Wrong, read
from fupan.scoring.v1 import events_pb2 as scoring

MOST = 8
"""Remedies that a form asks for together."""

Refused = Refusal | Wrong

WHERE = ("table", "round", "board", "attempt")
_SHARED = (*WHERE, "pairing")

_OF = {
    "correct": ("scores",),
    "void": ("shares",),
    "assign": ("share_entrant", "share"),
    "replay": (),
    "penalty": ("penalty", "penalty_entrant", "fine"),
    "match": ("levels", "winner"),
    "reseat": ("seats",),
}
"""Fields of a kind of remedy besides those that say where."""

_FIELDS = ("remedy", *WHERE, *(one for fields in _OF.values() for one in fields))


@dataclass(frozen=True, slots=True)
class Row:
    """A remedy of a form: its number from 1, what stands in its fields, what is wrong with those, whether it was just added."""

    number: int = 1
    filled: Mapping[str, str] = field(default_factory=dict)
    wrong: Mapping[str, str] = field(default_factory=dict)
    added: bool = False

    def name(self, of: str) -> str:
        """What the form calls a field."""
        return of if self.number == 1 else f"{of}-{self.number}"


def rows(form: Mapping[str, str]) -> list[Row]:
    """The remedies of a form, at least one; an empty one more where the form asks for `more`."""
    # What is said once is meant of all.
    shared = {one: form[one] for one in _SHARED if one in form}
    found = [
        Row(number, shared | filled)
        for number in range(1, MOST + 1)
        if (filled := {one: form[name] for one in _FIELDS if (name := Row(number).name(one)) in form})
    ] or [Row(filled=shared)]
    if "more" in form and found[-1].number < MOST:
        found.append(Row(found[-1].number + 1, shared, added=True))
    return found


def asked(form: Mapping[str, str]) -> list[scoring.Remedy]:
    """The remedies that a form asks for. Raises Wrong, HTTPException for what our forms do not send."""
    found = []
    for row in rows(form):
        try:
            remedy = read(row.filled)
        except Wrong as wrong:
            raise Wrong(wrong.field, row.number) from None
        if remedy is not None:
            found.append(remedy)
    return found


def marked(
    found: Sequence[Row], refused: Refused | None, language: Language, hidden: Sequence[str] = ()
) -> tuple[list[Row], Refusal | None]:
    """The remedies with what was refused beside the fields that it is about; what belongs beside none of them, or beside one that
    the form has `hidden`."""
    if refused is None:
        return list(found), None
    if isinstance(refused, Wrong):
        told = language.pick(*_WANTED[refused.field])
        at, left = [(refused.number, refused.field, told)], Refusal(409, "", "", told)
    else:
        at, left = list(_concerned(found, refused)), refused
    wrong = [one for one in at if one[1] not in hidden]
    if not wrong:
        return list(found), left
    return [
        replace(row, wrong={name: told for number, name, told in wrong if number == row.number})
        for row in found
    ], None


def _concerned(found: Sequence[Row], refusal: Refusal) -> Iterator[tuple[int, str, str]]:
    """(number of a remedy, field, what is wrong with it)"""
    asking = [row for row in found if row.filled.get("remedy")]
    for path, told in refusal.fields.items():
        at = _PATH.match(path)
        if at is not None and int(at[1]) < len(asking):
            row, last = asking[int(at[1])], path.rpartition(".")[2]
            yield row.number, "seats" if row.filled["remedy"] == "reseat" else last, told
    about = refusal.facts.get("what", refusal.reason)
    which = refusal.facts.get("id") if refusal.reason == "NOT_FOUND" else None
    for row in asking:
        fields = (*WHERE, *_OF.get(row.filled["remedy"], ()))
        for name in _ABOUT.get(about, ()):
            if name in fields and which in (None, row.filled.get(name)):
                yield row.number, name, refusal.told


_PATH = re.compile(r"(?:sought|remedies)\[(\d+)\]\.")
"""A remedy of a request, counted from 0."""

_ABOUT: Mapping[str, Iterable[str]] = {
    "SCORES_NOT_ZERO": ("scores",),
    "SCORES_OF_NO_BOARD": ("scores",),
    "SCORE_OUT_OF_RANGE": ("scores",),
    "RULING_OF_WRONG_LENGTH": ("scores", "shares"),
    "NO_PAIRS": ("scores", "shares"),
    "PERCENT_OUT_OF_RANGE": ("shares", "share", "fine"),
    "PENALTY_MISSING": ("penalty",),
    "NO_SUCH_LEVEL": ("levels",),
    "NO_SUCH_SIDE": ("levels",),
    "SEATING_WRONG": ("seats",),
    "ROUND_STARTED": ("seats",),
    "BOARD_OPEN": ("board",),
    "entrant": ("share_entrant", "penalty_entrant"),
    "table": ("table",),
    "round": ("round",),
}
"""Fields by the reason of a refusal, or by what there is none of."""

_SHARE = ("0 to 100, with one decimal at most", "0 至 100，至多一位小数")
_NUMBER = ("a whole number", "须为整数")
_WANTED: Mapping[str, tuple[str, str]] = {
    "round": _NUMBER,
    "board": _NUMBER,
    "share_entrant": _NUMBER,
    "penalty_entrant": _NUMBER,
    "scores": ("a whole number for every seat", "每座一个整数"),
    "shares": (f"for every seat {_SHARE[0]}", f"每座 {_SHARE[1]}"),
    "share": _SHARE,
    "fine": _SHARE,
    "seats": (
        "tables with entrants by seat, r2-t1: 4 2 6; r2-t2: 1 3 5",
        "各桌各座参赛编号，如 r2-t1: 4 2 6; r2-t2: 1 3 5",
    ),
}
"""What a field takes."""
