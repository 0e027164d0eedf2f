"""Championship cases: `matchpoints`, `standings`, `seating`, `netlevels`.

Malformed input is Rejected("MALFORMED_CASE"), contradictory results and parameters out of range are Rejected by the
library. Without `ruleset` the defaults of Paohuzi hold (comparison by board within the field); those of Shengji differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

from services.domain import Rejected
from services.games.championship import matchpoints as mp
from services.games.championship import movement
from services.games.championship.netlevels import net_levels
from services.games.championship.params import Params, resolve
from services.games.championship.results import Facts, TableResult
from services.games.championship.standings import play_offs
from services.games.championship.standings import standings as standings_of

Case = Mapping[str, Any]
T = TypeVar("T")

GAMES = {
    "paohuzi/competitive-2017": "paohuzi",
    "shengji/duplicate-2017": "shengji",
    "shengji/xiamen-2015": "shengji",
}
"""Ruleset to the game whose defaults it brings."""


def matchpoints(case: Case) -> dict[str, Any]:
    """`mp`, `percent` and `ranks` of the `scores` of one comparison group (C3.2-C3.5)."""
    _params(case)
    scores = _integers(case, "scores")
    if not scores:
        raise _malformed("scores: a comparison group has at least one entrant")
    points = mp.matchpoints(scores)
    return {
        "mp": points,
        "percent": [_percent(mp.published(mp.ratio(each, len(scores)))) for each in points],
        "ranks": mp.ranks(scores),
    }


def standings(case: Case) -> dict[str, Any]:
    """`order`, `percent` and the `shared` groups that `boards` lead to (C3, C4)."""
    params, boards = _params(case), [_board(board) for board in _list(case, "boards")]
    if params.mp_unit == "session" and all(board.round is None for board in boards):
        # Rounds of one board form sessions only across each other; opponents are then beaten by the board (C3.0, C4.1).
        params = replace(params, beaten_scope="board")
        boards = [replace(board, board=place, round=1) for place, board in enumerate(boards)]
    order = standings_of(Facts(tuple(_results(boards))), params)
    return {
        "order": [standing.entrant for standing in order],
        "percent": [_percent(standing.tenths) for standing in order],
        "shared": play_offs(order),
    }


def seating(case: Case) -> dict[str, Any]:
    """`tables` by seat, null for house AI, of the entrants in `ranks` (C6.2, C6.3)."""
    ranks = _integers(case, "ranks")
    seats, groups, each = (_integer(case, name) for name in ("seats", "groups", "tables_per_group"))
    layout = case.get("layout", _params(case).layout)
    if not isinstance(layout, str):
        raise _malformed("layout: a name is wanted")
    tables = movement.seat_by_rank(ranks, seats, groups, layout)
    if not len(tables) // groups <= each <= -(-len(tables) // groups):
        raise _malformed(
            f"tables_per_group: {len(ranks)} entrants fill {len(tables)} tables in {groups} groups"
        )
    return {"tables": [list(table.seats) for table in tables]}


def netlevels(case: Case) -> dict[str, Any]:
    """`net` levels between `winner` and `loser` (C8.4)."""
    winner, loser = case.get("winner"), case.get("loser")
    if not isinstance(winner, str) or not isinstance(loser, str):
        raise _malformed("winner, loser: two levels are wanted")
    return {"net": net_levels(winner, loser, _params(case).a_is_a_level)}


def canonical(key: str, value: Any) -> Any:
    """Groups left to a play-off are sets; everything else counts as it stands."""
    return sorted(map(sorted, value)) if key == "shared" else value


@dataclass(frozen=True, slots=True)
class Board:
    """One entry of `boards`; `round` is None for a round of its own."""

    board: int
    round: int | None
    tables: tuple[Case, ...]


def _params(case: Case) -> Params:
    ruleset, overrides = case.get("ruleset", "paohuzi/competitive-2017"), case.get("params", {})
    if not isinstance(ruleset, str) or ruleset not in GAMES:
        raise Rejected("UNKNOWN_RULESET", "", f"{ruleset!r} is not a ruleset")
    if not isinstance(overrides, Mapping):
        raise _malformed("params: an object is wanted")
    return resolve(GAMES[ruleset], overrides)


def _results(boards: Sequence[Board]) -> Iterator[TableResult]:
    """Boards as facts: numbered from 1 within their round, rounds from 1 as they come."""
    widths = [len(table[name]) for each in boards for table in each.tables for name in ("entrants", "scores")]
    held: dict[tuple[str, int], set[int]] = {}
    played = [("own", at) if each.round is None else ("round", each.round) for at, each in enumerate(boards)]
    for key, each in zip(played, boards, strict=True):
        held.setdefault(key, set()).add(each.board)
    rounds = {key: at for at, key in enumerate(held, 1)}
    numbers = {key: {board: at for at, board in enumerate(sorted(names), 1)} for key, names in held.items()}
    for place, (key, each) in enumerate(zip(played, boards, strict=True), 1):
        for index, table in enumerate(each.tables, 1):
            yield _result(table, rounds[key], numbers[key][each.board], f"{place}.{index}", max(widths))


def _board(board: Any) -> Board:
    if not isinstance(board, Mapping):
        raise _malformed("boards: an object is wanted for each board")
    tables = _list(board, "tables")
    for table in tables:
        if not isinstance(table, Mapping):
            raise _malformed("tables: an object is wanted for each table")
        for name in ("entrants", "scores", "seconds"):
            _list(table, name)
    in_round = board.get("round")
    return Board(
        _integer(board, "board"), None if in_round is None else _whole(in_round, "round"), tuple(tables)
    )


def _result(table: Case, played: int, board: int, name: str, seats: int) -> TableResult:
    """One table; a seat is the position in its lists, and house AI fills up to the `seats` of the widest table."""
    entrants = [None if entrant is None else _whole(entrant, "entrants") for entrant in table["entrants"]]
    scores = _integers(table, "scores")
    micros = [_micros(seconds) for seconds in table["seconds"]]
    if min(len(scores), len(micros)) < len(entrants) or len(micros) > seats:
        raise _malformed(f"table {name}: a score and a time are wanted for every entrant")
    if any(entrant is not None and entrant < 0 for entrant in entrants):
        raise _malformed(f"table {name}: entrant numbers are not negative")
    times = _filled(micros, seats, 0)
    group = _integer(table, "group") if "group" in table else 1
    return TableResult(
        played, group, board, name, _filled(entrants, seats, None), _filled(scores, seats, 0), times, times
    )


def _filled(values: Sequence[T], seats: int, empty: T) -> tuple[T, ...]:
    return (*values, *(empty for _ in range(seats - len(values))))


def _micros(seconds: Any) -> int:
    """Exact microseconds of a JSON number of seconds."""
    if isinstance(seconds, bool) or not isinstance(seconds, int | float):
        raise _malformed(f"seconds: {seconds!r} is not a number")
    try:
        micros = Fraction(repr(seconds)) * 1_000_000
    except ValueError:
        raise _malformed(f"seconds: {seconds!r} is not finite") from None
    if micros < 0 or micros.denominator != 1:
        raise _malformed(f"seconds: {seconds!r} is not a whole number of microseconds from 0")
    return micros.numerator


def _percent(tenths: int) -> float:
    """A published result as the cases write it: percent with one decimal."""
    return tenths / 10


def _list(case: Case, name: str) -> list[Any]:
    value = case.get(name)
    if not isinstance(value, list):
        raise _malformed(f"{name}: a list is wanted")
    return value


def _integers(case: Case, name: str) -> list[int]:
    return [_whole(value, name) for value in _list(case, name)]


def _integer(case: Case, name: str) -> int:
    return _whole(case.get(name), name)


def _whole(value: Any, name: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise _malformed(f"{name}: {value!r} is not a whole number")
    return value


def _malformed(detail: str) -> Rejected:
    return Rejected("MALFORMED_CASE", "", detail)
