"""A Swiss round paired by swisspair or py4swiss; stopped after `limit` seconds of CPU, with no pairs then.

`path`: for swisspair JSON of the entrants in order, each with its number, score and opponents; for py4swiss a report (TRF).
"""

import json
import signal
import sys
import time
from pathlib import Path
from typing import Any


class Stopped(Exception):
    """The limit is reached."""


def stop(*_: object) -> None:
    """See `Stopped`."""
    raise Stopped


given: dict[str, Any] = json.loads(sys.argv[1])
path = Path(given["path"])
if given["by"] == "swisspair":
    import swisspair  # type: ignore[import-not-found]

    players = [
        swisspair.Player(str(number), score, rank, True, set(map(str, met)))
        for rank, (number, score, met) in enumerate(json.loads(path.read_text("utf-8")), 1)
    ]

    def paired() -> list[tuple[int, int]]:
        """Pairs of the round."""
        return [(int(match.p1.id), int(match.p2.id)) for match in swisspair.create_matches(players)]
else:
    from py4swiss.engines import DutchEngine  # type: ignore[import-not-found]
    from py4swiss.trf import TrfParser  # type: ignore[import-not-found]

    report = TrfParser.parse(path, strict=False)

    def paired() -> list[tuple[int, int]]:
        """Pairs of the round."""
        return [(each.white, each.black) for each in DutchEngine.generate_pairings(report)]


signal.signal(signal.SIGPROF, stop)
signal.setitimer(signal.ITIMER_PROF, given["limit"])
began = time.process_time()
try:
    pairs = paired()
except Stopped:
    pairs = []
print(json.dumps({"cpu": time.process_time() - began, "pairs": pairs}))
