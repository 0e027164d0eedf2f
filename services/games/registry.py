"""Every ruleset by its id. An id, once shipped, keeps its meaning for ever: a change of rules is a new id."""

from __future__ import annotations

from typing import Any

from services.domain import Rejected
from services.games.paohuzi import decide
from services.games.paohuzi.ruleset import COMPETITIVE_2017
from services.games.rules import Ruleset
from services.games.shengji.ruleset import DUPLICATE_2017, XIAMEN_2015

RULESETS: dict[str, Ruleset] = {
    ruleset.id: ruleset for ruleset in (COMPETITIVE_2017, XIAMEN_2015, DUPLICATE_2017)
}


def compiled() -> bool:
    """Whether the rules run as machine code, and not from their sources."""
    return not decide.__file__.endswith(".py")


def find(ruleset_id: Any) -> Ruleset:
    """The ruleset with this id. Raises Rejected("UNKNOWN_RULESET")."""
    found = RULESETS.get(ruleset_id) if isinstance(ruleset_id, str) else None
    if found is None:
        raise Rejected(
            "UNKNOWN_RULESET", detail=f"no ruleset {ruleset_id!r}; there are {', '.join(RULESETS)}"
        )
    return found
