"""A board step by step: out of an audit file, through the open format and back, and what the viewer shows of it."""

from __future__ import annotations

import functools
import json
import os
import pty
import re
import select
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from clients import boards
from clients.boards.replays import LISTED, Replay, Tried, known_to, of_audit
from clients.cli import boardfile
from clients.cli.main import run
from clients.cli.output import Problem
from clients.cli.viewer import Viewer, told
from clients.cli.words import choose
from fupan.appeals.v1 import case_pb2
from fupan.appeals.v1 import events_pb2 as events
from fupan.table.v1.events_pb2 import Acted
from services.domain import Rejected
from services.ledger import auditfile
from services.ledger.audit.boards import played_board
from services.ledger.audit.evidence import gather
from services.ledger.games import GAMES

GOLDEN = Path(__file__).parents[1] / "golden"
BOARDS = {
    "paohuzi": ("paohuzi-2026-11.fupan", "r1-t1", 1),
    "shengji": ("shengji-board-2026-11.fupan", "r1-t1", 1),
    "shengji match": ("shengji-match-2026-11.fupan", "r1-t1", 2),
}
LEFT, RIGHT, HOME, END = b"\x1b[D", b"\x1b[C", b"\x1b[H", b"\x1b[F"


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


@functools.cache
def replay(name: str) -> Replay:
    file, table, board = BOARDS[name]
    parsed = auditfile.parse((GOLDEN / file).read_bytes())
    return of_audit(parsed.about.championship, played_board(gather(parsed), table, board))


@pytest.mark.parametrize("name", BOARDS)
def test_every_action_is_among_those_that_could_be_chosen(name: str) -> None:
    steps = replay(name).steps
    assert steps[0].seat is None
    assert steps[-1].views[0].over
    asked = [step for step in steps if step.legal is not None]
    assert len(asked) > 20
    for step in asked:
        assert step.legal is not None
        assert step.action in step.legal.actions or step.legal.count > LISTED


def test_what_was_passed_up_is_what_else_could_be_chosen() -> None:
    passes = [step for step in replay("paohuzi").steps if step.action == "pass"]
    assert any(step.passed_up for step in passes)
    assert not any("pass" in step.passed_up for step in passes)


@pytest.mark.parametrize("name", BOARDS)
def test_a_replay_comes_back_from_its_lines(name: str) -> None:
    whole = replay(name)
    for kept in (whole, known_to(whole, 1)):
        lines = list(boardfile.lines(kept))
        back = boardfile.parse("\n".join(lines))
        assert back.head == kept.head
        assert list(boardfile.lines(back)) == lines
        assert [step.legal for step in back.steps] == [step.legal for step in kept.steps]


def test_what_was_tried_is_shown_to_all_hands_and_to_its_seat_alone() -> None:
    whole = replay("paohuzi")
    tried = Tried(1, 5, "play s5", "KAN_TILE", "P5.6")
    steps = (*whole.steps[:3], replace(whole.steps[3], tried=(tried,)), *whole.steps[4:])
    spiced = replace(whole, steps=steps)
    back = boardfile.parse("\n".join(boardfile.lines(spiced)))
    assert [step.tried for step in back.steps] == [step.tried for step in steps]
    assert "seat 1 tried play" in told(spiced, 3)[0].plain
    assert "P5.6 (unproven)" in told(spiced, 3)[0].plain
    assert [one for step in known_to(spiced, 1).steps for one in step.tried] == [tried]
    assert not any(step.tried for step in known_to(spiced, 0).steps)


@pytest.mark.parametrize(
    "spoil",
    [
        lambda lines: [lines[0].replace('"version":1', '"version":2'), *lines[1:]],
        lambda lines: [lines[0].replace("paohuzi", "chess"), *lines[1:]],
        lambda lines: [*lines[:3], lines[3][:-1], *lines[4:]],
        lambda lines: [*lines[:3], "[]", *lines[4:]],
        lambda lines: [*lines[:3], re.sub(r'"bright":"\w+"', '"bright":"x9"', lines[3]), *lines[4:]],
        lambda lines: lines[:1],
        lambda lines: [],
    ],
)
def test_lines_that_are_no_replay_are_refused(spoil: Callable[[list[str]], list[str]]) -> None:
    lines = list(boardfile.lines(replay("paohuzi")))
    with pytest.raises(Problem) as refused:
        boardfile.parse("\n".join(spoil(lines)))
    assert refused.value.code == 2


@pytest.mark.parametrize("name", BOARDS)
def test_one_seats_replay_holds_that_seats_views_and_no_other_answers_to_claims(name: str) -> None:
    known = known_to(replay(name), 2)
    assert {view.seat for step in known.steps for view in step.views} == {2}
    assert not any(step.events for step in known.steps)
    assert {step.question for step in known.steps if step.seat not in (None, 2)} <= {"play"}
    assert all(step.legal is None for step in known.steps if step.seat != 2)
    assert len(known.steps) < len(replay(name).steps)


def test_the_viewer_goes_both_ways_and_stays_within() -> None:
    viewer = Viewer(replay("paohuzi"), replay("paohuzi"))
    assert viewer.pressed(LEFT).at == 0
    assert viewer.pressed(RIGHT).pressed(RIGHT).pressed(LEFT).at == 1
    last = viewer.pressed(END)
    assert last.at == len(viewer.whole.steps) - 1
    assert last.pressed(RIGHT) == last
    assert last.pressed(HOME) == viewer
    assert viewer.pressed(b"x") == viewer


def test_the_viewer_finds_decisions() -> None:
    viewer = Viewer(replay("paohuzi"), replay("paohuzi")).pressed(b"]")
    assert viewer.step.legal is not None
    assert viewer.step.legal.count > 1
    assert any("could:" in line.plain and "▶" in line.plain for line in viewer.lines())
    assert not any("could:" in line.plain for line in viewer.pressed(b"l").lines())
    assert viewer.pressed(b"]").pressed(b"[") == viewer


def test_the_viewer_shows_what_one_seat_knew_at_the_same_step() -> None:
    viewer = Viewer(replay("shengji"), replay("shengji")).pressed(END).pressed(LEFT)
    one = viewer.pressed(b"3")
    assert one.shown.head.seat == 3
    assert one.step.number <= viewer.step.number
    assert [view.seat for view in one.step.views] == [3]
    assert one.pressed(b"a").shown == viewer.whole
    assert viewer.pressed(b"9") == viewer
    alone = Viewer(one.shown, one.shown)
    assert alone.pressed(b"a") == alone.pressed(b"0") == alone


@pytest.mark.parametrize("name", ["shengji", "shengji match"])
def test_many_actions_are_looked_through_page_by_page(name: str) -> None:
    whole = boardfile.parse("\n".join(boardfile.lines(replay(name))))
    many = [at for at, step in enumerate(whole.steps) if step.legal and step.legal.count > LISTED]
    assert many
    for at in many:
        step, viewer = whole.steps[at], Viewer(whole, whole, at)
        assert step.legal is not None
        assert len(step.legal.every) == step.legal.count
        assert f"could (1–60 of {step.legal.count})" in viewer.lines()[2].plain
        later = viewer.pressed(b"m")
        assert (later.at, f"could (61–{min(120, step.legal.count)} of" in later.lines()[2].plain) == (
            at,
            True,
        )
        assert later.pressed(b"M") == viewer
        last = viewer.pressed(b"M")
        assert f"–{step.legal.count} of" in last.lines()[2].plain
        assert last.pressed(b"m") == viewer
        assert last.pressed(RIGHT).page == 0
    small = [whole.steps[at] for at in many if (legal := whole.steps[at].legal) and legal.count < 10_000]
    assert all(step.legal and step.action in step.legal.every for step in small)


def test_without_a_terminal_the_choices_are_printed_too(capsys: pytest.CaptureFixture[str]) -> None:
    file, table, board = BOARDS["shengji"]
    command = ["board", "replay", table, str(board), "--from", str(GOLDEN / file)]
    assert run(command) == 0
    assert "could" not in capsys.readouterr().out
    assert run([*command, "--step"]) == 0
    told = capsys.readouterr().out
    asked = [step.legal.count for step in replay("shengji").steps if step.legal is not None]
    assert told.count("could: ") == sum(count <= LISTED for count in asked)
    assert re.findall(r"could \(1–60 of (\d+)\)", told) == [str(one) for one in asked if one > LISTED]
    assert "▶" in told


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", BOARDS)
def test_every_step_can_be_shown(name: str, language: str) -> None:
    choose(language)
    viewer = Viewer(replay(name), replay(name))
    for at in range(0, len(viewer.whole.steps), 7):
        shown = Viewer(viewer.whole, viewer.whole, at).lines()
        assert len(shown) >= 4
        assert ("步" in shown[0].plain) == (language == "zh")


def test_the_command_reads_an_audit_file_and_what_it_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, table, board = BOARDS["paohuzi"]
    assert run(["board", "replay", table, str(board), "--from", str(GOLDEN / file), "--json"]) == 0
    written = capsys.readouterr().out
    kept = tmp_path / "board.ndjson"
    kept.write_text(written)
    assert run(["board", "replay", "--from", str(kept), "--json"]) == 0
    assert capsys.readouterr().out == written
    assert run(["board", "replay", "--from", str(kept), "--seat", "1", "--json"]) == 0
    head, *steps = map(json.loads, capsys.readouterr().out.splitlines())
    assert head["seat"] == 1
    assert {view["seat"] for step in steps for view in step["views"]} == {1}
    assert run(["board", "replay", "--from", str(kept)]) == 0
    assert "   1  deal" in capsys.readouterr().out


@pytest.mark.parametrize("name", BOARDS)
def test_the_command_replays_the_frozen_steps_of_a_case_file(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole, kept = replay(name), tmp_path / "case.bin"
    kept.write_bytes(frozen(whole, with_steps=True).SerializeToString())
    for seat, shown in ((), whole), (("--seat", "1"), known_to(whole, 1)):
        assert run(["board", "replay", "--from", str(kept), *seat, "--json"]) == 0
        written = capsys.readouterr()
        assert written.out.splitlines() == list(boardfile.lines(shown))
        assert sha256(kept.read_bytes()).hexdigest() in written.err
    assert run(["board", "replay", "r1-t1", "1", "--from", str(kept)]) == 2
    assert "of one board" in capsys.readouterr().err


@pytest.mark.parametrize("board", [True, False])
def test_a_case_file_without_steps_has_nothing_to_replay(
    board: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, kept = frozen(replay("paohuzi"), with_steps=False), tmp_path / "case.bin"
    if not board:
        file.contested.CopyFrom(events.Contested(pairing=events.ContestedPairing(round=1)))
    kept.write_bytes(file.SerializeToString())
    assert run(["board", "replay", "--from", str(kept)]) == 1
    assert "no steps" in capsys.readouterr().err


def frozen(whole: Replay, with_steps: bool) -> case_pb2.CaseFile:
    """A case file about a board, with its steps as the table service tells them."""
    head = whole.head
    at = events.ContestedBoard(table=head.table, round=1, board=head.board, attempt=head.attempt)
    file = case_pb2.CaseFile(
        championship=head.championship, appeal="a-1", edition=1, contested=events.Contested(board=at)
    )
    for step in whole.steps if with_steps else ():
        told = file.board.steps.add(
            step=step.number, time_us=step.time_us, action=step.action, events=step.events
        )
        for view in step.views:
            getattr(told.seats.add(), head.game).CopyFrom(GAMES[head.game].views.to_proto(view))
        if step.seat is not None:
            told.acted.CopyFrom(
                Acted(
                    seat=step.seat,
                    question=step.question,
                    automatic=step.automatic,
                    thinking_us=step.thinking_us,
                    asked_us=int(step.legal is not None),
                )
            )
    return file


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["r1-t1", "9"], 1),
        (["r9-t9", "1"], 1),
        ([], 2),
        (["r1-t1", "1", "--seat", "7"], 2),
    ],
)
def test_what_is_not_in_the_file_is_told_in_a_line(
    line: list[str], code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    file = GOLDEN / BOARDS["paohuzi"][0]
    assert run(["board", "replay", *line, "--from", str(file)]) == code
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_viewer_on_a_terminal_answers_keys_and_leaves_it_as_it_was() -> None:
    file, table, board = BOARDS["paohuzi"]
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "clients.cli", "board", "replay", table, str(board), "--step"]
    with subprocess.Popen(
        [*command, "--from", str(GOLDEN / file)],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "120", "LINES": "40", "FUPAN_LANG": "en"},
    ) as process:
        os.close(theirs)
        assert "step 1/" in _until(ours, "q leave")
        os.write(ours, RIGHT)
        assert "step 2/" in _until(ours, "q leave")
        os.write(ours, b"1")
        assert "as seat 1" in _until(ours, "q leave")
        # A key held down comes many times in one read.
        os.write(ours, b"a" + HOME + RIGHT * 3 + b"q")
        assert "step 4/" in _until(ours, "\x1b[?1049l")
        assert process.wait(60) == 0
    os.close(ours)


def _until(terminal: int, end: str) -> str:
    """What the terminal shows up to `end`."""
    told = b""
    while end.encode() not in told:
        assert select.select([terminal], [], [], 60)[0], told
        told += os.read(terminal, 65536)
    return told.decode(errors="replace")


def test_a_board_that_is_not_revealed_in_the_file_is_refused() -> None:
    file, table, board = BOARDS["paohuzi"]
    evidence = gather(auditfile.parse((GOLDEN / file).read_bytes()))
    for _, _, entries in evidence.of("table"):
        for entry in entries:
            entry.read = entry.read and not entry.key_id
    with pytest.raises(Rejected, match="not revealed"):
        played_board(evidence, table, board)


def test_views_of_every_step_come_back() -> None:
    for name in BOARDS:
        game = replay(name).head.game
        for step in replay(name).steps[::5]:
            for view in step.views:
                told: dict[str, Any] = json.loads(json.dumps(boards.record(view)))
                assert boards.record(boards.BY_GAME[game].read(told)) == told


def test_the_examples_of_the_format_are_what_is_written() -> None:
    text = (Path(__file__).parents[2] / "docs" / "board-format.md").read_text()
    blocks = re.findall(r"```json\n(.*?)```", text, re.DOTALL)
    for name, block in zip(("paohuzi", "shengji"), blocks, strict=True):
        written = list(boardfile.lines(known_to(replay(name), 0)))[:3]
        assert _objects(block) == [json.loads(line) for line in written]


def _objects(text: str) -> list[Any]:
    """JSON values one after the other."""
    found, at, decoder = [], 0, json.JSONDecoder()
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        value, at = decoder.raw_decode(text, at)
        found.append(value)
    return found
