"""Boards and cases as they come out, so that compiled and plain rules can be compared: `python -m tests.games.journal`.

It prints JSON: a digest of every board, a verdict on every case, and whether the rules were compiled.
"""

from __future__ import annotations

import json
import pickle
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

from services.domain import fold
from services.games import cases, registry
from services.games.paohuzi.ruleset import COMPETITIVE_2017
from services.games.rules import Ruleset
from services.ledger.games import GAMES
from tests.games.paohuzi import boards as paohuzi
from tests.games.shengji import boards as shengji

BOARDS = {"paohuzi": 600, "shengji": 400}
LOOK = 8
"""Between so many acts, an asked seat is looked at whole: its house AI's choice, its view by pickle."""
CASES = Path(__file__).with_name("cases")


def acts(game: str, seed: int) -> Iterator[tuple[Ruleset, Any]]:
    """The steps of a board played at random under parameters drawn by `seed`."""
    if game == "paohuzi":
        return ((COMPETITIVE_2017, step) for step in paohuzi.play(seed))
    return ((shengji.rules_of(seed), step) for step in shengji.play(seed))


def board(game: str, seed: int) -> str:
    """The digest of everything a board shows: events, views, legal actions, outcome."""
    shown, codec = sha256(), GAMES[game]
    for number, (rules, step) in enumerate(acts(game, seed)):
        afresh = tuple(pickle.loads(pickle.dumps(step.events)))
        assert fold(rules.evolve, step.before, afresh) == step.after
        for event in step.events:
            shown.update(codec.events.encode(event) + rules.tell(event).encode())
        views = [rules.view(step.after, seat) for seat in (*range(rules.seats), None)]
        for seen in views:
            shown.update(codec.views.encode(seen))
        for seat in rules.asked(step.after):
            shown.update(repr(_some(rules.options(step.after, seat))).encode())
            if number % LOOK == 0:
                seen = pickle.loads(pickle.dumps(views[seat]))
                assert seen == views[seat]
                shown.update(f"{seen} {rules.choose(seen)} {rules.fallback(step.after, seat)}".encode())
        shown.update(repr(rules.outcome(step.after)).encode())
    return shown.hexdigest()


def _some(options: Any) -> tuple[int, list[Any]]:
    """How many options there are, and some of them."""
    number = len(options)
    return number, [options[at] for at in sorted({0, number // 3, number // 2, number - 1})] if number else []


def journal() -> dict[str, str]:
    """Every board's digest, and every published case's verdict."""
    played = {
        f"{game} {seed}": board(game, seed) for game, number in BOARDS.items() for seed in range(number)
    }
    for file in sorted(CASES.glob("*.ndjson")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            verdict = cases.check_line(line, number)
            played[f"{file.name} {verdict.id}"] = verdict.show()
    return played


if __name__ == "__main__":
    json.dump({"compiled": registry.compiled(), "played": journal()}, sys.stdout)
