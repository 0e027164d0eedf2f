"""Whole tables of the service, with fines, pauses, expired clocks and cards drawn at a pace, as the shadow referees read them."""

from __future__ import annotations

from typing import Any

import pytest

from services.games.paohuzi import tiles
from services.games.shadow import check, check_shengji
from services.games.shadow.check import Difference, Told
from services.games.shengji import cards
from services.ledger import auditfile
from services.ledger.audit.boards import PlayedBoard, played_board
from services.ledger.audit.evidence import gather
from tests.ledger import event_log as e
from tests.ledger.test_audit_shengji import OPENED, TABLE, recorded
from tests.ledger.test_audit_table import played


def boards(log: e.Log) -> list[tuple[PlayedBoard, Any, bytes]]:
    """The boards of a table that were played to their end, with what was dealt."""
    evidence = gather(auditfile.parse(log.file("table", TABLE)))
    events = [event for _, event in evidence.events("table")]
    opened = next(event.message for event in events if event.kind == "table_opened")
    dealt = [event.message.deal for event in events if event.kind == "board_dealt"]
    slots = [event.message.board for event in events if event.kind == "board_opened"]
    found = [played_board(evidence, TABLE, board) for board in slots[: len(dealt)]]
    ended = [board.rules.outcome(board.steps[-1].state) is not None for board in found]
    return [(board, opened, deal) for board, deal, over in zip(found, dealt, ended, strict=True) if over]


def told(board: PlayedBoard, *, options: bool) -> list[Told]:
    rules, steps = board.rules, []
    for step in board.steps:
        outcome = rules.outcome(step.state)
        found = {
            seat: tuple(map(rules.show, rules.options(step.state, seat)))
            for seat in rules.asked(step.state)
            if options
        }
        seat = None if step.acted is None else step.acted.seat
        steps.append(Told(seat, step.action, step.events, found, None if outcome is None else outcome.scores))
    return steps


def difference(board: PlayedBoard, opened: Any, deal: bytes) -> Difference | None:
    rules = board.rules
    params = rules.describe(rules.resolve({}))
    if rules.game == "paohuzi":
        return check.check(
            params, board.board, [tiles.show(tile) for tile in deal], told(board, options=True)
        )
    setting = board.steps[0].state.setting
    return check_shengji.check(
        params, *setting, [cards.show(card) for card in deal], told(board, options=False)
    )


@pytest.mark.parametrize("seed", range(3))
def test_both_agree_on_paohuzi(seed: int) -> None:
    found = boards(played(seed, demo=False))
    assert found
    for one in found:
        assert difference(*one) is None


@pytest.mark.parametrize("kind", OPENED)
@pytest.mark.parametrize("seed", range(3))
def test_both_agree_on_shengji(kind: str, seed: int) -> None:
    found = boards(recorded(OPENED[kind], seed)[0])
    assert found
    for one in found:
        assert difference(*one) is None
