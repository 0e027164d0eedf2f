"""The catalogue of infringements (S10) as data, and what a ruling by it does to a deal.

A row may have several *outcomes*, of which a referee finds the one that holds. Fines move points within the deal and one act
is fined once (S9.2): who repeats the act commits another.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from services.domain import Rejected
from services.games.shengji.params import Params
from services.games.shengji.result import LOST

WHOLE_DECK = 200
FAILED_THROW = "S10.14"


class Outcome(NamedTuple):
    """What one finding under a row leads to."""

    fine: int | None = 0
    """Points a unit; None: the referee's choice."""
    unit: str = "act"
    """What is counted: `act` (a flat fine, however many cards) or `card`."""
    defender: int | None = None
    """Points that the defenders then have, if the offender is one of them; no further fine."""
    declarer: int | None = None
    """Points that the defenders then have, if the offender is on the declarer's side."""
    ends: bool = False
    """The deal ends at once with the points it has been given."""
    effect: str = ""
    """What else the referee sees to at the table."""
    forfeits: bool = False
    """The offender's side loses the deal, by as much as it has lost it already."""


class Infringement(NamedTuple):
    """One row."""

    code: str
    what: str
    outcomes: Mapping[str, Outcome]
    """By finding; `found` where there is only one."""
    source: str
    """Clause of the 2015 regulations."""
    online: str = "impossible"
    """In online play: `impossible`, `automatic` (applied by the rules) or `recorded` (by a referee)."""


class Ruling(NamedTuple):
    """What a finding does to the deal."""

    points: int
    """The defenders' points after it, the deal's own points so far included."""
    ends: bool
    """The deal ends at once."""


_LOST = Outcome(defender=LOST, declarer=LOST, ends=True)
"""The declarer loses the deal at once (S10.0)."""
_DRAW = "the short hand draws from the long one freely; if one is the declarer's, the bottom is counted first"
_CORRECTED = "the corrected cards, trumps included, count as lowest; the next player may change its play"
_LEAD = (
    "the offender may not lead that suit unless it has no other; the first time the suit is played afterwards the opponents "
    "may forbid the card for that round or require it, never against the duty to follow; free from the second round on"
)
_CHOICE = {
    "warning": Outcome(),
    "fine": Outcome(fine=None),
    "forfeit": Outcome(ends=True, effect="the offender's side forfeits", forfeits=True),
}

CATALOGUE: tuple[Infringement, ...] = (
    Infringement(
        "S10.1",
        "bottom laid with a wrong number of cards",
        {
            "ended": _LOST,
            "played_on": Outcome(
                20, effect="on discovery the bottom is put right by the defenders' free draw"
            ),
        },
        "§14",
    ),
    Infringement(
        "S10.2",
        "bottom cards drawn by another player",
        {
            "two_or_more": _LOST,
            "one": Outcome(
                effect="already mixed into the hand: its holder returns any one card of its choice"
            ),
        },
        "§10",
    ),
    Infringement("S10.3", "declarer looks at the bottom after the lead", {"found": Outcome(20)}, "§15"),
    Infringement(
        "S10.4", "defenders count the bottom again, or after trick 1", {"found": Outcome(20)}, "§15"
    ),
    Infringement(
        "S10.5",
        "looking at an earlier trick",
        {"found": Outcome(10), "left_face_up": Outcome(effect="the trick is turned over, never fined")},
        "§16",
    ),
    Infringement(
        "S10.6a",
        "one hand long, another short",
        {
            "partners": Outcome(20, effect=_DRAW),
            "opponents": Outcome(effect=_DRAW),
        },
        "§17",
    ),
    Infringement(
        "S10.6b",
        "one hand long",
        {"found": Outcome(10, "card", effect="the other side draws off the surplus freely")},
        "§17",
    ),
    Infringement(
        "S10.6c",
        "one hand short",
        {"found": Outcome(10, "card", effect="it plays on until it has no cards")},
        "§17",
    ),
    Infringement(
        "S10.7",
        "revoke when ruffing a plain lead, corrected",
        {"found": Outcome(10, effect=_CORRECTED)},
        "§18.1",
    ),
    Infringement(
        "S10.8",
        "revoke when ruffing a plain lead, concealed after the warning",
        {"found": Outcome(defender=0, declarer=WHOLE_DECK, ends=True)},
        "§18.1",
    ),
    Infringement(
        "S10.9",
        "not following trumps, corrected",
        {"found": Outcome(10, effect=f"the warning may come only after all four have played; {_CORRECTED}")},
        "§18.2",
    ),
    Infringement(
        "S10.10",
        "not following trumps, concealed after the warning",
        {"found": Outcome(defender=0, declarer=140, ends=True)},
        "§18.2",
    ),
    Infringement("S10.11", "exposed card", {"found": Outcome(10, effect=_LEAD)}, "§19"),
    Infringement(
        "S10.12",
        "card played out of turn",
        {"lead": Outcome(10, effect=_LEAD), "follow": Outcome(10)},
        "§19-20",
    ),
    Infringement("S10.13", "wrong card shown as a bid", {"found": Outcome(10)}, "§20"),
    Infringement(
        FAILED_THROW,
        "failed throw",
        {
            "found": Outcome(
                10, "card", effect="the smallest beaten component is led, the rest goes back to the hand"
            )
        },
        "§20",
        "automatic",
    ),
    Infringement("S10.15", "talk or signals about the deal", _CHOICE, "§23", "recorded"),
    Infringement("S10.16", "anything else, in favour of the innocent side", _CHOICE, "§24", "recorded"),
)

IN_CHINESE: Mapping[str, str] = MappingProxyType(
    {
        "S10.1": "底牌放错",
        "S10.2": "底牌被他人抓取",
        "S10.3": "庄家出牌后查看底牌",
        "S10.4": "旁家再查底牌",
        "S10.5": "翻看上一轮的牌",
        "S10.6a": "一方多牌、一方少牌",
        "S10.6b": "单方多牌",
        "S10.6c": "单方少牌",
        "S10.7": "将吃时跟错牌，已纠正",
        "S10.8": "将吃时跟错牌，提醒后仍隐瞒",
        "S10.9": "未跟将牌，已纠正",
        "S10.10": "未跟将牌，提醒后仍隐瞒",
        "S10.11": "暴露牌张",
        "S10.12": "越序出牌",
        "S10.13": "翻级错牌",
        "S10.14": "甩错牌",
        "S10.15": "谈论牌局或暗示传递信息",
        "S10.16": "其他违规",
    }
)
"""The rows in Chinese, by code."""


def under(params: Params) -> tuple[Infringement, ...]:
    """The catalogue of an event with these parameters, which say what a card of a failed throw costs (S6.4)."""
    return tuple([_thrown(row, params.throw_fine) if row.code == FAILED_THROW else row for row in CATALOGUE])


def _thrown(row: Infringement, fine: int) -> Infringement:
    return row._replace(
        outcomes={finding: outcome._replace(fine=fine) for finding, outcome in row.outcomes.items()}
    )


def find(code: str, rows: Iterable[Infringement] = CATALOGUE) -> Infringement:
    """The row of a code. Raises Rejected("NO_SUCH_INFRINGEMENT")."""
    by_code = {row.code: row for row in rows}
    if code not in by_code:
        raise Rejected(
            "NO_SUCH_INFRINGEMENT", "S10", f"{code!r} is no row of the catalogue: {', '.join(by_code)}"
        )
    return by_code[code]


def rule(
    outcome: Outcome, points: int, *, defender: bool, units: int = 1, amount: int | None = None
) -> Ruling:
    """The deal after a finding: `points` the defenders' so far, `defender` whether the offender is one of them.

    `units`: number of cards where the fine is by the card; `amount`: the fine where it is the referee's choice. Raises
    Rejected if the amount is missing, or given where the catalogue says it.
    """
    fixed = outcome.defender if defender else outcome.declarer
    if fixed is not None:
        return Ruling(fixed, outcome.ends)
    if (outcome.fine is None) != (amount is not None) or (amount or 0) < 0 or units < 1:
        raise Rejected(
            "FINE_OUT_OF_RANGE",
            "S10",
            "an amount is given where the fine is the referee's choice, and only there",
        )
    if outcome.forfeits:
        return Ruling(min(points, 0) if defender else max(points, LOST), outcome.ends)
    fine = (outcome.fine or amount or 0) * (units if outcome.unit == "card" else 1)
    return Ruling(points - fine if defender else points + fine, outcome.ends)


def price(outcome: Outcome, cards: int) -> int | None:
    """Points of a fine by the catalogue, `cards` where it is by the card; None where it is the referee's choice."""
    if outcome.fine is None:
        return None
    return outcome.fine * (cards if outcome.unit == "card" else 1)


def online(code: str) -> str:
    """The row that moves points in online play: its own code in S10, for a row of conduct (C11.1) talk or anything else."""
    if code.startswith("S10."):
        return code
    return "S10.15" if code == "A3" else "S10.16"


def moves_points(code: str, finding: str, amount: int) -> bool:
    """Whether what a referee records changes the running deal: a fine does (S9.2), and a forfeit under S10 ends it."""
    return amount > 0 or (code.startswith("S10.") and finding == "forfeit")
