"""What the referees' desk offers to record (C11.1, S10)."""

from __future__ import annotations

from clients.console import conduct
from clients.console.language import LANGUAGES
from services.games.championship.conduct import CATALOGUE
from services.games.shengji import infringements


def test_C11_1_every_row_of_the_catalogue_is_offered_once_and_S10_where_a_referee_finds_it() -> None:
    told = conduct.rows("paohuzi", LANGUAGES["en"])
    codes = [code for rows in told.values() for code, _ in rows]
    assert sorted(codes) == sorted(CATALOGUE)
    shengji = [code for rows in conduct.rows("shengji", LANGUAGES["zh"]).values() for code, _ in rows]
    found = [one.code for one in infringements.CATALOGUE if one.online == "recorded"]
    assert shengji == [*found, *codes]
