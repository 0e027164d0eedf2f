"""Random `win` cases: hands that are seven melds, nearly are, or are anything of real tiles."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

from services.games.shadow import hands as shadow
from tests.games.shadow.deals import BIG, BLACK, RED, SMALL, THREES, parameters

LAID_ALIKE = {3: ("peng", "wei", "wei", "chouwei"), 4: ("ti", "pao")}


def position(rng: random.Random) -> dict[str, Any]:
    """A position of at most four tiles a kind; most of them close to a win."""
    pool = Counter(shadow.DECK)
    taste = rng.choice([shadow.KINDS, BLACK, RED, BIG, SMALL])
    groups = _groups(rng, pool, taste)
    table, hand = [], []
    for group in groups:
        if len(group) > 2 and rng.random() < 0.45:
            alike = len(set(group)) == 1
            name = rng.choice(LAID_ALIKE[len(group)]) if alike else (shadow.three_meld(group) or ("",))[0]
            table.append([name, *(group[:1] if alike else group)])
        else:
            hand += group
    grown = [meld[1] for meld in table if meld[0] in ("peng", "wei", "chouwei") and pool[meld[1]]]
    if hand and (not grown or rng.random() < 0.7):
        tile = rng.choice(hand)
        hand.remove(tile)
    else:
        tile = rng.choice(grown or list(pool.elements()))
        pool[tile] -= 1
    if hand and rng.random() < 0.1:  # another tile instead: most of these win no more
        hand.remove(rng.choice(hand))
        spare = [kind for kind in shadow.KINDS if pool[kind] > 0]
        hand.append(rng.choice(spare))
    rng.shuffle(hand)
    case: dict[str, Any] = {
        "id": "x",
        "game": "paohuzi",
        "kind": "win",
        "clause": "P8",
        "params": parameters(rng),
    }
    if rng.random() < 0.15:
        laid = [meld for meld in table if meld[0] == "ti"]
        hand += [tile, *(each for meld in table if meld not in laid for each in shadow.tiles_of(tuple(meld)))]
        case |= {"table": laid, "hand": hand, "tile": None, "drawn_by": "own"}
    else:
        case |= {
            "table": table,
            "hand": hand,
            "tile": tile,
            "drawn_by": rng.choice(["own", "other", "other"]),
        }
        case["position"] = rng.sample(["last_tile", "untouched"], rng.choice((0, 0, 1, 2)))
        if rng.random() < 0.03:
            case["drawn_by"] = "discard"
    return case


def _groups(rng: random.Random, pool: Counter[str], taste: tuple[str, ...]) -> list[list[str]]:
    """Seven groups, or a few more or less: fours, threes, and a pair where P8.1 wants one."""
    wanted = rng.choices((7, 6, 8, 5), (20, 1, 1, 1))[0]
    fours = rng.choices((0, 1, 2, 3), (5, 4, 2, 1))[0]
    pairs = (fours > 0) ^ (rng.random() < 0.1)
    alike = rng.random() < 0.3
    groups: list[list[str]] = []
    for size in [4] * fours + [2] * pairs + [3] * (wanted - fours - pairs):
        kinds = [(kind,) * size for kind in shadow.KINDS]
        melds = THREES[:20] if alike and rng.random() < 0.9 else THREES
        candidates = melds if size == 3 else kinds
        fitting = [
            m
            for m in candidates
            if not Counter(m) - pool and sum(t in taste for t in m) >= rng.choice((0, 2))
        ]
        fitting = fitting or [m for m in candidates if not Counter(m) - pool]
        if fitting:
            group = list(rng.choice(fitting))
            groups.append(group)
            pool.subtract(group)
    return groups
