"""`python -m bench NAME…` measures; `quick` before the names makes it short. Without names: what there is, and the quick set."""

from __future__ import annotations

import argparse
import sys
from importlib import import_module
from typing import Any

NAMES = (
    "rules",
    "shengji",
    "path",
    "replicas",
    "append",
    "replay",
    "coldstart",
    "projector",
    "standings",
    "whatif",
    "verify",
    "console",
    "pairing",
    "memory",
)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"quick, {', '.join(NAMES)}")
    names = parser.parse_args().names
    if unknown := set(names) - {"quick", *NAMES}:
        sys.exit(f"no bench is called {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    benches: dict[str, Any] = {name: import_module(f"bench.{name}") for name in NAMES}
    chosen = [name for name in names if name != "quick"]
    quick = not chosen or "quick" in names
    if not chosen:
        for name, bench in benches.items():
            print(f"{name:10} {bench.ABOUT}")
    for name in chosen or NAMES:
        print(f"\n== {name}{' (quick)' if quick else ''}", flush=True)
        benches[name].run(quick)


if __name__ == "__main__":
    main()
