"""Rule cases: one JSON object a line, tried on the engine without any server.

A kind of case is a function from the case to the values the engine finds; only the keys in the case's
`expect` are compared. Modules are imported when a case first asks for them. A module may define
`canonical(key, value)`, which is applied to expected and found values before they are compared, where one
value can be written in several ways.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from services.domain import Rejected

KINDS: dict[tuple[str, str], tuple[str, str]] = {
    ("paohuzi", "meld"): ("paohuzi_hands", "meld"),
    ("paohuzi", "win"): ("paohuzi_hands", "win"),
    ("paohuzi", "script"): ("paohuzi_script", "script"),
    **{
        ("championship", kind): ("championship", kind)
        for kind in ("matchpoints", "standings", "seating", "netlevels")
    },
    **{
        ("shengji", kind): ("shengji", kind)
        for kind in ("order", "shape", "follow", "trick", "throw", "bottom", "result", "bids")
    },
}
"""(game, kind) → (module of this package, function)."""

_UNORDERED = frozenset({"options", "plays"})
"""Expectations that are sets, or sets by seat."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of a case. `parts` says what was expected and found, or where and by what a line is wrong; empty if ok."""

    id: str
    ok: bool
    parts: tuple[str, ...] = ()

    @property
    def message(self) -> str:
        """All parts in a line."""
        return ": ".join(self.parts)

    def show(self) -> str:
        """`ok ID` or `FAIL ID: expected …, got …`, on one line whatever characters the case holds."""
        return _printable(f"ok {self.id}" if self.ok else f"FAIL {self.id}: {self.message}")


def _printable(text: str) -> str:
    """The text with line ends, control characters and lone surrogates written as escapes."""
    if text.isprintable():
        return text
    return "".join(
        each if each.isprintable() else each.encode("unicode_escape").decode("ascii") for each in text
    )


def has_cases(text: str) -> bool:
    """Whether a file has a case at all, be it a wrong one: a line that is a JSON object with an id."""
    return any(map(_is_case, _lines(text)))


def check_text(text: str) -> Iterator[Verdict]:
    """The verdicts on a whole file of cases, in order; the end of the last line starts no further one."""
    for number, line in enumerate(_lines(text), start=1):
        yield check_line(line, number)


def check_line(text: str, number: int) -> Verdict:
    """The verdict on the `number`-th line (from 1) of a file; never raises for anything a line may hold."""
    line, case = f"line {number}", None
    try:
        case = _parsed(text)
        return _verdict(case)
    except Rejected as refusal:
        reason = f"{refusal.reason} ({refusal.clause})" if refusal.clause else refusal.reason
        wrong = reason, refusal.detail
    except Exception as error:  # whatever a malformed case runs into is its verdict
        wrong = "MALFORMED_CASE", _met(error, case)
    if isinstance(case, dict) and isinstance(case.get("id"), str):
        return Verdict(case["id"], False, (line, *wrong))
    return Verdict(line, False, wrong)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _is_case(line: str) -> bool:
    try:
        case = _parsed(line)
    except Exception:
        return False
    return isinstance(case, dict) and isinstance(case.get("id"), str)


def _parsed(line: str) -> Any:
    """The JSON value of a line. Raises Rejected for what is none, RecursionError for one that is too deep."""
    try:
        line.encode("utf-8")  # what was no UTF-8 in the file is no character here
        return json.loads(line)
    except UnicodeEncodeError as error:
        raise Rejected("MALFORMED_CASE", detail=f"no UTF-8 from column {error.start + 1} on") from None
    except json.JSONDecodeError as error:
        raise Rejected("MALFORMED_CASE", detail=f"no JSON from column {error.pos + 1} on") from None


def _met(error: Exception, case: Any) -> str:
    """What a kind of case met that was made for a well-formed one."""
    if isinstance(error, KeyError) and isinstance(case, dict) and error.args[0] not in case:
        return f"{error.args[0]} is missing"
    return f"not as its kind wants it ({type(error).__name__}: {error})"


def _verdict(case: Any) -> Verdict:
    if not isinstance(case, dict) or not isinstance(case.get("id"), str):
        raise Rejected("MALFORMED_CASE", detail="a case is a JSON object with an id")
    name, expected = case["id"], case.get("expect")
    if not isinstance(expected, dict) or not expected:
        raise Rejected("MALFORMED_CASE", detail="a case expects something: `expect` is an object with keys")
    entry = KINDS.get((str(case.get("game")), str(case.get("kind"))))
    if entry is None:
        raise Rejected("UNKNOWN_KIND", detail=f"no kind {case.get('kind')!r} of game {case.get('game')!r}")
    module = import_module(f"{__name__}.{entry[0]}")
    found = getattr(module, entry[1])(case)
    wrong = [
        key
        for key, value in expected.items()
        if key not in found or not _alike(_canonical(module, key, value), _canonical(module, key, found[key]))
    ]
    if not wrong:
        return Verdict(name, True)
    got = {key: found[key] for key in wrong if key in found}
    due = {key: expected[key] for key in wrong}
    return Verdict(name, False, (f"expected {_json(due)}, got {_json(got)}",))


def _alike(expected: Any, found: Any) -> bool:
    """Whether two JSON values are the same; unlike in Python, true is not 1."""
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(_alike(expected[key], found[key]) for key in found)
    if isinstance(expected, list) and isinstance(found, list):
        return len(expected) == len(found) and all(map(_alike, expected, found))
    return bool(expected == found)


def _canonical(module: ModuleType, key: str, value: Any) -> Any:
    canonical = getattr(module, "canonical", None)
    plain = json.loads(_json(canonical(key, value) if canonical else value))
    if key not in _UNORDERED:
        return plain
    if isinstance(plain, dict):
        return {seat: _sorted(each) for seat, each in plain.items()}
    return _sorted(plain)


def _sorted(values: list[Any]) -> list[Any]:
    return sorted(values, key=_json)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
