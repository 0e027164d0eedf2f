"""What committees rule in appeals, as it arrives: remedies are applied, what was left as it is stays so (C10.6, C10.7)."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass, replace

from fupan.appeals.v1 import events_pb2 as appeals
from services.directory import Directory
from services.domain import Cause, Rejected
from services.runtime.errors import NotFound, explain
from services.runtime.follower import Read
from services.runtime.log import Envelope, Log
from services.runtime.streams import parse
from services.scoring import decider, fitness
from services.scoring import model as m
from services.scoring.codec import REMEDIES
from services.scoring.confirmed import judged, left
from services.scoring.tables import Tables

SERVICE = "service:scoring"
RUNNING = "REPLAY_RUNNING"
"""Why a ruling waits, and a chief referee's order is refused."""

ScoringLog = Log[m.Ledger, m.Command, m.Event]


@dataclass(frozen=True, slots=True)
class Decided:
    """What a committee ruled in an appeal, and the record that says so: remedies, or, where it was rejected, that things stay as
    they are."""

    appeal: str
    cause: Cause
    remedies: tuple[m.Remedy, ...]
    rejected: appeals.AppealFiled | None = None


class Committees:
    """Rulings that are not carried out yet. `check` says whether remedies fit the facts; `due` is told of championships to step."""

    def __init__(
        self,
        log: ScoringLog,
        tables: Tables,
        directory: Directory,
        subject_of: Callable[[str], str],
        check: Callable[[str, Iterable[m.Remedy]], Awaitable[None]],
        due: Callable[[str], None],
    ) -> None:
        self._log = log
        self._tables = tables
        self._directory = directory
        self._subject_of = subject_of
        self._check = check
        self._due = due
        self._filed: dict[str, appeals.AppealFiled] = {}
        """Appeals that are not decided, by subject."""
        self._waiting: defaultdict[str, list[Decided]] = defaultdict(list)
        """Rulings that are not applied yet, by championship, in order."""
        self._deferred: dict[str, list[Decided]] = {}
        """Those of them that wait for their boards to be closed everywhere."""
        self._carrying: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        """One after the other, by championship, in the order of the log."""
        self._moved = asyncio.Condition()

    async def applied(self, championship: str) -> None:
        """Return when no ruling in a championship waits, but for its boards. Bounded by the caller (`asyncio.timeout`)."""
        async with self._moved:
            await self._moved.wait_for(lambda: not self._waiting.get(championship))

    async def carry_out(self, championship: str) -> None:
        """Apply what was ruled, but for what has to wait."""
        async with self._carrying[championship]:
            waiting = self._waiting[championship]
            waiting[:0] = self._deferred.pop(championship, [])
            while waiting:
                if not await self._apply(championship, waiting[0]):
                    self._deferred.setdefault(championship, []).append(waiting[0])
                waiting.pop(0)
        async with self._moved:
            self._moved.notify_all()

    def foreseen(self, championship: str) -> m.Ledger:
        """The decisions about a championship with those that were ruled and wait for their boards: they are final, too (C10.7)."""
        ledger = self._log.state(self._subject_of(championship)) or decider.INITIAL
        remedies = (one for decided in self._deferred.get(championship, ()) for one in decided.remedies)
        ruled = [m.Ruled(0, 0, 0, decider.ruling(decider.resolved(ledger, one))) for one in remedies]
        return replace(ledger, rulings=(*ledger.rulings, *ruled)) if ruled else ledger

    async def read(self, reads: list[Read]) -> None:
        """Appeals' records: upheld appeals bring remedies (C10.6), taken up in the order of the log."""
        for read in reads:
            for data in read.body.events if read.body else ():
                event = appeals.Event.FromString(data)
                subject, kind = read.stored.subject, event.WhichOneof("kind")
                if kind == "appeal_filed":
                    self._filed[subject] = event.appeal_filed
                elif kind == "appeal_decided":
                    cause = Cause(subject, read.record.header.version)
                    self._decided(cause, event.appeal_decided, self._filed.pop(subject, None))

    def _decided(
        self, cause: Cause, decided: appeals.AppealDecided, filed: appeals.AppealFiled | None
    ) -> None:
        remedies, address = _ours(decided), parse(cause.subject)
        if remedies or not decided.upheld:
            rejected = None if decided.upheld or filed is None else judged(filed, decided)
            self._waiting[address.championship].append(Decided(address.item, cause, remedies, rejected))
            self._due(address.championship)

    async def _confirm(self, championship: str, decided: Decided, rejected: appeals.AppealFiled) -> bool:
        """Leave what a committee was asked to change as it is. False: it is about a board that is not closed everywhere, which
        nobody is to know yet."""

        def same(accepted: m.Command) -> bool:
            return isinstance(accepted, m.ConfirmResults) and accepted.appeal == decided.appeal

        await self._directory.refresh()
        known, shown = self._directory.get(championship), await self._tables.shown(championship)
        confirmed = left(rejected, known.settings.format)
        replays = [known.replays[one.table] for one in confirmed if one.table in known.replays]
        boards = {(one.round, one.board) for one in confirmed if one.board}
        if not (boards <= shown and all(map(known.over, replays))):
            return False
        command = m.ConfirmResults(decided.appeal, confirmed)
        envelope = Envelope(SERVICE, f"ruling {decided.appeal}", cause=decided.cause)
        await self._log.handle(self._subject_of(championship), command, envelope, same=same)
        return True

    async def _apply(self, championship: str, upheld: Decided) -> bool:
        """Apply a committee's ruling; applied before, it is left alone. False: its board is still played, or played again."""
        if upheld.rejected is not None:
            return await self._confirm(championship, upheld, upheld.rejected)

        def same(accepted: m.Command) -> bool:
            return isinstance(accepted, m.ApplyRuling) and accepted.appeal == upheld.appeal

        envelope = Envelope(SERVICE, f"ruling {upheld.appeal}", cause=upheld.cause)
        subject = self._subject_of(championship)
        if await self._log.repeated(subject, envelope, same) is None:
            await self._directory.refresh()
            remedies = fitness.with_all_rooms(self._directory.get(championship), upheld.remedies)
            played = await self._played(championship, remedies)  # first, lest it come true in between
            rulings = len((self._log.state(subject) or decider.INITIAL).rulings)
            unfit, clause, detail = await self._unfit(championship, remedies)
            if unfit == RUNNING or (unfit == "BOARD_OPEN" and not played):
                return False
            command = m.ApplyRuling(upheld.appeal, remedies, unfit, rulings, clause, detail)
            try:
                await self._log.handle(subject, command, envelope, same=same)
            except Rejected as refused:
                if refused.reason != RUNNING:
                    raise
                return False
        return True

    async def _played(self, championship: str, remedies: Iterable[m.Remedy]) -> bool:
        """Whether the rounds, and the replays, that remedies are about are played everywhere: a board that is open then is none."""
        known = self._directory.get(championship)
        about = [one for one in remedies if not isinstance(one, m.SetPenalty)]
        tables = {one.table for one in about if not isinstance(one, m.AssignPercent)}
        if not all(known.over(known.replays[table]) for table in tables & known.replays.keys()):
            return False
        rounds = {one.round for one in about} & known.rounds.keys()
        return all([await self._tables.played(championship, number) for number in rounds])

    async def _unfit(self, championship: str, remedies: Iterable[m.Remedy]) -> tuple[str, str, str]:
        """Why remedies do not fit the facts, by which clause, and in English; empty where they do."""
        try:
            await self._check(championship, remedies)
        except (Rejected, NotFound) as refused:
            told = explain(refused)
            return told.reason, told.clause, told.message
        return "", "", ""


def _ours(decided: appeals.AppealDecided) -> tuple[m.Remedy, ...]:
    """The remedies that change results; seats are pairing's."""
    remedies = map(REMEDIES.from_proto, decided.remedies)
    return tuple(one for one in remedies if not isinstance(one, m.ReseatRound))
