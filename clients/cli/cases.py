"""`fupan appeal show --case`: the case file, checked, and its board again; and `fupan appeal fees`, for the treasurer."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import tzinfo
from pathlib import Path
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError

from clients.appealing import board_of, findings
from clients.boards import replays
from clients.boards.replays import Replay
from clients.cli import files
from clients.cli.connection import Fupan, championship_of, command_id, run
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import FAILED, Column, Problem, fields, rows, say, seconds
from clients.cli.times import moment, zone_of
from clients.cli.words import pick, word
from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import service_pb2 as pb


def _numbers(values: Iterable[int]) -> str:
    return " ".join(f"{value:+d}" for value in values)


_COLUMNS = (
    Column("appeal", "Appeal", "申诉"),
    Column("edition", "Edition", "版次"),
    Column("complete", "Complete", "是否完整", lambda yes: pick("yes", "是") if yes else pick("no", "否")),
    Column("digest", "SHA-256", "SHA-256"),
    Column("assembled", "Assembled", "整理于"),
    Column("ruleset", "Ruleset", "规则"),
    Column("clauses", "Clauses", "条款数"),
    Column("records", "Records of the board", "本副记录数"),
    Column("steps", "Steps", "步数"),
    Column("scores", "Result", "结果", _numbers),
    Column("thinking_us", "Thinking s", "用时（秒）", lambda times: " ".join(map(seconds, times))),
    Column("acts", "Referee acts", "裁判记录", ", ".join),
    Column("tables", "Tables compared", "对比桌数"),
    Column("publication", "Standings", "名次公布序号"),
    Column("checked", "Checked", "已核验", lambda found: ", ".join(map(word, found))),
    Column("opened", "Opened by", "查阅人", ", ".join),
)


def show(appeal: str, out: Path | None, link: Link, form: str) -> None:
    """Fetch a case file, check it, print what is in it; all of it as JSON. `out`: write it as it was frozen. Raises Problem."""

    async def work(fupan: Fupan) -> tuple[pb.GetCaseResponse, tzinfo]:
        championship = await championship_of(fupan, link)
        request = pb.GetCaseRequest(command_id=command_id(), championship=championship, appeal=appeal)
        return await fupan.appeals.GetCase(request), await zone_of(fupan, championship)

    answer, zone = run(link, work)
    case = case_pb2.CaseFile.FromString(answer.case_file)
    checked, wrong = check(answer, case)
    if out is not None:
        files.write(out, answer.case_file)
        say(pick(f"written: {out}", f"已写入 {out}"))
    if form == "json":
        whole = MessageToDict(case, preserving_proto_field_name=True)
        fields({"digest": answer.assembled.digest.hex(), "checked": checked, "case": whole}, (), form)
    else:
        fields({**record(answer, case, zone), "checked": checked}, _COLUMNS, form)
    if wrong:
        raise Problem("; ".join(wrong), FAILED)


def record(answer: pb.GetCaseResponse, case: case_pb2.CaseFile, zone: tzinfo) -> dict[str, Any]:
    """What is in a case file, in one row."""
    board = case.board
    return {
        "appeal": case.appeal,
        "edition": case.edition,
        "complete": answer.assembled.complete,
        "digest": answer.assembled.digest.hex(),
        "assembled": moment(case.assembled_us, zone),
        "ruleset": case.settings.ruleset,
        "clauses": len(case.clauses),
        "records": len(board.records),
        "steps": len(board.steps),
        "scores": list(board.closing.scores),
        "thinking_us": list(board.closing.thinking_us),
        "acts": [act.event.sheet.WhichOneof("kind") or act.event.WhichOneof("kind") for act in board.acts],
        "tables": len(board.traveller),
        "publication": case.standings.publication,
        "opened": [one.person_id for one in answer.openings],
    }


def check(answer: pb.GetCaseResponse, case: case_pb2.CaseFile) -> tuple[list[str], list[str]]:
    """What of a case file was found right (`file`, `chain`, `deals`), and what is wrong with it, in words."""
    found = findings(answer, case)
    wrong = {
        "file": pick("the file is not what the log says was frozen", "案卷与日志所记摘要不符"),
        "chain": pick("the records do not follow each other", "记录的哈希链不连续"),
        "deals": pick("the deal was not committed before", "发牌与事先承诺不符"),
    }
    right = [name for name, holds in found.items() if holds]
    return right, [wrong[name] for name, holds in found.items() if not holds]


def parse(data: bytes) -> case_pb2.CaseFile | None:
    """The case file that `--case --out` wrote; None for any other bytes."""
    try:
        file = case_pb2.CaseFile.FromString(data)
    except DecodeError:
        return None
    return file if file.championship and file.appeal and file.edition else None


def replay(file: case_pb2.CaseFile) -> Replay:
    """The contested board as it was frozen, with all hands. Raises Problem where the file has no steps of a board."""
    at = board_of(file.contested)
    if at is None or not file.board.steps:
        raise Problem(
            pick(
                "that case file has no steps of a board: none is contested, or it was not revealed when the file was frozen",
                "该案卷没有牌局步骤：所争议的不是一副牌，或冻结案卷时该副尚未公开",
            )
        )
    return replays.of_case(file, at)


# Fees

_FEES = (
    Column("appeal", "Appeal", "申诉"),
    Column("entrant", "Entrant", "参赛编号", right=True),
    Column("amount", "Amount", "金额", right=True),
    Column("currency", "Currency", "币种"),
    Column("state", "State", "状态", word),
    Column("reference", "Reference", "付款凭证"),
    Column("filed", "Filed", "提交于"),
    Column("window_ends", "Payable until", "缴费截止"),
)


def fees(*, link: Link = LINK, show: Show = SHOW) -> None:
    """List the fees of all appeals for the treasurer: due, paid, refunded, kept or never paid (C10.2, C10.6)."""

    async def work(fupan: Fupan) -> tuple[pb.ListAppealsResponse, tzinfo]:
        championship = await championship_of(fupan, link)
        told = await fupan.appeals.ListAppeals(pb.ListAppealsRequest(championship=championship))
        return told, await zone_of(fupan, championship)

    told, zone = run(link, work)
    rows([fee_record(one, zone) for one in told.appeals], _FEES, show.form)


def fee_record(one: pb.Appeal, zone: tzinfo) -> dict[str, Any]:
    """An appeal's fee as JSON and CSV have it; amounts in whole units."""
    return {
        "appeal": one.appeal,
        "entrant": one.filed.entrant or None,
        "amount": f"{one.filed.fee_amount / 100:.2f}",
        "currency": one.filed.fee_currency,
        "state": fee_state(one),
        "reference": one.fee.reference,
        "filed": moment(one.filed_us, zone),
        "window_ends": moment(one.window_ends_us, zone),
    }


def fee_state(one: pb.Appeal) -> str:
    """`due`, `paid`, `refunded`, `kept`, or `unpaid` for ever."""
    if one.fee_outcome:
        return one.fee_outcome
    if one.HasField("fee"):
        return "paid"
    return "due" if one.phase == "filed" else "unpaid"
