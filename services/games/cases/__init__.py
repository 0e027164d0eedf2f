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
    """What became of a case: `message` says what was expected and found, or what is wrong; empty if ok."""

    id: str
    ok: bool
    message: str

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


def check_text(text: str) -> Iterator[Verdict]:
    """The verdicts on a whole file of cases, in order; the end of the last line starts no further one."""
    for number, line in enumerate(text.removesuffix("\n").split("\n"), start=1):
        yield check_line(line, number)


def check_line(text: str, number: int) -> Verdict:
    """The verdict on the `number`-th line (from 1) of a file; never raises for anything a line may hold."""
    line, case = f"line {number}", None
    try:
        text.encode("utf-8")  # what was no UTF-8 in the file is no character here
        case = json.loads(text)
        return _verdict(case)
    except Rejected as refusal:
        problem = str(refusal)
    except Exception as error:  # whatever a malformed case runs into is its verdict
        problem = f"malformed ({type(error).__name__}: {error})"
    if isinstance(case, dict) and isinstance(case.get("id"), str):
        return Verdict(case["id"], False, f"{line}: {problem}")
    return Verdict(line, False, problem)


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
        return Verdict(name, True, "")
    got = {key: found[key] for key in wrong if key in found}
    return Verdict(name, False, f"expected {_json({key: expected[key] for key in wrong})}, got {_json(got)}")


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
