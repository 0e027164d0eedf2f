"""The `fupan` command: which words run which function, and what the process ends with.

Functions are named by their path and imported when called: a command that needs no server starts without gRPC.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from cyclopts import App, CycloptsError

from clients.cli import words
from clients.cli.output import OK, USAGE, Problem, say

COMMANDS: dict[str, str | dict[str, str]] = {
    "up": "clients.cli.local.up:up",
    "rules": {"check": "clients.cli.rules:check"},
    "pairing": {"check": "clients.cli.pairing:check", "certificate": "clients.cli.pairing:certificate"},
    "audit": {
        "export": "clients.cli.audit:export",
        "verify": "clients.cli.audit:verify",
        "reconcile": "clients.cli.audit:reconcile",
    },
    "projections": {"rebuild": "clients.cli.projections:rebuild"},
    "token": {"mint": "clients.cli.tokens:mint_command"},
}
"""Command, or group and command, to the function that does it."""

ABOUT: dict[str, tuple[str, str]] = {
    "up": ("Run the whole platform on this machine", "在本机运行整个平台"),
    "rules": ("Rule cases, tried on the engine without a server", "不用服务器，直接在规则引擎上检验规则用例"),
    "rules check": ("Try files of position and action cases", "检验用例文件（每行一个 JSON 对象）"),
    "pairing": ("The draw of round 1", "首轮抽签"),
    "pairing check": ("Recompute a seating certificate, offline", "离线复核首轮座位证书"),
    "pairing certificate": ("Fetch the seating certificate of round 1", "取得首轮座位证书"),
    "audit": ("The log, for whoever does not trust us", "供任何人复核的日志"),
    "audit export": (
        "Write a table, a round or the championship to a file",
        "把一桌、一轮或整个赛事导出为文件",
    ),
    "audit verify": ("Check such a file, offline", "离线复核导出的文件"),
    "audit reconcile": ("Compare the log with its archive", "核对日志与存档"),
    "projections": ("Tables of the database, made from the log", "由日志生成的数据库表"),
    "projections rebuild": ("Make them anew from the first record", "从第一条记录起重建"),
    "token": ("Bearer tokens", "登录令牌"),
    "token mint": ("Sign a token for a person with a local platform's keys", "用本地平台的密钥签发令牌"),
}
"""One line about each command, English and Chinese."""


def application() -> App:
    """The command's parser, in the language spoken."""
    app = App(
        name="fupan",
        help=words.pick(
            "Championships of Paohuzi and Shengji that anybody can check.",
            "跑胡子、升级网络锦标赛：牌谱、名次、裁决，人人可复核。",
        ),
        version=lambda: version("fupan"),
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
        help_format="plaintext",
        help_epilogue=words.pick("Every command takes --lang en|zh.", "各命令均可加 --lang en|zh 选择语言。"),
    )
    for name, target in COMMANDS.items():
        if isinstance(target, str):
            app.command(target, name=name, help=_about(name))
            continue
        group = App(name=name, help=_about(name))
        for sub, function in target.items():
            group.command(function, name=sub, help=_about(f"{name} {sub}"))
        app.command(group)

    return app


def run(tokens: Sequence[str]) -> int:
    """Run one command line; its exit code."""
    try:
        spoken = _spoken(tokens)
        code: int | None = application()(spoken)
        return code or OK
    except CycloptsError as error:
        say(f"fupan: {error}")
        return USAGE
    except Problem as problem:
        say(f"fupan: {problem}")
        return problem.code
    except KeyboardInterrupt:
        return 128 + 2
    except BrokenPipeError:
        # Whoever read our output has had enough; the interpreter must not try to flush it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OK


def main() -> None:
    """Entry point of the `fupan` script."""
    sys.exit(run(sys.argv[1:]))


def _spoken(tokens: Sequence[str]) -> list[str]:
    """The tokens without `--lang`, once it is heard: help speaks the language too."""
    rest, waiting = [], iter(tokens)
    for token in waiting:
        name, equals, value = token.partition("=")
        if name != "--lang":
            rest.append(token)
            continue
        chosen = value if equals else next(waiting, "")
        if chosen not in words.LANGUAGES:
            raise Problem(f"--lang is one of {', '.join(words.LANGUAGES)}, not {chosen!r}", USAGE)
        words.choose(chosen)
    return rest


def _about(name: str) -> str:
    return words.pick(*ABOUT[name])
