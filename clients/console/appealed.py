"""An appeal in words: what is contested, what is asked for, what it waits for (C10)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import tzinfo

from clients.appealing import NOT_PUBLIC, deadline_us, reminded, to_do
from clients.console import figures
from clients.console.language import Language
from fupan.appeals.v1 import events_pb2 as events
from fupan.appeals.v1 import service_pb2 as pb
from fupan.scoring.v1 import events_pb2 as scoring
from fupan.scoring.v1 import service_pb2 as service

OPEN = ("filed", "received", "voting", "counting")
"""Phases of an appeal that is not over."""


def urgency(appeal: pb.Appeal) -> tuple[bool, int, int]:
    """Cases by deadline, those without one after them; what is over comes last, the newest first."""
    due = deadline_us(appeal)
    if appeal.phase in OPEN:
        return False, due or 1 << 63, appeal.filed_us
    return True, 0, -appeal.filed_us


@dataclass(frozen=True, slots=True)
class Reminder:
    """What an appeal waits for, in words; `mine`: for the visitor to do."""

    told: str
    mine: bool


def reminder(
    appeal: pb.Appeal, person: str, offices: Collection[str], language: Language, zone: tzinfo
) -> Reminder | None:
    """The reminder that still holds, as it is told a person with these offices; None where none does."""
    given = reminded(appeal)
    if given is None:
        return None
    mine = person in given.persons if given.persons else "organiser" in offices
    who = language.pick(", ", "、").join(given.persons) or language.word("organiser")
    return Reminder(f"{asked(given, language, zone)}{language.pick(': ', '：')}{who}", mine)


def asked(given: events.ReminderGiven, language: Language, zone: tzinfo) -> str:
    """What a reminder asks for, and until when; or since when it is overdue."""
    what, when = language.pick(*to_do(given.about)), figures.moment(given.deadline_us, zone)
    if given.about == "overdue":
        return language.pick(f"{what}, since {when}", f"{what}，自 {when} 起")
    return language.pick(f"{what}, until {when}", f"{what}，截止 {when}")


def settling(appeal: pb.Appeal) -> bool:
    """Whether the services are about to take the next step by themselves."""
    return appeal.phase == "counting" or (
        appeal.phase == "voting" and set(appeal.members) <= set(appeal.voted)
    )


def contested(told: events.Contested, language: Language) -> str:
    """What is contested."""
    pick = language.pick
    match told.WhichOneof("kind"):
        case "board":
            board = told.board
            where = _where(board.round, board.board, language)
            return pick(f"{where} at {board.table}", f"{board.table} 桌{where}")
        case "ruling":
            return pick(f"ruling {told.ruling.ruling}", f"裁判判罚 {told.ruling.ruling}")
        case "publication":
            number = told.publication.publication
            return pick(f"publication {number}", f"第 {number} 次公布")
        case "pairing":
            return pick(f"pairing of round {told.pairing.round}", f"第 {told.pairing.round} 轮编排")
    return pick(*NOT_PUBLIC)


def rulings(tried: service.Tried, language: Language) -> str:
    """A ruling that was tried, all its remedies."""
    return language.pick("; ", "；").join(remedy(one, language) for one in (tried.remedy, *tried.further))


def remedy(told: scoring.Remedy, language: Language) -> str:
    """One remedy that is asked for, or was ruled (C10.6)."""
    pick = language.pick
    match told.WhichOneof("kind"):
        case "correct_result":
            result = told.correct_result
            scores = " ".join(map(figures.signed, result.scores))
            where = _where(result.round, result.board, language)
            return pick(f"{where} at {result.table} scored {scores}", f"{result.table} 桌{where}计 {scores}")
        case "void_board":
            void = told.void_board
            shares = " ".join(map(figures.tenths, void.tenths))
            where = _where(void.round, void.board, language)
            return pick(
                f"{where} at {void.table} void, {shares} %", f"{void.table} 桌{where}作废，{shares} %"
            )
        case "assign_percent":
            share = told.assign_percent
            where, percent = _where(share.round, share.board, language), figures.tenths(share.tenths)
            return pick(
                f"{where}: {percent} % for entrant {share.entrant}",
                f"{where}：{share.entrant} 号记 {percent} %",
            )
        case "set_penalty":
            penalty = told.set_penalty
            percent = figures.tenths(penalty.tenths)
            return pick(
                f"penalty {penalty.penalty} of entrant {penalty.entrant}: {percent} %",
                f"{penalty.entrant} 号罚分 {penalty.penalty}：{percent} %",
            )
        case "correct_match":
            match_, (one, other) = told.correct_match, told.correct_match.levels
            return pick(
                f"round {match_.round} at {match_.table}: won by side {match_.winner}, levels {one} to {other}",
                f"{match_.table} 桌第 {match_.round} 轮：{match_.winner} 方胜，级数 {one} 比 {other}",
            )
        case "reseat_round":
            seated = told.reseat_round
            tables = "; ".join(f"{one.table}: {' '.join(map(str, one.entrants))}" for one in seated.tables)
            return pick(
                f"round {seated.round} seated otherwise: {tables}", f"第 {seated.round} 轮改座：{tables}"
            )
        case "replay_board":
            again = told.replay_board
            where = _where(again.round, again.board, language)
            return pick(f"{where} at {again.table} played again", f"{again.table} 桌{where}重打")
    return ""


def _where(round_: int, board: int, language: Language) -> str:
    return language.pick(f"round {round_}, board {board}", f"第 {round_} 轮第 {board} 副")
