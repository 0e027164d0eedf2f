"""`python -m clients.robot`: AI players for many people at once, for load.

    python -m clients.robot --server 127.0.0.1:50052 --keys KEYS --championship ID --persons FILE

`--server` is the table service, `--keys` a local platform's key folder, FILE has a person id a line. Ends with the championship.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from clients.robot.crowd import play_all
from clients.robot.player import Count
from clients.robot.tokens import Signer, signing_key


def _warn(line: str) -> None:
    print(line, file=sys.stderr)


def main() -> None:
    """See the module."""
    parser = argparse.ArgumentParser(prog="python -m clients.robot", description=__doc__)
    parser.add_argument("--server", required=True, help="host:port of the table service")
    parser.add_argument("--keys", required=True, type=Path, help="folder of keys that sign tokens")
    parser.add_argument("--championship", required=True)
    parser.add_argument("--persons", required=True, type=Path, help="file with a person id a line")
    given = parser.parse_args()
    persons = given.persons.read_text().split()
    count, key = Count(), signing_key(given.keys)
    signers = [Signer(key, person) for person in persons]
    asyncio.run(play_all(given.server, given.championship, signers, count, _warn))
    print(f"{count.answers} answers, {count.refused} refused")


if __name__ == "__main__":
    main()
