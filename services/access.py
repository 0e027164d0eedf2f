"""THE table of who may call which RPC. What does not stand here is refused to everybody.

| Word | Who |
|---|---|
| `public` | anybody, with a token or without |
| `anyone` | whoever has a valid token, services included |
| `operator` | persons named in `FUPAN_OPERATORS` |
| `organiser`, `chief_referee`, `deputy`, `referee`, `arbitrator` | officials of the championship in the request (C9.1) |
| `player` | members of its entrants; at tables also substitutes (C1.6) |
| `service:<name>` | that service |

A row says who may call an RPC at all. What somebody may see or do there (its own seat, a revealed board, the panel it sits
on) the handler and the decider judge.

Whoever plays the event, or has played in an entrant's place (C1.6), neither watches tables nor judges in it, whatever office it
holds (rows with `bystander`): all tables of a round play the same boards, and every result is compared with its own. A deputy or
another referee acts (C9.2).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any, Protocol

from services.runtime.errors import Denied, Malformed, NotFound, Unauthenticated
from services.runtime.identity import Caller
from services.runtime.streams import ID

PUBLIC, ANYONE, OPERATOR = "public", "anyone", "operator"
OFFICES = frozenset({"organiser", "chief_referee", "deputy", "referee", "arbitrator"})
ROLES = OFFICES | {"player"}


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. `championship`: path of the field that names it, in the request or a stream's first message; `bystander`: not
    for people who play the event themselves, or have."""

    who: frozenset[str]
    championship: str = "championship"
    bystander: bool = False
    clause: str = ""
    """What a refusal cites."""
    unsaid: bool = False
    """Whether no log or metric says by which rule a call was refused: that would tell of a hand."""


def _rule(*who: str, championship: str = "championship", bystander: bool = False, clause: str = "") -> Rule:
    return Rule(frozenset(who), championship, bystander, clause)


_public = _rule(PUBLIC)
_operator = _rule(OPERATOR)
_organiser = _rule("organiser")
_running = _rule("organiser", "chief_referee", "deputy")
_heads = _rule("chief_referee", "deputy", bystander=True, clause="C9.2")
_referees = _rule("chief_referee", "deputy", "referee", bystander=True, clause="C9.3")
_player = _rule("player")
_watching = _rule(*OFFICES, bystander=True)

_TABLE: Mapping[str, Mapping[str, Rule]] = {
    "fupan.pairing.v1.PairingService": {
        "CreateChampionship": _operator,
        "GetChampionship": _public,
        "ListChampionships": _public,
        "ImportEntrants": _rule("organiser", championship="header.championship"),
        "CheckEntrants": _rule("organiser", championship="header.championship"),
        "ListEntrants": _rule(ANYONE),
        # A player withdraws nobody but itself; the handler sees to it.
        "WithdrawEntrant": _rule("organiser", "chief_referee", "deputy", "player"),
        "ErasePerson": _operator,
        "AppointOfficial": _organiser,
        # C9.2: the chief referee may end a referee's commission.
        "SuspendOfficial": _rule("organiser", "chief_referee"),
        "PublishRegulations": _organiser,
        "GetRegulations": _public,
        "ConfirmVenue": _rule("chief_referee", "deputy", "referee"),
        "RecordConduct": _referees,
        # Who plays is told what was recorded of itself; the handler sees to it.
        "ListConduct": _rule(*ROLES),
        "OverturnRuling": _heads,
        "PairRound": _running,
        "StartRound": _running,
        "CloseRound": _running,
        "EndCompetition": _running,
        "OverrideSeating": _heads,
        "OrderPlayoff": _heads,
        "GetRound": _public,
        "WatchRound": _public,
        "GetSeatingCertificate": _public,
        "SealChampionship": _rule("chief_referee", "deputy"),
        "DecideFork": _rule("chief_referee", bystander=True),
    },
    "fupan.dealer.v1.DealerService": {
        "CommitDeals": _rule("service:pairing"),
        "GetDeals": _rule("service:table"),
        "RevealBoard": _rule("chief_referee", "deputy", "service:table"),
        "RevealDraw": _rule("service:pairing"),
        "GetCommitments": _public,
        "VerifyDeal": _public,
        "NameEntropy": _rule("organiser", "service:pairing"),
        "DrawEntropy": _rule("organiser", "service:pairing"),
        "RevealSecret": _rule("service:pairing"),
        "CreateAppealKey": _rule("service:appeals"),
        "ReleaseAppealKey": _rule("service:appeals"),
        "OpenBoardToPanel": _rule("service:appeals"),
    },
    "fupan.table.v1.TableService": {
        "Play": _rule("player", championship="hello.championship"),
        "Join": _player,
        "Act": replace(_player, unsaid=True),
        "GetView": _player,
        "CallReferee": _player,
        "WatchTable": _watching,
        "WatchMatch": _public,
        # Tells whose clock runs, so it is not for players and the public.
        "ListTables": _watching,
        "GetRoles": _rule(ANYONE),
        "ListRefereeActs": _watching,
        "PauseTable": _referees,
        "ResumeTable": _referees,
        "RecordInfringement": _referees,
        "MakeRuling": _referees,
        "ReplaceSeat": _referees,
        "CloseBoard": _rule(
            "organiser", "chief_referee", "deputy", "referee", "service:pairing", bystander=True
        ),
        "EnterBoard": _referees,
        # What is on boards that others still play the handler tells to who sits there, and to officials.
        "ListRulings": _public,
        "ReplayBoard": _public,
    },
    "fupan.table.v1.SheetService": {
        "EnterInfringement": _referees,
        "LiftInfringement": _referees,
        "EnterSheet": _referees,
        # One signs and disputes for oneself; a referee for others, which the handler sees to (C9.4).
        "SignSheet": _rule(*ROLES),
        "DisputeSheet": _rule("chief_referee", "deputy", "referee", "player"),
        "RefuseSignature": _referees,
        "DecideSheet": _heads,
        "ConfirmSheet": _referees,
        # What hangs on the wall of the venue.
        "GetSheet": _rule(ANYONE),
        "ListSheets": _rule(ANYONE),
    },
    "fupan.scoring.v1.ScoringService": {
        "GetStandings": _public,
        "WatchStandings": _public,
        "ListPublications": _public,
        "GetBoard": _public,
        "ListMatches": _public,
        "ExplainScore": _public,
        "CorrectResult": _heads,
        "VoidBoard": _heads,
        "AssignPercent": _heads,
        "SetPenalty": _heads,
        "CorrectMatch": _heads,
        "RecalculateRuling": _heads,
        "OrderReplay": _heads,
        "PublishStandings": _rule("organiser", "chief_referee", "deputy"),
        "RebuildStandings": _rule(ANYONE),
        "WhatIf": _rule("organiser", "chief_referee", "deputy", "arbitrator", "service:appeals"),
        "Materiality": _rule("organiser", "chief_referee", "deputy", "arbitrator"),
        "CompareStandings": _rule(ANYONE),
    },
    "fupan.appeals.v1.AppealsService": {
        "FileAppeal": _rule("player", clause="C10.1"),
        "RecordFee": _rule("organiser", clause="C10.2"),
        # Of an appeal that is hidden from it, who plays appoints no panel, nor steps back from one; the handler sees to it.
        "AppointPanel": _rule("organiser", "arbitrator", clause="C10.3"),
        "DeclareConflict": _rule("arbitrator", clause="C10.3"),
        "CastVote": _rule("arbitrator", clause="C10.4"),
        "WithdrawAppeal": _rule("player", clause="C10.1"),
        "SettleRuling": _heads,
        "GetAppeal": _public,
        "ListAppeals": _public,
        # The panel, the heads and the appellant; the handler sees to it.
        "GetCase": _rule("organiser", "chief_referee", "deputy", "arbitrator", "player", clause="C10.4"),
    },
    "fupan.common.v1.LogService": {
        "ReadLog": _public,
        "ListSubjects": _public,
        "Reconcile": _operator,
        "GetFork": _rule("service:pairing"),
        "RebuildProjections": _operator,
        # Counts of records tell what happens at open tables.
        "GetPositions": _operator,
    },
}

RULES: Mapping[str, Rule] = MappingProxyType(
    {f"/{service}/{rpc}": rule for service, rows in _TABLE.items() for rpc, rule in rows.items()}
)
"""Rules by full method name, `/fupan.table.v1.TableService/Join`."""


class Roles(Protocol):
    """What the table asks of the directory."""

    def known(self, championship: str) -> bool:
        """Whether there is such a championship."""

    def roles(self, championship: str, person: str) -> frozenset[str]:
        """The person's roles there."""

    def plays(self, championship: str, person: str) -> bool:
        """Whether the person is a member of one of its entrants."""

    async def refresh(self) -> None:
        """Read what was written up to now."""


Played = Callable[[str, str], Awaitable[bool]]
"""Whether a person has played in a championship in an entrant's place."""


async def nobody(championship: str, person: str) -> bool:
    """`Played` of a service that reads no tables."""
    return False


class Access:
    """The table applied: tells whether a caller may make a call."""

    def __init__(self, roles: Roles, operators: Collection[str], rules: Mapping[str, Rule] = RULES) -> None:
        self.roles = roles
        """Who is who. A service that knows of more players than the directory puts its own here."""
        self.played: Played = nobody
        """Who was a substitute. A service that reads the tables puts its own here."""
        self._operators = frozenset(operators)
        self._rules = rules

    def has_row(self, method: str) -> bool:
        """Whether the table says anything about an RPC."""
        return method in self._rules

    def unsaid(self, method: str) -> bool:
        """Whether it is for nobody but the caller to know by which rule a call was refused."""
        return self.has_row(method) and self._rules[method].unsaid

    async def admit(self, method: str, caller: Caller, request: Any) -> None:
        """Return when `caller` may call `method` with this request (of a stream: its first message).

        Raises Denied, Unauthenticated, Malformed without a championship where one is needed, NotFound for one there is not.
        """
        rule = self._rules.get(method)
        if rule is None:
            raise Denied("RPC_NOT_ALLOWED")
        if PUBLIC in rule.who:
            return
        if not caller.subject:
            raise Unauthenticated("TOKEN_MISSING")
        # A person may be called `referee` without being one, so only services are looked up by name.
        if ANYONE in rule.who or (caller.service and caller.subject in rule.who):
            return
        if OPERATOR in rule.who and caller.person in self._operators:
            return
        offices = rule.who & ROLES
        if not offices or not caller.person:
            raise _not_in_role(rule)
        championship = _field(request, rule.championship)
        if not await self._has_role(championship, caller.person, offices):
            raise _not_in_role(rule)
        if rule.bystander and await self._plays(championship, caller.person):
            raise Denied("PLAYS_THE_EVENT")

    async def _plays(self, championship: str, person: str) -> bool:
        return self.roles.plays(championship, person) or await self.played(championship, person)

    async def _has_role(self, championship: str, person: str, roles: frozenset[str]) -> bool:
        if self.roles.roles(championship, person) & roles:
            return True
        # Perhaps the appointment is younger than what was read here: who got its answer may rely on it everywhere.
        await self.roles.refresh()
        if not self.roles.known(championship):
            raise NotFound("championship", championship)
        return bool(self.roles.roles(championship, person) & roles)


def _field(request: Any, path: str) -> str:
    """The value of a string field, named by its path."""
    value = request
    for name in path.split("."):
        value = getattr(value, name)
    if not ID.fullmatch(value):
        raise Malformed(path, "must name a championship")
    return str(value)


def _not_in_role(rule: Rule) -> Denied:
    return Denied("NOT_IN_ROLE", f"only for {', '.join(sorted(rule.who))}", clause=rule.clause)
