from __future__ import annotations

import json
from importlib.metadata import version

import pytest

from services.domain import Rejected
from services.games.championship.tables import EVEN_PARTS
from services.games.registry import RULESETS
from services.pairing.document import MAX_DOCUMENT, resolve
from services.pairing.formats import INTERPRETER

LEAST = "championship: cup\nname: Cup\n"


def refused(text: str, demo: bool = False) -> Rejected:
    with pytest.raises(Rejected) as raised:
        resolve(text, demo_allowed=demo)
    return raised.value


def test_what_a_file_leaves_out_takes_the_default() -> None:
    settings = resolve(LEAST, demo_allowed=False)
    assert (settings.ruleset, settings.format, settings.layout) == (
        "paohuzi/competitive-2017",
        "individual",
        "row_snake",
    )
    assert (settings.compare_within, settings.mp_unit, settings.boards_per_session) == ("field", "board", 1)
    assert (settings.tie_on, settings.beaten_scope, settings.thinking_time) == (
        "published",
        "round",
        "all_decisions",
    )
    assert (settings.final_authority, settings.window_starts) == ("arbitration", "competition")
    assert settings.appeal_window_ms == 3 * 3600 * 1000  # C10.1
    assert settings.software == f"Fupan {version('fupan')}"  # P0
    assert (settings.calendar, settings.time_zone) == ("CN", "Asia/Shanghai")
    assert not settings.demo
    # Every parameter of the ruleset by name, in canonical form.
    assert settings.params == json.dumps(
        json.loads(settings.params), sort_keys=True, separators=(",", ":"), ensure_ascii=False
    )


def test_lines_are_ranks_ascending() -> None:
    assert resolve(LEAST, demo_allowed=False).lines == ()
    assert resolve(LEAST + "lines: [8, 3, 8]", demo_allowed=False).lines == (3, 8)


def test_json_is_taken_too() -> None:
    assert resolve('{"championship": "cup", "name": "长沙杯"}', demo_allowed=False).name == "长沙杯"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("rounds: 0", "rounds"),
        ("rounds: many", "rounds"),
        ("round: 3", "round"),
        ("lines: [0]", "lines[0]"),
        (f"lines: {list(range(1, 18))}", "lines"),
        ("clocks: {play: 3}", "clocks"),
        ("clocks: {play_ms: 999}", "clocks.play_ms"),
        ("appeals: {window_ms: 0}", "appeals.window_ms"),
        ("appeals: {fee: {amount: -1}}", "appeals.fee.amount"),
        ('appeals: {fee: {currency: "cny"}}', "appeals.fee.currency"),
        ('appeals: {fee: {currency: "CNY\\n"}}', "appeals.fee.currency"),
        ("venue: moon", "venue"),
        ("demo: {seed: -1}", "demo.seed"),
        ("demo: {seed: 9223372036854775808}", "demo.seed"),
        ('software: "two\\nlines"', "software"),
    ],
)
def test_a_wrong_setting_is_named(line: str, told: str) -> None:
    error = refused(LEAST + line, demo=True)
    assert error.reason == "MALFORMED_CHAMPIONSHIP_FILE"
    assert told in error.detail


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "championship: [",
        "championship: |\n  cup\nname: Cup",  # a line feed at the end of the id
        "championship: Cup\nname: Cup",
        "championship: cup\nname: ''",
        'championship: cup\nname: "a\\u0007b"',
        "championship: cup\nname: 2020-99-99",  # no date
        f"championship: cup\nname: Cup\nrounds: {'9' * 5000}",
        "[" * 5000,
        "a: !!python/object:os.system x",
        "a: !!binary ?",
        "a: !!int 0x",
        "? [a]\n: b",
        f"championship: cup\nname: Cup # {'x' * MAX_DOCUMENT}",
    ],
)
def test_what_is_no_championship_file_is_refused(text: str) -> None:
    assert refused(text).reason == "MALFORMED_CHAMPIONSHIP_FILE"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("championship: Cup\nname: Cup", "`championship`: 1 to 40 of a-z, 0-9 and '-' are wanted"),
        ("championship: cup\nname: ''", "`name`: one line of text is wanted"),
        ('championship: cup\nname: "\\x9b2J"', "`name`: one line of text is wanted"),
        ('championship: cup\nname: "\\u202epuC"', "`name`: one line of text is wanted"),
        ("championship: cup\nname: Cup\nrounds: 2\nrounds: 3", "line 4: rounds is given twice"),
        (
            '{"championship": "cup", "name": "Cup", "clocks": {"play_ms": 9000, "play_ms": 8000}}',
            "play_ms is given twice",
        ),
    ],
)
def test_what_is_wrong_is_said_in_words(text: str, told: str) -> None:
    assert told in refused(text).detail


def test_aliases_cannot_unfold_into_gigabytes() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nname: [*b, *b]\nchampionship: cup"
    assert "aliases" in refused(bomb).detail


@pytest.mark.parametrize(
    ("line", "reason", "clause"),
    [
        ("ruleset: mahjong/x", "UNKNOWN_RULESET", ""),
        ("format: pairs", "FORMAT_REFUSED", "C1.8"),
        ("format: points", "FORMAT_REFUSED", "C1.8"),
        ("format: machine\nmachine_seat: 3", "NO_SUCH_SEAT", "C1.3"),
        (
            "boards_per_round: 3\nscoring: {mp_unit: session, boards_per_session: 2}",
            "SESSIONS_UNEVEN",
            "C3.0",
        ),
        ("time_zone: Asia/Nowhere", "UNKNOWN_TIME_ZONE", ""),
        ("time_zone: ../../etc/passwd", "UNKNOWN_TIME_ZONE", ""),
        ("appeals: {calendar: XX}", "UNKNOWN_CALENDAR", "C10.5"),
        ("params: {nothing: 1}", "UNKNOWN_PARAMETER", "P0"),
        ("demo: {seed: 7}", "DEMO_ONLY", ""),
        ("movement: mitchell", "MOVEMENT_REFUSED", "C1.8"),
        ("match: {minutes: 60}", "SETTING_OUT_OF_PLACE", "C8.2"),
        ("clocks: {bury_ms: 9000}", "SETTING_OUT_OF_PLACE", "P12"),
        ("game: shengji\nruleset: paohuzi/competitive-2017", "SETTING_OUT_OF_PLACE", ""),
        ("ruleset: shengji/xiamen-2015", "FORMAT_REFUSED", "S9.6"),
        ("ruleset: shengji/duplicate-2017\nformat: points", "FORMAT_REFUSED", "C8.2"),
        ("game: shengji\nformat: pairs\nmovement: round_robin", "MOVEMENT_REFUSED", "C7.3"),
        ("game: shengji\nformat: teams\nmovement: howell", "MOVEMENT_REFUSED", "C7.3"),
        ("game: shengji\nformat: pairs\ngroups: 2", "SETTING_OUT_OF_PLACE", "C6.2"),
        ("game: shengji\nformat: points\nboards_per_round: 4", "SETTING_OUT_OF_PLACE", "C8.2"),
        ("game: shengji\nformat: points\nscoring: {mp_unit: session}", "SETTING_OUT_OF_PLACE", "C3.0"),
        ("game: shengji\nformat: points\nscoring: {boards_per_session: 2}", "SETTING_OUT_OF_PLACE", "C3.0"),
        ("game: shengji\nformat: points\nscoring: {compare_within: field}", "SETTING_OUT_OF_PLACE", "C3.1"),
        ("game: shengji\nformat: points\nscoring: {tie_on: exact}", "SETTING_OUT_OF_PLACE", "C3.5"),
        ("game: shengji\nformat: points\nscoring: {beaten_scope: board}", "SETTING_OUT_OF_PLACE", "C4.1"),
        ("game: shengji\nformat: points\nscoring: {thinking_time: plays}", "SETTING_OUT_OF_PLACE", "C4.3"),
        ("game: shengji\nformat: teams\nscoring: {tie_on: exact}", "SETTING_OUT_OF_PLACE", "C3.5"),
        ("scoring: {a_is_a_level: true}", "SETTING_OUT_OF_PLACE", "C8.4"),
        ("game: shengji\nformat: points\nparams: {packs: 3}", "PARAMETER_OUT_OF_RANGE", "S1.0"),
    ],
)
def test_a_setting_that_the_rules_or_the_platform_do_not_allow(line: str, reason: str, clause: str) -> None:
    error = refused(LEAST + line)
    assert (error.reason, error.clause) == (reason, clause)


def test_a_machine_event_puts_everybody_in_the_same_seat() -> None:
    """C1.3."""
    settings = resolve(LEAST + "format: machine\nmachine_seat: 2", demo_allowed=False)
    assert (settings.format, settings.machine_seat) == ("machine", 2)


def test_the_game_and_the_format_choose_the_ruleset() -> None:
    """C1.4, C7.3: duplicate boards by one, matches by the other."""
    for form, ruleset, movement in (
        ("individual", "shengji/duplicate-2017", "swiss"),
        ("machine", "shengji/duplicate-2017", "swiss"),
        ("pairs", "shengji/duplicate-2017", "swiss"),
        ("teams", "shengji/duplicate-2017", "swiss"),
        ("points", "shengji/xiamen-2015", "swiss"),
    ):
        settings = resolve(LEAST + f"game: shengji\nformat: {form}", demo_allowed=False)
        assert (settings.ruleset, settings.movement) == (ruleset, movement)
    assert resolve(LEAST, demo_allowed=False).movement == "swiss"
    for form, movement in (("pairs", "mitchell"), ("pairs", "howell"), ("teams", "round_robin")):
        text = LEAST + f"game: shengji\nformat: {form}\nmovement: {movement}"
        assert resolve(text, demo_allowed=False).movement == movement


@pytest.mark.parametrize(
    ("text", "method"),
    [
        ("format: pairs", EVEN_PARTS),
        ("format: teams", EVEN_PARTS),
        ("format: points", EVEN_PARTS),
        ("format: pairs\nmovement: howell", EVEN_PARTS),
        ("format: individual", 0),
    ],
)
def test_C7_1_how_lines_are_given_is_recorded(text: str, method: int) -> None:
    """What an event was created with holds for all its rounds, whatever version pairs them."""
    assert resolve(LEAST + f"game: shengji\n{text}", demo_allowed=False).line_method == method


def test_C10_0_who_interprets_the_rules_is_recorded_with_every_ruleset() -> None:
    assert INTERPRETER.keys() == RULESETS.keys()
    for text, who in (
        ("", "national_federation"),
        ("ruleset: shengji/xiamen-2015\nformat: points", "referee_group"),
        ("game: shengji", "referee_group"),
    ):
        assert resolve(LEAST + text, demo_allowed=False).interpreter == who
    with pytest.raises(Rejected):
        resolve(LEAST + "interpreter: referee_group", demo_allowed=False)


def test_defaults_of_shengji() -> None:
    """C3.0, C3.1, S11, C10.0."""
    settings = resolve(LEAST + "game: shengji", demo_allowed=False)
    assert (settings.mp_unit, settings.compare_within, settings.final_authority) == (
        "session",
        "group",
        "arbitration",
    )
    assert (settings.rounds, settings.boards_per_round, settings.match_time_ms) == (3, 4, 0)
    clocks = (settings.play_clock_ms, settings.bid_clock_ms, settings.bury_clock_ms, settings.deal_pace_ms)
    assert clocks == (5_000, 5_000, 10_000, 0)
    paohuzi = resolve(LEAST, demo_allowed=False)
    assert (paohuzi.play_clock_ms, paohuzi.bid_clock_ms, paohuzi.bury_clock_ms) == (15_000, 0, 0)


def test_defaults_of_the_points_format() -> None:
    """C8.1, C8.2, C10.0: five rounds, 90 minutes, deals without end, the chief referee's word is final."""
    text = LEAST + "game: shengji\nformat: points"
    settings = resolve(text, demo_allowed=False)
    assert (settings.rounds, settings.boards_per_round) == (5, 0)
    assert (settings.match_time_ms, settings.match_deals, settings.deal_pace_ms) == (5_400_000, 0, 300)
    assert (settings.final_authority, settings.a_is_a_level) == ("chief_referee", False)
    more = "\nmatch: {minutes: 20, deals: 6}\nscoring: {a_is_a_level: true}\nclocks: {deal_pace_ms: 0}\nrounds: 3"
    settings = resolve(text + more, demo_allowed=False)
    assert (settings.match_time_ms, settings.match_deals, settings.a_is_a_level) == (1_200_000, 6, True)
    assert (settings.deal_pace_ms, settings.rounds) == (0, 3)


@pytest.mark.parametrize(
    ("lines", "real"),
    [
        ("format: points\ngame: shengji\nvenue: onsite", True),
        ("format: points\ngame: shengji\nvenue: onsite\nmatch: {cards: real}", True),
        ("format: points\ngame: shengji\nvenue: onsite\nmatch: {cards: dealt}", False),
        ("format: points\ngame: shengji", False),
        ("venue: onsite", False),
        ("format: pairs\ngame: shengji\nvenue: onsite", False),
        ("format: pairs\ngame: shengji\nvenue: onsite\ncards: real", True),
        ("format: teams\ngame: shengji\nvenue: onsite\ncards: real", True),
    ],
)
def test_C1_3_matches_on_site_are_played_with_real_cards_unless_the_file_says_otherwise(
    lines: str, real: bool
) -> None:
    """Paohuzi is played with software on site too (P0)."""
    assert resolve(f"{LEAST}{lines}\n", demo_allowed=False).real_cards is real


@pytest.mark.parametrize(
    ("lines", "clause"),
    [
        ("format: points\ngame: shengji\nmatch: {cards: real}", "C1.3"),
        ("format: pairs\ngame: shengji\nvenue: onsite\nmatch: {cards: real}", "C8.2"),
        ("format: pairs\ngame: shengji\ncards: real", "C1.3"),
        ("game: shengji\nvenue: onsite\ncards: real", "C1.3"),
    ],
)
def test_C1_3_real_cards_are_for_tables_on_site(lines: str, clause: str) -> None:
    error = refused(f"{LEAST}{lines}\n")
    assert (error.reason, error.clause) == ("SETTING_OUT_OF_PLACE", clause)
