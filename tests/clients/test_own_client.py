"""The program of docs/own-client.md, run as it stands there."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from pathlib import Path

from tests.platform import OPERATOR, Platform

ROOT = Path(__file__).parents[2]


async def test_the_program_of_the_document_does_what_is_said_of_it(platform: Platform) -> None:
    await platform.start()
    text = (ROOT / "docs" / "own-client.md").read_text()
    (program,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (refusal,) = re.findall(r"ends with `(NOT_FOUND: .*?)`", text)
    surroundings = {
        **os.environ,
        "PYTHONPATH": str(ROOT / "protos" / "gen"),
        "PAIRING": f"127.0.0.1:{platform.ports['pairing']}",
        "FUPAN_TOKEN": platform.token(OPERATOR),
    }
    pipe = asyncio.subprocess.PIPE
    running = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, env=surroundings, stdout=pipe, stderr=pipe
    )
    said, refused = await running.communicate()
    assert (running.returncode, said.decode(), refused.decode()) == (1, "3 entrants\n", f"{refusal}\n")
