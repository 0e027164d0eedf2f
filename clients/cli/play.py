"""`fupan play`: a person at a table, in the terminal: hand, table, clocks; choices by number, cards by typing them."""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from contextlib import aclosing
from typing import Annotated

from cyclopts import Parameter
from grpc import aio
from rich.console import Console
from rich.text import Text

from clients.boards.shengji import overtaken
from clients.cli import faces, matches, refusals
from clients.cli.connection import Fupan, championship_of, command_id, run
from clients.cli.faces import telling
from clients.cli.options import LINK, Link
from clients.cli.output import FAILED, OK, Problem, say
from clients.cli.receipts import Receipts, keeper
from clients.cli.words import language, pick
from clients.robot.seat import Away, Moment, Refused, Replaced, Seat, Seated, Told, Waiting
from fupan.table.v1 import service_pb2 as pb
from services.games.shengji.actions import Bid
from services.games.shengji.bids import DRAWN
from services.games.shengji.view import SeatView as ShengjiView

_QUIT, _REFEREE = "q", "r"

_REMINDERS = (30, 10, 5)
"""Seconds before its end at which a running clock is told again."""


def play(
    table: Annotated[str, Parameter(help="table id; default wherever you are seated")] = "",
    /,
    *,
    receipts: Receipts = None,
    link: Link = LINK,
) -> int:
    """Sit down and play."""

    async def work(fupan: Fupan) -> int:
        championship = await championship_of(fupan, link)
        keep = keeper(receipts, championship)
        seat = Seat(fupan.table, championship, fupan.token, keep)
        return await _Terminal(fupan, championship, table, seat).run()

    return run(link, work)


class _Terminal:
    """What the screen shows, and the line that is being typed."""

    def __init__(self, fupan: Fupan, championship: str, table: str, seat: Seat) -> None:
        self._fupan = fupan
        self._championship = championship
        self._table = table
        self._seat = seat
        self._console = Console(highlight=False)
        self._moment: Moment | None = None
        self._away = False
        self._answered = ""
        """Command id of the newest answer."""
        self._bid = False
        """Whether a bid was given that is not decided yet."""
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._reminders: list[asyncio.TimerHandle] = []

    async def run(self) -> int:
        """Play until the championship has ended or the person leaves."""
        self._whisper(
            pick(
                "answer by number, in Shengji also SA H10; r WHY calls the referee; q leaves, and your clock runs on",
                "按编号作答，升级亦可输入 SA H10；r 加原因 呼叫裁判；q 离开，计时继续",
            )
        )
        _read_lines(self._lines)
        typing = asyncio.create_task(self._typed())
        watching = asyncio.create_task(self._watch())
        done, _ = await asyncio.wait((typing, watching), return_when=asyncio.FIRST_COMPLETED)
        for task in (typing, watching):
            task.cancel()
        await asyncio.gather(typing, watching, return_exceptions=True)
        return done.pop().result()

    async def _watch(self) -> int:
        async with aclosing(self._seat.moments()) as moments:
            try:
                async for told in moments:
                    if isinstance(told, (Moment, Seated)) and self._table not in ("", told.table):
                        say(pick(f"you are seated at {told.table}", f"您的座位在 {told.table} 桌"))
                        return FAILED
                    self._tell(told)
            except Replaced:
                say(pick("somebody else sat down with your token", "您的座位已由另一处登录接管"))
                return FAILED
        say(pick("the championship has ended", "赛事已结束"))
        return OK

    def _whisper(self, text: str) -> None:
        self._console.print(Text(text, "dim"))

    def _tell(self, told: Told) -> None:
        still_away, self._away = self._away, isinstance(told, Away)
        if isinstance(told, Waiting | Seated):  # whatever was asked is not asked here any more
            self._moment = None
            self._set_reminders()
        match told:
            case Waiting():
                self._whisper(pick("waiting for a table…", "等待入座……"))
            case Seated(table, round_, seat):
                self._whisper(
                    pick(
                        f"round {round_}: you are seated at {table}, seat {seat}; waiting for the others: where nobody comes "
                        "the clock plays (`fupan robots --but YOU` fills their seats)",
                        f"第 {round_} 轮：您在 {table} 桌 {seat} 座，等待其他人；"
                        "无人到场的座位由计时代打（可用 fupan robots --but 自己 补位）",
                    )
                )
            case Away(refused=True) if not still_away:
                self._whisper(
                    pick(
                        "you have no seat in this championship, or are not entered yet; trying again",
                        "您在本赛事没有座位，或尚未报名；正在重试",
                    )
                )
            case Away(detail, signed_out=True) if not still_away:
                self._whisper(
                    pick(
                        f"your token is not taken, trying again: {detail}",
                        f"令牌未被接受，正在重试：{detail}",
                    )
                )
            case Away(detail) if not still_away:
                self._whisper(pick(f"no connection, trying again: {detail}", f"连接中断，正在重试：{detail}"))
            case Refused():
                self._answered = ""
                message = told.message_zh if language() == "zh" and told.message_zh else told.message
                self._console.print(Text(f"{message} [{told.reason} {told.clause}]".strip(), "yellow"))
            case Moment():
                if self._lapsed(told):
                    self._whisper(pick("your time ran out", "您已超时"))
                before, self._moment = self._moment, told
                self._note_bids(told, before)
                self._draw(told, before)
                self._set_reminders()

    def _lapsed(self, now: Moment) -> bool:
        """Whether a question went by that nobody here answered in its time."""
        before = self._moment
        if before is None or not before.due or before.command_id in (now.command_id, self._answered):
            return False
        return time.time() * 1_000_000 >= before.deadline_us

    def _note_bids(self, moment: Moment, before: Moment | None) -> None:
        """Say that one's own bid has given way to another's."""
        now, then = moment.view, before.view if before and before.board == moment.board else None
        if not isinstance(now, ShengjiView) or not isinstance(then, ShengjiView):
            self._bid = False
            return
        if told := overtaken(then, now, self._bid, pick):
            self._console.print(telling.text(told), soft_wrap=True)
        self._bid &= now.standing == then.standing

    def _draw(self, moment: Moment, before: Moment | None) -> None:
        news = _news(moment, before)
        if news is None:
            self._show(moment)
        for line in news or ():
            self._console.print(line, soft_wrap=True)

    def _show(self, moment: Moment) -> None:
        board = f"{moment.board}/{moment.boards}" if moment.boards else f"{moment.board}"
        place = pick(
            f"── round {moment.round}, table {moment.table}, board {board}, you are seat {moment.seat} ",
            f"── 第 {moment.round} 轮 {moment.table} 桌 第 {board} 副 您是 {moment.seat} 座 ",
        )
        self._console.rule(place, align="left")
        if moment.paused:
            self._console.print(Text(pick("paused by the referee", "裁判暂停"), "yellow"))
        if moment.match is not None:
            for line in matches.lines(moment.match, moment.seat):
                self._console.print(line, soft_wrap=True)
        face = None if moment.view is None else faces.of(moment.view)
        if face is not None:
            for line in (*face.table([moment.view], hands=False), *face.hand(moment.view)):
                self._console.print(line, soft_wrap=True)
        if moment.result is not None:
            self._console.print(_outcome(moment))
        if face is not None and (moment.due or _may_bid(moment)):
            for line in face.options(moment.view):
                self._console.print(line, soft_wrap=True)
        if moment.due:
            self._ask(moment)

    def _ask(self, moment: Moment) -> None:
        left = max(0, _left(moment))
        asked = pick(f"your choice ({left:.0f} s)?", f"请选择（{left:.0f} 秒）：")
        self._console.print(Text(asked, "bold cyan"))

    def _set_reminders(self) -> None:
        """Tell the time again shortly before it is over, for the question in view alone."""
        for reminder in self._reminders:
            reminder.cancel()
        moment, loop = self._moment, asyncio.get_running_loop()
        if moment is None or not moment.due or moment.paused:
            self._reminders = []
            return
        waits = {seconds: _left(moment) - seconds for seconds in _REMINDERS}
        self._reminders = [
            loop.call_later(wait, self._remind, moment, seconds)
            for seconds, wait in waits.items()
            if wait > 0
        ]

    def _remind(self, moment: Moment, seconds: int) -> None:
        if moment.command_id != self._answered:
            self._console.print(Text(pick(f"{seconds} s left", f"还剩 {seconds} 秒"), "bold yellow"))

    async def _typed(self) -> int:
        """Act on typed lines; the end of input, or q, leaves."""
        while (line := await self._lines.get()) is not None:
            typed = line.strip()
            word, _, rest = typed.partition(" ")
            if word == _QUIT:
                break
            if word == _REFEREE:
                await self._call_referee(rest)
            elif typed:
                await self._choose(typed)
        say(pick("you left; your clock runs on", "您已离开，计时继续"))
        return OK

    async def _choose(self, typed: str) -> None:
        moment = self._moment
        if moment is None or not (moment.due or _may_bid(moment)):
            say(pick("nothing is asked of you now", "现在没有需要您决定的"))
            return
        try:
            action = faces.of(moment.view).answer(moment.view, typed)
        except Problem as problem:
            say(str(problem))
            if moment.due:
                self._ask(moment)
            return
        self._answered = moment.command_id
        self._bid |= isinstance(action, Bid)
        await self._seat.answer(moment, action)

    async def _call_referee(self, reason: str) -> None:
        request = pb.CallRefereeRequest(
            command_id=command_id(), championship=self._championship, reason=reason
        )
        try:
            await self._fupan.table.CallReferee(request)
        except aio.AioRpcError as error:
            say(str(refusals.problem(refusals.read(error))))
        else:
            say(pick("the referee is called", "已呼叫裁判"))


def _news(moment: Moment, before: Moment | None) -> list[Text] | None:
    """What has changed on the board that was in view already, where a few words say it."""
    if (
        before is None
        or moment.view is None
        or before.view is None
        or moment.due
        or moment.result is not None
    ):
        return None
    if (moment.table, moment.board, moment.paused) != (before.table, before.board, before.paused):
        return None
    return faces.of(moment.view).news(moment.view, before.view)


def _may_bid(moment: Moment) -> bool:
    """Whether a bid may be made that nobody asks for: in Shengji while cards are drawn (S4.1)."""
    return isinstance(moment.view, ShengjiView) and moment.view.drawn < DRAWN and bool(moment.view.offers)


def _left(moment: Moment) -> float:
    """Seconds that the question in view has left."""
    return moment.deadline_us / 1_000_000 - time.time()


def _outcome(moment: Moment) -> Text:
    """How the board ended."""
    assert moment.result is not None
    if moment.result.unfinished:
        return Text(pick("the board was closed without a result", "本副未完成，不计成绩"), "yellow")
    scores = " ".join(f"{score:+d}" for score in moment.result.scores)
    return Text(pick(f"the board is over: {scores}", f"本副结束：{scores}"), "bold")


def _read_lines(lines: asyncio.Queue[str | None]) -> None:
    """Put typed lines into the queue, None at their end. A thread of its own: nothing else can wait for a terminal."""
    loop = asyncio.get_running_loop()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
