"""Options that commands share: how to reach the platform and as whom, and how to print."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

from cyclopts import Group, Parameter

_REACHING = Group("Platform", sort_key=10)
_PRINTING = Group("Output", sort_key=11)


@Parameter(name="*", group=_REACHING)
@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """How to reach the services, as whom, and which championship is meant."""

    server: Annotated[
        str,
        Parameter(
            env_var="FUPAN_SERVER",
            help="data directory of a local platform, host:port, or service=host:port,…",
        ),
    ] = ""
    token: Annotated[str, Parameter(env_var="FUPAN_TOKEN", help="bearer token of the caller")] = ""
    person: Annotated[
        str,
        Parameter(
            name="--as",
            help="person to act as, by the keys of a local platform; default its operator",
        ),
    ] = ""
    keys: Annotated[
        str,
        Parameter(env_var="FUPAN_KEYS_DIR", help="folder of keys that may sign tokens (--as)"),
    ] = ""
    championship: Annotated[
        str,
        Parameter(
            alias="-c",
            env_var="FUPAN_CHAMPIONSHIP",
            help="championship id; default the only one",
        ),
    ] = ""


@Parameter(name="*", group=_PRINTING)
@dataclass(frozen=True, slots=True, kw_only=True)
class Show:
    """How data is printed."""

    output: Annotated[
        Literal["table", "json", "csv"], Parameter(alias="-o", help="how data is printed on stdout")
    ] = "table"
    as_json: Annotated[bool, Parameter(name="--json", negative=(), help="the same as --output json")] = False

    @property
    def form(self) -> str:
        """`table`, `json` or `csv`."""
        return "json" if self.as_json else self.output


BoardRound = Annotated[int, Parameter(name="--round", help="round of the board")]
RoundOption = Annotated[int, Parameter(name="--round", help="round; default the newest")]

LINK = Link()
SHOW = Show()
"""What stands where an option was not given."""

Reason = Annotated[str, Parameter(help="why (it is published)")]
"""The reason of an official's act (C9.4)."""
