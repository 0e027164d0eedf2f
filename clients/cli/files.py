"""Files that people name: read and written, what goes wrong told in one line."""

from __future__ import annotations

from pathlib import Path

from clients.cli.output import USAGE, Problem, reason
from clients.cli.words import pick

LARGEST = 1024 * 1024 * 1024
"""Bytes that are read of any file: a device that never ends must not fill the memory."""


def read(path: Path, most: int = LARGEST) -> bytes:
    """The bytes of a file. Raises Problem for one that cannot be read or has more than `most`."""
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise trouble(path, error) from None
    if len(data) > most:
        raise Problem(pick(f"{path}: more than {most} bytes", f"{path}：超过 {most} 字节"), USAGE)
    return data


def read_text(path: Path, most: int = LARGEST) -> str:
    """The text of a file in UTF-8. Raises Problem."""
    try:
        return read(path, most).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise Problem(pick(f"{path}: not UTF-8", f"{path}：不是 UTF-8 编码"), USAGE) from None


def write(path: Path, data: bytes) -> None:
    """Write a file. Raises Problem."""
    try:
        path.write_bytes(data)
    except OSError as error:
        raise trouble(path, error) from None


def trouble(path: Path, error: OSError) -> Problem:
    """What is told of a file that the system does not give."""
    return Problem(f"{path}: {reason(error)}", USAGE)
