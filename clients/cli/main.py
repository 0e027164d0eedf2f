"""The `fupan` command: which words run which function, and what the process ends with.

Functions are named by their path and imported when called: a command that needs no server starts without gRPC.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

from clients.cli import words
from clients.cli.commands import ABOUT, COMMANDS, PACKAGE
from clients.cli.output import FAILED, OK, USAGE, Problem, in_words, say

if TYPE_CHECKING:
    from cyclopts import App
    from cyclopts.help.protocols import HelpFormatter


def application() -> App:
    """The command's parser, in the language spoken."""
    from cyclopts import App, Parameter

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
        suppress_keyboard_interrupt=False,
        help_format="plaintext",
        help_formatter=_formatter(),
        default_parameter=Parameter(show_default=_default),
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


def _default(value: object) -> str | None:
    """What help says of a default: nothing of an empty one, which is what leaving an option out means anyway."""
    return str(value) if value else None


def _formatter() -> HelpFormatter | None:
    """What prints help: the parser itself, but in Chinese."""
    if words.language() != "zh":
        return None
    from clients.cli.manual import Chinese

    return Chinese()


def run(tokens: Sequence[str]) -> int:
    """Run one command line; its exit code. Whatever goes wrong is told in one line, without a traceback."""
    try:
        code = _called(_spoken(tokens))
        sys.stdout.flush()
    except Problem as problem:
        say(f"fupan: {problem}")
        return problem.code
    except KeyboardInterrupt:
        return 128 + 2
    except BrokenPipeError:
        # Whoever read our output has had enough.
        _let_go_of_stdout()
        return OK
    except SystemExit as end:
        # Rich makes this of a broken pipe.
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        return OK
    except OSError as error:
        _let_go_of_stdout()
        say(f"fupan: {in_words(error)}")
        return FAILED
    except Exception as error:
        if os.environ.get("FUPAN_DEBUG"):
            raise
        say(f"fupan: {_ours(error)}")
        return FAILED
    return code


def main() -> None:
    """Entry point of the `fupan` script."""
    # A stream that was closed before we began is None.
    sys.stdout = sys.stdout or _nowhere()
    sys.stderr = sys.stderr or _nowhere()
    sys.exit(run(sys.argv[1:]))


def _called(tokens: Sequence[str]) -> int:
    """Run what the tokens name. Its parser is imported here, so that Ctrl-C meanwhile is no traceback."""
    from cyclopts import CycloptsError

    try:
        code: int | None = application()(tokens)
    except CycloptsError as error:
        from clients.cli.misuse import sentence

        raise Problem(sentence(error), USAGE) from None
    return code or OK


def _ours(error: Exception) -> str:
    """What is said about a mistake of this command itself."""
    return words.pick(
        f"a mistake of fupan itself, please report it: {type(error).__name__}: {error} (FUPAN_DEBUG=1 shows where)",
        f"fupan 自身出错，请报告：{type(error).__name__}: {error}（设 FUPAN_DEBUG=1 可见出错位置）",
    )


def _let_go_of_stdout() -> None:
    """Keep the interpreter from flushing at its end what nobody can take."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _nowhere() -> TextIO:
    return Path(os.devnull).open("w", encoding="utf-8")


def _version() -> str:
    from importlib.metadata import version

    from services.games import registry

    return f"{version('fupan')} ({'rules compiled' if registry.compiled() else 'rules in Python'})"


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
            raise Problem(
                words.pick(
                    f"--lang is one of {', '.join(words.LANGUAGES)}, not {chosen!r}",
                    f"--lang 可为 {'、'.join(words.LANGUAGES)}，不能是 {chosen!r}",
                ),
                USAGE,
            )
        words.choose(chosen)
    return rest


def _about(name: str) -> str:
    return words.pick(*ABOUT[name])
