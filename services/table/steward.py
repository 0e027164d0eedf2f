"""The steward does what a table waits for from the service: opens, deals, answers for house AI, expires clocks, closes, seals.

One duty a table is under way at a time. Command ids say which duty it is, so that a second steward's same duty is no second
record; they hold a space, which no client's command id can.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

import structlog

from services.domain import Rejected
from services.games.rules import Ruleset
from services.games.shengji.actions import PASS
from services.ledger import dealing, keys, seals
from services.runtime.errors import AWAY
from services.runtime.log import Answer, Envelope, Log
from services.table.agenda import Duty, next_duty
from services.table.decider.play import SERVICE
from services.table.desk import Desk
from services.table.framing import path_of
from services.table.house import at_once
from services.table.leaves import Leaves, Opened
from services.table.model import commands as c
from services.table.model.dealing import BEFORE_LAST, drawing, drawn
from services.table.model.events import Event
from services.table.model.state import Table
from services.table.timekeeper import Timekeeper

_log = structlog.get_logger(__name__)

RETRY_US = (50_000, 200_000, 500_000, 1_000_000, 2_000_000)
"""Waits before a duty that failed is tried again; the last one for ever."""

STEP_IN_US = 2_000_000
"""How much later than its owner another replica does a table's duty."""

AT_ONCE = 256
"""Duties of one kind that are under way together: a round begins at tens of thousands of tables in the same moment, and what
thousands ask the log for at once comes too late for all of them."""

LATE_US = 5_000_000
"""A clock that we come to expire so late did not run for its player alone: we were away, and the time is given back."""

Think = Callable[[Ruleset, Any], Awaitable[Any]]
"""House AI: an action from the view of a seat that is asked."""


class Signer:
    """Signs finished tables."""

    def __init__(self, private: bytes) -> None:
        self._private = private
        self.public = keys.signing_public_key(private)
        self.fingerprint = keys.fingerprint(self.public)

    def seal(self, subject: str, version: int, head: bytes) -> c.SealTable:
        """The command that seals a table at its head."""
        signature = keys.sign(self._private, seals.table_head(subject, version, head))
        return c.SealTable(version, head, signature, self.fingerprint, self.public)


class Steward:
    """See the module. `owns` says whether this replica is the one to act first for a subject, `think` is house AI."""

    def __init__(
        self,
        log: Log[Table, c.Command, Event],
        leaves: Leaves,
        signer: Signer,
        time: Timekeeper,
        owns: Callable[[str], bool] = lambda subject: True,
        think: Think = at_once,
    ) -> None:
        self.again: Callable[[Desk], None] = lambda desk: None
        """Called when a table must be looked at again; the hall's."""
        self._log = log
        self._leaves = leaves
        self._signer = signer
        self._time = time
        self.owns = owns
        self._think = think
        self._room: defaultdict[str, asyncio.Semaphore] = defaultdict(lambda: asyncio.Semaphore(AT_ONCE))
        """By kind of duty: room for one more of it. One kind's waiting, for the dealer say, keeps no other waiting."""
        self._running: set[asyncio.Task[None]] = set()
        self._stopping = False

    async def stop(self) -> None:
        """Begin no more duties, and wait for those under way."""
        self._stopping = True
        if self._running:
            await asyncio.wait(self._running)

    def see_to(self, desk: Desk, table: Table) -> None:
        """Do the table's next duty if it is due, and set the alarm for what comes next: a duty, or something to show."""
        now_us, wake_us = self._time.now_us(), desk.next_us
        idle = not desk.busy and not self._stopping
        duty = next_duty(table, desk.stage.shown_us, now_us, desk.considered) if idle else None
        if duty is not None:
            due_us = self._due_us(desk, duty, now_us)
            if due_us <= now_us:
                desk.busy = True
                self._spawn(self._do(desk, duty))
            else:
                wake_us = min(wake_us or due_us, due_us)
        if wake_us:
            self._set_alarm(desk, wake_us)

    def _due_us(self, desk: Desk, duty: Duty, now_us: int) -> int:
        """When this replica does a duty: another's only after the owner had time for it."""
        if self.owns(desk.subject):
            return max(duty.at_us, desk.not_before_us)
        if duty != desk.duty:
            desk.duty, desk.duty_since_us = duty, now_us
        return max(max(duty.at_us, desk.duty_since_us) + STEP_IN_US, desk.not_before_us)

    def join(self, desk: Desk, seat: int, person: str) -> None:
        """A player has come: let the log know."""
        self._spawn(self._join(desk, seat, person))

    async def extend(self, desk: Desk, outage_us: int, reason: str) -> None:
        """Give the open questions of a table the time back that we took (design: clocks)."""
        command_id = f"outage {reason} {self._time.now_us()}"
        await self._log.handle(desk.subject, c.ExtendClocks(outage_us, reason), Envelope(SERVICE, command_id))

    def _spawn(self, work: Awaitable[None]) -> None:
        task = asyncio.ensure_future(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    def _set_alarm(self, desk: Desk, at_us: int) -> None:
        """Look at the table at a time. An alarm that is set for an earlier one stays: it costs less than moving it every move."""
        if desk.alarm is not None:
            if desk.alarm_us <= at_us:
                return
            desk.alarm.cancel()
        desk.alarm, desk.alarm_us = self._time.alarm(at_us, lambda: self._ring(desk)), at_us

    def _ring(self, desk: Desk) -> None:
        desk.alarm = None
        self.again(desk)

    async def _do(self, desk: Desk, duty: Duty) -> None:
        try:
            async with self._room[duty.kind]:
                if self._stopping or not self._still_due(desk, duty):
                    return
                await self._perform(desk, duty)
            desk.failures = desk.not_before_us = 0
        except Rejected as refusal:
            # Somebody was faster, and the table has moved on; or this is a mistake of ours, and must not be made in a loop.
            self._put_off(desk)
            _log.info("duty_refused", subject=desk.subject, duty=duty.kind, reason=refusal.reason)
        except AWAY as error:
            self._put_off(desk)
            _log.warning("duty_failed", subject=desk.subject, duty=duty.kind, error=type(error).__name__)
        except Exception:
            self._put_off(desk)
            _log.exception("duty_failed", subject=desk.subject, duty=duty.kind)
        finally:
            desk.busy = False
            self.again(desk)

    def _still_due(self, desk: Desk, duty: Duty) -> bool:
        """Whether a duty that may have waited for room is the table's next one yet: meanwhile a referee may have paused it."""
        table = self._log.state(desk.subject)
        return table is not None and duty == next_duty(
            table, desk.stage.shown_us, self._time.now_us(), desk.considered
        )

    def _put_off(self, desk: Desk) -> None:
        wait_us = RETRY_US[min(desk.failures, len(RETRY_US) - 1)]
        desk.failures += 1
        desk.not_before_us = self._time.now_us() + wait_us

    async def _perform(self, desk: Desk, duty: Duty) -> None:
        subject = desk.subject
        table = self._log.state(subject)
        slot = None if table is None else table.slot
        if table is None or (slot is None) != (duty.kind == "seal"):
            return
        if slot is None:
            head = self._log.head(subject)
            await self._send(
                subject, self._signer.seal(subject, head.version, head.hash), f"seal {head.version}"
            )
            return
        if duty.kind in ("deal", "break") and await self._waited(subject, table):
            return
        name = f"{duty.kind} {slot.board} {slot.attempt}"
        match duty.kind:
            case "open":
                await self._send(subject, c.OpenBoard(slot.board, slot.attempt), name)
            case "deal":
                await self._send(subject, await self._deal(subject, table), name)
            case "draw":
                await self._timely(subject, duty, c.DrawCards(), f"{name} {duty.at_us}")
            case "bid":
                desk.considered[slot.board, duty.seat] = duty.ask
                bid = await self._bid(table, duty)
                if bid is not None:
                    await self._send(subject, bid, f"{name} {duty.seat} {duty.ask}")
            case "break":
                await self._send(subject, c.CloseBoard("the time of the match is over"), name)
            case "end":
                await self._send(subject, c.EndMatch(), name)
            case "settle":
                await self._send(subject, c.EndMatch("deadline"), name)
            case "close":
                await self._send(subject, c.CloseBoard("deadline"), name)
            case "expire":
                command = c.ExpireClock(duty.seat, duty.ask)
                await self._timely(subject, duty, command, f"{name} {duty.seat} {duty.ask}")
            case "house":
                act = await self._house(table, duty)
                if act is not None:
                    await self._send(subject, act, f"{name} {duty.seat} {duty.ask}")

    async def _send(self, subject: str, command: c.Command, command_id: str) -> Answer[Event]:
        return await self._log.handle(subject, command, Envelope(SERVICE, command_id))

    async def _timely(self, subject: str, duty: Duty, command: c.Command, command_id: str) -> None:
        """A command that time alone brings about; come to late, the time is given back instead."""
        late_us = self._time.now_us() - duty.at_us
        if late_us > LATE_US:
            await self._send(subject, c.ExtendClocks(late_us, "late"), f"outage late {duty.at_us}")
        else:
            await self._send(subject, command, command_id)

    async def _waited(self, subject: str, table: Table) -> bool:
        """Give a match the time back that its opened deal has waited for the dealer; whether there was any to give."""
        live, head = table.live, self._log.head(subject)
        late_us = self._time.now_us() - head.time_us
        if live is None or live.game is not None or not table.timed or late_us <= LATE_US:
            return False
        await self._send(subject, c.ExtendClocks(late_us, "dealer away"), f"outage deal {head.version}")
        return True

    async def _deal(self, subject: str, table: Table) -> c.DealBoard:
        """The deal of the opened board, its leaf asked from the dealer; of a match's first deal with the lot (S3.2)."""
        facts, slot = table.facts, table.slot
        assert slot is not None
        path = path_of(facts, slot)
        leaf = await self._leaves.fetch(Opened(subject, path, self._log.opened(subject).sequence))
        deal = bytes(dealing.deal(leaf.leaf, path, leaf.entropy, table.rules.deck))
        if table.course is None or slot.board > 1:
            return c.DealBoard(deal)
        return c.DealBoard(deal, dealing.lot(leaf.leaf, path, table.rules.seats))

    async def _house(self, table: Table, duty: Duty) -> c.Act | None:
        """House AI's answer from what its seat sees, when it is still asked."""
        live, rules = table.live, table.rules
        question = None if live is None else live.question(duty.seat)
        if live is None or question is None or question.ask != duty.ask:
            return None
        action = await self._think(rules, rules.view(live.game, duty.seat))
        return c.Act(live.slot.board, duty.seat, duty.ask, action)

    async def _bid(self, table: Table, duty: Duty) -> c.Act | None:
        """House AI's bid with the cards that its seat has drawn by now; None when it makes none."""
        live, rules = table.live, table.rules
        if live is None or live.dealing is None or not drawing(live.game):
            return None
        number = min(live.dealing.newest(self._time.now_us()), BEFORE_LAST)
        view = rules.view(drawn(rules, live.game, number), duty.seat)
        if not view.offers:
            return None
        action = await self._think(rules, view)
        return None if action == PASS else c.Act(live.slot.board, duty.seat, 0, action)

    async def _join(self, desk: Desk, seat: int, person: str) -> None:
        # Who is given a seat again sits down again.
        envelope = Envelope(person, f"join {seat} {person} {self._time.now_us()}")
        for wait_us in RETRY_US:
            try:
                await self._log.handle(desk.subject, c.JoinSeat(seat), envelope)
                return
            except Rejected:
                return
            except AWAY:
                await asyncio.sleep(wait_us / 1e6)
            if self._stopping or desk.lines[seat] is None:
                return
