"""The language the command speaks: English or Chinese, chosen by `--lang`, `FUPAN_LANG` or `LANG`."""

from __future__ import annotations

import os
import tomllib
from functools import cache
from pathlib import Path

from services.words import WORDS, Sentences

LANGUAGES = ("en", "zh")

_chosen: list[str] = []


def choose(language: str | None) -> None:
    """Speak `language` from here on; None leaves it to the environment."""
    _chosen[:] = [language] if language else []


def language() -> str:
    """`en` or `zh`."""
    if _chosen:
        return _chosen[0]
    told = os.environ.get("FUPAN_LANG") or os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return "zh" if told.lower().startswith("zh") else "en"


def word(told: str) -> str:
    """A word of the services' own (a phase, an office, an outcome) as people read it."""
    return pick(told.replace("_", " "), WORDS.get(told, told))


def sentence(told: str) -> str:
    """What a check found, or what keeps a platform from starting, line by line; a line that nobody knows stays English."""
    if language() == "en":
        return told
    return "\n".join(_sentences().chinese(line) or line for line in told.split("\n"))


@cache
def _sentences() -> Sentences:
    return Sentences(tomllib.loads(Path(__file__).with_name("sentences.toml").read_text("utf-8")))


def pick(en: str, zh: str) -> str:
    """The text in the language spoken."""
    return zh if language() == "zh" else en
