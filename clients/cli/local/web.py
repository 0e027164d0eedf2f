"""The web console of a local platform: a process of its own, with a token that no office goes with."""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated

from cyclopts import Parameter, validators

from clients.cli.places import Place
from clients.cli.words import pick
from clients.robot.tokens import mint, signing_key
from services.runtime.embedded.directory import DataDirectory
from services.runtime.embedded.processes import Child

Port = Annotated[
    int | None,
    Parameter(
        help="port of the web console, 0: any; default none",
        validator=validators.Number(gte=0, lte=65535),
    ),
]

PERSON = "console"
"""Who the console is: nobody who plays or holds an office, so that its token opens what any person's does."""

_TOKEN_FILE = "console.token"
_TOKEN_SECONDS = 400 * 24 * 3600
_HOST = "127.0.0.1"


def port_of(directory: DataDirectory, asked: int) -> int:
    """The port asked for; for 0 the directory's own. Raises NoPort."""
    return asked or directory.port("console")


def console(directory: DataDirectory, place: Place, port: int) -> Child:
    """The console as a child of the platform."""
    assert place.keys is not None
    keys, token_file = place.keys, directory.path / _TOKEN_FILE

    def write_token() -> None:
        token_file.touch(mode=0o600)
        token_file.write_text(mint(signing_key(keys), PERSON, _TOKEN_SECONDS))

    return Child(
        "console",
        (sys.executable, "-m", "clients.console"),
        lambda: _answers(port),
        environment={
            "FUPAN_CONSOLE_LISTEN": f"{_HOST}:{port}",
            "FUPAN_CONSOLE_SERVICES": ",".join(f"{name}={at}" for name, at in place.services.items()),
            "FUPAN_CONSOLE_TOKEN_FILE": str(token_file),
        },
        ports=(port,),
        before=write_token,
    )


def address(port: int) -> str:
    """Where the console is, for people."""
    return pick(f"web console: http://{_HOST}:{port}/", f"网页控制台：http://{_HOST}:{port}/")


async def _answers(port: int) -> bool:
    """Whether something listens there: the console does when it serves."""
    try:
        _, writer = await asyncio.open_connection(_HOST, port)
    except OSError:
        return False
    writer.close()
    return True
