"""`fupan demo`: a whole championship of robots on real servers, its appeal, and its log checked."""

from __future__ import annotations

import asyncio
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter, validators

from clients.cli import kinds, refusals
from clients.cli.connection import Fupan
from clients.cli.kinds import Form, Game
from clients.cli.local import scratch, web
from clients.cli.local.event import Event, found
from clients.cli.local.hosting import play_to_end
from clients.cli.local.report import Result, complain, conclude
from clients.cli.local.stack import Wanted, running
from clients.cli.local.up import HOST_PATIENCE, introduce, told_to_stop
from clients.cli.output import UNAVAILABLE, USAGE, Problem, as_json, say
from clients.cli.places import Place
from clients.cli.receipts import Receipts, keeper
from clients.cli.tokens import signing_key
from clients.cli.words import pick
from clients.robot.tokens import Signer


@dataclass(frozen=True, slots=True)
class _Ending:
    """What to do at the end. `uncontested`: nobody appeals, and nothing is corrected."""

    leave: bool
    uncontested: bool
    as_json: bool
    audit_out: Path | None
    receipts: Path | None


def demo(
    *,
    game: Annotated[Game, Parameter(help="what is played")] = "paohuzi",
    form: Annotated[Form, Parameter(name="--format", help="kind of event")] = "individual",
    entrants: Annotated[
        int, Parameter(help="how many entrants", validator=validators.Number(gte=2, lte=10_000))
    ] = 12,
    rounds: Annotated[
        int | None,
        Parameter(
            help="default 3, of points 5",
            validator=validators.Number(gte=1, lte=100),
        ),
    ] = None,
    boards: Annotated[
        int,
        Parameter(help="boards a round; deals a match in points", validator=validators.Number(gte=1, lte=64)),
    ] = 4,
    machine: Annotated[bool, Parameter(negative=(), help="human against machine (C1.3)")] = False,
    seed: Annotated[
        int | None,
        Parameter(
            help="of deals and thinking times; default any",
            validator=validators.Number(gte=0, lt=2**63),
        ),
    ] = None,
    uncontested: Annotated[
        bool, Parameter(negative=(), help="leave the appeal to you (docs/contest.md)")
    ] = False,
    leave: Annotated[bool, Parameter(name="--exit", negative=(), help="end after the report")] = False,
    json: Annotated[bool, Parameter(name="--json", negative=(), help="the report as one object")] = False,
    audit_out: Annotated[
        Path | None,
        Parameter(help="folder for an audit file a table and one for the championship"),
    ] = None,
    data: Annotated[
        Path | None,
        Parameter(help="data directory; an unfinished demo there is played on"),
    ] = None,
    console: web.Port = None,
    processes: Annotated[bool, Parameter(negative=(), help="one process for each service")] = False,
    receipts: Receipts = None,
) -> int:
    """Play a whole championship: robots over the public API, standings, an appeal, rebuilt standings, the log checked."""
    if machine and form not in ("individual", "machine"):
        raise Problem(
            pick(
                f"against the machine everybody plays for itself: give --machine or --format {form}",
                f"人机赛为个人赛：--machine 与 --format {form} 不能同时使用",
            ),
            USAGE,
        )
    form = "machine" if machine else form
    kind = kinds.find(game, form)
    if audit_out is not None:
        scratch.make(audit_out)
    keeper(receipts, "")  # a file that cannot be written is told of before anything is started
    event = Event(kind, form, entrants, rounds or kind.rounds, boards, seed)
    ending = _Ending(leave, uncontested, json, audit_out, receipts)
    with scratch.folder(say) if data is None else nullcontext(data) as folder:
        try:
            return asyncio.run(
                _run(Wanted(folder, demo=True, apart=processes, console=console), event, ending)
            )
        except TimeoutError:
            raise Problem(
                pick(
                    f"the services did not go on; see {folder / 'logs'}, and repeat with --data {folder}",
                    f"服务没有继续运行；请查看 {folder / 'logs'}，并用 --data {folder} 重试",
                ),
                UNAVAILABLE,
            ) from None


async def _run(wanted: Wanted, event: Event, ending: _Ending) -> int:
    async with running(wanted, say) as place:
        told = asyncio.create_task(told_to_stop())
        work = asyncio.create_task(_work(place, event, ending))
        await asyncio.wait((told, work), return_when=asyncio.FIRST_COMPLETED)
        if not work.done():
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)
            return 130
        code = work.result()
        if not ending.leave:
            if not ending.as_json:
                introduce(place, wanted.data)
            await told
        told.cancel()
        return code


async def _work(place: Place, event: Event, ending: _Ending) -> int:
    assert place.keys is not None
    with refusals.told():
        async with Fupan(place, Signer(signing_key(place.keys), place.operator), HOST_PATIENCE) as fupan:
            championship = await found(fupan, event)
            say(pick(f"championship {championship}", f"赛事 {championship}"))
            receipts = await play_to_end(fupan, championship, keeper(ending.receipts, championship))
            result = await conclude(fupan, championship, receipts, ending.audit_out, ending.uncontested)
    _print(result, ending)
    return complain(result.log)


def _print(result: Result, ending: _Ending) -> None:
    if ending.as_json:
        print(as_json(result.told()), flush=True)
    else:
        result.show()
