"""Whether logs in the file end too early: a chain tells what is missing between two records, and others' logs what is missing
after the last one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from services.ledger import dealing
from services.ledger.audit.draw import DRAW
from services.ledger.audit.evidence import Dealings, Entry, Evidence, parse_subject
from services.ledger.audit.report import Tally
from services.ledger.dealing import board_path

REACTION_US = 60_000_000
"""While its round is played the dealer has revealed a board this long after its last closing: it may be busy or away for a moment.
Of a round that is closed every board is revealed; whoever exports a log waits for it."""

FIRST_ATTEMPT = 1


def check_ends(evidence: Evidence, tally: Tally) -> None:
    """Every log but those of appeals, each against what the rest of the file says of it."""
    for _, _, entries in evidence.of("dealer"):
        lacks = [*_dealt(evidence), *_judged(evidence)]
        lacks += [
            f"board {path} was closed everywhere, its leaf is missing"
            for path in _unrevealed(evidence, evidence.dealings)
        ]
        _judge(tally, entries, lacks, last=evidence.dealings.master is not None)
    over = _Over(evidence)
    for _, _, entries in evidence.of("pairing"):
        _judge(tally, entries, [*_seated(evidence)], last=over.sealed)
    for _, _, entries in evidence.of("scoring"):
        _judge(tally, entries, [*_published(evidence)], last=over.sealed)
    for _, _, entries in evidence.of("table"):
        _judge(tally, entries, [*over.lacks(entries)], last=True)  # whether it is sealed, its signature says


def lacking(evidence: Evidence) -> frozenset[str]:
    """The services of which a log ends too early."""
    tally = Tally("ends", "logs")
    check_ends(evidence, tally)
    return frozenset(parse_subject(finding.subject).service for finding in tally.findings)


def _judge(tally: Tally, entries: Sequence[Entry], lacks: Sequence[str], last: bool) -> None:
    """One finding a log, whatever it lacks. `last`: whether nothing is written to it any more, as far as the file can tell."""
    tally.done += 1
    newest, named = entries[-1], list(dict.fromkeys(lacks))
    if not last:
        service = parse_subject(newest.stored.subject).service
        detail = (
            f"nothing in this file tells whether the log of {service} goes on after version {newest.version}"
        )
        tally.missing.append(detail)
    if named:
        detail = f"the log ends too early: {named[0]}"
        if len(named) > 1:
            detail = f"the log ends too early: {named[0]}, and {len(named) - 1} more"
        tally.wrong(newest.stored.subject, newest.version, newest.stored.sequence, "CUT_OFF", detail)


def _dealt(evidence: Evidence) -> Iterator[str]:
    """Commitments and the draw, which come before whatever rests on them."""
    dealings = evidence.dealings
    for _, event in evidence.events("pairing"):
        message = event.message
        if event.kind not in ("round_paired", "replay_seated"):
            continue
        if message.deals_batch and message.deals_batch not in dealings.batches:
            yield f"batch {message.deals_batch}, which round {message.round} plays, is missing"
        if event.kind == "round_paired" and message.basis == "draw" and not _drawn(evidence):
            yield f"the draw that round {message.round} sits by is missing"
    committed = {path for batch in dealings.batches.values() for path in batch.paths}
    for _, _, entries in evidence.of("table"):
        for path in dict.fromkeys(entry.key_id for entry in entries if entry.sealed):
            if path not in committed:
                yield f"board {path} was dealt, its commitment is missing"


def _drawn(evidence: Evidence) -> bool:
    return dealing.draw_path(DRAW) in evidence.dealings.draws


def _judged(evidence: Evidence) -> Iterator[str]:
    """Keys of panels: made before a panel is appointed, released before its ballots are counted (C10.4)."""
    made = {
        (event.message.appeal, event.message.public_key)
        for _, event in evidence.events("dealer")
        if event.kind == "appeal_key_created"
    }
    for _, subject, entries in evidence.of("appeals"):
        for event in (event for entry in entries for event in entry.events):
            key = event.message.ballot_key if event.kind == "panel_appointed" else b""
            if key and (subject.id, key) not in made:
                yield f"the key of a panel of appeal {subject.id} is missing"
            elif event.kind == "appeal_decided" and subject.id not in evidence.dealings.appeal_keys:
                yield f"appeal {subject.id} was decided, the release of its key is missing"


def _unrevealed(evidence: Evidence, dealings: Dealings) -> Iterator[str]:
    """Paths of boards that are closed everywhere, of which `dealings` do not tell the leaf."""
    newest = max((entry.time_us for entries in evidence.subjects.values() for entry in entries), default=0)
    committed, leaves = (
        {path for batch in dealings.batches.values() for path in batch.paths},
        dealings.leaves(),
    )
    closed = _Closed(evidence)
    for path, in_round, closed_us in closed.everywhere():
        late = in_round in closed.over or newest - closed_us > REACTION_US
        if late and path in committed and path not in leaves:
            yield path


class _Closed:
    """When boards were closed, and at which tables they are played."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._seated: dict[int, set[str]] = defaultdict(set)
        self._again: dict[tuple[int, int, int], set[str]] = defaultdict(set)
        self._due: dict[tuple[int, int, int], int] = defaultdict(int)
        self._rounds: dict[int, int] = {}
        """When rounds were closed of which no board was missing."""
        self.over: set[int | str] = set()
        """Rounds, and replays by their table, that are played."""
        for entry, event in evidence.events("pairing"):
            message = event.message
            match event.kind:
                case "round_seated" if message.chunk == 0:
                    self._seated[message.round] = {one.table for one in message.tables}
                case "round_seated":
                    self._seated[message.round] |= {one.table for one in message.tables}
                case "replay_seated":
                    at = message.round, message.board, message.attempt
                    self._again[at].add(message.table.table)
                    self._due[at] = max(self._due[at], message.tables)
                case "round_closed":
                    self.over.add(message.round)
                    if not message.incomplete:
                        self._rounds.setdefault(message.round, entry.time_us)
                case "board_replayed":
                    self.over.add(message.table)

    def everywhere(self) -> Iterator[tuple[str, int | str, int]]:
        """Paths of boards that every table of theirs has closed, with their round, or the table of a replay, and when the last one
        closed it."""
        closed: dict[tuple[int, int, int], dict[str, int]] = defaultdict(dict)
        for _, subject, entries in self._evidence.of("table", play=False):
            for entry in entries:
                if (told := entry.closing) is not None:
                    closed[told.round, told.board, told.attempt][subject.id] = entry.time_us
                    # A deal of a match is this table's own.
                    match = board_path(told.round, told.board, told.attempt, subject.id)
                    yield match, told.round, entry.time_us
        for at, tables in closed.items():
            if self._all(at, set(tables)):
                played = at[0] if at[2] == FIRST_ATTEMPT else max(tables)
                yield board_path(*at), played, max(tables.values())
            elif at[2] == FIRST_ATTEMPT and at[0] in self._rounds:
                yield board_path(*at), at[0], max(*tables.values(), self._rounds[at[0]])

    def _all(self, at: tuple[int, int, int], closed: set[str]) -> bool:
        if at[2] == FIRST_ATTEMPT:
            return bool(self._seated[at[0]]) and closed >= self._seated[at[0]]
        again = self._again[at]
        return bool(again) and len(again) >= self._due[at] and closed >= again


def _seated(evidence: Evidence) -> Iterator[str]:
    """Tables that were opened: their round or replay was seated before."""
    seated: set[str] = set()
    for _, event in evidence.events("pairing"):
        if event.kind in ("round_seated", "seating_overridden"):
            seated.update(one.table for one in event.message.tables)
        elif event.kind == "replay_seated":
            seated.add(event.message.table.table)
    for _, event in evidence.events("table", play=False):
        if event.kind == "table_opened" and event.message.table not in seated:
            yield f"table {event.message.table} was opened, its seats are missing"


def _published(evidence: Evidence) -> Iterator[str]:
    """Publications that a round sits by, or that were sealed."""
    published = {
        event.message.number for _, event in evidence.events("scoring") if event.kind == "standings_published"
    }
    for _, event in evidence.events("pairing"):
        named = event.message.publication if event.kind in ("round_paired", "championship_sealed") else 0
        if named and named not in published:
            yield f"publication {named}, which pairing names, is missing"


class _Over:
    """What pairing says is over: tables have closed their boards then, and signed when the championship was sealed."""

    def __init__(self, evidence: Evidence) -> None:
        self._rounds: set[int] = set()
        self._replayed: set[str] = set()
        self.sealed = False
        for _, event in evidence.events("pairing"):
            match event.kind:
                case "round_closed" if not event.message.incomplete:
                    self._rounds.add(event.message.round)
                case "board_replayed":
                    self._replayed.add(event.message.table)
                case "championship_sealed":
                    self.sealed = True

    def lacks(self, entries: Sequence[Entry]) -> Iterator[str]:
        """What is not in a table's log, though it is over."""
        entries = [entry for entry in entries if not entry.decision]
        told = {event.kind: event.message for entry in entries for event in entry.events}
        opened = told.get("table_opened")
        if opened is not None and self._played(opened):
            closed = {(one.board, one.attempt) for entry in entries if (one := entry.closing) is not None}
            if opened.HasField("match") and "match_ended" not in told:
                yield "play is over, the end of the match is missing"
            for slot in opened.boards:
                if (slot.board, slot.attempt) not in closed:
                    yield f"play is over, the end of board {slot.board} is missing"
        if self.sealed and "table_sealed" not in told:
            yield "the championship was sealed, the signature of the table is missing"

    def _played(self, opened: Any) -> bool:
        if any(slot.attempt > FIRST_ATTEMPT for slot in opened.boards):
            return opened.table in self._replayed
        return opened.round in self._rounds
