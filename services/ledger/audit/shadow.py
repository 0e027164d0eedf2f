"""Every board read by a second, independently written referee: what the engine and the log agree on may still be misread rules."""

from __future__ import annotations

from services.domain import Rejected
from services.games.shadowed import Played, difference
from services.ledger.audit.boards import PlayedBoard, played_board
from services.ledger.audit.evidence import Evidence
from services.ledger.audit.report import Tally


def check_shadow(evidence: Evidence, tally: Tally) -> None:
    """Every board in the file that can be read; what cannot be read the other checks name."""
    for subject, name, entries in evidence.of("table"):
        for entry in entries:
            for event in entry.events:
                if event.kind != "board_opened":
                    continue
                board, attempt = event.message.board, event.message.attempt
                try:
                    played = played_board(evidence, name.id, board, attempt)
                except Rejected as refusal:
                    tally.missing.append(f"board {board} of {subject}: {refusal.detail}")
                    continue
                if played.steps:
                    tally.done += 1
                    _compare(tally, subject, played)


def _compare(tally: Tally, subject: str, played: PlayedBoard) -> None:
    rules = played.rules
    steps = []
    for step in played.steps:
        outcome = rules.outcome(step.state)
        seat = None if step.acted is None else step.acted.seat
        scores = None if outcome is None else outcome.scores
        steps.append(Played(seat, step.action, step.events, step.state, scores))
    found = difference(rules, rules.describe(played.params), played.board, played.deal, steps)
    if found is not None:
        version = played.steps[found.step - 1].version
        detail = f"board {played.board}, attempt {played.attempt}, step {found.step}: {found.what}"
        tally.wrong(subject, version, 0, "REFEREES_DIFFER", detail)
