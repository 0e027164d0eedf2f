"""The language the command speaks: English or Chinese, chosen by `--lang`, `FUPAN_LANG` or `LANG`."""

from __future__ import annotations

import os

from services.words import WORDS

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


def pick(en: str, zh: str) -> str:
    """The text in the language spoken."""
    return zh if language() == "zh" else en
