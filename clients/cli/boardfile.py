"""The open format of a replay: a header, then a step a line, as JSON (docs/board-format.md)."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from clients import boards
from clients.boards import replays
from clients.boards.replays import Head, Legal, Replay, Step, Tried
from clients.cli.output import USAGE, Problem
from clients.cli.words import pick
from services.domain import Rejected

FORMAT = "fupan-board"
VERSION = 1


def lines(replay: Replay) -> Iterator[str]:
    """The lines of a replay, without their ends."""
    yield _json({"format": FORMAT, "version": VERSION, **asdict(replay.head)})
    yield from (_json(record(step)) for step in replay.steps)


def record(step: Step) -> dict[str, Any]:
    """A step as JSON has it."""
    return {
        "step": step.number,
        "time_us": step.time_us,
        "seat": step.seat,
        "question": step.question,
        "automatic": step.automatic,
        "thinking_us": step.thinking_us,
        "action": step.action,
        "legal": None if step.legal is None else list(step.legal.actions),
        "legal_count": None if step.legal is None else step.legal.count,
        "events": list(step.events),
        "views": [boards.record(view) for view in step.views],
        "tried": [asdict(one) for one in step.tried],
    }


def is_one(text: str) -> bool:
    """Whether a text begins as this format does, whatever its version."""
    try:
        head = json.loads(text.partition("\n")[0])
    except ValueError:
        return False
    return isinstance(head, dict) and head.get("format") == FORMAT


def parse(text: str) -> Replay:
    """The replay that the lines of `text` tell; keys unknown here are passed over. Raises Problem naming the line."""
    head: Head | None = None
    steps: list[Step] = []
    for number, line in enumerate(text.splitlines(), 1):
        try:
            told = json.loads(line)
            if head is None:
                head = _head(told)
            else:
                steps.append(_step(head.game, told, steps[-1].views if steps else ()))
        except (ValueError, LookupError, TypeError, AttributeError, Rejected) as error:
            if head is None:
                raise Problem(
                    pick(
                        "this is no replay, no case file and no audit file",
                        "这不是复盘文件、案卷，也不是审计文件",
                    ),
                    USAGE,
                ) from None
            raise Problem(pick(f"line {number}: {error!r}", f"第 {number} 行：{error!r}"), USAGE) from None
    if head is None or not steps:
        raise Problem(pick("no step of a board in it", "其中没有一步牌"), USAGE)
    return Replay(head, tuple(steps))


def _head(told: Mapping[str, Any]) -> Head:
    if told["format"] != FORMAT or told["version"] != VERSION:
        raise ValueError(f"not {FORMAT} version {VERSION}")
    return Head(**{name: told[name] for name in Head.__dataclass_fields__})


def _step(game: str, told: Mapping[str, Any], before: Sequence[Any]) -> Step:
    legal, read = None, boards.BY_GAME[game].read
    if told["legal_count"] is not None:
        # What the lines do not list is in the seat's view of the step before.
        view = replays.view_of(told["seat"], before)
        every = () if view is None else replays.legal(game, view).every
        legal = Legal(told["legal_count"], tuple(told["legal"]), every)
    return Step(
        told["step"],
        told["time_us"],
        told["seat"],
        told["question"],
        told["automatic"],
        told["thinking_us"],
        told["action"],
        legal,
        tuple(told["events"]),
        tuple(None if view is None else read(view) for view in told["views"]),
        tuple(
            Tried(**{name: one[name] for name in Tried.__dataclass_fields__}) for one in told.get("tried", ())
        ),
    )


def _json(told: Mapping[str, Any]) -> str:
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"))
