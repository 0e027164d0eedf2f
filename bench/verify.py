"""Audit files verified, every board played over again with its legality, beside a bare SHA-256 pass over the same bytes.

Both games: `fupan demo` plays a championship each and writes its audit file. What the rate is made of is measured stage by stage,
in CPU time of one core; the second referees, which are not asked by default, stand beside it.

`python -m bench.verify FILE…` takes audit files that are there already.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from hashlib import sha256
from pathlib import Path

from bench.measure import table
from services.games import registry
from services.ledger import dealing
from services.ledger.audit import evidence
from services.ledger.audit.commitments import check_commitments
from services.ledger.audit.draw import check_draw
from services.ledger.audit.evidence import Evidence, gather
from services.ledger.audit.offices import check_offices
from services.ledger.audit.origin import Origin
from services.ledger.audit.ranking import Standings, check_standings
from services.ledger.audit.replay import Replays
from services.ledger.audit.report import Report, Tally
from services.ledger.audit.rulings import check_rulings
from services.ledger.audit.shadow import check_shadow
from services.ledger.audit.verify import uncollected, verify
from services.ledger.auditfile import AuditFile, parse
from services.ledger.record import ChainWalk, whole

ABOUT = "boards/s of `fupan audit verify` with full replay, both games, and what they are made of; beside a bare SHA-256 pass"

REPEATS = 3
FIELDS = {"paohuzi": 30, "shengji": 24}
"""Entrants by game: ten tables of Paohuzi and six of Shengji a round."""


@contextmanager
def files(rounds: int, boards: int) -> Iterator[dict[str, bytes]]:
    """A championship's audit file by game."""
    with tempfile.TemporaryDirectory(prefix="fupan-bench-") as folder:
        made = {}
        for game, entrants in FIELDS.items():
            out = Path(folder) / game
            size = ("--entrants", str(entrants), "--rounds", str(rounds), "--boards", str(boards))
            where = ("--seed", "7", "--exit", "--json", "--data", f"{out}-data", "--audit-out", str(out))
            demo = ("-m", "clients.cli", "demo", "--game", game, *size, *where)
            subprocess.run((sys.executable, *demo), check=True, capture_output=True)
            made[game] = max(out.glob("*.fupan"), key=lambda path: path.stat().st_size).read_bytes()
        yield made


def spent(work: Callable[[], object]) -> float:
    """CPU seconds of some work, the median of a few times."""

    def once() -> float:
        began = time.process_time()
        work()
        return time.process_time() - began

    return statistics.median(once() for _ in range(REPEATS))


def stages(data: bytes, file: AuditFile, found: Evidence) -> Mapping[str, Callable[[], object]]:
    """The parts of a verification by name; gathering is told in three, of which the last two are what it does beside."""
    origin = Origin(found, ())
    return {
        "parse the file, its digests": lambda: parse(data),
        "decode records, follow chains": lambda: _chained(file),
        "open seals, parse bodies": lambda: gather(file),
        "signatures": lambda: origin.check(_nothing()),
        "commitments, Merkle": lambda: check_commitments(found, _nothing()),
        "deal again": lambda: _dealt(found),
        "play over": lambda: Replays(found),
        "draw": lambda: check_draw(found, Standings(found), _nothing()),
        "offices": lambda: check_offices(found, _nothing()),
        "rulings": lambda: check_rulings(found, _nothing()),
        "matchpoints, standings": lambda: check_standings(found, Standings(found), _nothing()),
    }


PARTS = {"open seals, parse bodies": "decode records, follow chains", "play over": "deal again"}
"""Stages that are measured with another one in them, which is taken off."""


def _chained(file: AuditFile) -> None:
    walk = ChainWalk()
    for stored in file.records:
        walk.follow(stored, whole(stored.data).header)


def _dealt(found: Evidence) -> None:
    """Every deal that the tables played, from its leaf."""
    leaves, entropies = found.dealings.leaves(), found.dealings.entropies()
    for _, _, entries in found.of("table"):
        opened = entries[0].events[0].message
        deck = registry.find(opened.ruleset).deck
        for entry in entries:
            for event in entry.events:
                if event.kind == "board_opened":
                    path = dealing.board_path(opened.round, event.message.board, event.message.attempt)
                    dealing.deal(leaves[path], path, entropies.get(path, b""), deck)


def _nothing() -> Tally:
    return Tally("bench", "times")


def boards_of(report: Report) -> int:
    """How many boards were played over."""
    return next(check.done for check in report.checks if check.name == "scores")


def measure(game: str, data: bytes) -> None:
    """One file."""
    evidence.parse_subject.cache_clear()
    report = verify(data)
    assert report.ok, report
    boards, whole, bare = boards_of(report), spent(lambda: verify(data)), spent(lambda: sha256(data).digest())
    with uncollected():
        file = parse(data)
        found = gather(file)
        cost = {name: spent(work) for name, work in stages(data, file, found).items()}
        shadow = spent(partial(check_shadow, found, _nothing()))
    for name, within in PARTS.items():
        cost[name] -= cost[within]
    print(f"{game}: {boards} boards, {len(file.records)} records, {len(data) / 1e6:.1f} MB")
    rows = [
        ("whole", whole),
        *cost.items(),
        ("the second referees, when asked", shadow),
        ("SHA-256 alone", bare),
    ]
    table(
        ("", "ms a board", "of the whole", "boards/s"),
        [
            (name, f"{seconds / boards * 1e3:.3f}", f"{seconds / whole:.2f}", f"{boards / seconds:.0f}")
            for name, seconds in rows
        ],
    )


def run(quick: bool) -> None:
    """See ABOUT."""
    with files(1 if quick else 2, 4 if quick else 8) as made:
        for game, data in made.items():
            measure(game, data)


def main(paths: list[str]) -> None:
    """The audit files named."""
    for path in paths:
        measure(Path(path).name, Path(path).read_bytes())


if __name__ == "__main__":
    main(sys.argv[1:])
