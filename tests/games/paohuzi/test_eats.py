"""What a tile can be eaten with, beside a slow search of every way to lay tiles out (P4, P7.5)."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

from hypothesis import given, settings
from hypothesis import strategies as st

from services.games.paohuzi import eats, tiles
from services.games.paohuzi.actions import Action, Eat, along_of, canonical

Tiles = tuple[int, ...]


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from([1, 2, 3, 4, 5, 7, 10, 11, 12, 13, 14, 15]), max_size=14), st.data())
def test_every_eat_and_no_other_is_found(hand: list[int], data: st.DataObject) -> None:
    hand = [tile for tile in hand if hand.count(tile) <= 3]
    tile = data.draw(st.sampled_from([1, 2, 3, 12, 13]))
    found = list(eats.choices(bytes(tiles.count(hand)), tile))
    assert len(set(found)) == len(found)
    assert set(found) == slow(hand, tile)
    assert all(canonical(eat) == eat for eat, _ in found)


def slow(hand: list[int], tile: int) -> set[tuple[Action, bool]]:
    """Tries every two tiles to eat with, then every set of threes that takes all other copies."""
    free = tuple(sorted(kind for kind in hand if hand.count(kind) < 3))
    found: set[tuple[Action, bool]] = set()
    for using in set(combinations(free, 2)):
        if meld((tile, *using)):
            rest = less(free, using)
            for along in layings(rest, tile):
                left = less(rest, tuple(kind for members in along for kind in members))
                eat = Eat(using, tuple(along_of(list(members)) for members in along))
                found.add((canonical(eat), bool(left)))
    return found


def layings(rest: Tiles, tile: int) -> set[tuple[Tiles, ...]]:
    if tile not in rest:
        return {()}
    return {
        tuple(sorted((members, *more)))
        for members in set(combinations(rest, 3))
        if tile in members and meld(members)
        for more in layings(less(rest, members), tile)
    }


def meld(members: Tiles) -> bool:
    points = sorted((kind - 1) % 10 + 1 for kind in members)
    sizes = {kind > 10 for kind in members}
    if len(sizes) == 2:
        return len(set(points)) == 1
    low, middle, high = points
    return points == [2, 7, 10] or (middle == low + 1 and high == low + 2)


def less(have: Tiles, gone: Tiles) -> Tiles:
    return tuple(sorted((Counter(have) - Counter(gone)).elements()))
