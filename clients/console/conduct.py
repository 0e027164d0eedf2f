"""What a referee can record: the catalogue of conduct (C11.1), and at tables of Shengji what S10 leaves to referees."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from clients.console.language import Language
from services.games.championship.conduct import CATALOGUE
from services.games.shengji import infringements

_WHO = {
    "player": ("Players", "参赛者"),
    "anybody": ("Anybody", "所有人员"),
    "referee": ("Referees", "裁判员"),
    "spectator": ("Spectators", "观众"),
}


def rows(game: str, language: Language) -> Mapping[str, Sequence[tuple[str, str]]]:
    """Code and text of the rows, under the heading that they belong to."""
    groups = {
        f"{language.pick(*title)} (C11.1)": [
            (code, language.pick(row.en, row.zh)) for code, row in CATALOGUE.items() if row.who == who
        ]
        for who, title in _WHO.items()
    }
    if game != "shengji":
        return groups
    recorded = [one for one in infringements.CATALOGUE if one.online == "recorded"]
    told = [(one.code, language.pick(one.what, infringements.IN_CHINESE[one.code])) for one in recorded]
    return {language.pick("The deal (S10)", "牌局（S10）"): told, **groups}
