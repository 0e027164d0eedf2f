"""What scoring may decide (C2.2, C9.2, C10.6, C10.7)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain

from services.domain import Meta, Rejected
from services.games.championship import arithmetic
from services.games.championship.netlevels import net_levels
from services.games.championship.results import replay_table
from services.scoring import model as m
from services.scoring.model import Command, Event, Ledger

INITIAL = Ledger()
FIRST_ATTEMPT = 1
MAX_TENTHS = 1000
MAX_SCORE = 1_000_000


def initial(subject: str) -> Ledger:
    """A championship about which nothing was decided."""
    return INITIAL


def decide(state: Ledger, command: Command, meta: Meta) -> Sequence[Event]:
    """Events of an accepted command. Raises Rejected."""
    match command:
        case m.ApplyRuling():
            return _apply(state, command)
        case m.ConfirmResults():
            return _confirm(state, command)
        case m.FixStandings():
            return _fix(state, command)
        case m.ReopenStandings():
            return _reopen(state, command)
        case m.SealStandings():
            return _seal(state, command)
    _check_open(state)
    _check_not_fixed(state)
    if isinstance(command, m.PublishStandings):
        return _publish(state, command)
    if command.authority.by not in m.OFFICES:
        raise Rejected("WRONG_AUTHORITY", "C9.2", f"a result is corrected by {' or '.join(m.OFFICES)}")
    if isinstance(command, m.RecalculateRuling):
        recalculated = _recalculation(state, command)
        check(state, _refigured(state, recalculated))
        return [recalculated]
    meant = corrections(state, command)
    for one in meant:
        check(state, one)
    return [_order(command, meant)] if isinstance(command, m.OrderReplay) else [*map(ruling, meant)]


def _check_open(state: Ledger) -> None:
    if state.sealed is not None:
        raise sealed()


def _check_not_fixed(state: Ledger) -> None:
    if state.fixed > state.reopened and state.sealed is None:
        raise announced()


def announced() -> Rejected:
    """Why nothing is decided until a seal that was announced is made, or withdrawn."""
    return Rejected("SEAL_ANNOUNCED", "C10.8", "the championship is being sealed; nothing changes meanwhile")


def sealed() -> Rejected:
    """Why nothing is decided any more."""
    return Rejected("STANDINGS_SEALED", "C10.8", "the final result is sealed; nothing changes any more")


def corrections(state: Ledger, command: m.Order) -> tuple[m.Correction, ...]:
    """What a chief referee's command comes to (C9.2). Raises Rejected."""
    match command:
        case m.OrderReplay():
            at, authority = (command.round, command.board), command.authority
            for table in command.tables:
                if state.attempt(table, *at) > command.after:
                    raise still_played(table)
            return tuple(
                resolved(state, m.ReplayBoard(table, *at, state.attempt(table, *at), authority))
                for table in command.tables
            )
        case m.RecalculateRuling():
            return (_refigured(state, _recalculation(state, command)),)
        case _:
            return (command,)


def check(state: Ledger, command: m.Correction) -> None:
    """Whether a correction makes sense in itself and touches nothing that is final. Raises Rejected."""
    if not command.authority.reason:
        raise Rejected("REASON_MISSING", "C9.4", "every correction states its reason")
    if ruled := _ruled_by_committee(state, command):
        raise is_final(ruled)
    match command:
        case m.CorrectResult():
            if not command.scores:
                raise Rejected("RULING_OF_WRONG_LENGTH", "C10.6", "give the scores of all seats")
            if any(abs(score) > MAX_SCORE for score in command.scores):
                raise Rejected("SCORE_OUT_OF_RANGE", "P11.1", f"a score lies within ±{MAX_SCORE}")
            if sum(command.scores) != 0:
                raise Rejected(
                    "SCORES_NOT_ZERO", "P11.1", f"scores sum to zero, these to {sum(command.scores)}"
                )
        case m.VoidBoard():
            for tenths in command.tenths:
                _percent(tenths)
        case m.AssignPercent():
            _percent(command.tenths)
        case m.SetPenalty():
            if not command.penalty:
                raise Rejected("PENALTY_MISSING", "C10.6", "a penalty has a name, by which it can be lifted")
            _percent(command.tenths)
        case m.CorrectMatch():
            _match(command)
        case m.SupersedeBoard():
            pass


def _match(command: m.CorrectMatch) -> None:
    if command.winner not in (0, 1) or len(command.levels) != 2:
        raise Rejected("NO_SUCH_SIDE", "C8.2", "give the winner, side 0 or 1, and the level of either side")
    net_levels(*command.levels)


def _percent(tenths: int) -> None:
    if not 0 <= tenths <= MAX_TENTHS:
        raise Rejected("PERCENT_OUT_OF_RANGE", "C2.2", "a percentage lies within 0 and 100")


def _ruled_by_committee(state: Ledger, command: m.Correction) -> str:
    """Another appeal whose ruling settled what `command` would change, empty if none: by a remedy, or by leaving it as it is."""
    wanted = target(ruling(command))
    final = (one.event for one in state.final(command.authority.appeal) if target(one.event) == wanted)
    changed = (event.authority.appeal for event in final if not carries_out(command, event, state))
    kept = ((one.appeal, it) for one in state.confirmed for it in one.confirmed if _left(it) == wanted)
    left = (appeal for appeal, it in kept if not came_later(command, it, state))
    return next(chain(changed, left), "")


def is_final(appeal: str) -> Rejected:
    """Why nothing is changed on which a committee has ruled."""
    return Rejected("RULING_FINAL", "C10.7", f"the committee's ruling in appeal {appeal} is final")


def carries_out(command: m.Correction, event: m.Ruling, state: Ledger) -> bool:
    """Whether a board that was ordered to be played again is so once more, after that, or what it came to is corrected, in any
    room: that changes no ruling."""
    return isinstance(event, m.BoardSuperseded) and _attempt(command, state) >= event.by_attempt


def came_later(command: m.Correction, one: m.Confirmed, state: Ledger) -> bool:
    """Whether a correction is about a replay of the board that a committee left as it is, on which it has not ruled."""
    judged = state.replay(one.table)
    return bool(one.table) and _attempt(command, state) > (
        FIRST_ATTEMPT if judged is None else judged.by_attempt
    )


def _attempt(command: m.Correction, state: Ledger) -> int:
    """The attempt at a board that a correction changes, 0 where it is about no table's board."""
    match command:
        case m.SupersedeBoard():
            return command.attempt
        case m.CorrectResult() | m.VoidBoard():
            order = state.replay(command.table)
            return FIRST_ATTEMPT if order is None else order.by_attempt
    return 0


# Arithmetic of a committee's ruling (C10.7)


def _recalculation(state: Ledger, command: m.RecalculateRuling) -> m.RulingRecalculated:
    """What the workings come to; the committee's ruling stays, and the new figures name it. Raises Rejected."""
    meant = _committees(state, command)
    figures = _reckoned(meant.event, command.working)
    authority = replace(command.authority, appeal=command.appeal)
    event = m.RulingRecalculated(meant.number, command.working, figures, authority)
    stands = next(one.event for one in reversed(state.rulings) if target(one.event) == target(meant.event))
    if replace(ruling(_refigured(state, event)), authority=stands.authority) == stands:
        raise Rejected("NOT_ARITHMETIC", "C10.7", "these workings come to what stands")
    return event


def _committees(state: Ledger, command: m.RecalculateRuling) -> m.Ruled:
    """The ruling that is meant; it must be the committee's last word on what it is about. Raises Rejected."""
    ruled = [one for one in state.rulings if one.event.authority.by == m.COMMITTEE]
    own = [one for one in ruled if one.event.authority.appeal == command.appeal]
    if not 1 <= command.remedy <= len(own):
        detail = f"what the committee ruled in appeal {command.appeal}: {len(own)} remedies"
        raise Rejected("NO_SUCH_RULING", "C10.7", detail)
    meant = own[command.remedy - 1]
    if any(one.number > meant.number and target(one.event) == target(meant.event) for one in ruled):
        raise Rejected("NOT_ARITHMETIC", "C10.7", "the committee ruled on the same thing once more")
    return meant


def _reckoned(ruled: m.Ruling, working: Sequence[str]) -> tuple[int, ...]:
    match ruled:
        case m.ResultCorrected():
            return arithmetic.scores(ruled.scores, working)
        case m.BoardVoided():
            return arithmetic.shares(ruled.tenths, working)
        case m.PercentAssigned():
            return arithmetic.shares((ruled.tenths,), working)
        case m.PenaltySet():
            return arithmetic.percents((ruled.tenths,), working)
    raise Rejected("NOT_ARITHMETIC", "C10.7", "a match and a replay are judged: there are no figures in them")


def _refigured(state: Ledger, event: m.RulingRecalculated) -> m.Correction:
    """The ruling that is meant, with its new figures."""
    ruled, figures, authority = state.rulings[event.ruling - 1].event, event.figures, event.authority
    match ruled:
        case m.ResultCorrected():
            at = ruled.table, ruled.round, ruled.board, ruled.attempt
            return m.CorrectResult(*at, figures, authority)
        case m.BoardVoided():
            at = ruled.table, ruled.round, ruled.board, ruled.attempt
            return m.VoidBoard(*at, figures, authority)
        case m.PercentAssigned():
            return m.AssignPercent(ruled.entrant, ruled.round, ruled.board, figures[0], authority)
        case m.PenaltySet():
            return m.SetPenalty(ruled.penalty, ruled.entrant, figures[0], authority)
    raise TypeError(type(ruled))


def target(event: m.Ruling) -> tuple[object, ...]:
    """What a ruling is about; a later one on the same replaces it."""
    match event:
        case m.PercentAssigned():
            return "entrant", event.entrant, event.round, event.board
        case m.PenaltySet():
            return "penalty", event.penalty
        case m.MatchCorrected():
            return "match", event.round, event.table
        case _:
            return "table", event.round, event.board, event.table


def _left(one: m.Confirmed) -> tuple[object, ...]:
    """What stays as it is, as the target of a ruling that would change it."""
    if one.penalty:
        return "penalty", one.penalty
    if one.entrant:
        return "entrant", one.entrant, one.round, one.board
    return ("table", one.round, one.board, one.table) if one.board else ("match", one.round, one.table)


def ruling(command: m.Correction) -> m.Ruling:
    """The ruling that an accepted correction becomes."""
    c = command
    match c:
        case m.CorrectResult():
            return m.ResultCorrected(c.table, c.round, c.board, c.attempt, c.scores, c.authority)
        case m.VoidBoard():
            return m.BoardVoided(c.table, c.round, c.board, c.attempt, c.tenths, c.authority)
        case m.AssignPercent():
            return m.PercentAssigned(c.entrant, c.round, c.board, c.tenths, c.authority)
        case m.SetPenalty():
            return m.PenaltySet(c.penalty, c.entrant, c.tenths, c.authority)
        case m.CorrectMatch():
            return m.MatchCorrected(c.table, c.round, c.winner, c.levels, c.authority)
        case m.SupersedeBoard():
            return m.BoardSuperseded(
                c.table, c.round, c.board, c.attempt, c.by_table, c.by_attempt, c.authority
            )


def resolved(state: Ledger, remedy: m.Remedy | m.Correction) -> m.Correction:
    """The correction that a remedy comes to: a replay gets an attempt, and so a deal, and a table of its own (C10.6).

    A replay of a replay is one more of the first table.
    """
    if not isinstance(remedy, m.ReplayBoard):
        return remedy
    order = state.replay(remedy.table)
    table = remedy.table if order is None else order.table
    newest = state.attempt(table, remedy.round, remedy.board)
    replaced = min(max(remedy.attempt, 1), newest) if order is None else order.by_attempt
    attempt = 1 + state.attempts(remedy.round)
    return m.SupersedeBoard(
        *(table, remedy.round, remedy.board, replaced),
        *(replay_table(table, attempt), attempt),
        remedy.authority,
    )


def still_played(table: str) -> Rejected:
    """Why a table is given no board again that it has to play again already."""
    return Rejected("REPLAY_RUNNING", "C10.6", f"{table} has the board to play again already")


def _order(command: m.OrderReplay, meant: Iterable[m.Correction]) -> m.ReplayOrdered:
    """One event, and one attempt, for all tables: of a large field they would fill no record one by one."""
    replays = [one for one in dict.fromkeys(meant) if isinstance(one, m.SupersedeBoard)]
    return m.ReplayOrdered(
        command.round,
        command.board,
        replays[0].by_attempt,
        tuple([one.table for one in replays]),
        tuple([one.attempt for one in replays]),
        command.authority,
    )


def laid(state: Ledger, corrections: Sequence[m.Remedy | m.Correction]) -> Ledger:
    """The ledger with corrections ruled together, one after the other; a board that they have played again at several tables gets
    one new deal. Raises Rejected for the first that may not be."""
    before = state
    for command in dict.fromkeys(resolved(before, asked) for asked in corrections):
        check(state, command)
        state = _ruled(state, [ruling(command)], 0, 0)
    return state


def _apply(state: Ledger, command: m.ApplyRuling) -> Sequence[Event]:
    """The committee has ruled, so this refuses nothing: what cannot be applied is an event for the chief referee to see (C10.6).

    A board that somebody else has had played again meanwhile comes later: REPLAY_RUNNING. So does all while a seal is made.
    """
    _check_not_fixed(state)
    applied = {one.event.authority.appeal for one in state.rulings}
    if command.appeal in applied or command.appeal in state.refused:
        return []
    if command.refused and state.sealed is None:
        return [m.CorrectionRefused(command.appeal, command.refused, command.clause, command.detail)]
    try:
        _check_open(state)
        ruled = [one.event for one in laid(state, command.remedies).rulings[len(state.rulings) :]]
    except Rejected as refused:
        return [m.CorrectionRefused(command.appeal, refused.reason, refused.clause, refused.detail)]
    _check_nobody_plays_again(ruled, state.rulings[command.rulings :])
    return ruled


def _confirm(state: Ledger, command: m.ConfirmResults) -> Sequence[Event]:
    """Rejected is ruled, too, so this refuses nothing; once sealed everything stays as it is anyway."""
    _check_not_fixed(state)
    known = any(one.appeal == command.appeal for one in state.confirmed)
    if known or state.sealed is not None or not command.confirmed:
        return []
    return [m.ResultsConfirmed(command.appeal, command.confirmed)]


def _check_nobody_plays_again(ruled: Iterable[m.Ruling], since: Iterable[m.Ruled]) -> None:
    """Whether no board that is to be played again was ordered so `since` that was held against the facts. Raises Rejected."""
    running = {target(one.event) for one in since if isinstance(one.event, m.BoardSuperseded)}
    for event in ruled:
        if isinstance(event, m.BoardSuperseded) and target(event) in running:
            raise still_played(event.table)


def _publish(state: Ledger, command: m.PublishStandings) -> Sequence[Event]:
    if command.rulings != len(state.rulings):
        raise Rejected(
            "PUBLICATION_OVERTAKEN", "C10.6", "a ruling came in while these standings were computed"
        )
    if command.after_round < state.after_round:
        raise Rejected("PUBLICATION_OVERTAKEN", "C6.2", "standings of a later round are published already")
    if any(one.event.cut == command.cut for one in state.publications[-1:]):  # a cut names one publication
        raise Rejected("PUBLICATION_OVERTAKEN", "C6.2", "the same standings were published meanwhile")
    number = len(state.publications) + 1
    return [
        m.StandingsPublished(
            number, command.after_round, command.cut, command.digest, command.entrants, command.cause
        )
    ]


def _fix(state: Ledger, command: m.FixStandings) -> Sequence[Event]:
    """Once for each announcement, when everything that was decided before is published."""
    if state.sealed is not None or command.announcement <= state.fixed:
        return []
    if state.unpublished or not state.publications:
        raise Rejected(
            "STANDINGS_NOT_PUBLISHED", "C10.8", "standings with every round and ruling are not published yet"
        )
    return [m.StandingsFixed(command.announcement, len(state.publications))]


def _reopen(state: Ledger, command: m.ReopenStandings) -> Sequence[Event]:
    """The one that is fixed, once."""
    if state.sealed is not None or command.announcement != state.fixed or state.reopened == state.fixed:
        return []
    return [m.StandingsReopened(command.announcement)]


def _seal(state: Ledger, command: m.SealStandings) -> Sequence[Event]:
    """The championship was sealed over this publication; that is a fact, whatever was decided since."""
    published = state.publication(command.publication)
    if published is None:
        raise Rejected("NO_SUCH_PUBLICATION", "C10.8", f"there is no publication {command.publication}")
    return (
        [] if state.sealed is not None else [m.StandingsSealed(command.publication, published.event.digest)]
    )


def evolve(state: Ledger, event: Event, meta: Meta) -> Ledger:
    """The decisions after one more."""
    match event:
        case m.StandingsPublished():
            return replace(
                state, publications=(*state.publications, m.Published(meta.version, meta.time_us, event))
            )
        case m.StandingsFixed():
            return replace(state, fixed=event.announcement)
        case m.StandingsReopened():
            return replace(state, reopened=event.announcement)
        case m.StandingsSealed():
            return replace(state, sealed=event)
        case m.CorrectionRefused():
            return replace(state, refused=state.refused | {event.appeal})
        case m.ResultsConfirmed():
            return replace(state, confirmed=(*state.confirmed, event))
        case m.RulingRecalculated():
            return _ruled(state, [ruling(_refigured(state, event))], meta.version, meta.time_us, event)
        case m.ReplayOrdered():
            return _ruled(state, event.boards, meta.version, meta.time_us)
        case _:
            return _ruled(state, [event], meta.version, meta.time_us)


def _ruled(
    state: Ledger,
    events: Iterable[m.Ruling],
    version: int,
    time_us: int,
    recalculated: m.RulingRecalculated | None = None,
) -> Ledger:
    numbered = enumerate(events, len(state.rulings) + 1)
    new = [m.Ruled(number, version, time_us, event, recalculated) for number, event in numbered]
    return replace(state, rulings=(*state.rulings, *new))
