from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.architecture.imports import (
    BEGIN,
    END,
    ROOT,
    SERVICES,
    Row,
    imported,
    module_name,
    read_table,
    row_of,
    violations,
)

ROWS = read_table((ROOT / "ARCHITECTURE.md").read_text("utf-8"))
SOURCES = sorted([*(ROOT / "services").rglob("*.py"), *(ROOT / "clients").rglob("*.py")])


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_keeps_to_the_table(path: Path) -> None:
    assert violations(ROWS, path) == []


def test_no_service_may_import_another() -> None:
    for service in SERVICES:
        row = _row(f"services.{service}.api")
        assert row.allows(f"services.{service}.codec")
        assert not [other for other in SERVICES if other != service and row.allows(f"services.{other}")]


def test_what_is_pure_rests_on_what_is_pure() -> None:
    pure = [row for row in ROWS if row.pure]
    assert pure
    assert [name for row in pure for name in row.ours if not _row(name).pure] == []


def test_packages_above_pure_modules_import_nothing() -> None:
    """Importing `services.table.decider` runs `services/table/__init__.py` first."""
    above = [ROOT / "services", ROOT / "clients", *(ROOT / "services" / service for service in SERVICES)]
    inits = [folder / "__init__.py" for folder in above if (folder / "__init__.py").exists()]
    assert inits
    trees = {path: ast.parse(path.read_text("utf-8")) for path in inits}
    assert [path for path, tree in trees.items() if list(imported(tree, module_name(path), True))] == []


TABLE = f"""{BEGIN}
| Module | Ours | Outside |
|---|---|---|
| `services.games` | — | pure |
| `services.<service>.decider`, `services.<service>.model` | `services.games` | pure and `numpy` |
| `services.<service>` | `services.games`, `services.runtime`, `fupan` | any |
| `services.runtime` | `fupan.common` | any |
| `clients` | `fupan` | any but `nats` |
{END}"""

CASES = [
    ("services/games/cards.py", "import random", "may not import random"),
    ("services/games/cards.py", "def f():\n    import time", "may not import time"),
    ("services/games/cards.py", "from services import runtime", "may not import services.runtime"),
    ("services/games/cards.py", "import numpy", "may not import numpy"),
    ("services/games/cards.py", "open('x')", "open() in a pure module"),
    ("services/games/cards.py", "from datetime import datetime\ndatetime.now()", ".now in a pure module"),
    ("services/table/decider.py", "from services.table import api", "may not import services.table.api"),
    ("services/table/decider.py", "from . import api", "may not import services.table.api"),
    ("services/table/decider.py", "import numpy as np\nnp.random.rand()", ".random in a pure module"),
    (
        "services/table/decider.py",
        "from services.dealer.model import X",
        "may not import services.dealer.model",
    ),
    ("services/table/api.py", "from services.dealer import api", "may not import services.dealer"),
    ("services/table/api.py", "from ..dealer import api", "may not import services.dealer"),
    ("services/runtime/store.py", "from fupan.table.v1 import events_pb2", "may not import fupan.table.v1"),
    ("clients/cli/main.py", "from services.table import api", "may not import services.table.api"),
    ("clients/cli/main.py", "import nats", "may not import nats"),
    ("services/new/api.py", "", "no row of the import table governs it"),
]

FINE = [
    (
        "services/games/cards.py",
        "from services.games import rules\nimport hashlib\nfrom collections.abc import Iterator",
    ),
    (
        "services/table/decider.py",
        "from .model import Table\nfrom services.games.cards import Card\nimport numpy",
    ),
    ("services/table/decider.py", "def today(now): return now"),
    (
        "services/table/api.py",
        "from services.table import decider\nfrom fupan.dealer.v1 import service_pb2\nimport time",
    ),
    ("services/runtime/store.py", "from fupan.common.v1 import record_pb2\nimport nats"),
    ("clients/cli/main.py", "from clients.robot import player\nimport grpc"),
]


@pytest.mark.parametrize(("where", "source", "complaint"), CASES)
def test_a_breach_is_named(tmp_path: Path, where: str, source: str, complaint: str) -> None:
    found = _check(tmp_path, where, source)
    assert len(found) == 1
    assert found[0].endswith(complaint)


@pytest.mark.parametrize(("where", "source"), FINE)
def test_what_the_table_allows_passes(tmp_path: Path, where: str, source: str) -> None:
    assert _check(tmp_path, where, source) == []


def _check(root: Path, where: str, source: str) -> list[str]:
    for name in ("services/runtime/store.py", "services/table/api.py", "services/table/decider.py", where):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", "utf-8")
    (root / where).write_text(source, "utf-8")
    return violations(read_table(TABLE), root / where, root)


def _row(module: str) -> Row:
    row = row_of(ROWS, module)
    assert row is not None, module
    return row
