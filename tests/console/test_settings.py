from __future__ import annotations

from pathlib import Path

import pytest

from clients.console.settings import SERVICES, BadSetting, Settings

ALL = ",".join(f"{name}=host:{number}" for number, name in enumerate(SERVICES, 1))


def test_every_variable() -> None:
    told = Settings.read(
        {
            "FUPAN_CONSOLE_LISTEN": "[::1]:9000",
            "FUPAN_CONSOLE_SERVICES": ALL,
            "FUPAN_CONSOLE_TOKEN_FILE": "/run/token",
            "FUPAN_TLS_CA": "/run/ca.pem",
        }
    )
    assert (told.host, told.port) == ("::1", 9000)
    assert told.services["pairing"] == "host:1"
    assert (told.token_file, told.issuers) == (Path("/run/token"), Path("/run/ca.pem"))


def test_what_is_left_out() -> None:
    told = Settings.read({"FUPAN_CONSOLE_SERVICES": ALL})
    assert (told.host, told.port, told.token_file, told.issuers) == ("127.0.0.1", 8080, None, None)


@pytest.mark.parametrize(
    ("variables", "told"),
    [
        ({}, "pairing, dealer, table, scoring, appeals"),
        ({"FUPAN_CONSOLE_SERVICES": "pairing=a:1"}, "dealer, table, scoring, appeals"),
        ({"FUPAN_CONSOLE_SERVICES": ALL.replace("host:1", "host")}, "'host' is not host:port"),
        ({"FUPAN_CONSOLE_SERVICES": ALL, "FUPAN_CONSOLE_LISTEN": "8080"}, "'8080' is not host:port"),
        ({"FUPAN_CONSOLE_SERVICES": ALL, "FUPAN_CONSOLE_LISTEN": "a:70000"}, "'a:70000' is not host:port"),
    ],
)
def test_what_makes_no_sense_is_named(variables: dict[str, str], told: str) -> None:
    with pytest.raises(BadSetting, match=told):
        Settings.read(variables)
