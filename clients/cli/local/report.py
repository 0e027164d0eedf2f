"""What a demo ends with: final standings, the appeal, the rebuilt standings, and the whole log checked."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clients.cli import appeals, changes, remedies, standings
from clients.cli.connection import Fupan
from clients.cli.evidence import Collected, collect
from clients.cli.local import contest, correction
from clients.cli.output import OK, Problem, rows, say
from clients.cli.times import zone
from clients.cli.words import pick, word
from fupan.pairing.v1 import service_pb2 as pairing_pb
from fupan.pairing.v1.events_pb2 import Settings
from fupan.scoring.v1 import service_pb2 as pb
from services.ledger import auditfile, seals
from services.ledger.audit.receipts import Receipt
from services.ledger.audit.report import Report
from services.ledger.audit.verify import verify
from services.ledger.record import verify_chain

_POLL_SECONDS = 0.2
_WAIT_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Log:
    """The log of a championship, checked: number of records, a root over all heads (hex), what is wrong."""

    records: int
    head: str
    reports: dict[str, Report]

    @property
    def verified(self) -> bool:
        """Whether every file verifies."""
        return all(report.ok for report in self.reports.values())


@dataclass(frozen=True, slots=True)
class Result:
    """A demo's result. `final`: standings after the last round; `rebuilt`: folded again from the log after the
    ruling in the appeal or, where nobody may appeal, the chief referee's correction."""

    championship: str
    seed: int
    final: list[dict[str, Any]]
    appeal: dict[str, Any] | None
    correction: dict[str, Any] | None
    rebuilt: list[dict[str, Any]]
    rebuilt_same: bool
    log: Log

    def told(self) -> dict[str, Any]:
        """The one object that `demo --json` prints."""
        return {
            "championship": self.championship,
            "seed": self.seed,
            "standings": self.final,
            "appeal": self.appeal,
            "correction": self.correction,
            "rebuilt": self.rebuilt,
            "rebuilt_same": self.rebuilt_same,
            "log": {"records": self.log.records, "head": self.log.head, "verified": self.log.verified},
        }

    def show(self) -> None:
        """Print it for people."""
        print(pick("Final standings", "最终名次"))
        rows(self.final, standings.columns(self.final), "table")
        if self.appeal is not None:
            _show_appeal(self.appeal)
        if self.correction is not None:
            print(correction.text(self.correction), end="\n\n")
        if self.appeal is not None or self.correction is not None:
            print(pick("Standings rebuilt after the ruling", "裁决后由日志重算的名次"))
            compared = changes.side_by_side(self.final, self.rebuilt)
            rows(compared, changes.columns(compared), "table")
        state = pick("verified", "已复核") if self.log.verified else pick("NOT VERIFIED", "复核未通过")
        print(
            pick(
                f"Log: {self.log.records} records in {len(self.log.reports)} audit files, {state};"
                f" head {self.log.head}",
                f"日志：{self.log.records} 条记录，{len(self.log.reports)} 份复核文件，{state}；头 {self.log.head}",
            )
        )


async def conclude(
    fupan: Fupan, championship: str, receipts: Sequence[bytes], out: Path | None, uncontested: bool = False
) -> Result:
    """Let the appeal be decided or a result corrected unless `uncontested`, rebuild the standings, check the log; `out` gets the
    audit files."""
    settings = await _settings(fupan, championship)
    say(pick("waiting for the final standings", "等待最终名次"))
    number = await _published(fupan, championship, "round", settings.rounds)
    final = await _standings(fupan, championship, number)
    appeal, corrected, cause = None, None, ""
    if uncontested:
        pass
    elif settings.final_authority == "arbitration":
        say(pick("an appeal is heard", "审理申诉"))
        appeal = await contest.hold(fupan, championship, final.rows)
        cause = "ruling" if appeal is not None and appeal.phase == "upheld" else ""
    else:
        say(pick("the chief referee corrects a result", "裁判长更正成绩"))
        corrected = await correction.make(fupan, championship, final.rows, number)
        cause = "correction" if corrected is not None else ""
    if cause:
        number = await _published(fupan, championship, cause, settings.rounds)
    rebuilt = await fupan.scoring.RebuildStandings(
        pb.RebuildStandingsRequest(championship=championship, publication=number)
    )
    say(pick("the log is checked", "复核日志"))
    collected = await collect(fupan, championship)
    log = await asyncio.to_thread(check, collected, fupan.place.trust, receipts, out)
    return Result(
        championship,
        settings.demo_seed,
        standings.records(final.rows),
        None if appeal is None else appeals.record(appeal, zone(settings.time_zone)),
        None if corrected is None else corrected.told(),
        standings.records(rebuilt.standings.rows),
        rebuilt.same,
        log,
    )


def check(
    collected: Collected, trust: Sequence[str], receipts: Sequence[bytes], out: Path | None = None
) -> Log:
    """Cut the audit files of all tables and of the championship, check each, and write them to `out`."""
    files = {table: collected.table(table) for table in collected.tables}
    whole = files[collected.championship] = collected.whole()
    reports = {}
    for name, file in files.items():
        data = auditfile.encode(file.about, file.records)
        kept = [Receipt("", digest) for digest in receipts] if file is whole else []
        reports[name] = verify(data, trust, kept)
        if out is not None:
            (out / f"{name}.fupan").write_bytes(data)
    heads, _ = verify_chain(sorted(whole.records, key=lambda one: (one.stream, one.sequence)))
    root = seals.championship_root(
        ((subject, head.version, head.hash) for subject, head in heads.items()), ()
    )
    return Log(len(whole.records), root.hex(), reports)


def complain(log: Log) -> int:
    """Say what did not verify. Raises Problem if anything."""
    for name, report in log.reports.items():
        for finding in report.findings[:5]:
            say(f"{name}: {finding.code} {finding}")
    if not log.verified:
        raise Problem(pick("the log does not verify", "日志复核未通过"))
    return OK


async def _settings(fupan: Fupan, championship: str) -> Settings:
    request = pairing_pb.GetChampionshipRequest(championship=championship)
    return (await fupan.pairing.GetChampionship(request)).settings


async def _published(fupan: Fupan, championship: str, cause: str, after_round: int) -> int:
    """Number of the first publication with this cause after this round; waited for. Raises TimeoutError."""
    request = pb.ListPublicationsRequest(championship=championship)
    async with asyncio.timeout(_WAIT_SECONDS):
        while True:
            for one in (await fupan.scoring.ListPublications(request)).publications:
                if (one.published.cause, one.published.after_round) == (cause, after_round):
                    return one.published.number
            await asyncio.sleep(_POLL_SECONDS)


async def _standings(fupan: Fupan, championship: str, number: int) -> pb.GetStandingsResponse:
    request = pb.GetStandingsRequest(championship=championship, as_of=str(number))
    return await fupan.scoring.GetStandings(request)


def _show_appeal(appeal: dict[str, Any]) -> None:
    upheld = pick("upheld", "支持") if appeal["upheld"] else pick("rejected", "驳回")
    print(
        pick(
            f"Appeal {appeal['appeal']} of entrant {appeal['entrant']} on {appeal['contested']}:"
            f" {upheld} {appeal['votes']}, fee {appeal['fee']} {appeal['fee_outcome']}",
            f"{appeal['entrant']} 号参赛者的申诉 {appeal['appeal']}（{appeal['contested']}）："
            f"{upheld} {appeal['votes']}，申诉费 {appeal['fee']} {word(appeal['fee_outcome'])}",
        )
    )
    for remedy in appeal["remedies"]:
        print(pick("Remedy: ", "补救：") + remedies.text(remedy))
    print()
