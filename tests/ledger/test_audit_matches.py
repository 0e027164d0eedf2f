"""Rounds that standings seat and standings that matches give are checked by an outsider: each forgery is found (C1.5, C8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

from services.games.championship import contest as c
from services.games.championship.meetings import Round
from services.games.championship.points import MatchResult
from services.games.championship.results import Facts
from services.games.championship.tables import (
    EVEN_PARTS,
    LINES_AFTER,
    Tables,
    met,
    plan_of,
    seat_ranked,
)
from services.ledger import digests
from services.ledger.audit.report import Report
from services.ledger.audit.verify import verify
from services.ledger.auditfile import Ranking
from services.pairing.document import resolve
from tests.ledger.event_log import CUP, PAIRING, SCORING, Forge, Log, PairingEvent, ScoringEvent, TableEvent

SETTINGS = resolve(f"championship: {CUP}\nname: Cup\ngame: shengji\nformat: points\nrounds: 2", False)
ENTRANTS = tuple(range(1, 10))
SEATS = {"r1-t1": (1, 5, 1, 5), "r1-t2": (2, 6, 2, 6), "r1-t3": (7, 3, 7, 3), "r1-t4": (8, 4, 8, 4)}
ENDS = {
    "r1-t1": (0, ("A", "7")),
    "r1-t2": (0, ("A", "8")),
    "r1-t3": (1, ("9", "Q")),
    "r1-t4": (1, ("9", "T")),
}
"""The best two were in seats 0+2, and those behind them in seats 1+3."""
MEMBERS = (0, 0, 1, 1)


def order() -> c.Order:
    """The standings after round 1."""
    terms = c.terms("shengji", SETTINGS)
    seats = {(1, table): entrants for table, entrants in SEATS.items()}
    matches = tuple(
        c.Match(1, table, MatchResult(won, levels, "S9.5")) for table, (won, levels) in ENDS.items()
    )
    return c.order(c.Contest(terms, Facts((), (), ENTRANTS), seats, ((9, 1),), matches))


def second_round(method: int = EVEN_PARTS) -> Tables:
    """As the standings give it."""
    played: list[Round] = [met("points", 1, SEATS.values(), (9,))]
    rows = order()
    scores = {row.entrant: getattr(row, "points") for row in rows}  # noqa: B009
    plan = replace(plan_of(SETTINGS), line_method=method)
    return seat_ranked(plan, [row.entrant for row in rows], scores, played)


def event(
    forge: dict[str, Forge],
    seats: Mapping[str, Sequence[int]],
    byes: Sequence[int],
    kind: str = "championship",
) -> Report:
    """An event of two rounds, the second seated so, verified."""
    return verify(written(forge, seats, byes).file(kind, CUP if kind == "championship" else "1"))


def written(forge: dict[str, Forge], seats: Mapping[str, Sequence[int]], byes: Sequence[int]) -> Log:
    """The log of such an event."""
    log = Log(forge=forge)
    settings = {name: getattr(SETTINGS, name) for name in SETTINGS.__slots__}
    log.append(PAIRING, [PairingEvent(championship_created={"settings": settings, "epoch": "e1"})])
    entrants = [(n, [(f"p-{n}-{k}", "") for k in (1, 2)]) for n in ENTRANTS]
    rows = [
        {"number": n, "members": [{"person_id": p, "unit_id": u} for p, u in members]}
        for n, members in entrants
    ]
    digest = digests.entrants_digest(entrants)
    log.append(PAIRING, [PairingEvent(entrants_imported={"import_id": "i", "entrants": rows})])
    closed = {"import_id": "i", "count": len(ENTRANTS), "digest": digest}
    log.append(PAIRING, [PairingEvent(entrants_import_closed=closed)])
    log.append(
        PAIRING, [PairingEvent(registration_closed={"count": len(ENTRANTS), "entrants_digest": digest})]
    )
    _pair(log, 1, SEATS, (9,), "draw")
    for number, (table, (winner, levels)) in enumerate(ENDS.items()):
        ended = {"round": 1, "winner": winner, "levels": levels, "clause": "S9.5", "deals": 7}
        log.append(f"fupan.e1.table.{number}.{CUP}.{table}", [TableEvent(match_ended=ended)])
    positions = [{"stream": stream, "sequence": sequence} for stream, sequence in log.sequences.items()]
    published = {
        "number": 1,
        "after_round": 1,
        "cut": {"positions": positions},
        "digest": c.digest(order()),
        "entrants": len(ENTRANTS),
        "cause": "round",
    }
    log.append(SCORING, [ScoringEvent(standings_published=published)])
    _pair(log, 2, seats, byes, "standings", published["digest"])
    return log


def _pair(
    log: Log,
    round_: int,
    seats: Mapping[str, Sequence[int]],
    byes: Sequence[int],
    basis: str,
    standings: Any = b"",
) -> None:
    tables = [
        {"table": table, "group": 1, "entrants": entrants, "members": MEMBERS}
        for table, entrants in seats.items()
    ]
    lines = ((table, 1, digests.places(entrants, MEMBERS)) for table, entrants in seats.items())
    digest = digests.seating_digest(lines)
    log.append(PAIRING, [PairingEvent(round_seated={"round": round_, "tables": tables})])
    paired = {
        "round": round_,
        "tables": len(tables),
        "digest": digest,
        "basis": basis,
        "publication": round_ - 1,
        "standings_digest": standings,
        "byes": byes,
    }
    log.append(PAIRING, [PairingEvent(round_paired=paired)])


def codes(report: Report) -> set[tuple[str, str]]:
    """Findings about seats and standings."""
    return {
        (check.name, finding.code)
        for check in report.checks
        for finding in check.findings
        if check.name in ("draw", "standings")
    }


def due(method: int = EVEN_PARTS) -> tuple[Mapping[str, Sequence[int]], tuple[int, ...]]:
    seated = second_round(method)
    return {f"r2-{one.name}": one.entrants for one in seated.tables}, seated.byes


def test_what_the_standings_give_is_found_in_order() -> None:
    report = event({}, *due())
    assert codes(report) == set()
    checks = {check.name: check for check in report.checks}
    assert (checks["draw"].done, checks["standings"].done) == (2, 1)
    assert checks["standings"].missing == ()


def test_C7_1_an_older_event_is_checked_by_the_method_it_was_created_with() -> None:
    """Before lines counted in who meets, its best two met though both had been in seats 0+2."""

    def older(created: Any) -> None:
        created.settings.ClearField("line_method")

    forge: dict[str, Forge] = {"championship_created": older}
    assert due(LINES_AFTER) != due()
    assert codes(event(forge, *due(LINES_AFTER))) == set()
    assert codes(event({}, *due(LINES_AFTER))) == codes(event(forge, *due())) == {("draw", "OTHER_SEATING")}


def test_C7_1_a_method_of_a_later_version_is_told() -> None:
    def later(created: Any) -> None:
        created.settings.line_method = EVEN_PARTS + 1

    checks = {check.name: check for check in event({"championship_created": later}, *due()).checks}
    detail = f"lines by method {EVEN_PARTS + 1}, which came with a later version"
    assert f"round 2: {detail}" in checks["draw"].missing


def test_what_a_file_cannot_say_it_says() -> None:
    """Without the whole championship nobody can tell what its standings were."""
    checks = {check.name: check for check in event({}, *due(), kind="round").checks}
    assert "round 2 sits by publication 1, which this file does not give" in checks["draw"].missing


def test_a_file_with_the_published_ranking_says_how_the_next_round_sits() -> None:
    ranking = Ranking(1, c.canonical(order()))
    seats, byes = due()
    told = verify(written({}, seats, byes).file("round", "2", rankings=(ranking,)))
    checks = {check.name: check for check in told.checks}
    assert (codes(told), checks["standings"].done) == (set(), 1)
    assert not any("sits by" in one for one in checks["draw"].missing)
    first, second, *_ = seats
    other = {**seats, first: seats[second], second: seats[first]}
    told = verify(written({}, other, byes).file("round", "2", rankings=(ranking,)))
    assert codes(told) == {("draw", "OTHER_SEATING")}


def test_other_seats_than_the_standings_give_are_found() -> None:
    seats, byes = due()
    first, second, *_ = seats
    (a, b), (x, y) = seats[first][:2], seats[second][:2]
    rematch = {**seats, first: (a, x, a, x), second: (b, y, b, y)}
    assert codes(event({}, rematch, byes)) == {("draw", "OTHER_SEATING")}
    lines = {**seats, first: (b, a, b, a)}
    assert codes(event({}, lines, byes)) == {("draw", "OTHER_SEATING")}


def test_a_bye_given_to_somebody_else_is_found() -> None:
    """C1.5."""
    seats, byes = due()
    assert codes(event({}, seats, (*byes, 1))) == {("draw", "OTHER_SEATING")}


@pytest.mark.parametrize("name", ["winner", "levels"])
def test_another_end_of_a_match_is_found(name: str) -> None:
    """C8.2, C8.4: points or net levels are then not those that were published."""

    def changed(ended: Any) -> None:
        if name == "winner":
            ended.winner = 1 - ended.winner
        else:
            ended.levels[:] = ["A", "A"]

    assert ("standings", "OTHER_STANDINGS") in codes(event({"match_ended": changed}, *due()))


def test_a_match_without_a_winner_counts_for_nobody() -> None:
    """C2.2."""
    found = codes(event({"match_ended": lambda ended: ended.ClearField("winner")}, *due()))
    assert ("standings", "OTHER_STANDINGS") in found
