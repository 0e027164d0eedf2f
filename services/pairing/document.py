"""The championship file: what an organiser writes, checked and resolved into `Settings`.

`docs/championship-file.md` describes it for organisers. YAML or JSON; what is left out takes the default; what is not known is
refused, so that a misspelt setting never goes unnoticed.
"""

from __future__ import annotations

import json
import re
from typing import Annotated, Any, Literal
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
from services.pairing.model import Settings

MAX_DOCUMENT = 64 * 1024
"""Bytes a championship file may have."""

ID = r"^[a-z0-9][a-z0-9-]{0,39}\Z"
LINE = r"^[^\x00-\x1f\x7f]+\Z"
CURRENCY = r"^[A-Z]{3}\Z"
_PATTERNS = {ID: "1 to 40 of a-z, 0-9 and '-'", LINE: "one line of text", CURRENCY: "three letters A-Z"}
"""What a pattern asks for, in words."""

Id = Annotated[str, Meta(pattern=ID)]
Milliseconds = Annotated[int, Meta(ge=0, le=7 * 24 * 3600 * 1000)]


class Clocks(Struct, forbid_unknown_fields=True):
    """Clocks in milliseconds (P12, S11)."""

    play_ms: Annotated[int, Meta(ge=1000, le=3_600_000)] = 15_000
    claim_ms: Annotated[int, Meta(ge=1000, le=3_600_000)] = 8_000
    claim_floor_ms: Annotated[int, Meta(ge=0, le=10_000)] = 800
    join_wait_ms: Milliseconds = 60_000
    board_pause_ms: Milliseconds = 3_000
    board_deadline_ms: Milliseconds = 0


class Scoring(Struct, forbid_unknown_fields=True):
    """How results are compared (C3, C4); absent: the game's default."""

    compare_within: Literal["field", "group"] | None = None
    mp_unit: Literal["board", "session"] | None = None
    boards_per_session: Annotated[int, Meta(ge=1, le=1000)] | None = None
    tie_on: Literal["published", "exact"] | None = None
    beaten_scope: Literal["round", "board"] | None = None
    thinking_time: Literal["all_decisions", "plays"] | None = None


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
    ruleset: str = "paohuzi/competitive-2017"
    params: dict[str, Any] = field(default_factory=dict)
    format: Literal["individual", "machine", "pairs", "teams", "points"] = "individual"
    rounds: Annotated[int, Meta(ge=1, le=100)] = 3
    boards_per_round: Annotated[int, Meta(ge=1, le=64)] = 4
    groups: Annotated[int, Meta(ge=1, le=10_000)] = 1
    layout: Literal["row_snake", "column_snake"] = "row_snake"
    machine_seat: Annotated[int, Meta(ge=0, le=3)] = 0
    clocks: Clocks = field(default_factory=Clocks)
    scoring: Scoring = field(default_factory=Scoring)
    appeals: Appeals = field(default_factory=Appeals)
    time_zone: str = "Asia/Shanghai"
    software: Annotated[str, Meta(max_length=200, pattern=LINE)] = "Fupan"
    venue: Literal["onsite", "remote", "mixed"] = "remote"
    automatic_rounds: bool = True
    demo: Demo | None = None


def resolve(text: str, demo_allowed: bool) -> Settings:
    """Settings of a championship file. Raises Rejected("MALFORMED_CHAMPIONSHIP_FILE", detail with the path) and others."""
    document = _parse(text)
    if document.demo is not None and not demo_allowed:
        raise Rejected("DEMO_ONLY", "", "seeded deals exist in the embedded demo only; remove `demo`")
    ruleset = registry.find(document.ruleset)
    if document.format not in FORMATS.get(ruleset.game, ()):
        clause = "C1.8" if ruleset.game == "paohuzi" else "C7"
        raise Rejected("FORMAT_REFUSED", clause, f"{ruleset.game} is not played as {document.format}")
    if document.format == "machine" and document.machine_seat >= ruleset.seats:
        raise Rejected("NO_SUCH_SEAT", "C1.3", f"a table has seats 0 to {ruleset.seats - 1}")
    overrides = {
        name: value for name, value in msgspec.structs.asdict(document.scoring).items() if value is not None
    }
    scoring = arithmetic.resolve(ruleset.game, {**overrides, "layout": document.layout})
    if scoring.mp_unit == "session" and document.boards_per_round % scoring.boards_per_session:
        raise Rejected("SESSIONS_UNEVEN", "C3.0", "boards_per_round must be a multiple of boards_per_session")
    params = ruleset.describe(ruleset.resolve(document.params))
    _check_places(document)
    return Settings(
        championship=document.championship,
        name=document.name,
        ruleset=document.ruleset,
        params=json.dumps(params, sort_keys=True, separators=(",", ":"), ensure_ascii=False),
        format=document.format,
        rounds=document.rounds,
        boards_per_round=document.boards_per_round,
        groups=document.groups,
        layout=document.layout,
        compare_within=scoring.compare_within,
        mp_unit=scoring.mp_unit,
        boards_per_session=scoring.boards_per_session,
        tie_on=scoring.tie_on,
        beaten_scope=scoring.beaten_scope,
        thinking_time=scoring.thinking_time,
        play_clock_ms=document.clocks.play_ms,
        claim_clock_ms=document.clocks.claim_ms,
        claim_floor_ms=document.clocks.claim_floor_ms,
        join_wait_ms=document.clocks.join_wait_ms,
        board_pause_ms=document.clocks.board_pause_ms,
        board_deadline_ms=document.clocks.board_deadline_ms,
        final_authority=document.appeals.final_authority
        or FINAL_AUTHORITY.get(document.ruleset, "arbitration"),
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
    )


FORMATS = {"paohuzi": ("individual", "machine")}
"""Formats a game is played in; the main event of Paohuzi is duplicate with Swiss movement (C1.8)."""

FINAL_AUTHORITY = {"shengji/xiamen-2015": "chief_referee"}
"""Rulesets whose default is not arbitration (C10.0)."""


def _parse(text: str) -> Document:
    if len(text.encode()) > MAX_DOCUMENT:
        raise Rejected(
            "MALFORMED_CHAMPIONSHIP_FILE", "", f"a championship file has at most {MAX_DOCUMENT} bytes"
        )
    try:
        if any(isinstance(token, yaml.AliasToken) for token in yaml.scan(text, Loader=CSafeLoader)):
            # A few nested aliases unfold into gigabytes, and a championship needs none.
            raise Rejected("MALFORMED_CHAMPIONSHIP_FILE", "", "YAML aliases (*name) are not allowed")
        # libyaml's: what is nested a thousandfold it refuses at once, where the pure parser works for minutes.
        return msgspec.convert(yaml.load(text, Loader=_Loader), Document)
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
    raise Rejected("MALFORMED_CHAMPIONSHIP_FILE", "", detail)


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
