"""Every reason code that a program may meet in an error, with its gRPC code and its words in English and Chinese.

The platform's own stand here, what rules and services refuse in `refusals`. A reason that is listed nowhere is a rule's too:
FAILED_PRECONDITION, told by the English sentence it came with. `{name}` in a text stands for one of the error's facts.
`docs/errors.md` is this table for readers, written by `python -m services.runtime.reasons`.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from grpc import StatusCode

from services.runtime import refusals
from services.words import Sentences


@dataclass(frozen=True, slots=True)
class Reason:
    """One row. `en` empty: the sentence comes with the error."""

    code: StatusCode
    en: str
    zh: str


_NO = StatusCode.FAILED_PRECONDITION
_BAD = StatusCode.INVALID_ARGUMENT
_DENIED = StatusCode.PERMISSION_DENIED
_AWAY = StatusCode.UNAVAILABLE
_BUSY = StatusCode.RESOURCE_EXHAUSTED
_WHO = StatusCode.UNAUTHENTICATED

_PLATFORM = {
    # Who calls
    "TOKEN_MISSING": Reason(_WHO, "this call needs a bearer token", "此调用需要登录令牌"),
    "TOKEN_INVALID": Reason(_WHO, "", "登录令牌无效"),
    "TOKEN_EXPIRED": Reason(_WHO, "the token has expired", "登录令牌已过期"),
    "NOT_IN_ROLE": Reason(_DENIED, "", "您没有执行此操作所需的职务"),
    "PLAYS_THE_EVENT": Reason(
        _DENIED,
        "who plays this event may not see or do this, whatever office they hold",
        "参赛者即使担任职务也不得查看或执行此项",
    ),
    "SERVICE_NOT_PROVEN": Reason(
        _DENIED,
        "a service's token counts only with that service's certificate",
        "服务令牌须与该服务的证书一同使用",
    ),
    "RPC_NOT_ALLOWED": Reason(_DENIED, "nobody may call this", "任何人不得调用此接口"),
    # What is asked
    "MALFORMED": Reason(_BAD, "", "请求格式不正确：{field}"),
    "TOO_LARGE": Reason(
        _BAD,
        "a request, or one message of a stream, has at most {limit} bytes; send less at once",
        "一个请求或流中的一条消息至多 {limit} 字节，请减少一次发送的内容",
    ),
    "MALFORMED_POSITION": Reason(_BAD, "", "位置标记须原样传回"),
    "RECORD_TOO_LARGE": Reason(_BAD, "", "一条记录不得超过 {limit} 字节"),
    "DEADLINE_REQUIRED": Reason(
        _BAD, "a call must have a deadline; set one, for example 10 s", "调用必须设定时限，例如 10 秒"
    ),
    "NOT_FOUND": Reason(StatusCode.NOT_FOUND, "there is no {what} {id}", "找不到该{what_zh}：{id}"),
    "COMMAND_ID_REUSED": Reason(_NO, "", "此命令编号已用于另一条命令，请换一个新编号"),
    "SUBJECT_SUSPENDED": Reason(_NO, "", "其日志不完整，已暂停受理，请联系运营方"),
    "VERSION_CONFLICT": Reason(
        StatusCode.ABORTED,
        "others were faster until the deadline; send it again with the same command id",
        "在时限内一直被他人抢先，请用同一命令编号重试",
    ),
    # Too much
    "RATE_LIMITED": Reason(
        _BUSY, "too many calls; try again in {seconds} s", "调用过于频繁，请在 {seconds} 秒后重试"
    ),
    "TOO_MANY_CALLS": Reason(
        _BUSY,
        "you have {limit} calls open, which is the most there may be",
        "您同时打开的调用已达上限 {limit}",
    ),
    # Not now
    "STARTING": Reason(_AWAY, "the service is still reading its log", "服务正在读取日志，请稍候"),
    "STOPPING": Reason(_AWAY, "the service is stopping; another replica will answer", "服务正在停止，请重试"),
    "STORE_UNAVAILABLE": Reason(
        _AWAY,
        "the log cannot be reached; send it again with the same command id",
        "日志暂不可用，请用同一命令编号重试",
    ),
    "DATABASE_UNAVAILABLE": Reason(
        _AWAY, "the database cannot be reached; try again", "数据库暂不可用，请稍后重试"
    ),
    "PEER_UNAVAILABLE": Reason(
        _AWAY,
        "another service cannot be reached; send it again with the same command id",
        "其他服务暂不可用，请用同一命令编号重试",
    ),
    "POSITION_NOT_REACHED": Reason(
        _AWAY, "what you want to see is not processed yet; try again", "所需数据尚未处理完，请稍后重试"
    ),
    "TIMED_OUT": Reason(
        _AWAY,
        "this took too long; send it again with the same command id",
        "处理超时，请用同一命令编号重试",
    ),
    "INTERNAL": Reason(
        StatusCode.INTERNAL,
        "something went wrong on our side; the operator finds it under {error_id}",
        "服务内部出错；运营方可凭 {error_id} 查询",
    ),
}

_REFUSALS = (
    (StatusCode.FAILED_PRECONDITION, refusals.RULES),
    (StatusCode.INVALID_ARGUMENT, refusals.NONSENSE),
    (StatusCode.NOT_FOUND, refusals.ABSENT),
    (StatusCode.PERMISSION_DENIED, refusals.FORBIDDEN),
)

REASONS: Mapping[str, Reason] = MappingProxyType(
    _PLATFORM | {name: Reason(code, "", zh) for code, rows in _REFUSALS for name, zh in rows.items()}
)
"""Every reason that is known, by its code."""

DETAILS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    tomllib.loads(Path(__file__).with_name("details.toml").read_text("utf-8"))
)
"""Sentences of a reason that say more than its row, in Chinese by their English templates."""

_SENTENCES = {reason: Sentences(rows) for reason, rows in DETAILS.items()}


def chinese(reason: str, detail: str) -> str | None:
    """What a refusal says in English, in Chinese; None where its reason's row says it all."""
    return _SENTENCES[reason].chinese(detail) if reason in _SENTENCES else None


NOUNS: Mapping[str, str] = MappingProxyType(
    {
        "championship": "赛事",
        "table": "牌桌",
        "board": "副",
        "round": "轮次",
        "entrant": "参赛者",
        "appeal": "申诉",
        "publication": "公布的名次",
        "ruling": "判罚",
        "version of the regulations": "补充规定版本",
        "penalty": "罚分",
        "stream": "日志流",
        "subject": "日志主题",
    }
)
"""What NOT_FOUND calls things in Chinese."""


def page() -> str:
    """docs/errors.md."""
    rows = [
        f"| `{name}` | {reason.code.name} | {reason.en or '*(comes with the error)*'} | {reason.zh} |"
        for name, reason in sorted(REASONS.items(), key=lambda row: (row[1].code.value[0], row[0]))
    ]
    return _HEAD + "\n".join(rows) + "\n"


_HEAD = """# Errors

Every error of a gRPC call carries a `google.rpc.Status` in its trailer `grpc-status-details-bin`, with

- `ErrorInfo`: `reason` from the table below, `domain` `fupan`, and in `metadata` the `clause` of the rule that says no (`P5.6`,
  `C10.1`) where there is one, and facts that help to repair the request (a deadline, a limit);
- `LocalizedMessage` in `en` and `zh-CN`;
- `BadRequest` with the field's path, for `MALFORMED`: what is wrong with it in English (`description`) and in Chinese
  (`localized_message`);
- `RetryInfo`, where it is known when to try again.

UNAVAILABLE, ABORTED and RESOURCE_EXHAUSTED mean: send the same request again, with the same command id. If the first one was
carried out after all, you get its answer. INTERNAL tells no more than the `error_id` under which the operator finds it. A reason
that is not listed is a rule's, with FAILED_PRECONDITION. On a player's stream the same reasons come as `Refused`.

What gRPC itself refuses has no such status: a message of more than 4 MiB or metadata of more than 16 KiB, RESOURCE_EXHAUSTED too,
which are as large when they are sent again; and a method that there is not, UNIMPLEMENTED.

This page is made by `python -m services.runtime.reasons > docs/errors.md`; `{…}` stands for a fact.

| Reason | gRPC code | English | 中文 |
|---|---|---|---|
"""

if __name__ == "__main__":
    sys.stdout.write(page())
