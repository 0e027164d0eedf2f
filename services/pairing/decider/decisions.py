"""What a championship may do next (C1, C6, C9)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any

from services.domain import Meta, Rejected
from services.games.championship import tables as t
from services.pairing.decider import conduct, overturning, playoffs, replays, sealing
from services.pairing.model import commands as c
from services.pairing.model import events as e
from services.pairing.model.commands import Command
from services.pairing.model.digests import entrants_digest, seating_digest
from services.pairing.model.events import Event
from services.pairing.model.state import SERVICE, Championship, Round

INITIAL = Championship()


def initial(subject: str) -> Championship:
    """A championship that does not exist yet."""
    return INITIAL


def decide(state: Championship, command: Command, meta: Meta) -> Sequence[Event]:
    """Events of an accepted command. Raises Rejected."""
    if isinstance(command, c.CreateChampionship):
        return _create(state, command, meta)
    if state.settings is None:
        raise Rejected("NO_SUCH_CHAMPIONSHIP", "", "this championship does not exist")
    if not isinstance(command, c.ErasePerson | c.SealChampionship | c.WithdrawSeal):
        sealing.check_not_sealed(state)
        if not isinstance(command, c.AnnounceSeal):
            sealing.check_not_announced(state)
    decision: Callable[[Championship, Any, Meta], Sequence[Event]] = _DECISIONS[type(command)]
    return decision(state, command, meta)


def _create(state: Championship, command: c.CreateChampionship, meta: Meta) -> Sequence[Event]:
    if state.settings is not None:
        raise Rejected("CHAMPIONSHIP_EXISTS", "", "a championship with this id exists; choose another id")
    epoch = meta.subject.split(".")[1]
    return [e.ChampionshipCreated(command.settings, meta.actor, epoch, command.trusted_keys)]


def _import(state: Championship, command: c.ImportEntrants, meta: Meta) -> Sequence[Event]:
    check_entry(state)
    due = len(state.chunks_of(command.import_id))
    if command.chunk != due:
        raise Rejected("WRONG_CHUNK", "", f"chunk {command.chunk} came where chunk {due} was due")
    return [e.EntrantsImported(command.import_id, command.chunk, command.entrants)]


def _close_import(state: Championship, command: c.CloseImport, meta: Meta) -> Sequence[Event]:
    check_entry(state)
    entrants = [entrant for chunk in state.chunks_of(command.import_id) for entrant in chunk]
    if not entrants:
        raise Rejected("EMPTY_IMPORT", "", "the import has no rows")
    _check_new(state, entrants)
    return [e.EntrantsImportClosed(command.import_id, len(entrants), entrants_digest(entrants))]


def _check_new(state: Championship, entrants: Sequence[e.Entrant]) -> None:
    """Every number and person stands for one entrant (C1.2); what was free when a row was checked may be taken by now."""
    numbers = {entrant.number for entrant in entrants}
    persons = [member.person_id for entrant in entrants for member in entrant.members]
    taken = numbers & state.entrants.keys() or set(persons) & state.persons.keys()
    if taken or len(numbers) < len(entrants) or len(set(persons)) < len(persons) or min(numbers) < 1:
        raise Rejected(
            "IMPORT_OVERTAKEN", "C1.2", "another import entered some of these entrants; import again"
        )


def check_entry(state: Championship) -> None:
    """Late entry is possible up to the pairing of a round (C1.6); the list of round 1 is final once it is closed.

    Raises Rejected.
    """
    sealing.check_not_sealed(state)
    if state.ended_us:
        raise Rejected("COMPETITION_ENDED", "C1.6", "the competition has ended")
    if state.registration is not None and state.settings and t.plan_of(state.settings).fixed:
        raise Rejected("MOVEMENT_FIXED", "C7.3", "the draw has decided who meets whom in every round")
    if state.registration is not None and not state.rounds:
        raise Rejected("DRAW_RUNNING", "C1.6", "round 1 is being drawn; enter before the pairing of round 2")
    if state.rounds and state.rounds[-1].phase == "seating":
        raise Rejected("PAIRING_RUNNING", "C1.6", "a round is being paired; try again when it is")
    if state.settings and state.next_round > state.settings.rounds:
        raise Rejected("LAST_ROUND_PAIRED", "C1.6", "the last round is paired, and no other one comes")


def _withdraw(state: Championship, command: c.WithdrawEntrant, meta: Meta) -> Sequence[Event]:
    if command.entrant not in state.entrants:
        raise Rejected("NO_SUCH_ENTRANT", "C1.6", f"there is no entrant {command.entrant}")
    if command.entrant in state.withdrawn:
        raise Rejected("ALREADY_WITHDRAWN", "C1.6", f"entrant {command.entrant} has withdrawn already")
    if state.persons.get(meta.actor) != command.entrant and not command.reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
    return [e.EntrantWithdrawn(command.entrant, command.reason)]


def _appoint(state: Championship, command: c.AppointOfficial, meta: Meta) -> Sequence[Event]:
    if not command.person_id:
        raise Rejected("PERSON_MISSING", "C9.1", "say who is appointed")
    if command.role not in e.ROLES:
        raise Rejected("NO_SUCH_ROLE", "C9.1", f"a role is one of {', '.join(e.ROLES)}")
    held = {(official.person_id, official.role) for official in state.officials}
    if (command.person_id, command.role) in held:
        raise Rejected("ALREADY_APPOINTED", "C9.1", f"{command.person_id} is {command.role} already")
    if command.role == "chief_referee" and any(role == "chief_referee" for _, role in held):
        raise Rejected("CHIEF_REFEREE_EXISTS", "C9.1", "there is one chief referee; suspend that one first")
    return [e.OfficialAppointed(command.person_id, command.role, command.unit_id, command.reason)]


def _suspend(state: Championship, command: c.SuspendOfficial, meta: Meta) -> Sequence[Event]:
    if not any((o.person_id, o.role) == (command.person_id, command.role) for o in state.officials):
        raise Rejected("NOT_APPOINTED", "C9.2", f"{command.person_id} is no {command.role} of this event")
    if not command.reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
    if command.role == "organiser" and sum(o.role == "organiser" for o in state.officials) == 1:
        raise Rejected("LAST_ORGANISER", "C9.1", "an event has an organiser; appoint another one first")
    return [e.OfficialSuspended(command.person_id, command.role, command.reason)]


def _regulations(state: Championship, command: c.PublishRegulations, meta: Meta) -> Sequence[Event]:
    if state.rounds and state.rounds[0].started_us:
        raise Rejected("ROUND_ONE_STARTED", "C9.5", "supplementary regulations are published before round 1")
    if not command.text.strip():
        raise Rejected("TEXT_MISSING", "C9.5", "the regulations are empty")
    digest = sha256(command.text.encode()).digest()
    return [e.RegulationsPublished(len(state.regulations) + 1, digest, command.text)]


def _close_registration(state: Championship, command: c.CloseRegistration, meta: Meta) -> Sequence[Event]:
    if state.registration is not None:
        return []
    active = state.active()
    if not active:
        raise Rejected("NO_ENTRANTS", "C1.2", "import entrants first")
    assert state.settings is not None
    t.check_field(t.plan_of(state.settings), len(active))
    digest = entrants_digest(state.entrants[number] for number in active)
    return [e.RegistrationClosed(len(active), digest)]


def _seat(state: Championship, command: c.SeatTables, meta: Meta) -> Sequence[Event]:
    _may_pair(state, command.round)
    current = state.round(command.round)
    due = 0 if current is None else len(current.chunks)
    if command.chunk not in (0, due):
        raise Rejected("WRONG_CHUNK", "", f"chunk {command.chunk} came where chunk {due} was due")
    return [e.RoundSeated(command.round, command.chunk, command.tables)]


def _pair(state: Championship, command: c.PairRound, meta: Meta) -> Sequence[Event]:
    _may_pair(state, command.round)
    current = state.round(command.round)
    if current is None or len(current.chunks) != command.chunks:
        raise Rejected("SEATING_INCOMPLETE", "", "not all tables of the round were given")
    tables = [one for chunk in current.chunks for one in chunk]
    digest = seating_digest(tables)
    if digest != command.seating_digest:
        raise Rejected("SEATING_OVERTAKEN", "C6.2", "other tables were given meanwhile; pair again")
    placed, active = sorted([*set(_seated(tables)), *command.byes]), list(state.active())
    if set(active) < set(placed) <= state.entrants.keys():
        raise Rejected("FIELD_CHANGED", "C1.6", "an entrant has withdrawn meanwhile; pair again")
    if placed != active:
        raise _misplaced()
    _check_tables(state, tables)
    return [
        e.RoundPaired(
            command.round,
            len(tables),
            digest,
            command.basis,
            command.publication,
            command.standings_digest,
            command.deals_batch,
            command.deals_root,
            command.byes,
        )
    ]


def _may_pair(state: Championship, number: int) -> None:
    if state.registration is None:
        raise Rejected("REGISTRATION_OPEN", "C6.1", "close the registration first")
    check_turn(state, number)


def check_turn(state: Championship, number: int) -> None:
    """Whether it is this round's turn to be paired (C6.2). Raises Rejected, saying what comes first."""
    settings = state.settings
    assert settings is not None
    if number > settings.rounds or state.ended_us:
        raise Rejected("NO_SUCH_ROUND", "C1.1", f"this event has {settings.rounds} rounds")
    due = state.next_round
    if number < due:
        current = _round(state, number)
        next_step = (
            "start it, or let the chief referee override its seating"
            if current.phase == "paired"
            else current.phase
        )
        raise Rejected("ROUND_PAIRED", "C6.2", f"round {number} is paired already: {next_step}")
    if number != due:
        raise Rejected("WRONG_ROUND", "C6.2", f"the next round to pair is round {due}")
    before = state.round(due - 1)
    if before is not None and not before.closed_us:
        todo = "paired but not started: start it first" if before.phase == "paired" else "still running"
        raise Rejected("ROUND_RUNNING", "C6.2", f"round {due - 1} is {todo}")


def _check_tables(state: Championship, tables: Sequence[e.SeatedTable]) -> None:
    """Whether tables are such as the format has, and nobody sits twice (C1.5, C6.2, C7). Raises Rejected."""
    assert state.settings is not None
    t.check(
        state.settings.format, [(one.entrants, one.members) for one in tables], state.settings.machine_seat
    )
    seats = _seated(tables)
    # Where entrants are several persons, what two tables or seats of one are has just been checked.
    if state.settings.format not in t.MEETING and len(set(seats)) < len(seats):
        raise _misplaced()
    for one in tables:
        for number, member in zip(one.entrants, one.members, strict=False):
            if number and member >= len(state.entrants[number].members):
                raise Rejected("SEATING_WRONG", "C1.4", f"entrant {number} has no member {member}")
    if len({one.table for one in tables}) != len(tables):
        raise Rejected("SEATING_WRONG", "C6.2", "two tables have the same id")


def _check_places(state: Championship, current: Round, tables: Sequence[e.SeatedTable]) -> None:
    """Whether everybody who plays on in a round keeps a place there: who has withdrawn may leave it to house AI, and who entered
    after the pairing has none (C1.6). Raises Rejected."""
    before, after = set(_seated(current.tables)), set(_seated(tables))
    strangers = after - before.union(_seated(current.paired))
    if strangers or not before ^ after <= state.withdrawn:
        raise _misplaced()


def _seated(tables: Iterable[e.SeatedTable]) -> list[int]:
    """The entrants at some tables, without house AI."""
    return [number for one in tables for number in one.entrants if number]


def _misplaced() -> Rejected:
    return Rejected("SEATING_WRONG", "C6.2", "every entrant that plays on has exactly one place")


def _start(state: Championship, command: c.StartRound, meta: Meta) -> Sequence[Event]:
    assert state.settings is not None
    current = _round(state, command.round)
    if current.phase != "paired":
        raise Rejected("ROUND_NOT_PAIRED", "C1.1", f"round {command.round} is {current.phase}")
    if command.round == 1 and state.settings.venue == "onsite" and state.venue is None:
        raise Rejected(
            "VENUE_NOT_CONFIRMED", "C11.2", "a referee confirms the on-site checklist before round 1"
        )
    replays.check_none_open(state, command.round)
    limit = state.settings.board_deadline_ms
    return [e.RoundStarted(command.round, meta.time_us + limit * 1000 if limit else 0)]


def _close(state: Championship, command: c.CloseRound, meta: Meta) -> Sequence[Event]:
    assert state.settings is not None
    current = _round(state, command.round)
    if current.phase == "paired":
        detail = f"round {command.round} is paired, and no round is paired twice: start it, then close it with a reason"
        raise Rejected("ROUND_NOT_RUNNING", "C6.2", detail)
    if current.phase != "running":
        raise Rejected("ROUND_NOT_RUNNING", "C1.1", f"round {command.round} is {current.phase}")
    if meta.actor != SERVICE and not command.reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "a round closes by itself; closing it early needs a reason")
    events: list[Event] = [e.RoundClosed(command.round, bool(command.reason), command.reason)]
    if command.round == state.settings.rounds:
        events.append(e.CompetitionEnded())
    return events


def _end(state: Championship, command: c.EndCompetition, meta: Meta) -> Sequence[Event]:
    """An open round is closed first, so that the boards of all its tables are (C2.2)."""
    if state.ended_us:
        raise Rejected("COMPETITION_ENDED", "C1.1", "the competition has ended")
    if not command.reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
    current = state.rounds[-1] if state.rounds else None
    if current is not None and current.phase == "paired":
        detail = f"round {current.number} is paired: start it first, and close it with a reason"
        raise Rejected("ROUND_RUNNING", "C1.1", detail)
    if current is not None and current.phase == "running":
        raise Rejected("ROUND_RUNNING", "C1.1", f"round {current.number} is still running; close it first")
    return [e.CompetitionEnded(command.reason)]


def _override(state: Championship, command: c.OverrideSeating, meta: Meta) -> Sequence[Event]:
    """The chief referee's own seats (C9.2); tables that a committee seated, or left as they were, keep theirs (C10.7)."""
    events = _seated_otherwise(state, command)
    current, after = _round(state, command.round), {one.table: one for one in events[0].tables}
    if any(one != after[one.table] for one in current.tables if one.table in current.ruled):
        raise Rejected("RULING_FINAL", "C10.7", "the committee's ruling is final")
    return events


def _seated_otherwise(state: Championship, command: c.OverrideSeating) -> Sequence[e.SeatingOverridden]:
    current = _round(state, command.round)
    if current.pairing is not None and current.pairing.basis == playoffs.BASIS:
        raise Rejected(
            "SEATING_WRONG", "C4.5", "in a play-off all sit in the same seat, each at its own table"
        )
    if current.phase != "paired":
        raise Rejected("ROUND_STARTED", "C9.2", "seats may be changed before the round starts")
    if not command.reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
    changed = {one.table: one for one in command.tables}
    before = {one.table: one for one in current.tables}
    if not changed or len(changed) != len(command.tables) or not changed.keys() <= before.keys():
        raise Rejected("SEATING_WRONG", "C9.2", "name tables of this round, each of them once")
    for name, one in changed.items():
        if (one.group, len(one.entrants)) != (before[name].group, len(before[name].entrants)):
            raise Rejected("SEATING_WRONG", "C9.2", "a table keeps its group and its number of seats")
    tables = tuple(
        replace(one, entrants=new.entrants, members=new.members or one.members)
        for one, new in ((one, changed.get(one.table, one)) for one in current.tables)
    )
    _check_places(state, current, tables)
    _check_tables(state, tables)
    return [e.SeatingOverridden(command.round, tables, command.reason)]


def _reseat(state: Championship, command: c.ReseatRound, meta: Meta) -> Sequence[Event]:
    """The committee has ruled, so this never refuses: what cannot be done any more is for the chief referee to see (C10.6)."""
    reason = f"ruling in appeal {command.appeal}"
    try:
        if not command.tables:
            raise too_many_seats()
        return _seated_otherwise(state, c.OverrideSeating(command.round, command.tables, reason))
    except Rejected as refused:
        return [e.ReseatingRefused(command.appeal, refused.reason, refused.clause, refused.detail)]


def too_many_seats() -> Rejected:
    """Why an order that no record holds is not carried out, and what is left to do."""
    detail = (
        "no record holds so many tables: give them in several orders, each an exchange of seats in itself"
    )
    return Rejected("SEATING_TOO_LARGE", "C9.2", detail)


def _confirm_seats(state: Championship, command: c.ConfirmSeats, meta: Meta) -> Sequence[Event]:
    """Rejected is ruled, too, so this refuses nothing; once a round has begun its seats stay as they are anyway."""
    current = state.round(command.round)
    if current is None or current.phase != "paired":
        return []
    left = tuple(one.table for one in current.tables if one.table in command.tables)
    return [] if current.ruled.issuperset(left) else [e.SeatsConfirmed(command.appeal, command.round, left)]


def _round(state: Championship, number: int) -> Round:
    current = state.round(number)
    if current is None:
        raise Rejected("NO_SUCH_ROUND", "C1.1", f"round {number} does not exist yet")
    return current


def _venue(state: Championship, command: c.ConfirmVenue, meta: Meta) -> Sequence[Event]:
    if state.rounds and state.rounds[0].started_us:
        raise Rejected("ROUND_ONE_STARTED", "C11.2", "the checklist is confirmed before round 1")
    if missing := sorted(set(e.VENUE_ITEMS) - set(command.items)):
        raise Rejected("CHECKLIST_INCOMPLETE", "C11.2", f"not confirmed: {', '.join(missing)}")
    return [e.VenueConfirmed(e.VENUE_ITEMS)]


def _erase(state: Championship, command: c.ErasePerson, meta: Meta) -> Sequence[Event]:
    """Said whenever it is asked for: what was written since goes too, in appeals as here."""
    if command.person_id not in state.persons:
        raise Rejected("NO_SUCH_PERSON", "", f"{command.person_id} was never entered")
    return [e.PersonErased(command.person_id)]


def _decide_fork(state: Championship, command: c.DecideFork, meta: Meta) -> Sequence[Event]:
    if not command.reason.strip():
        raise Rejected("REASON_MISSING", "C9.4", "every act of an official states its reason")
    return [
        e.ForkDecided(
            command.subject,
            command.version,
            command.stands,
            command.records,
            command.until,
            command.close_board,
            command.reason,
        )
    ]


_DECISIONS: Mapping[type, Callable[[Championship, Any, Meta], Sequence[Event]]] = {
    c.ImportEntrants: _import,
    c.CloseImport: _close_import,
    c.WithdrawEntrant: _withdraw,
    c.AppointOfficial: _appoint,
    c.SuspendOfficial: _suspend,
    c.PublishRegulations: _regulations,
    c.CloseRegistration: _close_registration,
    c.SeatTables: _seat,
    c.PairRound: _pair,
    c.StartRound: _start,
    c.CloseRound: _close,
    c.EndCompetition: _end,
    c.OverrideSeating: _override,
    c.AnnounceSeal: sealing.announce,
    c.WithdrawSeal: sealing.withdraw,
    c.SealChampionship: sealing.seal,
    c.ConfirmVenue: _venue,
    c.ErasePerson: _erase,
    c.DecideFork: _decide_fork,
    c.SeatReplay: replays.seat,
    c.EndReplay: replays.end,
    c.ReseatRound: _reseat,
    c.ConfirmSeats: _confirm_seats,
    c.OrderPlayoff: playoffs.decide,
    c.RecordConduct: conduct.decide,
    c.OverturnRuling: overturning.decide,
}
