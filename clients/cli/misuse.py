"""A wrong command line in a sentence, in the language spoken; English is the parser's own."""

from __future__ import annotations

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
    return pick(str(error), _chinese(error))


def _chinese(error: CycloptsError) -> str:
    match error:
        case UnknownOptionError(token=token):
            return f"没有选项 {token.keyword or token.value}"
        case UnknownCommandError():
            return f"没有命令 {' '.join(error.unused_tokens or ())[:80]}"
        case UnusedCliTokensError():
            return f"多余的参数：{' '.join(error.unused_tokens or ())[:80]}"
        case RepeatArgumentError(token=token):
            return f"{token.keyword} 只能给一次"
        case ConsumeMultipleError(actual_count=count):
            return f"{_name(error)} 的值的个数不对：{count}"
        case MissingArgumentError(tokens_so_far=given):
            return f"{_name(error)} 的值不全" if given else f"缺少 {_name(error)}"
        case CoercionError(token=token, target_type=kind) if token is not None:
            return f"{_name(error)} 的值 {token.value!r} 无效{_choices(kind)}"
        case ValidationError(exception_message=why):
            # The validators of numbers say no more than a bound.
            return f"{_name(error)} 的值无效：{why.replace('Must be', '须').rstrip('.')}"
    return f"命令行有误：{error}"


def _name(error: CycloptsError) -> str:
    """The option as it was given, or the parameter as help calls it."""
    argument = error.argument
    if argument is None:
        return "参数"
    given = next((token.keyword for token in argument.tokens if token.keyword), argument.name)
    return given if given.startswith("-") else given.upper()


def _choices(kind: object) -> str:
    return f"；可用的有 {'、'.join(map(str, get_args(kind)))}" if get_origin(kind) is Literal else ""
