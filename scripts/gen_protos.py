"""Generate the Python stubs under protos/gen, check them, and guard the stored messages.

    gen_protos.py             write protos/gen (only files that changed; stale ones go); protos/stored.binpb learns what was added
    gen_protos.py --check     fail when protos/gen or protos/stored.binpb is not what the protos say
    gen_protos.py --breaking  fail when a stored message changed against protos/stored.binpb
    gen_protos.py --baseline  accept the stored messages as they are now

Stored is every file that is not a `service.proto` (or `…_service.proto`), and whatever such a file imports.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import grpc_tools

ROOT = Path(__file__).resolve().parent.parent
PROTOS = ROOT / "protos"
GEN = PROTOS / "gen"
BASELINE = PROTOS / "stored.binpb"
BIN = Path(sys.executable).parent
WELL_KNOWN = Path(grpc_tools.__file__).parent / "_proto"

SERVICE = re.compile(r"^service\s+\w+", re.MULTILINE)
IMPORT = re.compile(r'^import\s+(?:public\s+)?"(fupan/[^"]+)"\s*;', re.MULTILINE)


def proto_files() -> list[Path]:
    """Every .proto of ours, relative to protos/, sorted."""
    return sorted(path.relative_to(PROTOS) for path in (PROTOS / "fupan").rglob("*.proto"))


def generate(out: Path) -> None:
    """Write messages and their types for every file, service stubs for those that declare a service."""
    files = proto_files()
    if not files:
        return
    _protoc(files, f"--python_out={out}", f"--mypy_out=quiet:{out}")
    services = [path for path in files if SERVICE.search((PROTOS / path).read_text("utf-8"))]
    if services:
        _protoc(services, f"--grpc_python_out={out}", f"--mypy_grpc_out=quiet:{out}")


def _protoc(files: Iterable[Path], *options: str) -> None:
    plugins = [f"--plugin={name}={BIN / name}" for name in ("protoc-gen-mypy", "protoc-gen-mypy_grpc")]
    includes = [f"-I{PROTOS}", f"-I{WELL_KNOWN}"]
    command = [sys.executable, "-m", "grpc_tools.protoc", *includes, *plugins, *options, *map(str, files)]
    subprocess.run(command, check=True)


def tree(folder: Path) -> dict[Path, bytes]:
    """The generated files below `folder` by relative path."""
    files = (path for path in folder.rglob("*_pb2*.py*") if "__pycache__" not in path.parts)
    return {path.relative_to(folder): path.read_bytes() for path in files}


def write() -> None:
    """Bring protos/gen to what the protos say, touching only what differs."""
    with tempfile.TemporaryDirectory() as temp:
        generate(Path(temp))
        wanted, found = tree(Path(temp)), tree(GEN)
    for path in found.keys() - wanted.keys():
        (GEN / path).unlink()
    for path, content in wanted.items():
        if found.get(path) != content:
            (GEN / path).parent.mkdir(parents=True, exist_ok=True)
            (GEN / path).write_bytes(content)


def check() -> list[str]:
    """The generated files that are missing, stale or not what the protos say, and the stored messages' image when it is not."""
    with tempfile.TemporaryDirectory() as temp:
        generate(Path(temp))
        wanted, found = tree(Path(temp)), tree(GEN)
        built = Path(temp) / BASELINE.name
        behind = baseline(built) != 0 or not BASELINE.exists() or built.read_bytes() != BASELINE.read_bytes()
    differing = (path for path in wanted.keys() | found.keys() if wanted.get(path) != found.get(path))
    return sorted([f"gen/{path}" for path in differing] + [BASELINE.name] * behind)


def stored_files() -> list[Path]:
    """The files whose messages may lie in a log, with everything they import."""
    seen: set[Path] = set()
    queue = [path for path in proto_files() if not path.stem.endswith("service")]
    while queue:
        path = queue.pop()
        if path not in seen:
            seen.add(path)
            queue.extend(Path(name) for name in IMPORT.findall((PROTOS / path).read_text("utf-8")))
    return sorted(seen)


def breaking() -> int:
    """Compare the protos with the committed image of the stored messages; buf names each offence."""
    if not BASELINE.exists():
        print("protos/stored.binpb is missing: run `make proto-baseline`", file=sys.stderr)
        return 1
    return _buf("breaking", "--against", str(BASELINE))


def baseline(out: Path | None = None) -> int:
    """Write the image that later versions are compared with."""
    paths = [option for path in stored_files() for option in ("--path", str(PROTOS / path))]
    return _buf("build", "--exclude-source-info", "-o", str(out or BASELINE), *paths)


def _buf(verb: str, *options: str) -> int:
    return subprocess.run([BIN / "buf", verb, str(PROTOS), *options], cwd=ROOT, check=False).returncode


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    mode = parser.add_mutually_exclusive_group()
    for name in ("check", "breaking", "baseline"):
        mode.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args(argv)
    if options.breaking:
        return breaking()
    if options.baseline:
        return baseline()
    if options.check:
        differing = check()
        for path in differing:
            print(f"protos/{path} differs from the protos: run `make proto`", file=sys.stderr)
        return 1 if differing else 0
    write()
    return breaking() or baseline()


if __name__ == "__main__":
    raise SystemExit(main())
