"""`fupan audit`: cut files from the log, check them without any service, compare log and archive."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from clients.cli import files
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import FAILED, OK, USAGE, Column, Problem, fields, in_words, rows, say
from clients.cli.places import SERVICES, Service
from clients.cli.words import pick, sentence, word
from services.domain import Rejected
from services.ledger import auditfile, keys
from services.ledger.audit.receipts import Receipt, parse_receipts
from services.ledger.audit.report import Check, Report
from services.ledger.audit.verify import verify as verify_bytes

if TYPE_CHECKING:
    from clients.cli.connection import Fupan

_CHECKS = (
    Column("status", "", ""),
    Column("check", "Check", "复核项"),
    Column("detail", "Detail", "说明"),
)
_FINDINGS = (
    Column("service", "Service", "服务"),
    Column("kind", "Finding", "发现"),
    Column("stream", "Stream", "流"),
    Column("sequence", "Sequence", "序号", right=True),
    Column("subject", "Subject", "主题"),
    Column("version", "Version", "版本", right=True),
    Column("detail", "Detail", "说明"),
)


def export(
    *,
    out: Annotated[Path, Parameter(help="file to write, <id>.fupan")],
    table: Annotated[str, Parameter(help="one table")] = "",
    round_: Annotated[
        int,
        Parameter(name="--round", help="one round; without table and round the whole"),
    ] = 0,
    link: Link = LINK,
) -> None:
    """Write the log of a table, a round or the championship to a file that checks itself."""
    from clients.cli.connection import championship_of, run
    from clients.cli.evidence import NotInLog, collect

    if table and round_:
        raise Problem(pick("--table or --round, not both", "--table 与 --round 只能选一"), USAGE)

    async def work(fupan: Fupan) -> auditfile.AuditFile:
        collected = await collect(fupan, await championship_of(fupan, link))
        if table:
            return collected.table(table)
        return collected.round(round_) if round_ else collected.whole()

    try:
        file = run(link, work)
    except NotInLog as error:
        raise Problem(str(error)) from None
    data = auditfile.encode(file.about, file.records)
    files.write(out, data)
    say(
        pick(
            f"{out}: {len(file.records)} records, {len(data)} bytes",
            f"{out}：{len(file.records)} 条记录，{len(data)} 字节",
        )
    )


def verify(
    file: Path,
    /,
    *,
    trust: Annotated[
        list[str] | None,
        Parameter(
            help="fingerprint of a key that may sign, known from elsewhere",
            negative=(),
            consume_multiple=False,
        ),
    ] = None,
    receipts: Annotated[
        Path | None,
        Parameter(help="receipts that a player kept, one JSON object a line"),
    ] = None,
    shadow: Annotated[
        bool, Parameter(negative=(), help="let the second referees read every board too; takes long")
    ] = False,
    show: Show = SHOW,
) -> int:
    """Check an audit file without any service; exit 1 if anything is wrong with it.

    Parameters
    ----------
    file
        The file, from `fupan audit export` or `fupan demo --audit-out`.
    """
    data, kept = files.read(file), _receipts(receipts)
    report = verify_bytes(data, [_fingerprint(one) for one in trust or ()], kept, shadow=shadow)
    if show.form == "json":
        fields(told(report), (), "json")
    else:
        rows(_lines(report), _CHECKS, show.form)
        print(pick(report.verdict, f"{_verdict(report)}（{report.verdict}）"))
    return OK if report.ok else FAILED


def told(report: Report) -> dict[str, Any]:
    """A report as JSON has it."""
    return {
        "ok": report.ok,
        "verdict": report.verdict,
        "demo": report.demo,
        "signers": list(report.signers),
        "checks": [
            {
                "check": check.name,
                "status": str(check.status),
                "detail": check.detail,
                "missing": list(check.missing),
                "settled": list(check.settled),
            }
            for check in report.checks
        ],
        "findings": [
            {"subject": one.subject, "version": one.version, "code": one.code, "detail": one.detail}
            for one in report.findings
        ],
    }


def reconcile(
    services: Annotated[list[Service] | None, Parameter(help="services; default all")] = None,
    /,
    *,
    link: Link = LINK,
    show: Show = SHOW,
) -> int:
    """Compare every stream with its archive and check the chains; exit 1 if anything differs."""
    from clients.cli.connection import run

    async def work(fupan: Fupan) -> tuple[int, list[dict[str, Any]]]:
        found = await asyncio.gather(*(_compared(fupan, service) for service in services or SERVICES))
        return sum(records for records, _ in found), [one for _, findings in found for one in findings]

    records, findings = run(link, work)
    if show.form == "table":
        findings = [one | {"detail": sentence(one["detail"])} for one in findings]
    rows(findings, _FINDINGS, show.form)
    say(
        pick(
            f"{records} records compared, {len(findings)} findings",
            f"已核对 {records} 条记录，发现 {len(findings)} 处问题",
        )
    )
    return FAILED if findings else OK


async def _compared(fupan: Fupan, service: str) -> tuple[int, list[dict[str, Any]]]:
    from fupan.common.v1 import log_service_pb2 as pb

    records, findings = 0, []
    async for response in fupan.log(service).Reconcile(pb.ReconcileRequest()):
        match response.WhichOneof("kind"):
            case "finding":
                one = response.finding
                findings.append(
                    {
                        "service": service,
                        "kind": one.kind,
                        "stream": one.stream,
                        "sequence": one.sequence,
                        "subject": one.subject,
                        "version": one.version,
                        "detail": one.detail,
                    }
                )
            case "summary":
                records = response.summary.records
            case "progress" if sys.stderr.isatty():
                say(f"{response.progress.stream}: {response.progress.checked} / {response.progress.total}")
    return records, findings


def _lines(report: Report) -> Iterator[dict[str, str]]:
    """A line a check, then a line for everything that is wrong or could not be checked."""
    for check in report.checks:
        yield {"status": word(check.status), "check": word(check.name), "detail": _covered(check)}
        yield from ({"status": "", "check": one.code, "detail": sentence(str(one))} for one in check.findings)
        yield from ({"status": "", "check": "", "detail": sentence(one)} for one in check.missing)
        yield from (
            {"status": "", "check": pick("decided", "已裁定"), "detail": sentence(one)}
            for one in check.settled
        )
    if report.demo:
        yield {
            "status": "",
            "check": pick("demo", "演示赛"),
            "detail": pick(
                "a demo: its deals come from a seed and prove nothing",
                "牌由种子生成，不作任何证明",
            ),
        }


def _verdict(report: Report) -> str:
    """The verdict in Chinese; the English one stands behind it, the same for every script."""
    if not report.ok:
        return f"不一致，{len(report.findings)} 项不符"
    if not report.trusted:
        return "一致，来源未经证明"
    unsealed = f"；{len(report.unsigned)} 桌尚未封存" if report.unsigned else ""
    return f"一致，由可信的密钥签名{unsealed}"


def _covered(check: Check) -> str:
    """What a check covered, found, and could not do."""
    chinese = [f"已核验 {check.done} {'字节' if check.name == 'file' else '项'}"]
    chinese += [f"{len(check.findings)} 项不符"] if check.findings else []
    chinese += [f"{len(check.missing)} 项未能核验"] if check.missing else []
    chinese += [f"{len(check.settled)} 项已经裁定"] if check.settled else []
    return pick(check.detail, "，".join(chinese))


def _receipts(path: Path | None) -> tuple[Receipt, ...]:
    if path is None:
        return ()
    try:
        return parse_receipts(files.read_text(path))
    except Rejected as error:
        raise Problem(f"{path}: {in_words(error)}", USAGE) from None


def _fingerprint(text: str) -> str:
    try:
        return keys.parse_fingerprint(text)
    except ValueError as error:
        raise Problem(f"--trust: {in_words(error)}", USAGE) from None
