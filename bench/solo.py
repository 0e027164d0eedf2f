"""Random legal boards on one core: `python -m bench.solo JSON`, of a ruleset and seconds; prints its figures as JSON."""

from __future__ import annotations

import json
import sys

from bench.rules import Solo

if __name__ == "__main__":
    given = json.loads(sys.argv[1])
    print(json.dumps(Solo(given["ruleset"]).random_boards(given["seconds"])()))
