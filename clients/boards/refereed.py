"""What referees did at a table, and why they were called, as every client tells it to officials (C9.3, C11)."""

from __future__ import annotations

from clients.boards.telling import Pick
from fupan.pairing.v1 import events_pb2 as pairing
from fupan.table.v1 import events_pb2 as events
from fupan.table.v1 import service_pb2 as pb
from services.games.championship.conduct import CATALOGUE
from services.games.shengji import infringements

_OUTCOMES = {
    "warning": ("warning", "警告"),
    "fine": ("fine", "罚分"),
    "removal": ("removal", "离场"),
    "forfeit": ("forfeit", "判负"),
}


def told(act: pb.RefereeAct, pick: Pick) -> str:
    """One act in words."""
    match act.WhichOneof("kind"):
        case "referee_called":
            return called(act.referee_called, pick)
        case "table_paused":
            return pick("paused: ", "暂停：") + act.table_paused.reason
        case "table_resumed":
            reason = act.table_resumed.reason
            return pick("resumed: ", "继续：") + reason if reason else pick("resumed", "继续")
        case "infringement_recorded":
            return _infringement(act.infringement_recorded, pick)
        case "ruling_made":
            made = act.ruling_made
            clause = f" ({made.clause})" if made.clause else ""
            said = pick("ruling: ", "裁决：") + f"{made.text}{clause} [{made.ruling}]"
            return said + (f"; {overturns(made, pick)}" if made.overturns else "")
    return ""


def overturns(made: events.RulingMade | pb.Ruling | pairing.RulingOverturned, pick: Pick) -> str:
    """Which ruling the chief referee overturns by another one, and why (C9.2)."""
    return pick(
        f"overturns {made.overturns}: {made.reason}", f"更改判罚 {made.overturns}，理由：{made.reason}"
    )


def overturned(by: pb.Overturning, pick: Pick) -> str:
    """By which ruling another one was overturned, what holds instead, and why."""
    return pick(
        f"overturned by {by.referee}, ruling {by.ruling}: {by.text} ({by.reason})",
        f"已由 {by.referee} 以判罚 {by.ruling} 更改：{by.text}（{by.reason}）",
    )


def called(call: events.RefereeCalled, pick: Pick) -> str:
    """Who called the referee, and why."""
    return pick(f"seat {call.seat} called a referee: ", f"{call.seat} 座呼叫裁判：") + call.reason


def _infringement(one: events.InfringementRecorded, pick: Pick) -> str:
    outcome = pick(*_OUTCOMES.get(one.outcome, (one.outcome, one.outcome)))
    fine = f" {one.fine}" if one.fine else ""
    return pick(
        f"seat {one.seat}: {one.code} {_row(one.code, pick)}, {outcome}{fine}: {one.reason}",
        f"{one.seat} 座：{one.code} {_row(one.code, pick)}，{outcome}{fine}：{one.reason}",
    )


def _row(code: str, pick: Pick) -> str:
    """The text of a row of the catalogue of conduct (C11.1), or of S10."""
    if code in CATALOGUE:
        return pick(CATALOGUE[code].en, CATALOGUE[code].zh)
    return next(
        (
            pick(one.what, infringements.IN_CHINESE[code])
            for one in infringements.CATALOGUE
            if one.code == code
        ),
        "",
    )
