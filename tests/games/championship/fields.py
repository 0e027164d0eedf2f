"""Small fields: written down in tests, or drawn by hypothesis."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from services.games.championship.params import Params
from services.games.championship.results import (
    Assigned,
    Corrected,
    Facts,
    Penalised,
    Ruling,
    TableResult,
    Voided,
)


def result(
    seats: str,
    scores: str,
    times: str = "",
    in_round: int = 1,
    board: int = 1,
    table: str = "",
    group: int = 1,
) -> TableResult:
    """A table from words: entrants (`-` is house AI), raw scores, seconds (60 each unless given)."""
    entrants = tuple(None if word == "-" else int(word) for word in seats.split())
    micros = tuple(int(word) * 1_000_000 for word in (times or "60 " * len(entrants)).split())
    return TableResult(
        round=in_round,
        group=group,
        board=board,
        table=table or f"table of {seats}",
        seats=entrants,
        scores=tuple(map(int, scores.split())),
        micros=micros,
        play_micros=micros,
    )


def alone(scores: dict[int, int], board: int, in_round: int = 1) -> list[TableResult]:
    """Entrants in the same seat of tables of their own."""
    return [result(str(entrant), str(score), "", in_round, board) for entrant, score in scores.items()]


all_params = st.builds(
    Params,
    mp_unit=st.sampled_from(["board", "session"]),
    boards_per_session=st.integers(1, 3),
    compare_within=st.sampled_from(["field", "group"]),
    tie_on=st.sampled_from(["published", "exact"]),
    beaten_scope=st.sampled_from(["round", "board"]),
    thinking_time=st.sampled_from(["all_decisions", "plays"]),
)


@st.composite
def fields(draw: st.DrawFn) -> Facts:
    """Up to 3 rounds of up to 4 boards at up to 4 tables, with gaps, house AI, replays, takeovers and rulings."""
    seats = draw(st.sampled_from([1, 2, 3, 4]))
    tables = draw(st.integers(1, 4))
    small = st.integers(-2, 2)
    times = st.lists(st.integers(1, 3), min_size=seats, max_size=seats).map(tuple)
    results: list[TableResult] = []
    for in_round in range(1, draw(st.integers(0, 3)) + 1):
        field = draw(st.permutations(range(1, tables * seats + 1)))
        house = draw(st.sets(st.sampled_from(field), max_size=2))
        for board in range(1, draw(st.integers(1, 4)) + 1):
            for table in range(tables):
                if draw(st.integers(0, 5)) == 0:
                    continue
                own = field[table * seats : (table + 1) * seats]
                unfinished = draw(st.integers(0, 9)) == 0
                results.append(
                    TableResult(
                        round=in_round,
                        group=table % 2 + 1,
                        board=board,
                        table=f"t{table}",
                        seats=tuple(None if entrant in house else entrant for entrant in own),
                        scores=() if unfinished else tuple(draw(small) for _ in own),
                        micros=draw(times),
                        play_micros=draw(times),
                        attempt=draw(st.sampled_from([1, 1, 1, 2])),
                        taken_over=draw(st.sampled_from([(), (), (), (0,)])),
                    )
                )
    rulings = draw(st.lists(_rulings(results, seats), max_size=5)) if results else []
    numbered = [_numbered(ruling, number) for number, ruling in enumerate(rulings)]
    return Facts(tuple(results), tuple(numbered), tuple(draw(st.sets(st.integers(1, 20), max_size=4))))


def _rulings(results: list[TableResult], seats: int) -> st.SearchStrategy[Ruling]:
    tenths = st.integers(0, 1000)
    entrants = st.integers(1, 4 * seats)
    ruled = st.sampled_from(results)

    @st.composite
    def ruling(draw: st.DrawFn) -> Ruling:
        on = draw(ruled)
        kind = draw(st.sampled_from("cvap"))
        if kind == "c":
            scores = tuple(draw(st.integers(-2, 2)) for _ in on.seats)
            return Corrected(0, on.round, on.board, on.table, scores)
        if kind == "v":
            given = draw(st.sampled_from([(), tuple(range(400, 400 + seats))]))
            return Voided(0, on.round, on.board, on.table, given)
        if kind == "a":
            return Assigned(0, draw(entrants), on.round, on.board, draw(tenths))
        return Penalised(0, draw(st.sampled_from("xy")), draw(entrants), draw(tenths))

    return ruling()


def _numbered(ruling: Ruling, number: int) -> Ruling:
    return replace(ruling, number=number)
