"""The seal of a championship in two records of pairing's: it is announced, and made once scoring has answered (C10.8).

Between the two nothing changes: pairing refuses it, and scoring, from its own record `StandingsFixed` on, whose publication holds
whatever it has accepted before. What speaks against the seal then, an order to play a board again say, withdraws the announcement.
Whichever replica reads the answer goes on, also after a restart; the first fate in the log is the one.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from services.domain import Rejected
from services.pairing import decider
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.state import SERVICE, Championship
from services.pairing.replays import Replays
from services.pairing.reseating import Reseating
from services.pairing.rounds import PairingLog, Rounds
from services.pairing.sealing import Sealing
from services.runtime.clock import Clock, shown
from services.runtime.log import Answer, Envelope
from services.runtime.streams import Epoch


class Announcing:
    """Announces seals, and makes or withdraws them. `catch_up` returns when everything that is in others' streams now was read."""

    def __init__(
        self,
        log: PairingLog,
        rounds: Rounds,
        replays: Replays,
        reseating: Reseating,
        sealing: Sealing,
        epoch: Epoch,
        clock: Clock,
        catch_up: Callable[[], Awaitable[None]],
    ) -> None:
        self._log = log
        self._rounds = rounds
        self._replays = replays
        self._reseating = reseating
        self._sealing = sealing
        self._epoch = epoch
        self._clock = clock
        self._catch_up = catch_up

    async def announce(self, championship: str, envelope: Envelope) -> Answer[e.Event]:
        """Announce the seal, if nothing speaks against it; announced by somebody else, that stands. Raises Rejected."""
        subject = self._epoch.subject("pairing", championship)
        answer = await self._log.repeated(subject, envelope, _seals)
        if answer is None:
            self._check_window(self._rounds.state(championship))
            await self._catch_up()
            # Seats that were ruled are given or refused before the log ends.
            if not self._rounds.state(championship).sealing:
                await self._reseating.step(championship)
                self._command(championship)
            answer = await self._log.handle(subject, c.AnnounceSeal(), envelope, same=_seals)
        return answer

    async def conclude(self, championship: str) -> None:
        """Make the seal that is announced, or withdraw it, if scoring has answered; its answer makes this due again."""
        number = self._rounds.state(championship).sealing
        fixed, record = self._sealing.of(championship).fixed
        if not number or fixed < number:
            return
        await self._catch_up()
        command: c.SealChampionship | c.WithdrawSeal
        try:
            command, command_id = self._command(championship), f"seal {number}"
        except Rejected as refused:
            command = c.WithdrawSeal(number, refused.reason, refused.clause, refused.detail)
            command_id = f"withdraw seal {number}"
        subject, envelope = (
            self._epoch.subject("pairing", championship),
            Envelope(SERVICE, command_id, cause=record),
        )
        await self._log.handle(subject, command, envelope, same=lambda other: type(other) is type(command))

    async def fate(self, championship: str, announced: Answer[e.Event]) -> Answer[e.Event] | None:
        """The answer to the record that sealed it, None while there is none. Raises Rejected where it was withdrawn."""
        if any(isinstance(one, e.ChampionshipSealed) for one in announced.events):  # in an older log
            return announced
        state = self._rounds.state(championship)
        # Where nothing was written somebody else had announced it, and what was announced last is that, or after it.
        number = next(
            (one.number for one in announced.events if isinstance(one, e.SealAnnounced)), state.announced
        )
        if number <= len(state.seals_withdrawn):
            why = state.seals_withdrawn[number - 1]
            raise Rejected(why.reason, why.clause, why.detail)
        envelope = Envelope(SERVICE, f"seal {number}")
        return await self._log.repeated(self._epoch.subject("pairing", championship), envelope, _seals)

    def _command(self, championship: str) -> c.SealChampionship:
        """The command that seals, by everything that was read. Raises Rejected."""
        state = self._rounds.state(championship)
        if self._replays.waiting(state):
            raise Rejected("TABLES_NOT_SEALED", "C10.8", "not all replays are played yet")
        tables = (
            self._epoch.table_subject(championship, one.table)
            for played in state.rounds
            for one in (*played.tables, *state.replays_of(played.number))
        )
        return self._sealing.seal(state, self._epoch.subject("pairing", championship), tables)

    def _check_window(self, state: Championship) -> None:
        try:
            decider.check_window(state, self._clock())
        except Rejected as error:
            if state.settings is None or "deadline_us" not in error.facts:
                raise
            when = shown(int(error.facts["deadline_us"]), state.settings.time_zone)
            detail = f"{error.detail} until {when}"
            raise Rejected(error.reason, error.clause, detail, deadline=when, **error.facts) from None


def _seals(command: c.Command) -> bool:
    return isinstance(command, c.AnnounceSeal | c.SealChampionship)
