"""Receipts that a player keeps: what `fupan audit verify --receipts` finds a rewritten history by."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from clients.cli.files import trouble

Receipts = Annotated[
    Path | None,
    Parameter(help="file to keep receipts in, for `audit verify --receipts`"),
]


def keeper(path: Path | None, championship: str) -> Callable[[bytes], None]:
    """What adds the hash of an accepted record to a file, one JSON object a line; at once, so that a crash loses none.

    Raises Problem for a file that cannot be written.
    """
    if path is None:
        return lambda _: None
    try:
        path.open("a").close()
    except OSError as error:
        raise trouble(path, error) from None

    def keep(digest: bytes) -> None:
        with path.open("a") as file:
            file.write(json.dumps({"hash": digest.hex(), "championship": championship}) + "\n")

    return keep
