"""Whether a play-off is of those who share the rank, each alone in the same seat (C4.5)."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from services.games.championship import results, standings
from services.games.championship.params import Params, describe
from services.ledger import digests
from services.ledger.audit.report import Report
from services.ledger.audit.verify import verify
from tests.ledger.event_log import CUP, PAIRING, RULES, SCORING, Log, PairingEvent, ScoringEvent

ENTRANTS = (1, 2, 3)
"""Nobody has a result: all share rank 1."""


def event(
    tables: Sequence[Sequence[int]], rank: int = 1, absent: Sequence[int] = (), gone: int = 0
) -> Report:
    """An event that ended before anything was played, and a play-off; `gone` has withdrawn before it."""
    log = Log()
    settings = {
        "championship": CUP,
        "ruleset": RULES.id,
        "format": "individual",
        "groups": 1,
        "rounds": 2,
        "boards_per_round": 1,
        **describe(Params()),
    }
    del settings["a_is_a_level"]  # a parameter of another format
    log.append(PAIRING, [PairingEvent(championship_created={"settings": settings})])
    listed = [(number, [(f"p-{number}", "u-1")]) for number in ENTRANTS]
    rows = [
        {"number": number, "members": [{"person_id": f"p-{number}", "unit_id": "u-1"}]} for number in ENTRANTS
    ]
    log.append(PAIRING, [PairingEvent(entrants_imported={"import_id": "i", "entrants": rows})])
    closed = {"import_id": "i", "count": 3, "digest": digests.entrants_digest(listed)}
    log.append(PAIRING, [PairingEvent(entrants_import_closed=closed)])
    positions = [{"stream": stream, "sequence": sequence} for stream, sequence in log.sequences.items()]
    digest = standings.digest(standings.standings(results.Facts((), (), ENTRANTS), Params()))
    published = {"number": 1, "digest": digest, "cause": "round", "cut": {"positions": positions}}
    log.append(SCORING, [ScoringEvent(standings_published=published)])
    if gone:
        log.append(PAIRING, [PairingEvent(entrant_withdrawn={"entrant": gone, "reason": "ill"})])
    names = [(f"r3-t{number}", entrants) for number, entrants in enumerate(tables, 1)]
    seated = [{"table": table, "group": 1, "entrants": entrants} for table, entrants in names]
    log.append(PAIRING, [PairingEvent(round_seated={"round": 3, "tables": seated})])
    paired = {
        "round": 3,
        "tables": len(names),
        "digest": digests.seating_digest((table, 1, digests.places(who, ())) for table, who in names),
        "basis": "playoff",
        "publication": 1,
        "byes": absent,
        "rank": rank,
        "reason": "one cup",
    }
    log.append(PAIRING, [PairingEvent(round_paired=paired)])
    return verify(log.file())


def findings(report: Report) -> list[str]:
    (draw,) = (check for check in report.checks if check.name == "draw")
    assert draw.done == 1
    assert draw.missing == ()
    # Of the rounds before the play-off nothing is told here.
    return [one.code for one in draw.findings if one.code != "OUT_OF_TURN"]


def test_C4_5_who_shares_the_rank_plays_alone_in_the_same_seat() -> None:
    assert findings(event([(1, 0, 0), (2, 0, 0), (3, 0, 0)])) == []
    assert findings(event([(1, 0, 0), (3, 0, 0)], absent=[2], gone=2)) == []


@pytest.mark.parametrize(
    ("tables", "rank", "absent"),
    [
        ([(1, 0, 0), (2, 0, 0)], 1, []),
        ([(1, 0, 0), (2, 0, 0)], 1, [3]),
        ([(1, 2, 3)], 1, []),
        ([(1, 0, 0), (2, 0, 0), (0, 3, 0)], 1, []),
        ([(1, 0, 0), (2, 0, 0), (3, 0, 0)], 2, []),
    ],
)
def test_C4_5_any_other_play_off_is_found(
    tables: list[tuple[int, ...]], rank: int, absent: list[int]
) -> None:
    assert findings(event(tables, rank, absent)) == ["OTHER_SEATING"]
