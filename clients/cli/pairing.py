"""`fupan pairing`: the draw of round 1, fetched as a certificate and recomputed from it without a server (C6.1)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

from cyclopts import Parameter

from clients.cli.files import read, write
from clients.cli.options import LINK, SHOW, Link, Show
from clients.cli.output import FAILED, OK, Column, Problem, fields, rows, say
from clients.cli.words import pick
from services.games.championship.tables import EVEN_PARTS, LINES_AFTER, SWISS, Plan, seat_drawn
from services.ledger import dealing, merkle
from services.ledger.digests import entrants_digest

KIND = "fupan/seating/1"

_COLUMNS = (
    Column("ok", "", "", lambda ok: "ok" if ok else "FAIL"),
    Column("check", "Check", "复核项"),
    Column("detail", "Detail", "说明"),
)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was recomputed."""

    check: str
    ok: bool
    detail: str = ""


def check(
    file: Path,
    /,
    *,
    root: Annotated[str, Parameter(help="the committed root (hex), as you know it from elsewhere")] = "",
    show: Show = SHOW,
) -> int:
    """Recompute the draw and the seats of round 1 from a seating certificate; exit 1 if anything differs.

    Parameters
    ----------
    file
        The certificate, from `fupan pairing certificate`.
    """
    try:
        document = json.loads(read(file))
        findings = list(_findings(document, root))
    except UnicodeDecodeError:
        raise _no_certificate(file, "not UTF-8", "不是 UTF-8") from None
    except KeyError as error:
        raise _no_certificate(file, f"{error} is missing", f"缺少 {error}") from None
    except json.JSONDecodeError:
        raise _no_certificate(file, "not JSON", "不是 JSON") from None
    except ValueError as error:
        raise _no_certificate(file, str(error), str(error)) from None
    except (TypeError, IndexError, AttributeError, RecursionError):
        raise _no_certificate(file, "it has another shape", "结构不符") from None
    good = all(finding.ok for finding in findings)
    records = [{"ok": one.ok, "check": one.check, "detail": one.detail} for one in findings]
    if show.form == "json":
        summary = {
            "ok": good,
            "root": document["draw"]["merkle_root"],
            "root_known": bool(root),
            "checks": records,
        }
        fields(summary, (), "json")
    else:
        rows(records, _COLUMNS, show.form)
        if not root:
            _say_root(document["draw"]["merkle_root"])
    return OK if good else FAILED


def _no_certificate(file: Path, why: str, why_zh: str) -> Problem:
    return Problem(pick(f"{file} is no seating certificate: {why}", f"{file} 不是座次证书：{why_zh}"))


def _say_root(root: str) -> None:
    say(
        pick(
            f"root {root}: compare it with the one published before the draw, or give that as --root",
            f"默克尔根 {root}：请与抽签前公布的比对，或用 --root 给出",
        )
    )


def certificate(
    *,
    out: Annotated[Path | None, Parameter(help="file to write; default stdout")] = None,
    link: Link = LINK,
) -> None:
    """Fetch the seating certificate of round 1."""
    from clients.cli.connection import Fupan, championship_of, run
    from fupan.pairing.v1 import service_pb2 as pb

    async def fetch(fupan: Fupan) -> bytes:
        championship = await championship_of(fupan, link)
        request = pb.GetSeatingCertificateRequest(championship=championship)
        return (await fupan.pairing.GetSeatingCertificate(request)).certificate

    data = run(link, fetch)
    if out is None:
        print(data.decode())
    else:
        write(out, data)


def _findings(document: dict[str, Any], root: str) -> Iterator[Finding]:
    """Every step from the committed leaf to the tables; raises what a document of another shape raises."""
    if document["certificate"] != KIND:
        raise ValueError(f"it is a {document['certificate']!r}, not a {KIND!r}")
    entrants, draw = document["entrants"], document["draw"]
    committed, leaf = bytes.fromhex(draw["merkle_root"]), bytes.fromhex(draw["leaf"])
    if root:
        yield Finding(
            pick("the root is the one you gave", "默克尔根与所给一致"), root.lower() == committed.hex()
        )
    path = dealing.draw_path(draw["name"])
    proof = [bytes.fromhex(one) for one in draw["proof"]]
    inside = merkle.included(committed, merkle.entry(path, leaf), draw["index"], draw["size"], proof)
    yield Finding(
        pick("the draw's leaf was committed", "抽签叶在承诺之中"), inside, f"{path}, batch {draw['batch']}"
    )
    digest = entrants_digest((number, members) for number, members in entrants)
    yield Finding(
        pick("the entrant list is the one that was closed", "参赛名单与封存的一致"),
        digest.hex() == document["entrants_digest"],
        pick(f"{len(entrants)} entrants", f"{len(entrants)} 个参赛者"),
    )
    numbers = [number for number, _ in entrants]
    drawn = dealing.draw(leaf, digest, bytes.fromhex(draw["entropy"]), numbers)
    round_1 = seat_drawn(_plan(document), 1, drawn, document.get("withdrawn", ()))
    due = [
        [f"r1-{one.name}", one.group, list(one.entrants), *([list(one.members)] if one.members else [])]
        for one in round_1.tables
    ]
    found, byes = document["tables"], document.get("byes", [])
    odd = next((index for index, (a, b) in enumerate(zip(due, found, strict=False)) if a != b), None)
    detail = pick(f"{len(found)} tables", f"{len(found)} 桌")
    if odd is not None:
        detail = pick(f"{found[odd][0]} should be {due[odd]}", f"{found[odd][0]} 应为 {due[odd]}")
    good = due == found and list(round_1.byes) == byes
    yield Finding(pick("the seats are the ones drawn", "座位与抽签结果一致"), good, detail)


def _plan(document: dict[str, Any]) -> Plan:
    """How the event seats its field; certificates of the first days name no movement, since there was but one.

    Raises ValueError for lines that a later version gives.
    """
    method = document.get("line_method", LINES_AFTER)
    if method > EVEN_PARTS:
        raise ValueError(f"its lines are given by method {method} of a later version")
    return Plan(
        format=document["format"],
        seats=document["seats"],
        rounds=document.get("rounds", 1),
        movement=document.get("movement", SWISS),
        groups=document["groups"],
        machine_seat=document["machine_seat"],
        line_method=method,
    )
