"""Compile the rules: a second tree of the code below build/compiled, in which modules are machine code.

    compile.py            bring build/compiled up to date
    compile.py --list     the modules that are compiled

The sources stay as they are, and nothing is put beside them. Whoever wants the compiled tree names it before them:
`PYTHONSAFEPATH=1 PYTHONPATH=build/compiled` (`make run COMPILED=1`). It needs a C compiler; see docs/adr/0021.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import hashlib
import io
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build"
TREE, NEW = BUILD / "compiled", BUILD / "compiled.new"
STAMP = "compiled.sha256"

PACKAGE = "services"
COMPILED = (
    "games/shengji/**/*.py",
    "games/paohuzi/**/*.py",
    "games/shadow/*.py",
    "ledger/audit/asking.py",
    "ledger/audit/clocks.py",
    "ledger/audit/evidence.py",
    "ledger/audit/questions.py",
    "ledger/audit/replay.py",
    "ledger/audit/report.py",
    "ledger/dealing.py",
    "ledger/frame.py",
    "table/decider/evolve.py",
    "table/framing.py",
    "table/model/state.py",
)
"""What is compiled, below `services`."""
INTERPRETED = (
    "__init__.py",
    "games/*/actions.py",
    "games/*/events.py",
    "games/*/params.py",
    "games/*/view.py",
    "games/paohuzi/melds.py",
    "games/shadow/check.py",
)
"""What of it is not: what codecs read the types of and what is pickled. A compiled dataclass has lost both."""

OPTIMISED = "1"
"""gcc's -O; 2 takes half as long again and gains nothing that can be measured."""
LIBRARY = "fupan_compiled"
KNOWN = "Treating generator comprehension as list"
"""What mypyc says of code that may stay as it is."""


def modules() -> list[str]:
    """The files that are compiled, below the root, sorted."""
    found = {path.relative_to(ROOT) for pattern in COMPILED for path in (ROOT / PACKAGE).glob(pattern)}
    return sorted(str(path) for path in found if not any(map(path.match, INTERPRETED)))


def missing() -> str:
    """What compiling needs and is not on this machine; empty if nothing is."""
    if shutil.which(compiler()) is None:
        return f"a C compiler ({compiler()})"
    headers = Path(sysconfig.get_path("include"), "Python.h")
    return "" if headers.exists() else f"the headers of Python ({headers})"


def compiler() -> str:
    """The C compiler that Python was built for, or what CC says."""
    command = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    return str(command).split()[0]


def digest(files: Iterable[str]) -> str:
    """What the machine code is made of: sources, this program, compilers."""
    made_of = hashlib.sha256(f"{sys.version} {version('mypy')} {compiler()}".encode())
    for name in (str(Path(__file__).relative_to(ROOT)), *files):
        content = (ROOT / name).read_bytes()
        made_of.update(f"\n{name} {len(content)}\n".encode() + content)
    return made_of.hexdigest()


def copy_sources(tree: Path) -> None:
    """Make a tree's Python files those of the source tree; what went from there goes from the tree."""
    wanted = {
        path.relative_to(ROOT): path
        for path in (ROOT / PACKAGE).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    for path in [*(tree / PACKAGE).rglob("*")]:
        if path.is_file() and path.suffix not in (".so", ".pyd") and path.relative_to(tree) not in wanted:
            path.unlink()
    for name, source in wanted.items():
        target = tree / name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target)


def build(files: list[str]) -> None:
    """Compile `files` into NEW. Raises SystemExit with the messages where they cannot be."""
    from mypyc.build import mypycify
    from setuptools import Distribution
    from setuptools.command.build_ext import build_ext

    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said):
            extensions = mypycify(
                ["--config-file", "pyproject.toml", *files],
                opt_level=OPTIMISED,
                debug_level="0",
                target_dir=str(BUILD / "c"),
                group_name=LIBRARY,
            )
    finally:
        for line in said.getvalue().splitlines():
            if not line.endswith(KNOWN):
                print(line)
    command = build_ext(Distribution({"name": LIBRARY, "ext_modules": extensions}))
    command.build_lib, command.build_temp = str(NEW), str(BUILD / "o")
    command.ensure_finalized()
    command.run()


def update(files: list[str]) -> None:
    """Bring the tree up to date, compiling only where something has changed; machine code in use is never written over."""
    made_of = digest(files)
    stamp = TREE / STAMP
    if stamp.exists() and stamp.read_text("utf-8") == made_of:
        copy_sources(TREE)
        return
    shutil.rmtree(NEW, ignore_errors=True)
    build(files)
    copy_sources(NEW)
    (NEW / STAMP).write_text(made_of, "utf-8")
    shutil.rmtree(TREE, ignore_errors=True)
    NEW.rename(TREE)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--list", action="store_true", help="the modules that are compiled")
    given = parser.parse_args()
    os.chdir(ROOT)
    files = modules()
    if given.list:
        print(*files, sep="\n")
        return
    if what := missing():
        sys.exit(f"compiling needs {what}, which is not here; without it everything runs as it is, slower")
    BUILD.mkdir(exist_ok=True)
    with (BUILD / "compile.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        update(files)


if __name__ == "__main__":
    main()
