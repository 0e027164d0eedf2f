"""The championship file: what an organiser writes, checked and resolved into `Settings`.

`docs/championship-file.md` describes it for organisers. YAML or JSON; what is left out takes the default; what is not known is
refused, so that a misspelt setting never goes unnoticed.
"""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from typing import Annotated, Any, Literal, NoReturn
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import holidays
import msgspec
import yaml
from msgspec import Meta, Struct, field
from yaml import CSafeLoader
from yaml.constructor import ConstructorError

from services.domain import Rejected
from services.games import registry
from services.games.championship import params as arithmetic
from services.games.championship.contest import BY_POINTS
from services.games.championship.tables import EVEN_PARTS, MEETING, PAIRS, TEAMS
from services.pairing import formats
from services.pairing.model.events import Settings
from services.pairing.wording import chinese, english
from services.runtime.limits import STEERING

SOFTWARE = f"Fupan {version('fupan')}"
"""Playing software where the file names none, and its version (P0)."""

MAX_DOCUMENT = 64 * 1024
"""Bytes a championship file may have."""

ID = r"^[a-z0-9][a-z0-9-]{0,39}\Z"
LINE = rf"^[^\x00-\x1f{STEERING}]+\Z"
CURRENCY = r"^[A-Z]{3}\Z"
_PATTERNS = {ID: "1 to 40 of a-z, 0-9 and '-'", LINE: "one line of text", CURRENCY: "three letters A-Z"}
"""What a pattern asks for, in words."""

Id = Annotated[str, Meta(pattern=ID)]
Rank = Annotated[int, Meta(ge=1, le=1_000_000)]
Milliseconds = Annotated[int, Meta(ge=0, le=7 * 24 * 3600 * 1000)]
Clock = Annotated[int, Meta(ge=1000, le=3_600_000)]


class Clocks(Struct, forbid_unknown_fields=True):
    """Clocks in milliseconds (P12, S11); absent: the game's default."""

    play_ms: Clock | None = None
    claim_ms: Clock | None = None
    bid_ms: Clock | None = None
    bury_ms: Clock | None = None
    deal_pace_ms: Annotated[int, Meta(ge=0, le=10_000)] | None = None
    claim_floor_ms: Annotated[int, Meta(ge=0, le=10_000)] = 800
    join_wait_ms: Milliseconds = 60_000
    board_pause_ms: Milliseconds = 3_000
    board_deadline_ms: Milliseconds = 0


class Match(Struct, forbid_unknown_fields=True):
    """A match of the points format (C8.2, C8.3): how long at most, and scored deals at most, 0 for any number."""

    minutes: Annotated[int, Meta(ge=1, le=24 * 60)] = formats.MATCH_MINUTES
    deals: Annotated[int, Meta(ge=0, le=1000)] = 0
    cards: Literal["dealt", "real"] | None = None
    """Dealt by the platform, or real ones with score sheets (C8.6); absent: real on site."""


class Scoring(Struct, forbid_unknown_fields=True):
    """How results are compared (C3, C4, C8.4); absent: the game's default."""

    compare_within: Literal["field", "group"] | None = None
    mp_unit: Literal["board", "session"] | None = None
    boards_per_session: Annotated[int, Meta(ge=1, le=1000)] | None = None
    tie_on: Literal["published", "exact"] | None = None
    beaten_scope: Literal["round", "board"] | None = None
    thinking_time: Literal["all_decisions", "plays"] | None = None
    a_is_a_level: bool | None = None


class Fee(Struct, forbid_unknown_fields=True):
    """The appeal fee in minor units of a currency (C10.2)."""

    amount: Annotated[int, Meta(ge=0, le=10**12)] = 50_000
    currency: Annotated[str, Meta(pattern=CURRENCY)] = "CNY"


class Appeals(Struct, forbid_unknown_fields=True):
    """Who decides, how long, for how much (C10)."""

    final_authority: Literal["arbitration", "chief_referee"] | None = None
    window_starts: Literal["match", "round", "competition"] = "competition"
    window_ms: Annotated[int, Meta(ge=1, le=30 * 24 * 3600 * 1000)] = 3 * 3600 * 1000
    fee: Fee = field(default_factory=Fee)
    calendar: str = "CN"


class Demo(Struct, forbid_unknown_fields=True):
    """The embedded demo only: seeded deals, thinking times from the seed."""

    seed: Annotated[int, Meta(ge=0, le=2**63 - 1)]


class Document(Struct, forbid_unknown_fields=True):
    """A championship file."""

    championship: Id
    name: Annotated[str, Meta(max_length=200, pattern=LINE)]
    game: Literal["paohuzi", "shengji"] | None = None
    ruleset: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    format: Literal["individual", "machine", "pairs", "teams", "points"] = "individual"
    movement: Literal["swiss", "mitchell", "howell", "round_robin"] | None = None
    cards: Literal["dealt", "real"] = "dealt"
    """Of boards of pairs and teams: dealt by the platform, or real ones whose results a referee enters (C1.3)."""
    rounds: Annotated[int, Meta(ge=1, le=100)] | None = None
    boards_per_round: Annotated[int, Meta(ge=1, le=64)] | None = None
    match: Match | None = None
    groups: Annotated[int, Meta(ge=1, le=10_000)] = 1
    layout: Literal["row_snake", "column_snake"] = "row_snake"
    machine_seat: Annotated[int, Meta(ge=0, le=3)] = 0
    lines: Annotated[list[Rank], Meta(max_length=16)] = field(default_factory=list)
    clocks: Clocks = field(default_factory=Clocks)
    scoring: Scoring = field(default_factory=Scoring)
    appeals: Appeals = field(default_factory=Appeals)
    time_zone: str = "Asia/Shanghai"
    software: Annotated[str, Meta(max_length=200, pattern=LINE)] = SOFTWARE
    venue: Literal["onsite", "remote", "mixed"] = "remote"
    automatic_rounds: bool = True
    demo: Demo | None = None


def resolve(text: str, demo_allowed: bool) -> Settings:
    """Settings of a championship file. Raises Rejected("MALFORMED_CHAMPIONSHIP_FILE", detail with the path) and others."""
    document = _parse(text)
    if document.demo is not None and not demo_allowed:
        raise Rejected("DEMO_ONLY", "", "seeded deals exist in the embedded demo only; remove `demo`")
    ruleset = registry.find(document.ruleset or formats.ruleset_of(document.game or "", document.format))
    form = formats.FORMATS[document.format]
    movement = document.movement or form.movements[0]
    formats.check_format(ruleset.id, document.format, movement)
    _check_in_place(document, ruleset.game)
    if document.format == "machine" and document.machine_seat >= ruleset.seats:
        raise Rejected("NO_SUCH_SEAT", "C1.3", f"a table has seats 0 to {ruleset.seats - 1}")
    boards = document.boards_per_round or form.boards
    match = document.match or Match()
    clocks = _clocks(document.clocks, ruleset.id)
    scoring = arithmetic.resolve(ruleset.game, {**_given(document.scoring), "layout": document.layout})
    if scoring.mp_unit == "session" and boards % scoring.boards_per_session:
        raise Rejected("SESSIONS_UNEVEN", "C3.0", "boards_per_round must be a multiple of boards_per_session")
    params = ruleset.describe(ruleset.resolve(document.params))
    _check_places(document)
    return Settings(
        championship=document.championship,
        name=document.name,
        ruleset=ruleset.id,
        params=json.dumps(params, sort_keys=True, separators=(",", ":"), ensure_ascii=False),
        format=document.format,
        rounds=document.rounds or form.rounds,
        boards_per_round=boards,
        groups=document.groups,
        layout=document.layout,
        compare_within=scoring.compare_within,
        mp_unit=scoring.mp_unit,
        boards_per_session=scoring.boards_per_session,
        tie_on=scoring.tie_on,
        beaten_scope=scoring.beaten_scope,
        thinking_time=scoring.thinking_time,
        play_clock_ms=clocks["play_ms"],
        claim_clock_ms=clocks["claim_ms"],
        claim_floor_ms=document.clocks.claim_floor_ms,
        join_wait_ms=document.clocks.join_wait_ms,
        board_pause_ms=document.clocks.board_pause_ms,
        board_deadline_ms=document.clocks.board_deadline_ms,
        final_authority=document.appeals.final_authority
        or formats.FINAL_AUTHORITY.get(ruleset.id, "arbitration"),
        window_starts=document.appeals.window_starts,
        appeal_window_ms=document.appeals.window_ms,
        fee_amount=document.appeals.fee.amount,
        fee_currency=document.appeals.fee.currency,
        calendar=document.appeals.calendar,
        time_zone=document.time_zone,
        software=document.software,
        venue=document.venue,
        automatic_rounds=document.automatic_rounds,
        demo=document.demo is not None,
        demo_seed=document.demo.seed if document.demo else 0,
        machine_seat=document.machine_seat,
        bid_clock_ms=clocks.get("bid_ms", 0),
        bury_clock_ms=clocks.get("bury_ms", 0),
        deal_pace_ms=clocks.get("deal_pace_ms", 0),
        match_time_ms=0 if boards else match.minutes * 60_000,
        match_deals=match.deals,
        a_is_a_level=scoring.a_is_a_level,
        movement=movement,
        real_cards=_real_cards(document),
        lines=tuple(sorted(set(document.lines))),
        interpreter=formats.INTERPRETER[ruleset.id],
        line_method=EVEN_PARTS if document.format in MEETING else 0,
    )


def _real_cards(document: Document) -> bool:
    """Whether it is played with real cards. Raises Rejected for real cards at no table."""
    on_site = document.venue == "onsite"
    if formats.FORMATS[document.format].boards:
        if document.cards == "real" and not on_site:
            _out_of_place("cards", "C1.3", "real cards are played on site; set venue: onsite")
        return document.cards == "real"
    cards = document.match.cards if document.match else None
    if cards == "real" and not on_site:
        _out_of_place("match.cards", "C1.3", "real cards are played on site; set venue: onsite")
    return on_site and cards != "dealt"


def _check_in_place(document: Document, game: str) -> None:
    """Whether everything that the file sets means something in this event. Raises Rejected."""
    boards = formats.FORMATS[document.format].boards
    if document.game not in (None, game):
        _out_of_place("ruleset", "", f"{document.ruleset} is not of the game {document.game}")
    if document.groups > 1 and document.format in MEETING:
        _out_of_place("groups", "C6.2", "groups are for individuals; pairs and teams make one field")
    if document.cards == "real" and document.format not in (PAIRS, TEAMS):
        _out_of_place(
            "cards", "C1.3", f"boards with real cards are for pairs and teams, not for {document.format}"
        )
    if document.match is not None and boards:
        _out_of_place("match", "C8.2", f"{document.format} plays boards, not matches with deals of their own")
    if document.boards_per_round is not None and not boards:
        _out_of_place("boards_per_round", "C8.2", "a match has deals of its own; match.deals may cap them")
    for name in _given(document.scoring):
        if name == "a_is_a_level" and boards:
            _out_of_place(f"scoring.{name}", "C8.4", f"{document.format} counts no net levels")
        if name != "a_is_a_level" and document.format in BY_POINTS:
            _out_of_place(
                f"scoring.{name}", _COMPARED[name], "matches are won or lost, and nobody is compared"
            )


_COMPARED = {
    "mp_unit": "C3.0",
    "boards_per_session": "C3.0",
    "compare_within": "C3.1",
    "tie_on": "C3.5",
    "beaten_scope": "C4.1",
    "thinking_time": "C4.3",
}
"""Settings of what is compared in matchpoints, and their clauses."""


def _clocks(given: Clocks, ruleset: str) -> dict[str, int]:
    """The game's clocks, as the file says or else the game. Raises Rejected for one that the game has not."""
    game = ruleset.partition("/")[0]
    clocks = dict(formats.CLOCKS[game])
    if ruleset == formats.MATCHES:
        clocks["deal_pace_ms"] = formats.MATCH_PACE_MS
    everything = {name for known in formats.CLOCKS.values() for name in known}
    for name, value in _given(given).items():
        if name in everything:
            if name not in clocks:
                _out_of_place(f"clocks.{name}", "P12", f"{game} has no such clock")
            clocks[name] = value
    return clocks


def _given(struct: Struct) -> dict[str, Any]:
    return {name: value for name, value in msgspec.structs.asdict(struct).items() if value is not None}


def _out_of_place(setting: str, clause: str, why: str) -> NoReturn:
    raise Rejected("SETTING_OUT_OF_PLACE", clause, f"{setting}: {why}", parameter=setting)


def _parse(text: str) -> Document:
    if len(text.encode()) > MAX_DOCUMENT:
        raise _malformed(f"a championship file has at most {MAX_DOCUMENT} bytes")
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=CSafeLoader)):
            # A few nested aliases unfold into gigabytes, and a championship needs none.
            raise _malformed("YAML aliases (*name) are not allowed")
        # libyaml's: what is nested a thousandfold it refuses at once, where the pure parser works for minutes.
        loaded = yaml.load(text, Loader=_Loader)
        if not isinstance(loaded, dict):
            raise _malformed("a championship file has settings, one a line, as in championship: spring-cup")
        return msgspec.convert(loaded, Document)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = f"line {mark.line + 1}: " if mark else ""
        detail = f"{place}{getattr(error, 'problem', None) or 'not YAML'}"
    except msgspec.ValidationError as error:
        detail = re.sub(r" - at `\$\.?(.*)`$", r" at `\1`", str(error))
        for pattern, words in _PATTERNS.items():
            detail = detail.replace(f"`str` matching regex {pattern!r}", words)
    except RecursionError:
        detail = "nested too deeply"
    except (ValueError, OverflowError) as error:  # what YAML takes for a date or a number, and is none
        detail = str(error)
    raise _malformed(detail)


def _malformed(detail: str) -> Rejected:
    return Rejected("MALFORMED_CHAMPIONSHIP_FILE", "", english(detail), detail_zh=chinese(detail))


class _Loader(CSafeLoader):
    """Refuses a setting that is given twice, of which YAML takes the last without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise ConstructorError(None, None, f"{key.value[:40]} is given twice", key.start_mark)
                seen.add(key.value)
        return super().construct_mapping(node, deep)


def _check_places(document: Document) -> None:
    try:
        ZoneInfo(document.time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Rejected("UNKNOWN_TIME_ZONE", "", f"{document.time_zone!r} is no IANA time zone") from None
    if document.appeals.calendar not in holidays.list_supported_countries():
        raise Rejected(
            "UNKNOWN_CALENDAR", "C10.5", f"no working days are known for {document.appeals.calendar!r}"
        )
