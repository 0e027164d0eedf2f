"""What a referee can record, the catalogue of conduct (C11.1) and at tables of Shengji what S10 leaves to referees, and what was
recorded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from clients.console.desk import Desk
from clients.console.language import Language
from clients.console.session import Session
from fupan.pairing.v1 import service_pb2 as pb
from services.games.championship.conduct import CATALOGUE
from services.games.shengji import infringements

_WHO = {
    "player": ("Players", "参赛者"),
    "anybody": ("Anybody", "所有人员"),
    "referee": ("Referees", "裁判员"),
    "spectator": ("Spectators", "观众"),
}


Rows = Mapping[str, Sequence[tuple[str, str]]]
"""Code and text of rows, under the heading that they belong to."""


def everybody(language: Language) -> Rows:
    """What can be recorded at no table."""
    return _groups(_WHO, language)


def rows(game: str, language: Language, real_cards: bool = False) -> Rows:
    """What can be recorded of a seat; with real cards any row of S10."""
    groups = _groups(("player", "anybody"), language)
    if game != "shengji":
        return groups
    recorded = [one for one in infringements.CATALOGUE if real_cards or one.online == "recorded"]
    told = [(one.code, language.pick(one.what, infringements.IN_CHINESE[one.code])) for one in recorded]
    return {language.pick("The deal (S10)", "牌局（S10）"): told, **groups}


async def recorded(desk: Desk, who: Session, championship: str) -> Sequence[pb.Conduct]:
    """What was recorded at no table, as far as a visitor may know it, with the reasons. Raises AioRpcError."""
    asked = pb.ListConductRequest(championship=championship)
    return (await desk.services.ask(desk.services.pairing.ListConduct, asked, who.token)).conduct


def _groups(whose: Iterable[str], language: Language) -> Rows:
    return {
        f"{language.pick(*_WHO[who])} (C11.1)": [
            (code, language.pick(row.en, row.zh)) for code, row in CATALOGUE.items() if row.who == who
        ]
        for who in whose
    }
