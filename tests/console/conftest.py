"""A console beside a platform's services."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.console.serving import Site, site
from tests.platform import Platform


@pytest.fixture
async def console(platform: Platform, tmp_path: Path) -> AsyncIterator[Site]:
    """The platform's console, with a token of somebody who has no part in any event."""
    await platform.start()
    token_file = tmp_path / "console.token"
    token_file.write_text(platform.token("console"))
    async with site(platform, token_file) as serving:
        yield serving
