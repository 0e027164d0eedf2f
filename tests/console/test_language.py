from __future__ import annotations

import pytest

from clients.console.language import LANGUAGES, chosen


@pytest.mark.parametrize(
    ("accepted", "code"),
    [
        (None, "en"),
        ("", "en"),
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("en-GB,en;q=0.9,zh;q=0.8", "en"),
        ("fr,zh-Hant;q=0.3,en;q=0.2", "zh"),
        ("fr", "en"),
        ("zh;q=none,en;q=0.1", "en"),
        ("zh;q=0", "en"),
    ],
)
def test_what_a_browser_asks_for(accepted: str | None, code: str) -> None:
    assert chosen(None, None, accepted) == LANGUAGES[code]


def test_the_address_goes_before_the_last_choice_and_that_before_the_browser() -> None:
    assert chosen("en", "zh", "zh").code == "en"
    assert chosen(None, "zh", "en").code == "zh"
    assert chosen("fr", "xx", "zh").code == "zh"


def test_words_of_the_services_that_nobody_translated_stay_as_they_are() -> None:
    assert LANGUAGES["zh"].word("running") == "进行中"
    assert LANGUAGES["zh"].word("new_word") == "new_word"
    assert LANGUAGES["en"].word("new_word") == "new word"
