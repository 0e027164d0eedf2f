"""The `fupan` command: which words run which function, and what the process ends with.

Functions are named by their path and imported when called: a command that needs no server starts without gRPC.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from cyclopts import App, CycloptsError

from clients.cli import words
from clients.cli.commands import ABOUT, COMMANDS, PACKAGE
from clients.cli.output import OK, USAGE, Problem, say


def application() -> App:
    """The command's parser, in the language spoken."""
    app = App(
        name="fupan",
        help=words.pick(
            "Championships of Paohuzi and Shengji that anybody can check.",
            "跑胡子、升级网络锦标赛：牌谱、名次、裁决，人人可复核。",
        ),
        version=_version,
        exit_on_error=False,
        print_error=False,
        result_action="return_value",
        help_format="plaintext",
        help_epilogue=words.pick("Every command takes --lang en|zh.", "各命令均可加 --lang en|zh 选择语言。"),
    )
    for place, (name, target) in enumerate(COMMANDS.items()):
        if isinstance(target, str):
            app.command(f"{PACKAGE}.{target}", name=name, help=_about(name), sort_key=place)
            continue
        group = App(name=name, help=_about(name), sort_key=place)
        for sub, function in target.items():
            group.command(f"{PACKAGE}.{function}", name=sub, help=_about(f"{name} {sub}"))
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


def _version() -> str:
    from importlib.metadata import version

    return version("fupan")


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
