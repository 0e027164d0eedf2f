from __future__ import annotations

from pathlib import Path

import pytest

from clients.cli.roster import read
from services.domain import Rejected
from services.games.registry import RULESETS
from services.pairing.document import resolve
from services.pairing.formats import FORMATS

ROOT = Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "examples").glob("*.yaml"))
PAGE = (ROOT / "docs/championship-file.md").read_text("utf-8")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_an_example_is_a_championship(path: Path) -> None:
    settings = resolve(path.read_text("utf-8"), demo_allowed=False)
    assert settings.rounds > 1
    with pytest.raises(Rejected):
        resolve(path.read_text("utf-8") + "\nshoe_size: 44\n", demo_allowed=False)


def test_the_roster_fits_the_examples() -> None:
    rows = read(ROOT / "examples/entrants.csv")
    assert len({row.members[0].person_id for row in rows}) == len(rows) > 20


@pytest.mark.parametrize(("roster", "form"), [("shengji-pairs", "pairs"), ("shengji-teams", "teams")])
def test_rosters_of_pairs_and_teams(roster: str, form: str) -> None:
    rows = read(ROOT / f"examples/{roster}.csv")
    fewest, most = FORMATS[form].members
    assert len(rows) > 5
    assert all(fewest <= len(row.members) <= most for row in rows)


def test_the_page_names_every_setting_with_its_default() -> None:
    written = set(PAGE.split("`"))
    settings = resolve("{championship: cup, name: Cup}", demo_allowed=False)
    for name in ("rounds", "boards_per_round", "groups", "machine_seat"):
        assert f"| `{name}` | {getattr(settings, name)} |" in PAGE
    for name in ("layout", "format", "ruleset", "software", "time_zone", "venue"):
        assert f"| `{name}` | `{getattr(settings, name)}` |" in PAGE
    for name, value in (
        ("play_ms", settings.play_clock_ms),
        ("claim_ms", settings.claim_clock_ms),
        ("claim_floor_ms", settings.claim_floor_ms),
        ("join_wait_ms", settings.join_wait_ms),
        ("board_pause_ms", settings.board_pause_ms),
        ("board_deadline_ms", settings.board_deadline_ms),
        ("window_ms", settings.appeal_window_ms),
    ):
        assert f"| `{name}` | {value} |" in PAGE
    for name in ("compare_within", "mp_unit", "tie_on", "beaten_scope", "thinking_time"):
        assert f"| `{name}` | `{getattr(settings, name)}` |" in PAGE
    assert {"params", "demo.seed", "calendar", "final_authority", "window_starts", *FORMATS} <= written
    match = resolve("{championship: cup, name: Cup, game: shengji, format: points}", demo_allowed=False)
    assert f"| `movement` | `{match.movement}` |" in PAGE
    for name, value in (
        ("match.minutes", match.match_time_ms // 60_000),
        ("match.deals", match.match_deals),
        ("bid_ms", match.bid_clock_ms),
        ("bury_ms", match.bury_clock_ms),
        ("deal_pace_ms", match.deal_pace_ms),
    ):
        assert f"| `{name}` | {value} |" in PAGE
    assert f"| `a_is_a_level` | {str(match.a_is_a_level).lower()} |" in PAGE


def test_the_page_names_every_parameter_of_the_rulesets() -> None:
    for ruleset in RULESETS.values():
        for name in ruleset.describe(ruleset.resolve({})):
            assert f"| `{name}` |" in PAGE, (ruleset.id, name)
