"""What an appeal is about whose committee left everything as it is (C10.7). Pure."""

from __future__ import annotations

from collections.abc import Iterator

from fupan.appeals.v1 import events_pb2 as appeals
from services.games.championship.tables import POINTS
from services.scoring import model as m
from services.scoring.codec import REMEDIES


def judged(filed: appeals.AppealFiled, decided: appeals.AppealDecided) -> appeals.AppealFiled:
    """An appeal with what a committee that rejected it has judged: not what another one has ruled on, which may change yet."""
    of = appeals.AppealFiled()
    of.CopyFrom(filed)
    if decided.left:
        of.ClearField("sought")
        of.sought.extend(decided.left)
    return of


def left(filed: appeals.AppealFiled, form: str) -> tuple[m.Confirmed, ...]:
    """The results and penalties that are contested, or that something else was asked for, in an event of such a format."""
    return tuple(dict.fromkeys(_left(filed, form)))


def _left(filed: appeals.AppealFiled, form: str) -> Iterator[m.Confirmed]:
    if filed.contested.HasField("board"):
        board = filed.contested.board
        # Matches of the points format are corrected as a whole (C8.2).
        yield m.Confirmed(board.table, board.round, 0 if form == POINTS else board.board)
    for sought in map(REMEDIES.from_proto, filed.sought):
        match sought:
            case m.SetPenalty():
                yield m.Confirmed(penalty=sought.penalty)
            case m.AssignPercent():
                yield m.Confirmed(entrant=sought.entrant, round=sought.round, board=sought.board)
            case m.CorrectMatch():
                yield m.Confirmed(sought.table, sought.round)
            case m.CorrectResult() | m.VoidBoard() | m.ReplayBoard():
                yield m.Confirmed(sought.table, sought.round, sought.board)
