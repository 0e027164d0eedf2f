"""The rules in force as a case file's page shows them: clauses, whose text is Markdown, and parameters."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererProtocol
from markdown_it.token import Token
from markupsafe import Markup, escape

from fupan.appeals.v1 import case_pb2
from fupan.pairing.v1 import events_pb2
from services.domain import Rejected
from services.games import registry

_LAST_ROW = re.compile(r"^(\|.*)\n(?!\|)", re.MULTILINE)
"""A table's last row, after which the text goes on."""


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause or, with a `title`, a chapter."""

    name: str
    title: str
    text: Markup


def clauses(told: Iterable[case_pb2.Clause]) -> list[Clause]:
    """The clauses of a case file, in its order."""
    return [_chapter(one) if "." not in one.clause else _clause(one.clause, "", one.text) for one in told]


def _chapter(one: case_pb2.Clause) -> Clause:
    title, _, text = one.text.partition("\n")
    return _clause(one.clause, title, text)


def _clause(name: str, title: str, text: str) -> Clause:
    return Clause(name, title, Markup(_MARKDOWN.render(_LAST_ROW.sub(r"\1\n\n", text), {"clause": name})))


def parameters(settings: events_pb2.Settings) -> list[tuple[str, str]]:
    """Every parameter of the game's rules in force, those that the event left as they are, too; as given where the ruleset is none
    of this version's."""
    given = json.loads(settings.params or "{}")
    try:
        rules = registry.find(settings.ruleset)
        given = rules.describe(rules.resolve(given))
    except Rejected:
        pass
    return [(name, _value(value)) for name, value in sorted(given.items())]


def _value(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _wide(
    renderer: RendererProtocol,
    tokens: Sequence[Token],
    index: int,
    options: Mapping[str, Any],
    env: Mapping[str, str],
) -> str:
    """A table scrolls by itself, with the keys as well."""
    return f'<div class="scroll" tabindex="0" role="group" aria-label="{escape(env["clause"])}"><table>'


def _heading(
    renderer: RendererProtocol,
    tokens: Sequence[Token],
    index: int,
    options: Mapping[str, Any],
    env: Mapping[str, str],
) -> str:
    """A column's heading; an empty one heads nothing."""
    if tokens[index].nesting > 0:
        return '<th scope="col">' if tokens[index + 1].content else "<td>"
    return "</th>" if tokens[index - 1].content else "</td>"


def _markdown() -> MarkdownIt:
    """Paragraphs, emphasis, code and tables, and nothing else: no HTML, no links."""
    made = MarkdownIt("zero").enable(["emphasis", "backticks", "table"])
    made.add_render_rule("table_open", _wide)
    made.add_render_rule("th_open", _heading)
    made.add_render_rule("th_close", _heading)
    made.add_render_rule("table_close", lambda *_: "</table></div>")
    return made


_MARKDOWN = _markdown()
