"""The fast reader beside a slow one over random hands (P8.1–P8.6, P9, P10, P11)."""

from __future__ import annotations

from collections import Counter
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from services.games.paohuzi import melds, params, reading, tiles
from services.games.paohuzi.melds import Meld
from tests.games.paohuzi import brute_reader

RUNS = [(low, low + 1, low + 2) for low in tiles.KINDS if low % 10 in range(1, 9)] + sorted(melds.SEVENS)
THREES = (
    [melds.of("run", run) for run in RUNS]
    + [melds.of("jiao", (kind, kind, tiles.twin(kind))) for kind in tiles.KINDS]
    + [melds.alike(name, kind) for name in ("kan", "wei", "peng", "chouwei") for kind in tiles.KINDS]
)
FOURS = [melds.alike(name, kind) for name in ("ti", "pao") for kind in tiles.KINDS]
PAIRS = [melds.alike("pair", kind) for kind in tiles.KINDS]

PARAMS = st.fixed_dictionaries(
    {
        "profile": st.sampled_from(sorted(params.PROFILES)),
        "min_huxi": st.integers(6, 18),
        "fan_combine": st.sampled_from(params.FAN_COMBINE),
        "fan": st.dictionaries(st.sampled_from(params.FAN_CODES), st.none() | st.integers(0, 7), max_size=8),
    }
)
POSITIONS = st.sets(st.sampled_from([reading.LAST_TILE, reading.UNTOUCHED])).map(frozenset)

Position = tuple[tuple[Meld, ...], list[int], int]


@st.composite
def positions(draw: st.DrawFn) -> Position:
    """Seven melds, some of them laid, one tile of the rest winning; up to two loose tiles are exchanged.

    Where there are fours, half of the time one of them still lacks the winning tile.
    """
    left = Counter(tiles.DECK)

    def one_of(choices: list[Meld]) -> Meld:
        meld = draw(st.sampled_from([each for each in choices if Counter(each.tiles) <= left]))
        left.subtract(meld.tiles)
        return meld

    fours = draw(st.sampled_from([0, 0, 1, 1, 2]))
    hidden = [one_of(PAIRS)] if fours else []
    shown = [one_of(FOURS) for _ in range(fours)]
    for _ in range(7 - len(hidden) - fours):
        meld = one_of(THREES)
        (shown if draw(st.booleans()) and meld.name != "kan" else hidden).append(meld)
    loose = [kind for meld in hidden for kind in meld.tiles] or list(shown.pop().tiles)
    for place in draw(st.lists(st.integers(0, len(loose) - 1), max_size=2)):
        loose[place] = draw(st.sampled_from(sorted(left.elements())))
        left[loose[place]] -= 1
    if fours and draw(st.booleans()):
        kind, name = shown.pop(0).tiles[0], draw(st.sampled_from(["kan", "peng", "wei"]))
        shown += [melds.alike(name, kind)] if name != "kan" else []
        return tuple(shown), loose + ([kind] * 3 if name == "kan" else []), kind
    loose = draw(st.permutations(loose))
    return tuple(shown), loose[:-1], loose[-1]


def compare(
    overrides: dict[str, Any],
    laid: tuple[Meld, ...],
    hand: list[int],
    tile: int | None,
    drawn: str,
    position: frozenset[str],
) -> None:
    resolved = params.resolve(overrides)
    fast = reading.best(resolved, laid, tiles.count(hand), tile, drawn, position)
    slow = brute_reader.best_value(resolved, laid, hand, tile, drawn, position)
    assert (fast and (fast.gain, fast.huxi, fast.fan, fast.names)) == slow
    if fast:
        held = [*hand, *(kind for meld in laid for kind in meld.tiles), *([tile] if tile else [])]
        assert sorted(kind for meld in fast.melds for kind in meld.tiles) == sorted(held)
        assert all(map(melds.legal, fast.melds))
        assert sum(map(melds.huxi, fast.melds)) == fast.huxi
        assert len(fast.melds) == 7
        assert sum(fast.scores) == 0


@settings(max_examples=400, deadline=None)
@given(PARAMS, positions(), st.sampled_from(["own", "other"]), POSITIONS)
def test_p8_4_to_p8_6_a_drawn_tile_is_read_as_the_slow_reader_reads_it(
    overrides: dict[str, Any], at: Position, drawn: str, position: frozenset[str]
) -> None:
    laid, hand, tile = at
    compare(overrides, laid, hand, tile, drawn, position)


@settings(max_examples=100, deadline=None)
@given(PARAMS, st.data())
def test_p8_3_a_dealt_hand_is_read_as_the_slow_reader_reads_it(
    overrides: dict[str, Any], data: st.DataObject
) -> None:
    laid, hand, tile = data.draw(positions())
    hand = [*hand, tile, *(kind for meld in laid for kind in meld.tiles)]
    ti = [melds.alike("ti", kind) for kind, number in Counter(hand).items() if number == tiles.COPIES]
    on_table = tuple(ti) if data.draw(st.booleans()) else ()
    hand = [kind for kind in hand if melds.alike("ti", kind) not in on_table]
    compare(overrides, on_table, hand, None, "dealt", frozenset())
