"""The scripted contest of docs/contest.md: from the filing to the file that is verified without a service (C10)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
from pathlib import Path

from tests.e2e.command import FUPAN, folder, surroundings

SCRIPT = Path(__file__).parents[2] / "examples" / "contest.sh"


def test_C10_a_board_is_contested_judged_ruled_on_and_verified_elsewhere() -> None:
    with folder() as place:
        told = _run(place / "contest")
        assert (place / "contest" / "demo-1.fupan").exists()
    text = " ".join(told.split())
    # C10.2 to C10.6: paid for and judged by the file, by a panel of which a reserve has taken a seat.
    assert "500.00 CNY" in text
    assert "Checked file, chain, deals" in text
    assert "a ruling can change ranks" in text
    assert "Panel arbitrator-4, arbitrator-2, arbitrator-3" in text
    assert "Upheld yes Votes 2:1" in text
    assert "Fee outcome refunded" in text
    # C10.8: what was published stays, and beside it stands what is now known.
    live, published, rebuilt = re.findall(r"^ +1 +\d+ +(player-\d+)", told, re.MULTILINE)
    assert published == live
    assert rebuilt == "player-002"
    assert "line after rank 3: in 2, " in text
    assert "scored +20 -10 -10" in text
    # Where nothing runs and nobody is asked.
    assert "env -i" in text
    assert "consistent and signed by" in text
    assert "ok rulings 1 ruling checked" in text


def _run(folder: Path) -> str:
    """What the script says, messages among the data; all that it has started ends with it."""
    with subprocess.Popen(
        [SCRIPT, folder],
        env=surroundings({"PATH": f"{FUPAN.parent}:/usr/bin:/bin", "FUPAN_CHAMPIONSHIP": "another"}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    ) as script:
        try:
            told, _ = script.communicate(timeout=200)
        except BaseException:
            os.killpg(script.pid, signal.SIGKILL)
            raise
    assert script.returncode == 0, told
    return told
