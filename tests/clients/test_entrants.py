"""`fupan entrants import --all` names every row that the event refuses (C1.2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from grpc import StatusCode
from grpc.aio import AioRpcError, Metadata

from clients.cli import entrants, refusals
from clients.cli.options import Show
from clients.cli.output import Problem
from clients.cli.refusals import Refusal
from fupan.pairing.v1 import service_pb2 as pb


class Refusing:
    """Services of an event in which every row is bad."""

    patience = 0.0

    def __init__(self) -> None:
        self.pairing = self

    async def ImportEntrants(self, messages: AsyncIterator[Any]) -> None:
        raise AioRpcError(StatusCode.INVALID_ARGUMENT, Metadata(), Metadata(), "line 2: no", "")

    async def CheckEntrants(self, messages: AsyncIterator[Any]) -> pb.CheckEntrantsResponse:
        rows = [one.row async for one in messages if one.HasField("row")]
        return pb.CheckEntrantsResponse(bad=[pb.BadRow(line=one.line, why="no") for one in rows], more=7)


@pytest.mark.parametrize(("asked", "told"), [(["--all"], True), (["--json"], True), ([], False)])
def test_every_bad_row_is_named_to_who_asks(
    asked: list[str],
    told: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    file = tmp_path / "entrants.csv"
    file.write_text("person_id\n" + "".join(f"p-{number}\n" for number in range(2, 32)))

    async def only(fupan: Any, link: Any) -> str:
        return "cup"

    async def answered(work: Any) -> Any:
        return await work(Refusing())

    monkeypatch.setattr(entrants, "championship_of", only)
    monkeypatch.setattr(entrants, "run", lambda link, work: asyncio.run(answered(work)))
    bad_rows = Refusal(StatusCode.INVALID_ARGUMENT, "BAD_ROWS", "C1.2", "line 2: no")
    monkeypatch.setattr(refusals, "read", lambda error: bad_rows)
    show = Show(as_json="--json" in asked)
    with pytest.raises(Problem if told else AioRpcError):
        entrants.import_command(file, every="--all" in asked, show=show)
    lines = capsys.readouterr().err.splitlines()
    found = [f"{file}: line {number}: no" for number in range(2, 32)]
    assert lines == ([*found, f"{file}: and 7 more, when these are mended"] if told else [])
