"""The English sentences that our source can say, read off it: so that none is without its Chinese.

A sentence is a template: what is computed is a hole, written `{}`. Names that a function got from its callers in the same
module, or put together itself, are followed to where they are written down.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from pathlib import Path

HOLE = "{}"
_DEPTH = 4
_SENTENCE = re.compile(r"[a-z]+'?[a-z]* .*[a-z(]|\{\} [a-z]{2}|[a-z]{2} \{\}")
_SQL = re.compile(r"[A-Z]{4,} ")

Names = Mapping[str, list[str]]


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, what it was said as (the call's first argument), and where. `text` is None where nobody can tell."""

    kind: str
    text: str | None
    where: str
    told_apart: bool = False
    """Whether the call brings its Chinese along (`detail_zh`)."""


class Source:
    """One module, and what its calls say."""

    def __init__(self, path: Path, name: str) -> None:
        self.name = name
        self._tree = ast.parse(path.read_text("utf-8"))
        self._within: dict[ast.AST, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self._calls: dict[str, list[ast.Call]] = {}
        self._constants = {
            target.id: node.value
            for node in self._tree.body
            if isinstance(node, ast.Assign)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        for node in ast.walk(self._tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                self._within.update(dict.fromkeys(ast.walk(node), node))
            if isinstance(node, ast.Call):
                self._calls.setdefault(_called(node), []).append(node)

    def said(self, call: str, place: int, keyword: str = "detail") -> Iterator[Said]:
        """What calls of `call` say in the argument at `place`, or by that keyword."""
        for node in self._calls.get(call, []):
            where = f"{self.name}:{node.lineno}"
            given = _argument(node, place, keyword)
            apart = any(one.arg == "detail_zh" for one in node.keywords)
            function = self._within.get(node)
            for names in self._bindings(function, _DEPTH):
                kinds = self._texts(node.args[0], names, function, _DEPTH) if node.args else [""]
                texts = [""] if given is None else self._texts(given, names, function, _DEPTH)
                for kind, text in product(kinds, texts):
                    yield Said(kind, None if text == HOLE else text, where, apart)

    def sentences(self, function: str = "") -> list[str]:
        """Every template of more than a word in the module, or in a function of it, which is neither documentation nor SQL."""
        nodes: list[ast.AST] = [self._tree]
        if function:
            nodes = [node for node in ast.walk(self._tree) if getattr(node, "name", "") == function]
        found = (text for node in nodes for text in _written(node))
        return [text for text in found if _SENTENCE.search(text) and not _SQL.match(text)]

    def templates(self) -> Iterator[str]:
        """Every string of the module."""
        return _written(self._tree)

    def _bindings(self, function: ast.AST | None, depth: int) -> Iterator[Names]:
        """What the parameters of a function stand for, for each of its callers here."""
        calls = self._calls.get(getattr(function, "name", ""), []) if depth else []
        callers = [call for call in calls if _own(call) and self._within.get(call) is not function]
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or not callers:
            yield {}
            return
        parameters = [
            one.arg for one in (*function.args.posonlyargs, *function.args.args) if one.arg != "self"
        ]
        for call in callers:
            outer = self._within.get(call)
            given = dict(zip(parameters, call.args, strict=False))
            given |= {one.arg: one.value for one in call.keywords if one.arg}
            for names in self._bindings(outer, depth - 1):
                yield {name: self._texts(value, names, outer, depth - 1) for name, value in given.items()}

    def _texts(self, node: ast.expr, names: Names, function: ast.AST | None, depth: int) -> list[str]:
        """Every template that an expression may be; a hole where it is computed."""
        match node:
            case ast.Constant(value=str(text)):
                return [text]
            case ast.JoinedStr(values=values):
                parts = [
                    self._texts(
                        one.value if isinstance(one, ast.FormattedValue) else one, names, function, depth
                    )
                    for one in values
                ]
                return ["".join(each) for each in product(*parts)]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                both = (self._texts(one, names, function, depth) for one in (left, right))
                return ["".join(each) for each in product(*both)]
            case ast.IfExp(body=body, orelse=other):
                return [text for one in (body, other) for text in self._texts(one, names, function, depth)]
            case ast.Name(id=name) if name in names:
                return names[name]
            case ast.Name(id=name) if depth and (found := self._assigned(function, name)):
                return [text for one in found for text in self._texts(one, names, function, depth - 1)]
            case ast.Name(id=name) if name in self._constants:
                return self._texts(self._constants[name], {}, None, 0)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="get"), args=[_, default]):
                if isinstance(rows := self._constants.get(name), ast.Dict):
                    return [
                        text
                        for one in (*rows.values, default)
                        for text in self._texts(one, names, function, depth)
                    ]
        return [HOLE]

    def _assigned(self, function: ast.AST | None, name: str) -> list[ast.expr]:
        """What a local name is assigned in a function."""
        if function is None:
            return []
        return [
            node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Assign)
            and any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
        ]


def sources(root: Path, under: str) -> Iterator[Source]:
    """Every module below a folder of the repository."""
    for path in sorted((root / under).rglob("*.py")):
        yield Source(path, str(path.relative_to(root)))


def _written(tree: ast.AST) -> Iterator[str]:
    """Strings below a node, those put together as templates and not in their parts."""
    match tree:
        case ast.Expr(value=ast.Constant()):
            return  # documentation
        case ast.Constant(value=str(text)):
            yield text
        case ast.JoinedStr(values=values):
            yield "".join(str(one.value) if isinstance(one, ast.Constant) else HOLE for one in values)
            for one in values:
                if isinstance(one, ast.FormattedValue):
                    yield from _written(one.value)
        case _:
            for child in ast.iter_child_nodes(tree):
                yield from _written(child)


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _own(node: ast.Call) -> bool:
    """Whether a call is of a function of the same module, or of the same object."""
    return isinstance(node.func, ast.Name) or (
        isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == "self"
    )


def _argument(node: ast.Call, place: int, keyword: str) -> ast.expr | None:
    by_name = next((one.value for one in node.keywords if one.arg == keyword), None)
    return by_name or (node.args[place] if len(node.args) > place else None)
