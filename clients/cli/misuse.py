"""A wrong command line in a sentence, in the language spoken; English is the parser's own, but for what is missing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from difflib import get_close_matches
from typing import Literal, get_args, get_origin

from cyclopts import CycloptsError
from cyclopts.exceptions import (
    CoercionError,
    ConsumeMultipleError,
    MissingArgumentError,
    RepeatArgumentError,
    UnknownCommandError,
    UnknownOptionError,
    UnusedCliTokensError,
    ValidationError,
)

from clients.cli.words import pick


def sentence(error: CycloptsError) -> str:
    """What is wrong with the command line."""
    match error:
        case MissingArgumentError(tokens_so_far=[]):
            more = " ".join(("fupan", *(error.command_chain or ()), "--help"))
            return pick(
                f"{_name(error)} is missing; {more} tells more", f"缺少 {_name(error)}；用法见 {more}"
            )
        case UnusedCliTokensError():
            return pick(f"Not wanted here: {_unused(error)}.", f"多余的参数：{_unused(error)}")
    return pick(str(error), _chinese(error))


def _chinese(error: CycloptsError) -> str:
    match error:
        case UnknownOptionError(token=token):
            return f"没有选项 {token.keyword or token.value}"
        case UnknownCommandError():
            return _no_command(error)
        case RepeatArgumentError(token=token):
            return f"{token.keyword} 只能给一次"
        case ConsumeMultipleError(actual_count=count):
            return f"{_name(error)} 的值的个数不对：{count}"
        case MissingArgumentError():
            return f"{_name(error)} 的值不全"
        case CoercionError(token=token, target_type=kind) if token is not None:
            return f"{_name(error)} 的值 {token.value!r} 无效{_wanted(kind)}"
        case ValidationError(exception_message=why):
            # The validators of numbers say no more than a bound.
            return f"{_name(error)} 的值无效：{why.replace('Must be', '须').rstrip('.')}"
    return f"命令行有误：{error}"


def _unused(error: UnusedCliTokensError) -> str:
    return " ".join(error.unused_tokens or ())[:80]


def _name(error: CycloptsError) -> str:
    """The option as it was given, or the parameter as help calls it."""
    argument = error.argument
    if argument is None:
        return "参数"
    given = next((token.keyword for token in argument.tokens if token.keyword), argument.name)
    return given if given.startswith("-") else given.upper()


def _no_command(error: UnknownCommandError) -> str:
    typed = (error.unused_tokens or ("",))[0][:80]
    known = [name for name in error.app or () if not name.startswith("-")]
    meant = get_close_matches(typed, known, n=1)
    return f"没有命令 {typed}；" + (f"是否指 {meant[0]}？" if meant else f"可用的有 {'、'.join(known)}")


def _wanted(kind: object) -> str:
    if get_origin(kind) is Literal:
        return f"；可用的有 {'、'.join(map(str, get_args(kind)))}"
    return _KINDS.get(kind, "")


_KINDS: Mapping[object, str] = {
    int: "，须为整数",
    float: "，须为数",
    datetime: "，须为日期时间，如 2027-03-06T14:00",
}
