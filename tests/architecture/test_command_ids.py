"""Nobody can take a command id that another needs: ids of a service's own commands hold a space, which no client's can, and those
of our clients cannot be guessed."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def own_ids() -> Iterator[tuple[str, str]]:
    """Place and text of every id that is written down where a service acts by itself, or for a person that has come."""
    for path in sorted((ROOT / "services").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and _is_envelope(node):
                text = _text(node.args[1])
                if text is not None:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", text


def _is_envelope(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Name) and node.func.id == "Envelope" and len(node.args) > 1


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


def client_ids() -> Iterator[tuple[str, ast.expr]]:
    """Place and expression of every command id that a client sends. The demo's own are left out: nobody else is on its platform."""
    for path in sorted((ROOT / "clients").rglob("*.py")):
        if "local" in path.relative_to(ROOT).parts:
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            for keyword in node.keywords if isinstance(node, ast.Call) else ():
                if keyword.arg == "command_id":
                    yield f"{path.relative_to(ROOT)}:{keyword.lineno}", keyword.value


def test_command_ids_of_clients_are_not_written_down() -> None:
    found = dict(client_ids())
    assert len(found) > 20
    assert [place for place, value in found.items() if isinstance(value, ast.Constant)] == []
