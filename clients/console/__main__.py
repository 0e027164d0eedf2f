"""`python -m clients.console`: serve the pages until SIGTERM; `clients.console.settings` lists the variables."""

from __future__ import annotations

import os
import sys

import uvicorn

from clients.console.app import create
from clients.console.settings import BadSetting, Settings

GRACE_SECONDS = 3
"""How long a stop waits for pages being sent; whoever follows standings never ends by itself."""


def main() -> int:
    """Serve. Exit code 2 for a setting that makes no sense."""
    try:
        settings = Settings.read(os.environ)
    except BadSetting as error:
        print(error, file=sys.stderr)
        return 2
    uvicorn.run(
        create(settings),
        host=settings.host,
        port=settings.port,
        log_level="warning",
        server_header=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
