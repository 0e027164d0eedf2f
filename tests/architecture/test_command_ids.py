"""Ids of a service's own commands hold a space, which no client's can: nobody can be in the way of what a service has to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def own_ids() -> Iterator[tuple[str, str]]:
    """Place and text of every id that is written down where a service sends itself a command."""
    for path in sorted((ROOT / "services").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _is_envelope(node):
                text = _text(node.args[1])
                if text is not None:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def _is_envelope(node: ast.Call) -> bool:
    named = isinstance(node.func, ast.Name) and node.func.id == "Envelope"
    return (
        named and len(node.args) > 1 and isinstance(node.args[0], ast.Name) and node.args[0].id == "SERVICE"
    )


def _text(node: ast.expr) -> str | None:
    """What stands in a string or an f-string as it is; None for what is worked out elsewhere."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=values):
            parts = [one.value for one in values if isinstance(one, ast.Constant)]
            return "".join(str(part) for part in parts)
    return None


def test_a_services_own_command_ids_hold_a_space() -> None:
    found = dict(own_ids())
    assert len(found) > 5
    assert [place for place, text in found.items() if " " not in text] == []
