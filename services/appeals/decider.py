"""What may happen in an appeal, and when (C10.1-C10.7)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from services.appeals.model import commands as c
from services.appeals.model import events as e
from services.appeals.model.commands import Command
from services.appeals.model.events import Event
from services.appeals.model.state import Appeal, Opening, Settlement
from services.domain import Meta, Rejected
from services.ledger.digests import ballots_digest

INITIAL = Appeal()
LEAST_PANEL = 3
MOST_PANEL = 15
COMMITMENT = 32
MAX_SEALED = 512
RESERVE_US = 24 * 3600 * 1_000_000
"""How long reserves get who step in at a deadline."""


def initial(subject: str) -> Appeal:
    """An appeal that was not filed."""
    return INITIAL


def decide(state: Appeal, command: Command, meta: Meta) -> Sequence[Event]:
    """Events of an accepted command. Raises Rejected."""
    if not state.phase and not isinstance(command, c.FileAppeal):
        raise Rejected("NO_SUCH_APPEAL", "C10.1", "there is no such appeal")
    decision: Callable[[Appeal, Any, Meta], Sequence[Event]] = _DECISIONS[type(command)]
    return decision(state, command, meta)


def _file(state: Appeal, command: c.FileAppeal, meta: Meta) -> Sequence[Event]:
    if state.phase:
        raise Rejected("APPEAL_EXISTS", "C10.1", "this appeal is filed already")
    if not command.sought:
        raise Rejected(
            "NOTHING_SOUGHT", "C10.6", "say what is asked for: that is what an upheld appeal brings"
        )
    check_window(command.window_ends_us, meta.time_us, "C10.1")
    filed = e.AppealFiled(
        command.appeal,
        command.entrant,
        command.contested,
        command.grounds_digest,
        command.sought,
        command.window_ends_us,
        command.fee_amount,
        command.fee_currency,
    )
    if command.fee_amount:
        return [filed]
    return [filed, e.FeeRecorded(0, command.fee_currency, "", *_due(command))]


def check_window(ends_us: int, now_us: int, clause: str) -> None:
    """Whether a window is still open; 0: it has not begun to run. The instant of its end is too late (C10.1). Raises Rejected."""
    if ends_us and now_us >= ends_us:
        raise Rejected("WINDOW_CLOSED", clause, "the appeal window has closed", deadline_us=str(ends_us))


def _pay(state: Appeal, command: c.RecordFee, meta: Meta) -> Sequence[Event]:
    assert state.filed is not None
    _phase(state, "filed", "FEE_NOT_DUE", "C10.2", command.window_ends_us)
    due, currency = state.filed.fee_amount, state.filed.fee_currency
    if command.currency != currency or command.amount != due:
        fee = f"{due / 100:.2f} {currency}"
        until = {"deadline_us": str(command.window_ends_us)} if command.window_ends_us else {}
        raise Rejected("WRONG_FEE", "C10.2", f"{fee} is due within the window", **until)
    check_window(command.window_ends_us, meta.time_us, "C10.2")
    return [e.FeeRecorded(command.amount, currency, command.reference, *_due(command))]


def _due(command: c.FileAppeal | c.RecordFee) -> tuple[int, str, bool]:
    """When the answer is due, and by what that was worked out (C10.5)."""
    return command.answer_due_us, command.calendar, command.beyond_calendar


def _lapse(state: Appeal, command: c.LapseAppeal, meta: Meta) -> Sequence[Event]:
    if state.phase != "filed":
        return []
    if not command.window_ends_us or meta.time_us < command.window_ends_us:
        raise Rejected("WINDOW_OPEN", "C10.2", "the fee may still be paid")
    return [e.AppealLapsed()]


def _appoint(state: Appeal, command: c.AppointPanel, meta: Meta) -> Sequence[Event]:
    check_panel(state, command, meta.time_us)
    members = tuple(one.person_id for one in command.members)
    return [
        e.PanelAppointed(command.members, command.reserves, command.ballot_key, command.voting_deadline_us),
        e.VotingOpened(members),
    ]


def check_panel(state: Appeal, command: c.AppointPanel, now_us: int) -> None:
    """Whether a panel may be appointed now (C10.3 to C10.5). Raises Rejected."""
    _phase(state, "received", "PANEL_NOT_DUE", "C10.3")
    assert state.fee is not None
    members = [one.person_id for one in command.members]
    everybody = members + [one.person_id for one in command.reserves]
    if not LEAST_PANEL <= len(members) <= MOST_PANEL or len(members) % 2 == 0:
        raise Rejected(
            "PANEL_NOT_ODD", "C10.3", f"a panel is odd and has {LEAST_PANEL} to {MOST_PANEL} members"
        )
    if len(set(everybody)) != len(everybody):
        raise Rejected("MEMBER_TWICE", "C10.3", "nobody sits on a panel twice")
    if refused := sorted(state.conflicts.intersection(everybody)):
        raise Rejected(
            "CONFLICT", "C10.3", f"stepped back from this appeal, or failed it: {', '.join(refused)}"
        )
    if command.voting_deadline_us <= now_us:
        raise Rejected(
            "DEADLINE_PASSED",
            "C10.4",
            "the voting deadline lies in the past",
            deadline_us=str(command.voting_deadline_us),
        )
    latest = latest_us(state, now_us)
    if command.voting_deadline_us > latest:
        raise Rejected(
            "DEADLINE_TOO_LATE",
            "C10.5",
            "the committee answers within two working days",
            deadline_us=str(latest),
        )


def latest_us(state: Appeal, now_us: int) -> int:
    """The latest voting deadline that a panel can be given now: when the answer is due, or what reserves would get; 0 unpaid."""
    return 0 if state.fee is None else max(state.fee.answer_due_us, now_us + RESERVE_US)


def _conflict(state: Appeal, command: c.DeclareConflict, meta: Meta) -> Sequence[Event]:
    """Anybody of the committee may step back before the panel is appointed, its members until they have voted (C10.3)."""
    person = command.person_id
    if state.called and person not in state.called:
        raise Rejected("NOT_ON_PANEL", "C10.3", "only a member or reserve of the panel can step back")
    if state.phase not in ("filed", "received"):
        _phase(state, "voting", "VOTING_NOT_OPEN", "C10.4")
    if person in state.voted:
        raise Rejected("VOTED_ALREADY", "C10.4", "who has voted cannot step back")
    if person in state.conflicts:
        raise Rejected("CONFLICT", "C10.3", "this conflict is declared already")
    if not command.reason:
        raise Rejected("REASON_MISSING", "C9.4", "say what the conflict is")
    events: list[Event] = [e.ConflictDeclared(person, command.reason)]
    if person in state.judges and state.reserves:
        events.append(e.MemberReplaced(person, state.reserves[0], "conflict"))
    return events


def _cast(state: Appeal, command: c.CastBallot, meta: Meta) -> Sequence[Event]:
    if deadline_us := dict(state.missed).get(meta.actor):
        raise _voting_over(deadline_us)
    if state.members and meta.actor not in state.judges:
        raise Rejected("NOT_ON_PANEL", "C10.4", "only members of the panel vote")
    _phase(state, "voting", "VOTING_NOT_OPEN", "C10.4")
    if meta.actor in state.voted:
        raise Rejected("VOTED_ALREADY", "C10.4", "one vote a member, and it stands")
    if meta.time_us >= state.voting_deadline_us:
        raise _voting_over(state.voting_deadline_us)
    if len(command.commitment) != COMMITMENT or not 0 < len(command.sealed_opening) <= MAX_SEALED:
        raise Rejected(
            "MALFORMED_BALLOT", "C10.4", "a ballot is a commitment of 32 bytes and its sealed opening"
        )
    if command.member != meta.actor:
        raise Rejected(
            "WRONG_BALLOT", "C10.4", "this ballot was sealed for somebody else, and would not open"
        )
    if state.panel is None or command.ballot_key != state.panel.ballot_key:
        raise Rejected(
            "WRONG_BALLOT", "C10.4", "this ballot was sealed to the key of another panel, and would not open"
        )
    ballot = e.BallotCast(meta.actor, command.commitment, command.sealed_opening)
    events: list[Event] = [ballot]
    ballots = (*state.ballots, ballot)
    if len(ballots) == len(state.members):
        assert state.filed is not None
        digest = ballots_digest(state.filed.appeal, [(one.member, one.commitment) for one in ballots])
        events.append(e.VotingClosed(len(ballots), digest))
    return events


def _voting_over(deadline_us: int) -> Rejected:
    return Rejected("VOTING_OVER", "C10.4", "the deadline has passed", deadline_us=str(deadline_us))


def _close(state: Appeal, command: c.CloseVoting, meta: Meta) -> Sequence[Event]:
    """At the deadline reserves replace the absent; without enough of them the panel is dissolved, lest a tie decide (C10.4)."""
    if state.phase != "voting":
        return []
    if meta.time_us < state.voting_deadline_us:
        raise Rejected("VOTING_OPEN", "C10.4", "the deadline has not passed")
    if len(state.reserves) < len(state.missing):
        why = "absent at the deadline, and no reserve is left"
        return [e.BallotRejected(absent.person_id, why) for absent in state.missing]
    pairs = zip(state.missing, state.reserves, strict=False)
    return [e.MemberReplaced(absent.person_id, reserve, "absent") for absent, reserve in pairs]


def _dissolve(state: Appeal, command: c.DissolvePanel, meta: Meta) -> Sequence[Event]:
    """Of panels that were appointed at once the first sits (C10.7). Where somebody has voted it did not, or does no more."""
    return [e.PanelDissolved(command.judged_in)] if state.phase == "voting" and not state.ballots else []


def _count(state: Appeal, command: c.DecideAppeal, meta: Meta) -> Sequence[Event]:
    if state.phase != "counting":
        return []
    assert state.filed is not None
    assert state.fee is not None
    counted = sorted([one.member for one in command.ballots] + list(command.unreadable))
    if counted != sorted(state.judges):
        raise Rejected("BALLOTS_MISSING", "C10.4", "every ballot is counted, and no other")
    if command.unreadable:
        return [
            e.BallotRejected(member, "does not open to what it committed to") for member in command.unreadable
        ]
    votes_for = sum(one.uphold for one in command.ballots)
    votes_against = len(command.ballots) - votes_for
    upheld = votes_for > votes_against
    fee = e.FeeRefunded if upheld else e.FeeKept
    return [
        e.AppealDecided(
            upheld,
            votes_for,
            votes_against,
            command.ballots,
            command.remedies if upheld else (),
            command.text,
            command.text_zh,
            () if upheld else command.remedies,
        ),
        fee(state.fee.amount, state.fee.currency),
    ]


def _withdraw(state: Appeal, command: c.WithdrawAppeal, meta: Meta) -> Sequence[Event]:
    if meta.actor != state.appellant:
        raise Rejected("NOT_YOURS", "C10.1", "only who filed an appeal withdraws it")
    if state.phase not in ("filed", "received"):
        raise Rejected("TOO_LATE", "C10.4", "the panel votes already, or the appeal has ended")
    events: list[Event] = [e.AppealWithdrawn()]
    if state.fee is not None:
        events.append(e.FeeKept(state.fee.amount, state.fee.currency))
    return events


def _dismiss(state: Appeal, command: c.DismissAppeal, meta: Meta) -> Sequence[Event]:
    """Had it come after the ruling it would have been refused without a fee: what was paid goes back (C10.7)."""
    if not state.open:
        return []
    events: list[Event] = [e.AppealDismissed(command.ruled_in)]
    if state.fee is not None:
        events.append(e.FeeRefunded(state.fee.amount, state.fee.currency))
    return events


def _assemble(state: Appeal, command: c.AssembleCase, meta: Meta) -> Sequence[Event]:
    """Whoever assembles an edition first has frozen it."""
    if command.edition != len(state.editions) + 1:
        return []
    return [e.CaseAssembled(command.edition, command.digest, command.size, command.complete)]


def _open_case(state: Appeal, command: c.OpenCase, meta: Meta) -> Sequence[Event]:
    if not 1 <= command.edition <= len(state.editions):
        raise Rejected("CASE_NOT_READY", "C10.1", "this edition of the case file is not assembled")
    return [e.CaseOpened(command.edition)]


def _remind(state: Appeal, command: c.GiveReminder, meta: Meta) -> Sequence[Event]:
    if not state.open or state.reminded(command.about, command.deadline_us):
        return []
    return [e.ReminderGiven(command.about, command.deadline_us, command.persons)]


def _settle(state: Appeal, command: c.SettleRuling, meta: Meta) -> Sequence[Event]:
    if not command.text.strip():
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
    if state.open:
        raise Rejected("NOTHING_TO_SETTLE", "C10.6", "nothing is ruled in this appeal yet")
    if state.decision is None:
        raise Rejected("NOTHING_TO_SETTLE", "C10.6", "nothing was ruled in this appeal")
    if not command.refused_us:
        raise Rejected("NOTHING_TO_SETTLE", "C10.6", "this is no part of the ruling that was not carried out")
    if state.settlement(command.refused_us) is not None:
        raise Rejected("NOTHING_TO_SETTLE", "C10.6", "this part of the ruling has been dealt with already")
    return [e.RulingSettled(command.text, command.refused_us, alone=True)]


def _phase(state: Appeal, wanted: str, reason: str, clause: str, window_ends_us: int = 0) -> None:
    """Whether an appeal is where it has to be. Raises Rejected; of one that has lapsed it says when that was."""
    if state.phase == wanted:
        return
    if state.phase == "lapsed":
        # The window may have been opened again since, for a board that is played again.
        check_window(min(window_ends_us or state.lapsed_us, state.lapsed_us), state.lapsed_us, "C10.2")
    if state.phase in ("upheld", "rejected", "dismissed"):
        raise Rejected("RULING_FINAL", "C10.7", "the committee's ruling is final")
    raise Rejected(reason, clause, _WAITING.get(state.phase, f"the appeal is {state.phase}"))


_WAITING = {
    "filed": "the appeal is filed: its fee is not paid yet",
    "received": "the appeal is received: its panel is not appointed yet",
    "voting": "the appeal is voting: its panel votes",
}

_DECISIONS: Mapping[type, Callable[[Appeal, Any, Meta], Sequence[Event]]] = {
    c.FileAppeal: _file,
    c.RecordFee: _pay,
    c.LapseAppeal: _lapse,
    c.AppointPanel: _appoint,
    c.DeclareConflict: _conflict,
    c.CastBallot: _cast,
    c.CloseVoting: _close,
    c.DissolvePanel: _dissolve,
    c.DecideAppeal: _count,
    c.WithdrawAppeal: _withdraw,
    c.DismissAppeal: _dismiss,
    c.AssembleCase: _assemble,
    c.OpenCase: _open_case,
    c.GiveReminder: _remind,
    c.SettleRuling: _settle,
}


def evolve(state: Appeal, event: Event, meta: Meta) -> Appeal:
    """The appeal after one event."""
    match event:
        case e.AppealFiled():
            return replace(state, phase="filed", filed=event, appellant=meta.actor, filed_us=meta.time_us)
        case e.FeeRecorded():
            return replace(state, phase="received", fee=event)
        case e.AppealLapsed():
            return replace(state, phase="lapsed", lapsed_us=meta.time_us)
        case e.PanelAppointed():
            return replace(
                state,
                panel=event,
                members=event.members,
                reserves=event.reserves,
                missed=(),
                ballots=(),
                voting_deadline_us=event.voting_deadline_us,
            )
        case e.VotingOpened():
            return replace(state, phase="voting")
        case e.ConflictDeclared():
            return _without(state, event.person_id, meta)
        case e.MemberReplaced():
            return _replaced(state, event, meta)
        case e.BallotCast():
            return replace(state, ballots=(*state.ballots, event))
        case e.VotingClosed():
            return replace(state, phase="counting")
        case e.BallotRejected():
            # A smaller panel could tie: another one is appointed and votes anew.
            return replace(
                state,
                phase="received",
                members=(),
                reserves=(),
                ballots=(),
                dissolved_us=meta.time_us,
                missed=_missed(state, event.member, meta),
                conflicts=state.conflicts | {event.member},
            )
        case e.PanelDissolved():
            return replace(
                state,
                phase="received",
                members=(),
                reserves=(),
                ballots=(),
                dissolved_us=meta.time_us,
            )
        case e.AppealDecided():
            return replace(state, phase="upheld" if event.upheld else "rejected", decision=event)
        case e.FeeRefunded():
            return replace(state, fee_outcome="refunded")
        case e.FeeKept():
            return replace(state, fee_outcome="kept")
        case e.AppealWithdrawn():
            return replace(state, phase="withdrawn")
        case e.AppealDismissed():
            return replace(state, phase="dismissed")
        case e.CaseAssembled():
            return replace(state, editions=(*state.editions, event))
        case e.CaseOpened():
            opening = Opening(meta.actor, meta.time_us, event.edition)
            return replace(state, openings=(*state.openings, opening))
        case e.ReminderGiven():
            return replace(state, reminders=(*state.reminders, event))
        case e.RulingSettled():
            settled = Settlement(event.text, event.refused_us, event.alone, meta.actor, meta.time_us)
            return replace(state, settlements=(*state.settlements, settled))


def _missed(state: Appeal, member: str, meta: Meta) -> tuple[tuple[str, int], ...]:
    """Who let a deadline pass; where the panel is dissolved for that, all who did stand in one record."""
    deadline_us = state.voting_deadline_us
    at_deadline = state.phase == "voting" and meta.time_us >= deadline_us
    if at_deadline or any(one == deadline_us for _, one in state.missed):
        return (*state.missed, (member, deadline_us))
    return state.missed


def _without(state: Appeal, person: str, meta: Meta) -> Appeal:
    """Somebody less who may judge. A panel that lost a member without a reserve to follow waits for a new appointment."""
    reserves = tuple(one for one in state.reserves if one.person_id != person)
    left = replace(state, reserves=reserves, conflicts=state.conflicts | {person})
    if person in state.judges and not reserves:
        return replace(left, phase="received", members=(), ballots=(), dissolved_us=meta.time_us)
    return left


def _replaced(state: Appeal, event: e.MemberReplaced, meta: Meta) -> Appeal:
    members = tuple(event.by if one.person_id == event.person_id else one for one in state.members)
    reserves = tuple(one for one in state.reserves if one.person_id != event.by.person_id)
    replaced = replace(state, members=members, reserves=reserves)
    if event.cause != "absent":
        return replaced
    # The first of several has moved the deadline for the reserves.
    moved = state.voting_deadline_us > meta.time_us and state.missed
    passed_us = state.missed[-1][1] if moved else state.voting_deadline_us
    deadline_us = max(state.voting_deadline_us, meta.time_us + RESERVE_US)
    missed = (*state.missed, (event.person_id, passed_us))
    return replace(replaced, missed=missed, voting_deadline_us=deadline_us)
