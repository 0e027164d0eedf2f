"""Who may import whom: the table of ARCHITECTURE.md, read and applied to the source by its syntax tree.

A row governs every module at or below its name; the longest name wins. `<service>` stands for one of the five
and means the same one across the row. A module may always import what its own row governs.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SERVICES = ("dealer", "table", "scoring", "pairing", "appeals")
OURS = ("services", "clients", "fupan")
BEGIN, END = "<!-- imports:begin -->", "<!-- imports:end -->"

# The standard library's modules that neither touch the world, nor tell the time, nor draw at random.
PURE = frozenset(
    """
    __future__ abc array base64 binascii bisect collections copy dataclasses datetime decimal enum fractions
    functools hashlib heapq hmac itertools json math operator re statistics string struct types typing
    unicodedata zlib
    """.split()
)
IMPURE_CALLS = frozenset({"open", "input", "print", "exec", "eval", "__import__", "breakpoint"})
# `datetime` and numpy are allowed for what they compute, not for these.
IMPURE_ATTRIBUTES = frozenset({"now", "today", "utcnow", "random"})


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table, `<service>` already replaced."""

    modules: tuple[str, ...]
    ours: tuple[str, ...]
    pure: bool
    outside: frozenset[str]  # pure: allowed beyond the pure standard library; else: forbidden

    def governs(self, module: str) -> int:
        """Length of the longest name of this row that `module` is at or below; 0 if none."""
        return max((len(name) for name in self.modules if below(module, name)), default=0)

    def allows(self, module: str) -> bool:
        """Whether a governed module may import `module`."""
        top = module.partition(".")[0]
        if top in OURS:
            return any(below(module, name) for name in self.modules + self.ours)
        return top in PURE | self.outside if self.pure else top not in self.outside


def below(module: str, name: str) -> bool:
    """Whether `module` is `name` or lies in it."""
    return module == name or module.startswith(name + ".")


def read_table(text: str) -> list[Row]:
    """The rows between the two markers; a row with `<service>` becomes one for each service."""
    lines = text.partition(BEGIN)[2].partition(END)[0].strip().splitlines()[2:]
    if not lines:
        raise ValueError(f"no table between {BEGIN} and {END}")
    rows = []
    for line in lines:
        modules, ours, outside = (cell.strip() for cell in line.strip().strip("|").split("|"))
        for service in SERVICES if "<service>" in modules else ("",):
            names = [
                tuple(re.findall(r"`([^`]+)`", cell.replace("<service>", service)))
                for cell in (modules, ours)
            ]
            rows.append(Row(names[0], names[1], *_outside(outside)))
    return rows


def _outside(cell: str) -> tuple[bool, frozenset[str]]:
    kind, _, names = cell.partition(" ")  # "pure and `numpy`", "any but `nats`"
    if kind not in ("pure", "any"):
        raise ValueError(f"third column must begin with `pure` or `any`: {cell}")
    return kind == "pure", frozenset(re.findall(r"`([^`]+)`", names))


def row_of(rows: list[Row], module: str) -> Row | None:
    """The row that governs `module`."""
    best = max(rows, key=lambda row: row.governs(module))
    return best if best.governs(module) else None


def module_name(path: Path, root: Path = ROOT) -> str:
    """Dotted name of a source file."""
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def violations(rows: list[Row], path: Path, root: Path = ROOT) -> list[str]:
    """What `path` does against the table, one line each; the top packages themselves need no row."""
    module = module_name(path, root)
    if module in OURS:
        return []
    row = row_of(rows, module)
    if row is None:
        return [f"{module}: no row of the import table governs it"]
    tree = ast.parse(path.read_text("utf-8"), str(path))
    found = [
        f"{module}:{line}: may not import {name}"
        for line, name in imported(tree, module, path.name == "__init__.py", root)
        if not row.allows(name)
    ]
    return found + [
        f"{module}:{line}: {what} in a pure module" for line, what in impurities(tree) if row.pure
    ]


def imported(tree: ast.Module, module: str, is_package: bool, root: Path = ROOT) -> Iterator[tuple[int, str]]:
    """Line and absolute name of every imported module, wherever in the file it is imported."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                package = module.split(".")
                package = package[: len(package) - node.level + is_package]
                base = ".".join([*package, base] if base else package)
            for alias in node.names:
                name = f"{base}.{alias.name}"
                yield node.lineno, name if base.partition(".")[0] in OURS and _is_module(name, root) else base


def _is_module(name: str, root: Path) -> bool:
    path = root / name.replace(".", "/")
    return path.is_dir() or path.with_suffix(".py").is_file()


def impurities(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Line and name of every builtin or attribute that reads the world, a clock or chance."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in IMPURE_CALLS:
            yield node.lineno, f"{node.func.id}()"
        elif isinstance(node, ast.Attribute) and node.attr in IMPURE_ATTRIBUTES:
            yield node.lineno, f".{node.attr}"
