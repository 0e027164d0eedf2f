"""Scoring's working parts together: decisions, publications that are due, committees' rulings that arrive."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import structlog

from services.directory import Championship, Directory, Noticed
from services.domain import Cause, Rejected
from services.games import scales
from services.games.championship import contest as c
from services.runtime.errors import NotFound, Unavailable
from services.runtime.identity import Caller, caller
from services.runtime.log import Answer, Applied, Envelope
from services.runtime.streams import Epoch, parse
from services.runtime.worklist import Worklist
from services.scoring import decider, fitness
from services.scoring import model as m
from services.scoring.asof import capped, completed, publication_of, read_cut
from services.scoring.committees import SERVICE, Committees, ScoringLog
from services.scoring.decider import FIRST_ATTEMPT
from services.scoring.field import Field
from services.scoring.projection import Only
from services.scoring.since import Step
from services.scoring.tables import Computed, Tables

_log = structlog.get_logger(__name__)

AsOf = tuple[Computed, m.Published | None, tuple[m.Ruled, ...]]
"""Standings, the publication they are (None: no publication), and the rulings in them."""


@dataclass(frozen=True, slots=True)
class Due:
    """A publication that is due, and the record that makes it so."""

    cause: str
    after_round: int
    command_id: str
    record: Cause
    replayed: str = ""
    """The table at which a board was played again, where it is due for that."""


class Desk:
    """What the RPCs work with."""

    def __init__(
        self,
        log: ScoringLog,
        tables: Tables,
        directory: Directory,
        epoch: Epoch,
        heard: Callable[[], Awaitable[None]],
    ) -> None:
        self.tables = tables
        self.directory = directory
        self.publications: Worklist[str] = Worklist("rule, publish, seal", self._step)
        self.committees = Committees(log, tables, directory, self.subject, self.check, self.publications.add)
        self._log = log
        self._epoch = epoch
        self._stream = epoch.stream("scoring")
        self._heard = heard
        """Returns when every ruling of a committee that is in the log now has been read."""
        self._sequences: dict[str, dict[int, int]] = {}
        """Stream sequence of every record by championship and version."""
        self._announced: dict[str, Cause] = {}
        """The record that announced a championship's seal last, or withdrew it."""
        self._final: dict[str, tuple[int, Cause]] = {}
        """The publication over which a championship was sealed, and the record that sealed it."""
        self._closed: dict[tuple[str, int], Cause] = {}
        """The record that closed a round, by championship and round; of round 0 the one that ended the competition."""
        self._replayed: dict[str, dict[str, Cause]] = {}
        """By championship and table: the record that says that a board was played again, until a publication has it."""
        log.listen(self._applied)
        directory.listen(self._noticed)

    def subject(self, championship: str) -> str:
        """Scoring's subject of a championship."""
        return self._epoch.subject("scoring", championship)

    # Knowing

    def ledger(self, championship: str) -> m.Ledger:
        """The decisions about a championship. Raises NotFound when there is no such championship."""
        self.directory.get(championship)
        return self._log.state(self.subject(championship)) or decider.INITIAL

    async def as_of(self, championship: str, text: str) -> AsOf:
        """Standings as they are (empty), or as of a publication number, a time (RFC 3339) or a cut.

        Once sealed, standings are those of the sealed publication. Raises Malformed, NotFound.
        """
        ledger = self.ledger(championship)
        if "@" in text:
            return await self._at(championship, read_cut(text, (*self.tables.streams, self._stream)))
        if text:
            return await self._published(championship, publication_of(ledger, text))
        if ledger.sealed is not None and (final := ledger.publication(ledger.sealed.publication)):
            return await self._published(championship, final)
        return await self.tables.live(championship, ledger.rulings), None, ledger.rulings

    async def prepare(self, stopping: asyncio.Event, standings: Callable[[str], Awaitable[object]]) -> None:
        """Have the live `standings` of whatever is played made, before anybody asks: of a large field that takes seconds."""
        for championship in self.directory.championships():
            known = self.directory.get(championship)
            if stopping.is_set():
                return
            if known.rounds and not known.sealed_us:
                try:
                    await standings(championship)
                except Exception as error:  # whoever asks for them is told
                    _log.warning("standings_not_ready", championship=championship, why=type(error).__name__)

    async def _at(self, championship: str, cut: m.Cut) -> AsOf:
        """Standings as of a cut that names every stream: a publication's own gives that publication."""
        for published in self.published(championship):
            if published.event.cut == cut:
                return await self._published(championship, published)
        await self.caught_up()
        read, stored = cut.at(self._stream) or 0, self._sequences.get(championship, {})
        rulings = tuple(one for one in self.ledger(championship).rulings if stored[one.version] <= read)
        facts = capped(cut.without(self._stream), await self.tables.now())
        return await self.tables.compute(championship, facts, rulings), None, rulings

    def published(self, championship: str) -> tuple[m.Published, ...]:
        """All publications, with cuts that name every input stream."""
        stored = self._sequences.get(championship, {})
        return tuple(completed(one, self._stream, stored) for one in self.ledger(championship).publications)

    async def _published(self, championship: str, published: m.Published) -> AsOf:
        published = completed(published, self._stream, self._sequences[championship])
        rulings = self.ledger(championship).before(published.version)
        facts = published.event.cut.without(self._stream)
        computed = await self.tables.compute(championship, facts, rulings)
        if computed.digest != published.event.digest:
            raise RuntimeError(
                f"{championship}: publication {published.event.number} cannot be computed again"
            )
        return computed, published, rulings

    # Deciding

    async def correct(self, championship: str, command: m.Order, command_id: str) -> Answer[m.Event]:
        """A chief referee's own correction or order (C9.2); published by itself right after. Raises Rejected, also for one that an
        older log holds after what was sealed (C10.8)."""
        who = caller()
        authority = self.directory.authority(championship, who.person, *m.OFFICES)
        envelope = Envelope(who.subject, command_id, authority=authority)
        subject = self.subject(championship)

        def same(accepted: m.Command) -> bool:
            return _asked(accepted) == _asked(command)

        answer = await self._log.repeated(subject, envelope, same)
        while answer is None:
            await asyncio.gather(self._heard(), self.caught_up(), self.directory.refresh())
            # What committees ruled comes first, and is final.
            await self.committees.carry_out(championship)
            self._check_not_sealed(championship)
            if self.directory.get(championship).sealing:
                raise decider.announced()
            if isinstance(command, m.OrderReplay):
                command = replace(command, after=self._newest(championship, command))
            checked = self.ledger(championship)
            corrections = decider.corrections(checked, command)
            final = self.committees.foreseen(championship)
            for one in corrections:
                decider.check(final, one)
            await self.check(championship, corrections, final)
            with suppress(_RuledMeanwhile):
                still = partial(_check_same, checked)
                answer = await self._log.handle(subject, command, envelope, same=same, still=still)
        self._check_not_sealed(championship, answer.version)
        return answer

    def _check_not_sealed(self, championship: str, version: int = 0) -> None:
        """Whether a championship is not sealed, or over standings with what is decided in a record (C10.8). Raises Rejected."""
        number, _ = self._final.get(championship, (0, None))
        published = self.ledger(championship).publication(number)
        if number and not (published is not None and 0 < version < published.version):
            raise decider.sealed()

    def tables_of(self, championship: str, round_: int, board: int, given: Sequence[str]) -> tuple[str, ...]:
        """The tables of a round at which a board is played again: those given, of teams with their other rooms, or all.
        Where a table is given that plays it again already, the one whose seats it has. Raises NotFound."""
        known, ledger = self.directory.get(championship), self.ledger(championship)
        played = known.rounds.get(round_)
        if played is None or not played.paired:
            raise NotFound("round", round_)
        orders = ((table, ledger.replay(table)) for table in given)
        named = (
            order.table if order is not None and (order.round, order.board) == (round_, board) else table
            for table, order in orders
        )
        return fitness.with_rooms(known, round_, dict.fromkeys(named) or played.tables)

    def board_at(self, championship: str, named: Any) -> tuple[str, int, int, int]:
        """Table, round and board that a request names, and the attempt that is played at that table."""
        order = self.ledger(championship).replay(named.table)
        return named.table, named.round, named.board, 1 if order is None else order.by_attempt

    def _newest(self, championship: str, command: m.OrderReplay) -> int:
        """The newest attempt at a board that any of the tables has which shall play it again."""
        at, ledger = (command.round, command.board), self.ledger(championship)
        return max((ledger.attempt(table, *at) for table in command.tables), default=FIRST_ATTEMPT)

    async def played(self, championship: str, person: str) -> bool:
        """Whether a person has played in an entrant's place, up to now (C1.6). Raises Unavailable."""
        await self.caught_up()
        return await self.tables.substituted(championship, person)

    async def watches(self, championship: str, who: Caller) -> bool:
        """Whether a caller may know what happens at open tables: nobody who plays, or has played in another's place (C1.6)."""
        if not self.directory.watches(championship, who):
            return False
        return not await self.tables.substituted(championship, who.person)

    def authority(self, championship: str, reason: str) -> m.Authority:
        """The office by which the caller corrects."""
        roles = self.directory.roles(championship, caller().person)
        return m.Authority("chief_referee" if "chief_referee" in roles else "deputy", "", reason)

    def lines(self, championship: str, given: Sequence[int]) -> Sequence[int]:
        """The ranks asked for, or else those that the championship's file names."""
        return given or self.directory.get(championship).settings.lines

    async def since(
        self, championship: str, text: str
    ) -> tuple[m.Published, Computed, list[tuple[Step, c.Order]]]:
        """A publication (a number, or a time), its standings, and what changed them since. Raises Malformed, NotFound."""
        ledger = self.ledger(championship)
        published = publication_of(ledger, text)
        computed, _, before = await self._published(championship, published)
        await self.caught_up()
        later = ledger.rulings[len(before) :]
        return published, computed, await self.tables.since(championship, computed, before, later)

    async def check(
        self,
        championship: str,
        corrections: Iterable[m.Remedy | m.Correction],
        final: m.Ledger | None = None,
    ) -> None:
        """Whether what is corrected exists, is closed everywhere, is not final, by other decisions than the ledger's where they are
        given, and is not played again already. Raises Rejected, NotFound."""
        await self.caught_up()
        shown = await self.tables.shown(championship)
        known, ledger = self.directory.get(championship), self.ledger(championship)
        closed, again = True, None
        fields: dict[tuple[int, int], Field] = {}
        for asked in corrections:
            command = decider.resolved(ledger, asked)
            fitness.check_format(known.settings.format, command)
            if isinstance(command, m.SetPenalty | m.AssignPercent) and command.entrant not in known.entrants:
                raise NotFound("entrant", command.entrant)
            if isinstance(command, m.CorrectMatch):
                await self.check_match(known, command)
            if isinstance(command, m.SetPenalty | m.CorrectMatch):
                continue
            at = command.round, command.board
            closed &= at in shown and fitness.over(known, command, ledger)
            again = again or fitness.running(known, command, ledger)
            if closed or fitness.may_close(known, command):
                if at not in fields:
                    board = Only(command.round, (command.board,))
                    fields[at] = await self.tables.field(championship, await self.tables.now(), board)
                fitness.check_table(fields[at], command, known.settings.format, ledger)
                if isinstance(command, m.CorrectResult):
                    scales.check(self.tables.params(championship), command.board, command.scores)
                fitness.check_final(fields[at], command, final or ledger)
        if not closed:  # and that is all that stands against it
            raise Rejected("BOARD_OPEN", "C9.2", "a board is corrected once it is closed everywhere")
        if again is not None:
            raise decider.still_played(again.table)

    async def check_match(self, known: Championship, command: m.CorrectMatch) -> None:
        """Whether a match is there to be corrected: it has ended, or its round was closed without its end."""
        played = known.rounds.get(command.round)
        if played is None or command.table not in played.tables:
            raise NotFound("table", command.table)
        ended = (command.round, command.table) in await self.tables.ended(known.id)
        if not (ended or played.closed_us):
            raise Rejected("MATCH_RUNNING", "C9.2", "a match is corrected once it has ended")

    async def publish(
        self, championship: str, cause: str, after_round: int, envelope: Envelope
    ) -> Answer[m.Event]:
        """Fix the standings as they are now."""

        def same(accepted: m.Command) -> bool:
            return isinstance(accepted, m.PublishStandings) and accepted.cause == cause

        subject = self.subject(championship)
        answer = await self._log.repeated(subject, envelope, same)
        if answer is None:
            await asyncio.gather(self.caught_up(), self.directory.refresh())
            self._check_not_sealed(championship)
            rulings = self.ledger(championship).rulings
            read = max(self._sequences.get(championship, {}).values(), default=0)
            computed = await self.tables.live(championship, rulings)
            cut = computed.cut.upto(self._stream, read)
            command = m.PublishStandings(
                cause, after_round, cut, computed.digest, len(computed.rows), len(rulings)
            )
            answer = await self._log.handle(subject, command, envelope, same=same)
        return answer

    async def caught_up(self) -> None:
        """Return when everything that is in the input streams now is projected. Raises Unavailable."""
        try:
            await self.tables.catch_up()
        except TimeoutError:
            raise Unavailable("POSITION_NOT_REACHED") from None

    # What arrives

    def _applied(self, applied: Applied[m.Ledger, m.Event]) -> None:
        championship = parse(applied.stored.subject).championship
        version = applied.record.version
        self._sequences.setdefault(championship, {})[version] = applied.stored.sequence
        self.publications.add(championship)

    def _noticed(self, noticed: Noticed) -> None:
        championship, record = noticed.championship.id, Cause(noticed.place.subject, noticed.place.version)
        match noticed.kind:
            case "seal_announced" | "seal_withdrawn":
                self._announced[championship] = record
            case "championship_sealed":
                self._final[championship] = noticed.event.publication, record
            case "round_closed":
                self._closed[championship, noticed.event.round] = record
            case "competition_ended":
                self._closed[championship, 0] = record
            case "board_replayed":
                self._played_again(noticed, record)
            case _:
                return
        self.publications.add(championship)

    def _played_again(self, noticed: Noticed, record: Cause) -> None:
        """What a new deal came to is published once, when the last of its tables has closed it, under the name of the first."""
        known, table = noticed.championship, noticed.event.table
        if known.over(known.replays[table]):
            first = min(known.playing_again(*known.replays[table].deal))
            self._replayed.setdefault(known.id, {})[first] = record

    # What is due

    async def _step(self, championship: str) -> None:
        """Seal what is final, or apply what was ruled, publish what is due, and fix the standings for a seal that is announced."""
        if await self._fixed(championship):
            return
        if championship in self._final:
            number, record = self._final[championship]
            envelope = Envelope(SERVICE, f"seal {number}", cause=record)
            await self._log.handle(self.subject(championship), m.SealStandings(number), envelope)
        announced = self.directory.known(championship) and self.directory.get(championship).sealing
        if announced:  # what a committee has ruled by now counts
            await asyncio.gather(self._heard(), self.caught_up())
        await self.committees.carry_out(championship)
        if not self.directory.known(championship) or championship in self._final:
            return
        while (due := await self._due(championship)) is not None:
            envelope = Envelope(SERVICE, due.command_id, cause=due.record)
            await self.publish(championship, due.cause, due.after_round, envelope)
            self._replayed.get(championship, {}).pop(due.replayed, None)
        if announced:
            envelope = Envelope(SERVICE, f"fix {announced}", cause=self._announced[championship])
            await self._log.handle(self.subject(championship), m.FixStandings(announced), envelope)

    async def _fixed(self, championship: str) -> bool:
        """Whether the standings are fixed for a seal that pairing has neither made nor withdrawn; withdrawn, they no longer are."""
        subject = self.subject(championship)
        ledger = self._log.state(subject) or decider.INITIAL
        if ledger.fixed == ledger.reopened or ledger.sealed is not None:
            return False
        await self.directory.refresh()  # another replica may have read the announcement before this one
        if championship in self._final:
            return False
        if self.directory.get(championship).sealing == ledger.fixed:
            return True
        envelope = Envelope(SERVICE, f"reopen {ledger.fixed}", cause=self._announced[championship])
        await self._log.handle(subject, m.ReopenStandings(ledger.fixed), envelope)
        return False

    async def _due(self, championship: str) -> Due | None:
        """The publication that is due, if any; its id says what it is due for, so that it is made once."""
        ledger = self.ledger(championship)
        known = self.directory.get(championship)
        closed = max((one.number for one in known.rounds.values() if one.closed_us), default=0)
        if closed > ledger.after_round:
            await self.caught_up()
            if not await self.tables.played(championship, closed):
                # Closed early: its tables are still closing their boards or matches (C2.2).
                raise Unavailable("POSITION_NOT_REACHED")
            cause = "round" if closed <= known.settings.rounds else "playoff"
            return Due(cause, closed, f"after round {closed}", self._closed[championship, closed])
        if known.phase == "ended" and not ledger.publications:  # before anybody played
            return Due("round", 0, "after round 0", self._closed[championship, 0])
        if ledger.unpublished:
            ruled = ledger.rulings[-1]
            cause = "ruling" if ruled.event.authority.by == m.COMMITTEE else "correction"
            record = Cause(self.subject(championship), ruled.version)
            return Due(cause, ledger.after_round, f"after ruling {ruled.number}", record)
        for table, record in self._replayed.get(championship, {}).items():
            return Due("ruling", ledger.after_round, f"after replay {table}", record, table)
        return None


class _RuledMeanwhile(Exception):
    """Something was ruled since a correction was held against what is final."""


def _check_same(checked: m.Ledger, newest: m.Ledger) -> None:
    ruled = [(len(one.rulings), len(one.confirmed)) for one in (checked, newest)]
    if ruled[0] != ruled[1]:
        raise _RuledMeanwhile


def _asked(command: m.Command) -> m.Command:
    """What its sender asked for, without what is found out on the way."""
    return replace(command, after=FIRST_ATTEMPT) if isinstance(command, m.OrderReplay) else command
