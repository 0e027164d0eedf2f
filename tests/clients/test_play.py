from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import grpc
import pytest
from grpc import aio

from clients.cli.bearer import interceptors
from fupan.table.v1 import service_pb2 as pb
from tests.clients.streams import CODEC, RULES, SEAT, START, Script, Stream, serving
from tests.servers import SECONDS


class Terminal:
    """`fupan play` as a person has it: lines in, lines out."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self.seen = ""

    async def until(self, text: str, times: int = 1) -> None:
        """Read until `text` was shown so often."""
        assert self._process.stdout is not None
        while self.seen.count(text) < times:
            line = await self._process.stdout.readline()
            assert line, f"{text!r} was never shown:\n{self.seen}"
            self.seen += line.decode()

    def type(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n".encode())

    def interrupt(self) -> None:
        """Ctrl-C."""
        self._process.send_signal(signal.SIGINT)

    async def end(self) -> int:
        """Read the rest; the exit code."""
        assert self._process.stdout is not None
        self.seen += (await self._process.stdout.read()).decode()
        return await self._process.wait()


@asynccontextmanager
async def playing(*scripts: Script, more: Sequence[str] = ()) -> AsyncIterator[Terminal]:
    async with serving(*scripts) as address, asyncio.timeout(SECONDS):
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-u", "-m", "clients.cli", "play", "--championship", "cup", *more),
            *("--server", address, "--token", "token-of-kai", "--lang", "en"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        try:
            yield Terminal(process)
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()


async def test_a_person_learns_the_keys_and_the_seat_and_answers_by_number() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1)
        assert (await stream.answer()).ask == 1
        await stream.end()

    async with playing(script) as terminal:
        await terminal.until("r WHY calls the referee; q leaves")
        await terminal.until(f"you are seated at r1-t1, seat {SEAT}")
        await terminal.until(" 1) ")
        for nonsense in ("0", "-1", "x", "9" * 5000, "²"):
            terminal.type(nonsense)
        terminal.type("1")
        assert await terminal.end() == 0
    assert terminal.seen.count("a number from 1 to ") == 5
    assert terminal.seen.endswith("the championship has ended\n")


async def test_a_refused_stream_is_told_of_once() -> None:
    async def refused(stream: Stream) -> None:
        await stream.hello()  # as the gate does; a call that ends under its hello would look broken
        await stream.context.abort(grpc.StatusCode.PERMISSION_DENIED, "only for player")

    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.end()

    async with playing(refused, refused, refused, script) as terminal:
        assert await terminal.end() == 0
    assert (
        terminal.seen.count("you have no seat in this championship, or are not entered yet; trying again\n")
        == 1
    )


def test_no_interceptor_stands_before_a_play_stream() -> None:
    """Behind one, a refused stream leaves tasks that end in noise on the terminal."""
    assert not any(isinstance(one, aio.StreamStreamClientInterceptor) for one in interceptors(str, 1.0))


async def test_a_question_whose_clock_ran_out_is_told_of() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1, ask=1)
        await stream.ask(2, ask=2)
        await stream.answer()
        await stream.ask(3, ask=3)
        await stream.end()

    async with playing(script) as terminal:
        await terminal.until("your time ran out")
        terminal.type("1")
        assert await terminal.end() == 0
    assert terminal.seen.count("your time ran out") == 1


async def test_the_clock_is_told_again_before_it_ends_but_not_after_an_answer() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1, ask=1, seconds=12)
        await stream.answer()
        await stream.ask(2, ask=2, seconds=7)
        await stream.answer()
        await asyncio.sleep(2.1)
        await stream.end()

    async with playing(script) as terminal:
        await terminal.until("10 s left")
        terminal.type("1")
        await terminal.until("your choice (", times=2)
        terminal.type("1")
        assert await terminal.end() == 0
    assert terminal.seen.count(" s left") == 1


async def test_who_has_lost_the_seat_is_asked_nothing_and_told_of_no_clock() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1, seconds=7)
        await stream.tell(waiting=pb.Waiting(reason="NO_TABLE"))
        await asyncio.sleep(2.1)
        await stream.end()

    async with playing(script) as terminal:
        await terminal.until("waiting for a table")
        terminal.type("1")
        assert await terminal.end() == 0
    assert "nothing is asked of you now" in terminal.seen
    assert " s left" not in terminal.seen


async def test_after_a_line_that_means_nothing_the_question_is_asked_again() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        await stream.ask(1, seconds=60)
        await stream.answer()
        await stream.end()

    async with playing(script) as terminal:
        await terminal.until("your choice (60 s)?")
        terminal.type("nonsense")
        await terminal.until("a number from 1 to ")
        terminal.type("1")
        assert await terminal.end() == 0
    assert terminal.seen.count("your choice (") == 2


async def test_another_table_than_the_one_named_is_not_played() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated("r2-t9")
        await stream.tell(waiting=pb.Waiting())

    async with playing(script, more=("r1-t1",)) as terminal:
        assert await terminal.end() == 1
    assert "you are seated at r2-t9" in terminal.seen


async def test_ctrl_c_ends_with_130_and_no_word() -> None:
    async def script(stream: Stream) -> None:
        await stream.seated()
        async for _ in stream.requests:
            pass

    async with playing(script) as terminal:
        await terminal.until("fills their seats)\n")
        before = terminal.seen
        terminal.interrupt()
        assert await terminal.end() == 130
    assert terminal.seen == before


@pytest.mark.parametrize("seen", [True, False])
@pytest.mark.parametrize(
    ("result", "told"),
    [
        (pb.BoardResult(scores=(6, -3, -3)), "the board is over: +6 -3 -3"),
        (pb.BoardResult(unfinished=True), "the board was closed without a result"),
    ],
)
async def test_a_person_is_told_how_the_board_ended(result: pb.BoardResult, told: str, seen: bool) -> None:
    """Also of a board that ended while it was away, where nothing of it can be shown any more."""

    async def script(stream: Stream) -> None:
        await stream.seated()
        view = pb.SeatView(paohuzi=CODEC.views.to_proto(RULES.view(START, SEAT))) if seen else None
        await stream.tell(update=pb.Update(cursor=1, board=1, view=view, result=result))
        await stream.end()

    async with playing(script) as terminal:
        assert await terminal.end() == 0
    assert told in terminal.seen
