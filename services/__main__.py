"""Runs several services in one process: `python -m services [NAME…]`, all five without names.

Each keeps its own gRPC port, NATS user and database role, which `FUPAN_CONFIG` gives it (`services.runtime.config`).
"""

from __future__ import annotations

import sys
from importlib import import_module

from services.runtime.app import Build, main
from services.runtime.config import SERVICES


def build_of(service: str) -> Build:
    """The composition root of a service; only what runs here is imported."""
    build: Build = import_module(f"services.{service}.app").build
    return build


if __name__ == "__main__":
    names = sys.argv[1:] or list(SERVICES)
    if unknown := set(names) - set(SERVICES):
        sys.exit(f"fupan: no service is called {', '.join(sorted(unknown))}; there are {', '.join(SERVICES)}")
    main({name: build_of(name) for name in names})
