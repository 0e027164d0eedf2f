"""Whether every appeal went its way: filed and paid within its window, judged by a panel that may, each member with one vote in
time, decided once, on what was asked for (C10.0 to C10.7)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from services.ledger.audit.answers import RESERVE_US, wrong_vote, wrongly_due
from services.ledger.audit.dismissed import check_dismissed
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.report import Tally
from services.ledger.audit.windows import Windows

LEAST_PANEL = 3

_WHEN = {
    "appeal_filed": ("",),
    "fee_recorded": ("filed",),
    "appeal_lapsed": ("filed",),
    "panel_appointed": ("received",),
    "member_replaced": ("voting",),
    "ballot_cast": ("voting",),
    "voting_closed": ("voting",),
    "panel_dissolved": ("voting",),
    "ballot_rejected": ("voting", "counting", "received"),
    "appeal_decided": ("counting",),
    "appeal_withdrawn": ("filed", "received"),
    "appeal_dismissed": ("filed", "received", "voting", "counting"),
    "fee_refunded": ("upheld", "dismissed"),
    "fee_kept": ("rejected", "withdrawn"),
}
"""In which state of an appeal something can happen; what does not stand here can in any."""


def check_proceedings(evidence: Evidence, tally: Tally) -> None:
    """Every appeal in the file, from its filing on."""
    if not any(evidence.of("appeals")):
        return
    windows = Windows(evidence)
    check_dismissed(evidence, tally)
    for _, _, entries in evidence.of("appeals"):
        appeal = _Appeal(windows)
        for entry in entries:
            for event in entry.events:
                for code, detail in appeal.follow(entry, event.kind, event.message):
                    if code:
                        tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, code, detail)
                    else:
                        tally.missing.append(detail)


@dataclass(slots=True)
class _Appeal:
    """One appeal as its log says; `phase` as the service has it."""

    windows: Windows
    phase: str = ""
    filed: Any = None
    actor: str = ""
    members: list[str] = field(default_factory=list)
    reserves: list[str] = field(default_factory=list)
    voted: set[str] = field(default_factory=set)
    conflicts: set[str] = field(default_factory=set)
    deadline_us: int = 0
    paid: tuple[int, str] = (0, "")
    answer_due_us: int = 0

    def follow(self, entry: Entry, kind: str, message: Any) -> Iterator[tuple[str, str]]:
        """What is wrong with the next event: codes and sentences."""
        if self.phase not in _WHEN.get(kind, (self.phase,)):
            yield "OUT_OF_TURN", f"{kind} of an appeal that was {self.phase or 'not filed'} (C10.1)"
        match kind:
            case "appeal_filed":
                yield from self._file(entry, message)
            case "fee_recorded":
                yield from self._pay(entry, message)
            case "appeal_lapsed":
                if not any(0 < one <= entry.time_us for one in self._window(entry)):
                    yield "TOO_EARLY", "the appeal lapsed while its fee could be paid (C10.2)"
                self.phase = "lapsed"
            case "panel_appointed":
                yield from self._appoint(entry, message)
            case "conflict_declared":
                self._step_back(message.person_id)
            case "member_replaced":
                yield from self._replace(entry, message)
            case "ballot_cast":
                yield from self._vote(entry, message.member)
            case "voting_closed":
                if missing := [one for one in self.members if one not in self.voted]:
                    yield "VOTE_MISSING", f"voting was closed without {', '.join(missing)} (C10.4)"
                self.phase = "counting"
            case "ballot_rejected":
                self.conflicts.add(message.member)
                self._dissolve()
            case "panel_dissolved":
                self._dissolve()
            case "appeal_decided":
                yield from self._decide(message)
            case "appeal_withdrawn":
                if entry.actor != self.actor:
                    yield "OTHER_ACTOR", f"the appeal of {self.actor} was withdrawn by {entry.actor} (C10.1)"
                self.phase = "withdrawn"
            case "appeal_dismissed":
                self.phase = "dismissed"
            case "fee_refunded" | "fee_kept" if (message.amount, message.currency) != self.paid:
                yield "OTHER_FEE", "what was refunded or kept is not the fee that was paid (C10.6)"

    def _file(self, entry: Entry, filed: Any) -> Iterator[tuple[str, str]]:
        self.filed, self.actor, self.phase = filed, entry.actor, "filed"
        if 0 < filed.window_ends_us <= entry.time_us:
            yield "WINDOW_CLOSED", "the appeal was filed after its window (C10.1)"
        settings = self.windows.settings
        if settings is None:
            return
        if settings.final_authority == "chief_referee":
            yield "CHIEF_REFEREE_FINAL", "an appeal where the chief referee's ruling is final (C10.0)"
        if (filed.fee_amount, filed.fee_currency) != (settings.fee_amount, settings.fee_currency):
            yield "OTHER_FEE", "the appeal was filed for another fee than the event's (C10.2)"
        if filed.window_ends_us not in self._window(entry):
            yield "OTHER_WINDOW", "the appeal was filed with another window than the event's (C10.1)"

    def _window(self, entry: Entry) -> Collection[int]:
        """When the window for what is contested may have been known to end, 0: not yet; as it was filed where the file does not
        tell."""
        if self.filed is None:
            return ()
        return self.windows.ends(self.filed.contested, entry.time_us) or (self.filed.window_ends_us,)

    def _pay(self, entry: Entry, paid: Any) -> Iterator[tuple[str, str]]:
        self.paid, self.phase = (paid.amount, paid.currency), "received"
        self.answer_due_us = paid.answer_due_us
        yield from wrongly_due(self.windows.settings, paid, entry.time_us)
        if self.filed is None:
            return
        if self.paid != (self.filed.fee_amount, self.filed.fee_currency):
            yield "OTHER_FEE", "another fee was paid than is due (C10.2)"
        if paid.amount and all(0 < one <= entry.time_us for one in self._window(entry)):
            yield "WINDOW_CLOSED", "the fee was paid after the window (C10.2)"

    def _appoint(self, entry: Entry, panel: Any) -> Iterator[tuple[str, str]]:
        self.members = [one.person_id for one in panel.members]
        self.reserves = [one.person_id for one in panel.reserves]
        self.voted, self.deadline_us, self.phase = set(), panel.voting_deadline_us, "voting"
        if wrong_vote(self.answer_due_us, self.deadline_us, entry.time_us):
            yield "OTHER_DEADLINE", "the panel votes until another time than it may be given (C10.5)"
        everybody = self.members + self.reserves
        if len(self.members) < LEAST_PANEL or len(self.members) % 2 == 0:
            yield "PANEL_SIZE", f"a panel of {len(self.members)} is not odd, of three or more (C10.3)"
        if len(set(everybody)) < len(everybody):
            yield "MEMBER_TWICE", "somebody sits on a panel twice (C10.3)"
        if refused := sorted(self.conflicts.intersection(everybody)):
            yield "CONFLICT", f"a panel with {', '.join(refused)}, who had stepped back or failed it (C10.3)"

    def _step_back(self, person: str) -> None:
        self.conflicts.add(person)
        self.reserves = [one for one in self.reserves if one != person]
        if person in self.members and not self.reserves:
            self._dissolve()

    def _replace(self, entry: Entry, replaced: Any) -> Iterator[tuple[str, str]]:
        person, by = replaced.person_id, replaced.by.person_id
        if person not in self.members or person in self.voted or by != next(iter(self.reserves), ""):
            yield "OTHER_MEMBER", f"{by} takes the place of {person} out of turn (C10.4)"
        if replaced.cause == "absent":
            if entry.time_us < self.deadline_us and person not in self.conflicts and not self._moved(entry):
                yield "TOO_EARLY", f"{person} was called absent before the deadline (C10.4)"
            self.deadline_us = max(self.deadline_us, entry.time_us + RESERVE_US)
        elif person not in self.conflicts:
            yield "OTHER_MEMBER", f"{person} was replaced and had declared no conflict (C10.3)"
        self.members = [by if one == person else one for one in self.members]
        self.reserves = [one for one in self.reserves if one != by]

    def _moved(self, entry: Entry) -> bool:
        """Whether another one who was absent has moved the deadline in the same record."""
        return self.deadline_us == entry.time_us + RESERVE_US

    def _vote(self, entry: Entry, member: str) -> Iterator[tuple[str, str]]:
        if member in self.voted:
            yield "VOTED_TWICE", f"{member} voted twice (C10.4)"
        if 0 < self.deadline_us <= entry.time_us:
            yield "LATE_VOTE", f"{member} voted after the deadline (C10.4)"
        self.voted.add(member)

    def _dissolve(self) -> None:
        self.members, self.reserves, self.voted, self.phase = [], [], set(), "received"

    def _decide(self, decided: Any) -> Iterator[tuple[str, str]]:
        self.phase = "upheld" if decided.upheld else "rejected"
        if sorted(one.member for one in decided.ballots) != sorted(self.members):
            yield "VOTE_MISSING", "the ballots that were counted are not those of the whole panel (C10.4)"
        sought: Sequence[Any] = () if self.filed is None else self.filed.sought
        if any(one not in sought for one in (*decided.remedies, *decided.left)):
            yield "OTHER_REMEDY", "the committee ruled what nobody had asked for (C10.6)"
        if decided.remedies and not decided.upheld:
            yield "OTHER_REMEDY", "a remedy was ruled in an appeal that was rejected (C10.6)"
