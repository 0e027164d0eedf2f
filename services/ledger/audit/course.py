"""Whether an event took its course: rounds one after the other, each by the newest order there was, and a seal when all was over
(C4.5, C6.2, C9.5, C10.8, C11.2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from services.games.championship.tables import plan_of
from services.ledger.audit.evidence import Entry, Evidence
from services.ledger.audit.report import Tally
from services.ledger.audit.ruled import COMMITTEE

_PLAY = frozenset(
    [
        "championship_sealed",
        "competition_ended",
        "replay_seated",
        "round_paired",
        "round_seated",
        "seating_overridden",
    ]
)
"""What ends with the seal."""

_WHILE_SEALING = frozenset(["championship_sealed", "person_erased", "seal_withdrawn"])
"""What may come after a seal was announced."""

_OVER = frozenset(["appeal_lapsed", "appeal_decided", "appeal_withdrawn", "appeal_dismissed"])


def check_course(evidence: Evidence, tally: Tally) -> None:
    """Pairing's records in their order, with what they name of others'."""
    course = _Course(evidence)
    for entry, event in evidence.events("pairing"):
        for detail in course.follow(entry, event.kind, event.message):
            tally.wrong(entry.stored.subject, entry.version, entry.stored.sequence, "OUT_OF_TURN", detail)


class _Course:
    """How far the event is."""

    def __init__(self, evidence: Evidence) -> None:
        self._evidence = evidence
        self._settings: Any = None
        self._paired = 0
        self._started = 0
        self._closed = 0
        self._venue = False
        self._last_us = 0
        """When the last round was closed, the last board replayed, or the competition ended."""
        self._ended = False
        self._sealed = False
        self._announced = 0
        """How often the seal was announced."""
        self._sealing = 0
        """The announcement that is followed by no seal and no withdrawal."""
        self._publications = {
            event.message.number: event.message
            for _, event in evidence.events("scoring")
            if event.kind == "standings_published"
        }

    def follow(self, entry: Entry, kind: str, message: Any) -> Iterator[str]:
        """What is wrong with the next event."""
        if self._settings is None:
            if kind == "championship_created":
                self._settings = message.settings
            return
        if self._sealed and kind in _PLAY:
            yield f"{kind} after the championship was sealed (C10.8)"
        if self._sealing and kind not in _WHILE_SEALING:
            yield f"{kind} while the championship was being sealed (C10.8)"
        match kind:
            case "championship_created":
                yield "the championship was created twice"
            case "regulations_published" if self._started:
                yield "regulations were published after round 1 had begun (C9.5)"
            case "venue_confirmed":
                self._venue = True
            case "round_paired":
                yield from self._pair(message)
            case "round_started":
                if message.round != self._paired or message.round == self._started:
                    yield f"round {message.round} began out of turn (C1.1)"
                if message.round == 1 and self._settings.venue == "onsite" and not self._venue:
                    yield "round 1 began before the venue was confirmed (C11.2)"
                self._started = message.round
            case "round_closed":
                if self._started and message.round != self._started:
                    yield f"round {message.round} was closed out of turn (C1.1)"
                self._closed, self._started, self._last_us = message.round, message.round, entry.time_us
            case "board_replayed":
                self._last_us = entry.time_us
            case "competition_ended":
                self._ended, self._last_us = True, entry.time_us
            case "seal_announced":
                if message.number != self._announced + 1:
                    yield f"announcement {message.number} of the seal is out of turn (C10.8)"
                self._announced = self._sealing = message.number
            case "seal_withdrawn":
                if message.number != self._sealing:
                    yield f"announcement {message.number} of the seal was withdrawn, and was none (C10.8)"
                self._sealing = 0
            case "championship_sealed":
                self._sealed = True
                yield from self._seal(entry, message)
                self._sealing = 0

    def _pair(self, paired: Any) -> Iterator[str]:
        last, rounds = self._paired, self._settings.rounds
        late, drawn = paired.basis == "playoff", paired.round == 1 or plan_of(self._settings).fixed
        # An event that ended early is played off under the number after the last round it could have had.
        number = 1 + max(last, rounds) if late and self._ended else last + 1
        if paired.round != number or self._closed != self._started:
            yield f"round {paired.round} was paired out of turn (C6.2)"
        self._paired = paired.round
        due = "playoff" if paired.round > rounds else "draw" if drawn else "standings"
        if paired.basis != due:
            yield f"round {paired.round} was paired by {paired.basis}, and {due} was due (C6.2)"
        published = self._publications.get(paired.publication)
        if paired.basis == "draw" or published is None:
            return
        if published.after_round < min(last, rounds):
            yield f"round {paired.round} sits by standings from before the round before it (C6.2)"
        if published.digest != paired.standings_digest:
            yield f"round {paired.round} names other standings than publication {paired.publication} (C6.2)"

    def _seal(self, entry: Entry, seal: Any) -> Iterator[str]:
        settings, evidence = self._settings, self._evidence
        if self._started and (not self._ended or self._closed != self._started):
            yield "the championship was sealed before it had ended (C10.8)"
        window_us = 0 if settings.final_authority == "chief_referee" else settings.appeal_window_ms * 1000
        if entry.time_us < self._last_us + window_us:
            yield "the championship was sealed while the window for appeals was open (C10.8)"
        if seal.announcement != self._sealing:
            yield "the championship was sealed otherwise than announced (C10.8)"
        if not evidence.entire:
            return
        if seal.announcement and self._fixed(seal.announcement) != seal.publication:
            yield f"publication {seal.publication} was sealed, and was not fixed before (C10.8)"
        if self._publications and seal.publication != max(self._publications):
            yield f"publication {seal.publication} was sealed, which is not the newest (C10.8)"
        taken = {
            event.message.authority.appeal if event.kind != "correction_refused" else event.message.appeal
            for _, event in evidence.events("scoring")
            if event.kind == "correction_refused"
            or (event.kind in _RULINGS and event.message.authority.by == COMMITTEE)
        }
        for _, subject, entries in evidence.of("appeals"):
            told = {event.kind: event.message for one in entries for event in one.events}
            if not _OVER.intersection(told):
                yield f"the championship was sealed while appeal {subject.id} was open (C10.8)"
            decided = told.get("appeal_decided")
            remedies = () if decided is None else decided.remedies
            if any(not one.HasField("reseat_round") for one in remedies) and subject.id not in taken:
                yield f"what was ruled in appeal {subject.id} was never applied (C10.6)"

    def _fixed(self, announcement: int) -> int:
        """The publication that scoring has fixed for an announcement and not opened again, 0 for none."""
        fixed = 0
        for _, event in self._evidence.events("scoring"):
            if event.kind == "standings_fixed" and event.message.announcement == announcement:
                fixed = event.message.publication
            elif event.kind == "standings_reopened":
                fixed = 0
        return fixed


_RULINGS = (
    "result_corrected",
    "board_voided",
    "percent_assigned",
    "penalty_set",
    "board_superseded",
    "match_corrected",
)
