"""A replay on the terminal: step by step with keys, forwards, backwards, to a decision, with all hands or one seat's knowledge."""

from __future__ import annotations

import os
import re
import sys
import termios
import tty
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from rich.console import Console
from rich.rule import Rule
from rich.text import Text

from clients.boards.replays import LISTED, Replay, Step, known_to, seen
from clients.cli.faces import of_replay
from clients.cli.output import seconds
from clients.cli.words import pick

_FAINT = "dim"

_MOVES = {
    b"\x1b[C": 1, b"\x1b[B": 1, b" ": 1, b"\n": 1, b"\r": 1, b"n": 1,
    b"\x1b[D": -1, b"\x1b[A": -1, b"\x7f": -1, b"b": -1,
    b"\x1b[6~": 10, b"\x1b[5~": -10,
}  # fmt: skip
_FIRST, _LAST = (b"\x1b[H", b"\x1bOH", b"\x1b[1~", b"<"), (b"\x1b[F", b"\x1bOF", b"\x1b[4~", b">")
_QUIT = (b"q", b"\x1b", b"")
_KEY = re.compile(rb"\x1b[\[O][0-9;]*[A-Za-z~]|\x1b?.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Viewer:
    """Where one stands in a replay. `whole` is the replay as it came, `seat` whose knowledge is shown; `at` counts from 0, as
    does `page` of what the step's seat could choose, where that is much."""

    whole: Replay
    shown: Replay
    at: int = 0
    choices: bool = True
    page: int = 0

    @property
    def step(self) -> Step:
        """The step that is shown."""
        return self.shown.steps[self.at]

    def pressed(self, key: bytes) -> Viewer:
        """After a key; one that means nothing changes nothing."""
        if key in _MOVES:
            return self._to(self.at + _MOVES[key])
        if key in _FIRST:
            return self._to(0)
        if key in _LAST:
            return self._to(len(self.shown.steps) - 1)
        match key:
            case b"]":
                return self._decision(range(self.at + 1, len(self.shown.steps)))
            case b"[":
                return self._decision(range(self.at - 1, -1, -1))
            case b"l":
                return replace(self, choices=not self.choices)
            case b"m" | b"M":
                pages = _pages(self.step)
                return replace(self, page=(self.page + (1 if key == b"m" else -1)) % pages)
            case b"a":
                return self._known(None)
            case _ if len(key) == 1 and key.isdigit():
                return self._known(int(key))
        return self

    def lines(self) -> list[Text]:
        """What the screen shows of the step."""
        return [_where(self), *told(self.shown, self.at, self.choices, self.page), *_table(self)]

    def _to(self, at: int) -> Viewer:
        return replace(self, at=min(max(at, 0), len(self.shown.steps) - 1), page=0)

    def _decision(self, places: range) -> Viewer:
        """The nearest step at which a seat chose among several actions."""
        steps = self.shown.steps
        found = (at for at in places if (legal := steps[at].legal) is not None and legal.count > 1)
        return self._to(next(found, self.at))

    def _known(self, seat: int | None) -> Viewer:
        """The same step as another sees it: the last one that it saw by then. One seat's replay cannot tell of others."""
        if self.whole.head.seat is not None or (seat or 0) >= len(self.whole.steps[0].views):
            return self
        shown, number = self.whole if seat is None else known_to(self.whole, seat), self.step.number
        at = sum(step.number <= number for step in shown.steps) - 1
        return replace(self, shown=shown)._to(at)


def view(replay: Replay) -> None:
    """Show a replay on the terminal until it is left."""
    console = Console(file=sys.stdout, highlight=False)
    viewer = Viewer(replay, replay)
    with _keys() as pressed, console.screen(hide_cursor=True):
        while True:
            console.clear()
            for line in viewer.lines():
                console.print(line, soft_wrap=False)
            console.print(Rule(style=_FAINT))
            console.print(_help(viewer))
            key = next(pressed)
            if key in _QUIT:
                break
            viewer = viewer.pressed(key)


def told(replay: Replay, at: int, choices: bool = False, page: int = 0) -> list[Text]:
    """What happened in a step: who, how long it took, what, what followed; and what else could have been done, a page of it."""
    step, face = replay.steps[at], of_replay(replay)
    line = Text(f"{step.number:>4}  ")
    if step.seat is not None:
        line.append(pick(f"seat {step.seat}", f"{step.seat} 座"))
        if step.thinking_us:
            line.append(f" ({seconds(step.thinking_us)} s)")
        if step.automatic:
            line.append(pick(" [automatic]", " [代打]"), _FAINT)
        if step.action:
            line.append(pick(": ", "：")).append_text(face.action(step.action))
    elif at == 0:
        line.append(pick("deal", "发牌"))
    if step.events:
        happened = Text("; ").join(face.event(text) for text in step.events)
        line.append("  → ").append_text(Text(style=_FAINT).append_text(happened))
    return [*_tried(replay, step), line, *(_choices(replay, step, page) if choices else ())]


def _tried(replay: Replay, step: Step) -> list[Text]:
    """What was refused before; it is no part of the log."""
    face = of_replay(replay)
    return [
        Text(pick(f"      seat {one.seat} tried ", f"      {one.seat} 座欲 "), "yellow")
        .append_text(face.action(one.action))
        .append(pick(f", refused by {one.clause} (unproven)", f"，依 {one.clause} 不准（未经证明）"), _FAINT)
        for one in step.tried
    ]


def _choices(replay: Replay, step: Step, page: int) -> list[Text]:
    """The legal actions, the one taken marked; where they are many, a page of them."""
    if step.legal is None:
        return []
    face, legal, first = of_replay(replay), step.legal, page * LISTED
    line = Text(pick("      could: ", "      可选："), _FAINT)
    if legal.count > LISTED:
        shown = legal.every[first : first + LISTED]
        range_ = f"{first + 1}–{first + len(shown)}" if shown else "0"
        line = Text(
            pick(
                f"      could ({range_} of {legal.count}): ",
                f"      可选（共 {legal.count} 种，第 {range_} 种）：",
            ),
            _FAINT,
        )
    else:
        shown = legal.actions
    for number, action in enumerate(shown):
        mark = action == step.action
        line.append("  " if number else "").append("▶" if mark else "")
        line.append_text(face.action(action))
    return [line]


def _pages(step: Step) -> int:
    """How many pages what could be chosen has."""
    return 1 if step.legal is None else max(1, -(-step.legal.count // LISTED))


def _where(viewer: Viewer) -> Text:
    head, last = viewer.shown.head, viewer.shown.steps[-1].number
    seat = (
        pick("all hands", "所有手牌")
        if head.seat is None
        else pick(f"as seat {head.seat}", f"{head.seat} 座所知")
    )
    return Text(
        pick(
            f"{head.championship}  {head.table}  board {head.board}  step {viewer.step.number}/{last}  {seat}",
            f"{head.championship}  {head.table} 桌  第 {head.board} 副  第 {viewer.step.number}/{last} 步  {seat}",
        ),
        "bold",
    )


def _table(viewer: Viewer) -> list[Text]:
    views = seen(viewer.step)
    return of_replay(viewer.shown).table(views, True) if views else []


def _help(viewer: Viewer) -> Text:
    whole = viewer.whole.head.seat is None
    seats, much = len(viewer.whole.steps[0].views) - 1, viewer.choices and _pages(viewer.step) > 1
    english = [
        "→ ← step", "] [ decision", "PgDn PgUp ten", "Home End",
        *([f"a all hands  0-{seats} a seat"] if whole else []), "l choices", *(["m M more of them"] if much else []), "q leave",
    ]  # fmt: skip
    chinese = [
        "→ ← 单步", "] [ 决策", "PgDn PgUp 十步", "Home End 首尾",
        *([f"a 所有手牌  0-{seats} 某座"] if whole else []), "l 可选", *(["m M 翻页"] if much else []), "q 离开",
    ]  # fmt: skip
    return Text(pick("   ".join(english), "   ".join(chinese)), _FAINT)


@contextmanager
def _keys() -> Iterator[Iterator[bytes]]:
    """Keys as they are pressed, an arrow in one piece; the terminal is left as it was found."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal)
    try:
        yield _pressed(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _pressed(terminal: int) -> Iterator[bytes]:
    """Every key, of which one read brings many where one is held down; an empty one once the terminal is gone."""
    while read := os.read(terminal, 1024):
        yield from _KEY.findall(read)
    yield b""
