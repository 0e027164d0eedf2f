"""What an appeal asks for, as options of a command and as messages (C10.6)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from cyclopts import Group, Parameter

from clients.cli.figures import numbers, scaled, tenths
from clients.cli.output import USAGE, Problem, percent
from clients.cli.words import pick
from fupan.appeals.v1 import events_pb2 as appeals
from fupan.scoring.v1 import events_pb2 as scoring
from services.ledger.audit.ruled import REMEDY_OF

_CONTESTED = Group("What is contested", sort_key=2)
_SOUGHT = Group("What is asked for", sort_key=3)


@Parameter(name="*", group=_CONTESTED)
@dataclass(frozen=True, slots=True, kw_only=True)
class ContestedOptions:
    """A board's result at a table, a ruling, a publication, or a pairing."""

    table: Annotated[str, Parameter(help="table of the board")] = ""
    round_: Annotated[int, Parameter(name="--round", help="round of the board")] = 0
    board: Annotated[int, Parameter(help="board of the round")] = 0
    attempt: Annotated[int, Parameter(help="attempt of the board")] = 1
    ruling: Annotated[str, Parameter(help="a referee's ruling, by its id")] = ""
    publication: Annotated[int, Parameter(help="published standings, by number")] = 0
    pairing: Annotated[int, Parameter(help="the pairing of a round")] = 0

    def message(self) -> appeals.Contested:
        """The one thing contested. Raises Problem."""
        given = [bool(self.table), bool(self.ruling), bool(self.publication), bool(self.pairing)]
        if sum(given) != 1 or (self.table and not (self.round_ and self.board)):
            raise Problem(
                pick(
                    "contest one thing: --table, --round and --board; --ruling; --publication; or --pairing",
                    "请指明一项争议：--table、--round 与 --board；--ruling；--publication；或 --pairing",
                ),
                USAGE,
            )
        if self.table:
            return appeals.Contested(
                board=appeals.ContestedBoard(
                    table=self.table, round=self.round_, board=self.board, attempt=self.attempt
                )
            )
        if self.ruling:
            return appeals.Contested(ruling=appeals.ContestedRuling(ruling=self.ruling))
        if self.publication:
            return appeals.Contested(publication=appeals.ContestedPublication(publication=self.publication))
        return appeals.Contested(pairing=appeals.ContestedPairing(round=self.pairing))


@Parameter(name="*", group=_SOUGHT)
@dataclass(frozen=True, slots=True, kw_only=True)
class RemedyOptions:
    """Remedies; those about a board concern the one contested, or on which the contested ruling was made."""

    correct: Annotated[str, Parameter(help="raw scores by seat: 10,-5,-5", allow_leading_hyphen=True)] = ""
    void: Annotated[
        str,
        Parameter(help="void it, percentage by seat: 60,50,40; of teams none"),
    ] = ""
    replay: Annotated[
        bool,
        Parameter(
            help="have it played again, with another deal; at one table alone each seat gets 50 %, whatever is scored",
            negative=(),
        ),
    ] = False
    assign: Annotated[
        list[str] | None,
        Parameter(
            help="a percentage for the board: ENTRANT=60; with --pairing for each board named: ENTRANT=BOARD=60",
            negative=(),
        ),
    ] = None
    seat: Annotated[
        list[str] | None,
        Parameter(
            help="with --pairing, other seats before the round begins: TABLE=1,2,3, each table that changes",
            negative=(),
        ),
    ] = None
    penalty: Annotated[
        list[str] | None,
        Parameter(help="a penalty on R: NAME=ENTRANT=2.5, 0 lifts it", negative=()),
    ] = None

    match: Annotated[
        str,
        Parameter(help="another result of the table's match, winning side and levels: 0=A=7"),
    ] = ""

    def messages(self, contested: ContestedOptions) -> list[scoring.Remedy]:
        """The remedies, at least one. Raises Problem."""
        remedies = list(self._remedies(contested))
        if not remedies:
            raise Problem(
                pick(
                    "say what is asked for: --correct, --void, --replay, --assign, --penalty, --match or --seat",
                    "请说明请求：--correct、--void、--replay、--assign、--penalty、--match 或 --seat",
                ),
                USAGE,
            )
        return remedies

    def _remedies(self, on: ContestedOptions) -> Iterator[scoring.Remedy]:
        board = self.correct or self.void or self.replay or (self.assign and not on.pairing)
        if board and not on.table:
            raise Problem(
                pick(
                    "--correct, --void, --assign and --replay need the board: --table, --round, --board; or --ruling",
                    "--correct、--void、--assign、--replay 须指明哪一副：--table、--round、--board；或 --ruling",
                ),
                USAGE,
            )
        where: dict[str, Any] = {
            "table": on.table,
            "round": on.round_,
            "board": on.board,
            "attempt": on.attempt,
        }
        if self.correct:
            scores = [scaled(one, 0) for one in numbers(self.correct)]
            yield scoring.Remedy(correct_result=scoring.CorrectResult(scores=scores, **where))
        if self.void:
            shares = [] if self.void == "none" else [tenths(one) for one in numbers(self.void)]
            yield scoring.Remedy(void_board=scoring.VoidBoard(tenths=shares, **where))
        if self.replay:
            yield scoring.Remedy(replay_board=scoring.ReplayBoard(**where))
        if self.match:
            yield scoring.Remedy(correct_match=_match(self.match, on))
        if self.seat:
            yield scoring.Remedy(reseat_round=_seats(self.seat, on))
        for text in self.assign or ():
            yield scoring.Remedy(assign_percent=_percentage(text, on))
        for text in self.penalty or ():
            name, entrant, percent = _parts(text, 3, "NAME=ENTRANT=2.5")
            yield scoring.Remedy(
                set_penalty=scoring.SetPenalty(
                    penalty=name, entrant=_number(entrant), tenths=tenths(float(percent))
                )
            )


def alone() -> str:
    """What a replay at one table comes to (C3.3)."""
    return pick(" (at one table alone: 50 % a seat, C3.3)", "（仅此一桌时各座记 50 %，C3.3）")


CONTESTED, REMEDIES = ContestedOptions(), RemedyOptions()
"""What stands where an option was not given."""


def told(remedies: Iterable[scoring.Remedy]) -> list[dict[str, Any]]:
    """Remedies as JSON has them."""
    return [
        {"remedy": kind, **_values(getattr(remedy, kind)), **_reseated(remedy)}
        for remedy in remedies
        if (kind := remedy.WhichOneof("kind") or "")
    ]


def _reseated(remedy: scoring.Remedy) -> dict[str, Any]:
    tables = remedy.reseat_round.tables
    return {"tables": {one.table: list(one.entrants) for one in tables}} if tables else {}


def decided(events: Iterable[scoring.Event]) -> list[dict[str, Any]]:
    """Rulings that were made, as JSON has the remedies that they carried out."""
    return [
        {"remedy": REMEDY_OF[kind], **_values(getattr(event, kind))}
        for event in events
        if (kind := event.WhichOneof("kind") or "") in REMEDY_OF
    ]


def _values(message: Any) -> dict[str, Any]:
    return {
        name: list(value) if field.is_repeated else value
        for name, field in message.DESCRIPTOR.fields_by_name.items()
        if field.message_type is None and (value := getattr(message, name)) not in ("", 0)
    }


def text(remedy: Mapping[str, Any]) -> str:
    """A remedy as `told` has it, in a few words."""
    where = pick(
        f"round {remedy.get('round')}, board {remedy.get('board')}",
        f"第 {remedy.get('round')} 轮第 {remedy.get('board')} 副",
    )
    match remedy["remedy"]:
        case "correct_result":
            scores = " ".join(f"{score:+d}" for score in remedy["scores"])
            return pick(
                f"{where} at {remedy['table']} scored {scores}", f"{remedy['table']} 桌{where}计 {scores}"
            )
        case "void_board":
            shares = " ".join(percent(share) for share in remedy["tenths"])
            return pick(
                f"{where} at {remedy['table']} void, {shares} %",
                f"{remedy['table']} 桌{where}作废，{shares} %",
            )
        case "assign_percent":
            share = percent(remedy.get("tenths", 0))
            return pick(
                f"{where}: {share} % for entrant {remedy['entrant']}",
                f"{where}：{remedy['entrant']} 号记 {share} %",
            )
        case "replay_board":
            again = pick(f"{where} at {remedy['table']} played again", f"{remedy['table']} 桌{where}重打")
            # Ordered already, it is known at which tables; asked for, whoever votes should know.
            return again if "by_table" in remedy else again + alone()
        case "reseat_round":
            tables = "; ".join(
                f"{table}: {' '.join(map(str, seats))}" for table, seats in remedy["tables"].items()
            )
            return pick(
                f"round {remedy['round']} seated otherwise: {tables}",
                f"第 {remedy['round']} 轮改座：{tables}",
            )
        case "correct_match":
            one, other = remedy["levels"]
            side = remedy.get("winner", 0)
            return pick(
                f"round {remedy['round']} at {remedy['table']}: won by side {side}, levels {one} to {other}",
                f"{remedy['table']} 桌第 {remedy['round']} 轮：{side} 方胜，级数 {one} 比 {other}",
            )
        case _:
            share = percent(remedy.get("tenths", 0))
            return pick(
                f"penalty {remedy['penalty']} of entrant {remedy['entrant']}: {share} %",
                f"{remedy['entrant']} 号罚分 {remedy['penalty']}：{share} %",
            )


def _parts(text: str, count: int, example: str) -> list[str]:
    parts = text.split("=")
    if len(parts) != count or not all(parts):
        raise Problem(pick(f"{text!r} must be like {example}", f"{text!r} 应写作 {example}"), USAGE)
    numbers(parts[-1])
    return parts


def _percentage(text: str, on: ContestedOptions) -> scoring.AssignPercent:
    """For the contested board; for a board of the round whose pairing is contested (C10.6)."""
    if on.pairing:
        entrant, board, percent = _parts(text, 3, "ENTRANT=BOARD=60")
        at = on.pairing, _number(board)
    else:
        entrant, percent = _parts(text, 2, "ENTRANT=60")
        at = on.round_, on.board
    return scoring.AssignPercent(
        entrant=_number(entrant), round=at[0], board=at[1], tenths=tenths(float(percent))
    )


def _seats(tables: Iterable[str], on: ContestedOptions) -> scoring.ReseatRound:
    if not on.pairing:
        raise Problem(pick("--seat needs --pairing", "--seat 须与 --pairing 同用"), USAGE)
    seats = [scoring.TableSeats(table=table, entrants=entrants) for table, entrants in seats_at(tables)]
    return scoring.ReseatRound(round=on.pairing, tables=seats)


def seats_at(tables: Iterable[str]) -> list[tuple[str, list[int]]]:
    """Entrants by seat of each table that is told as `r2-t1=1,2,3`, 0 for house AI. Raises Problem."""
    named = [_parts(text, 2, "r2-t1=1,2,3") for text in tables]
    return [(table, [_number(one.strip()) for one in entrants.split(",")]) for table, entrants in named]


def _match(text: str, on: ContestedOptions) -> scoring.CorrectMatch:
    winner, *levels = text.split("=")
    if winner not in ("0", "1") or len(levels) != 2 or not (on.table and on.round_):
        raise Problem(
            pick(
                f"--match {text}: like 0=A=7, the side that won and both levels, with --table and --round",
                f"--match {text}：应如 0=A=7，即胜方与双方级数，并指明 --table 与 --round",
            ),
            USAGE,
        )
    return scoring.CorrectMatch(table=on.table, round=on.round_, winner=int(winner), levels=levels)


def _number(text: str) -> int:
    if not text.isdecimal():
        raise Problem(pick(f"{text!r} is no entrant number", f"{text!r} 不是参赛编号"), USAGE)
    return int(text)
