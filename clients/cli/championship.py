"""`fupan championship`: create one from its file, show, start, seal; its officials and regulations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal

import grpc
from cyclopts import Parameter

from clients.appealing import uneven
from clients.cli.connection import Fupan, championship_of, command_id, order, run
from clients.cli.files import read_text
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import Column, accepted, fields, rows, say, written
from clients.cli.refusals import read
from clients.cli.times import moment, zone
from clients.cli.words import pick, word
from fupan.pairing.v1 import service_pb2 as pb
from fupan.pairing.v1.events_pb2 import Settings

LARGEST_DOCUMENT = 1024 * 1024
"""Bytes of a file that a service is sent whole; what a service takes is less."""

Role = Literal["organiser", "chief_referee", "deputy", "referee", "arbitrator"]


def _offices(officials: list[dict[str, str]]) -> str:
    return ", ".join(
        f"{one['person']} ({word(one['role'])}{pick(': ', '：') + one['reason'] if one['reason'] else ''})"
        for one in officials
    )


def _regulations(versions: list[dict[str, Any]]) -> str:
    """The newest first: who published it, when, and its text where that is known."""
    told = []
    for one in reversed(versions):
        when = written(one["published"])
        head = pick(
            f"version {one['version']}, {when}, {one['by']}", f"第 {one['version']} 版，{when}，{one['by']}"
        )
        told.append(f"{head}\n{one['text'].rstrip()}\n" if "text" in one else head)
    return "\n".join(told).rstrip()


def _setting(value: Any) -> str:
    if isinstance(value, bool):
        return word("yes" if value else "no")
    return json.dumps(value) if isinstance(value, dict) else str(value)


_COLUMNS = (
    Column("championship", "Championship", "赛事"),
    Column("name", "Name", "名称"),
    Column("phase", "Phase", "阶段", word),
    Column("ruleset", "Ruleset", "规则"),
    Column("format", "Format", "赛制", word),
    Column("rounds", "Rounds", "轮数", right=True),
    Column("boards_per_round", "Boards a round", "每轮副数", right=True),
    Column("current_round", "Round now", "当前轮次", right=True),
    Column("entrants", "Entrants", "参赛数", right=True),
    Column("organiser", "Organiser", "组织者"),
    Column("officials", "Officials", "官员", _offices),
    Column("final_authority", "Final authority", "终局裁决", word),
    Column("interpreter", "Interprets the rules", "规则解释权", word),
    Column("fee", "Appeal fee", "申诉费"),
    Column("created", "Created", "创建于"),
    Column("ended", "Ended", "结束于"),
    Column("demo", "Demo", "演示赛", lambda demo: pick("yes", "是") if demo else ""),
    Column("epoch", "Epoch", "周期"),
    Column("seal", "Seal", "封存签名"),
    Column(
        "being_sealed",
        "Being sealed",
        "封存中",
        lambda waits: pick("once scoring has answered", "待计分服务回应") if waits else "",
    ),
)
_REGULATIONS = (Column("regulations", "Supplementary regulations", "补充规定", _regulations),)
_SETTINGS = tuple(
    Column(name, name, name, _setting)
    for name in Settings.DESCRIPTOR.fields_by_name
    if name not in {column.key for column in _COLUMNS} | {"fee_amount", "fee_currency", "demo_seed"}
)
"""What else an organiser may set, by its own name."""

_LISTED = ("championship", "name", "phase", "format", "entrants", "rounds", "current_round", "created")


def create(file: Path, /, *, link: Link = LINK, show: Show = SHOW) -> None:
    """Create a championship from its file and print it as it was resolved.

    Parameters
    ----------
    file
        Championship file, YAML or JSON (docs/championship-file.md).
    """
    document = read_text(file, LARGEST_DOCUMENT)

    async def work(fupan: Fupan) -> dict[str, Any]:
        request = pb.CreateChampionshipRequest(command_id=command_id(), document=document)
        created = await fupan.pairing.CreateChampionship(request)
        return await described(fupan, created.settings.championship, created.receipt.position)

    fields(run(link, work), (*_COLUMNS, *_SETTINGS, *_REGULATIONS), show.form)


def show_command(*, link: Link = LINK, show: Show = SHOW) -> None:
    """Show a championship: settings, phase, officials, supplementary regulations (C9.5)."""

    async def work(fupan: Fupan) -> dict[str, Any]:
        championship = await championship_of(fupan, link)
        told = await described(fupan, championship)
        for one in told["regulations"]:
            asked = pb.GetRegulationsRequest(championship=championship, version=one["version"])
            published = (await fupan.pairing.GetRegulations(asked)).regulations.published
            one["text"] = published.text
        return told

    told = run(link, work)
    fields(told, (*_COLUMNS, *_SETTINGS, *_REGULATIONS), show.form)
    if told["committee"]:
        say(told["committee"])


def list_command(*, link: Link = LINK, show: Show = SHOW) -> None:
    """List all championships."""
    columns = [column for column in _COLUMNS if column.key in _LISTED]
    rows([record(one) for one in run(link, listed)], columns, show.form)


def start(*, link: Link = LINK) -> None:
    """Close registration, draw round 1 and start it."""

    async def work(fupan: Fupan) -> None:
        championship, position = await championship_of(fupan, link), ""
        told = await described(fupan, championship)
        if told["committee"]:
            say(told["committee"])
        try:
            paired = await fupan.pairing.PairRound(
                pb.PairRoundRequest(command_id=command_id(), championship=championship, round=1)
            )
            position = paired.receipt.position
        except grpc.aio.AioRpcError as error:
            # What was done before an outage is done: the command may be given again, by whoever may give it at all.
            if read(error).reason != "ROUND_PAIRED":
                raise
        first = await fupan.pairing.GetRound(
            pb.GetRoundRequest(championship=championship, round=1, min_position=position)
        )
        if first.phase == "paired" and not told["automatic_rounds"]:
            await fupan.pairing.StartRound(
                pb.StartRoundRequest(command_id=command_id(), championship=championship, round=1)
            )
        say(
            pick(
                f"{championship}: round 1 is drawn, {len(first.tables)} tables, and starts",
                f"{championship}：首轮已抽签，共 {len(first.tables)} 桌，比赛开始",
            )
        )

    run(link, work)


def end(*, reason: Annotated[str, Parameter(help="why")], link: Link = LINK, show: Show = SHOW) -> None:
    """End the competition before its last round; what was played stays."""
    done = order(
        link, lambda fupan, to: fupan.pairing.EndCompetition(pb.EndCompetitionRequest(**to, reason=reason))
    )
    accepted(done.receipt, show.form)


def seal(*, link: Link = LINK, show: Show = SHOW) -> None:
    """Seal and sign a championship whose appeal window is over and whose appeals are decided (C10.8)."""
    sealed = order(link, lambda fupan, to: fupan.pairing.SealChampionship(pb.SealChampionshipRequest(**to)))
    accepted(sealed.receipt, show.form, root=sealed.seal.root.hex(), key=sealed.seal.key)


def appoint(
    person: str,
    role: Role,
    /,
    *,
    unit: Annotated[str, Parameter(help="the official's unit")] = "",
    reason: Annotated[str, Parameter(help="why this one (C9.4)")] = "",
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """Appoint an official (C9.1).

    Parameters
    ----------
    person
        Person id.
    role
        The office.
    """
    done = order(
        link,
        lambda fupan, to: fupan.pairing.AppointOfficial(
            pb.AppointOfficialRequest(**to, person_id=person, role=role, unit_id=unit, reason=reason)
        ),
    )
    accepted(done.receipt, show.form)
    _committee(role, done.receipt.position, link)


def suspend(
    person: str,
    role: Role,
    /,
    *,
    reason: Annotated[str, Parameter(help="why")],
    link: Link = LINK,
    show: Show = SHOW,
) -> None:
    """End an official's commission (C9.2).

    Parameters
    ----------
    person
        Person id.
    role
        The office.
    """
    done = order(
        link,
        lambda fupan, to: fupan.pairing.SuspendOfficial(
            pb.SuspendOfficialRequest(**to, person_id=person, role=role, reason=reason)
        ),
    )
    accepted(done.receipt, show.form)
    _committee(role, done.receipt.position, link)


def _committee(role: Role, position: str, link: Link) -> None:
    """Say what is wrong with the arbitration committee, where that is what has changed (C9.1)."""

    async def work(fupan: Fupan) -> str:
        told = await described(fupan, await championship_of(fupan, link), position)
        return str(told["committee"])

    if role == "arbitrator" and (wrong := run(link, work)):
        say(wrong)


def regulations(file: Path, /, *, link: Link = LINK, show: Show = SHOW) -> None:
    """Publish supplementary regulations before round 1 (C9.5); `fupan championship show` and the web console show them.

    Parameters
    ----------
    file
        Text file.
    """
    text = read_text(file, LARGEST_DOCUMENT)

    published = order(
        link,
        lambda fupan, to: fupan.pairing.PublishRegulations(pb.PublishRegulationsRequest(**to, text=text)),
    )
    accepted(published.receipt, show.form, version=published.version)


async def listed(fupan: Fupan) -> list[pb.GetChampionshipResponse]:
    """All championships there are."""
    found: list[pb.GetChampionshipResponse] = []
    token = ""
    while True:
        page = await fupan.pairing.ListChampionships(
            pb.ListChampionshipsRequest(page_size=100, page_token=token)
        )
        found += page.championships
        token = page.next_page_token
        if not token:
            return found


async def described(fupan: Fupan, championship: str, position: str = "") -> dict[str, Any]:
    """A championship as JSON has it."""
    request = pb.GetChampionshipRequest(championship=championship, min_position=position)
    return record(await fupan.pairing.GetChampionship(request))


def record(told: pb.GetChampionshipResponse) -> dict[str, Any]:
    """A championship as JSON has it: every setting, and how far it is."""
    settings = {name: getattr(told.settings, name) for name in told.settings.DESCRIPTOR.fields_by_name}
    place = zone(told.settings.time_zone)
    return settings | {
        "params": json.loads(told.settings.params or "{}"),
        "lines": list(told.settings.lines),
        "phase": told.phase,
        "organiser": told.organiser,
        "entrants": told.entrants,
        "current_round": told.current_round,
        "officials": [
            {"person": one.person_id, "role": one.role, "reason": one.reason} for one in told.officials
        ],
        "committee": pick(*wrong) if (wrong := uneven(told)) else "",
        "regulations": [
            {
                "version": one.published.version,
                "published": moment(one.time_us, place),
                "by": one.organiser,
                "digest": one.published.digest.hex(),
            }
            for one in told.regulations
        ],
        "fee": f"{told.settings.fee_amount / 100:.2f} {told.settings.fee_currency}",
        "created": moment(told.created_us, place),
        "ended": moment(told.ended_us, place),
        "epoch": told.epoch,
        "seal": told.seal.root.hex() if told.HasField("seal") else "",
        "being_sealed": told.being_sealed,
    }
