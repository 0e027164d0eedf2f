from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from clients.cli.kinds import KINDS, find
from clients.cli.main import run
from clients.cli.output import Problem
from clients.cli.roster import read
from clients.cli.words import choose


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


KNOWN = [(game, form) for game, forms in KINDS.items() for form in forms]


@pytest.mark.parametrize(("game", "form"), KNOWN)
def test_a_generated_event_is_one_that_can_be_created_and_entered(
    game: str, form: str, tmp_path: Path
) -> None:
    from services.pairing.document import resolve

    line = ["generate", "--out", str(tmp_path), "--game", game, "--format", form, "--entrants", "6"]
    assert run(line) == 0
    settings = resolve((tmp_path / "championship.yaml").read_text("utf-8"), demo_allowed=False)
    kind = KINDS[game][form]
    assert (settings.ruleset, settings.format, settings.rounds) == (kind.ruleset, form, kind.rounds)
    rows = read(tmp_path / "entrants.csv")
    assert [len(row.members) for row in rows] == [kind.members] * 6
    assert len({one.person_id for row in rows for one in row.members}) == 6 * kind.members


def test_points_has_five_rounds_and_a_cap_of_deals(tmp_path: Path) -> None:
    line = ["generate", "--out", str(tmp_path), "--game", "shengji", "--format", "points", "--boards", "7"]
    assert run(line) == 0
    document = yaml.safe_load((tmp_path / "championship.yaml").read_text("utf-8"))
    assert (document["rounds"], document["match"]) == (5, {"deals": 7})


@pytest.mark.parametrize("command", [["demo", "--exit"], ["generate", "--out", "nowhere"]])
def test_a_format_that_a_game_has_not_is_refused_with_those_it_has(
    command: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run([*command, "--game", "paohuzi", "--format", "teams"]) == 2
    assert capsys.readouterr().err == (
        "fupan: paohuzi is not played as teams: --format is one of individual, machine\n"
    )
    assert run([*command, "--format", "singles"]) == 2
    assert "individual" in capsys.readouterr().err


def test_formats_of_other_games_are_not_found() -> None:
    with pytest.raises(Problem):
        find("paohuzi", "points")
