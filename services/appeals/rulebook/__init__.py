"""The clauses of the rules as text, for case files: by the name that a ruling cites.

The text of each book is Markdown in this folder. `## C9 Officials` begins a chapter, `- C9.1 …` a clause with the lines indented
below it; whatever else stands in a chapter is its own. A table row whose first cell is a name (`| S10.1 | …`) is a clause, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

_BOOKS = Path(__file__).parent
_CHAPTER = re.compile(r"## (?P<name>[PSC]\d+) (?P<text>.*)")
_CLAUSE = re.compile(r"- (?P<name>[PSC]\d+\.\d+[a-c]?) (?P<text>.*)")
_ROW = re.compile(r"\| (?P<name>[PSC]\d+\.\d+[a-c]?) \| (?P<text>.*) \|")


@cache
def clauses(game: str) -> tuple[tuple[str, str], ...]:
    """(name, text) of every clause in force where `game` is played: its own book, then the championship's."""
    return (*_book(game), *_book("championship"))


def _book(name: str) -> Iterator[tuple[str, str]]:
    """The clauses of one book in order. The text of a chapter comes after its clauses where a table stands between them."""
    texts: dict[str, list[str]] = {}
    chapter = current = ""
    for line in (_BOOKS / f"{name}.md").read_text("utf-8").splitlines():
        if found := _CHAPTER.fullmatch(line):
            chapter = current = found["name"]
        elif found := _CLAUSE.fullmatch(line):
            current = found["name"]
        elif found := _ROW.fullmatch(line):
            cells = filter(None, map(str.strip, found["text"].split("|")))
            texts[found["name"]] = ["; ".join(cells)]
            texts[chapter].append(line)
            continue
        else:
            if not line.startswith("  "):
                current = chapter
            if chapter and line:
                texts[current].append(line.strip())
            continue
        texts[current] = [found["text"]]
    return ((name, "\n".join(lines)) for name, lines in texts.items())
