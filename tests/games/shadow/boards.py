"""Whole boards played in both hands, with illegal acts and late answers thrown in; the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Callable

from services.games.paohuzi import questions
from services.games.shadow import hands as shadow
from tests.games.shadow.deals import DEALS, PLAYERS, THREES, parameters
from tests.games.shadow.duel import Deal, Duel

Dealing = Callable[[random.Random], Deal]


def played(seed: int, dealing: Dealing | None = None) -> Duel:
    """A board played to its end; engine and shadow have agreed after every act."""
    rng = random.Random(seed)
    deal = (dealing or rng.choice(DEALS))(rng)
    players = [rng.choice(PLAYERS) for _ in range(3)]
    duel = Duel(deal, parameters(rng))
    while asked := questions.asked(duel.engine):
        duel.agree_to_refuse(rng.randrange(3), anything(rng, duel))
        seat = rng.choice(asked)
        duel.act(seat, players[seat](rng, duel.engine, seat, questions.options(duel.engine, seat)))
        for late in range(3):
            put = questions.put(duel.engine, late)
            if put and late not in questions.asked(duel.engine) and rng.random() < 0.5:
                duel.late(late, rng.choice(put))
    return duel


def anything(rng: random.Random, duel: Duel) -> str:
    """An act of anybody's, sensible or not."""
    tile = duel.board.offer.tile if duel.board.offer else rng.choice(shadow.KINDS)
    verb = rng.choice(["win", "peng", "pass", "play", "eat", "eat", "eat"])
    if verb == "play":
        return f"play {rng.choice(shadow.KINDS)}"
    if verb != "eat":
        return verb
    meld = list(rng.choice([three for three in THREES if tile in three]))
    meld.remove(tile)
    groups = [meld if rng.random() < 0.8 else rng.sample(shadow.KINDS, 2)]
    while rng.random() < 0.3:
        groups.append(list(rng.choice([three for three in THREES if tile in three])))
    return "eat " + " + ".join(" ".join(group) for group in groups)
