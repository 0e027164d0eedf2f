"""Settings: what is missing or wrong is told by its variable, and no secret is ever shown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from services.runtime.config import Address, Config, ConfigError, Oidc
from tests.runtime.serving import settings


@pytest.fixture
def keys(tmp_path: Path) -> Path:
    (tmp_path / "keys").mkdir()
    return tmp_path / "keys"


def test_what_is_not_set_takes_its_default(keys: Path) -> None:
    config = Config.read("table", settings(keys, FUPAN_PARTITIONS="", FUPAN_REPLICA=""))
    assert (config.service, config.epoch, config.partitions) == ("table", "e1", 8)
    assert (config.rate, config.burst, config.max_calls) == (200, 400, 20_000)
    assert (config.peers, config.oidc, config.tls_dir, config.demo) == ({}, None, None, False)
    assert (config.peer_listen, config.health_listen, config.metrics_listen) == (None, None, None)
    assert config.replica
    assert config.build


def test_what_is_set_is_read(keys: Path, tmp_path: Path) -> None:
    config = Config.read(
        "table",
        settings(
            keys,
            FUPAN_TLS_DIR=str(tmp_path),
            FUPAN_SERVICE_LISTEN="0.0.0.0:50051",
            FUPAN_PEER_LISTEN="[::]:50053",
            FUPAN_PEERS="dealer=dealer:50053, pairing=10.0.0.1:7",
            FUPAN_OIDC_JWKS="https://issuer.example/jwks",
            FUPAN_OIDC_ISSUER="https://issuer.example",
            FUPAN_OPERATORS="li-na, wang-wei",
            FUPAN_RATE="2.5:7",
        ),
    )
    assert config.listen == Address("0.0.0.0", 50051)
    assert config.peer_listen == Address("::", 50053)
    assert str(config.peer_listen) == "[::]:50053"
    assert config.peers == {"dealer": Address("dealer", 50053), "pairing": Address("10.0.0.1", 7)}
    assert config.oidc == Oidc("https://issuer.example/jwks", "https://issuer.example", "fupan")
    assert config.operators == {"li-na", "wang-wei"}
    assert (config.rate, config.burst) == (2.5, 7)


def test_the_nats_user_may_stand_in_the_address(keys: Path) -> None:
    url = "nats://table:p%40ss@n1:4222,nats://n2:4222"
    config = Config.read("table", settings(keys, FUPAN_NATS_URL=url))
    assert config.nats_url == ("nats://n1:4222", "nats://n2:4222")
    assert (config.nats_user, config.nats_password) == ("table", "p@ss")
    config = Config.read("table", settings(keys, FUPAN_NATS_URL=url, FUPAN_NATS_PASSWORD="other"))
    assert config.nats_password == "other"


@pytest.mark.parametrize(
    ("name", "value", "complaint"),
    [
        ("FUPAN_SERVICE_LISTEN", "", "FUPAN_SERVICE_LISTEN must be set for the table service"),
        ("FUPAN_SERVICE_LISTEN", "50051", "FUPAN_SERVICE_LISTEN must be host:port, not '50051'"),
        ("FUPAN_SERVICE_LISTEN", "127.0.0.1:65536", "FUPAN_SERVICE_LISTEN must be host:port"),
        ("FUPAN_SERVICE_LISTEN", "0.0.0.0:1", "FUPAN_SERVICE_LISTEN must be on 127.0.0.1"),
        ("FUPAN_EPOCH", "E 2026", "FUPAN_EPOCH must be 1 to 40 of a-z"),
        ("FUPAN_PARTITIONS", "0", "FUPAN_PARTITIONS must be a whole number from 1 to 1024, not '0'"),
        ("FUPAN_PARTITIONS", "many", "FUPAN_PARTITIONS must be a whole number"),
        ("FUPAN_KEYS_DIR", "/nowhere", "FUPAN_KEYS_DIR must be a folder, /nowhere is none"),
        ("FUPAN_NATS_CREDS", "/nowhere", "FUPAN_NATS_CREDS must be a file"),
        ("FUPAN_PEERS", "chess=h:1", "FUPAN_PEERS must be service=host:port,"),
        ("FUPAN_PEERS", "dealer=h", "FUPAN_PEERS must be host:port, not 'h'"),
        ("FUPAN_OPERATORS", "Li Na", "FUPAN_OPERATORS must be 1 to 40 of"),
        ("FUPAN_OIDC_JWKS", "http://issuer.example/", "FUPAN_OIDC_JWKS must be an https:// address"),
        ("FUPAN_OIDC_JWKS", "https://issuer.example/", "FUPAN_OIDC_ISSUER is not set"),
        ("FUPAN_RATE", "0:1", "FUPAN_RATE must be calls a second and burst"),
        ("FUPAN_LOG_LEVEL", "loud", "FUPAN_LOG_LEVEL must be one of debug, info"),
        ("FUPAN_DEMO", "yes", "FUPAN_DEMO must be one of 0, 1"),
    ],
)
def test_what_is_wrong_is_told_by_its_variable(keys: Path, name: str, value: str, complaint: str) -> None:
    with pytest.raises(ConfigError) as wrong:
        Config.read("table", settings(keys, **{name: value}))
    assert complaint in str(wrong.value)
    assert "\n" not in str(wrong.value)


def test_a_demo_stays_on_this_machine(keys: Path) -> None:
    assert Config.read("table", settings(keys, FUPAN_DEMO="1")).demo
    with pytest.raises(ConfigError, match="FUPAN_DEMO belongs to the embedded demo"):
        Config.read("table", settings(keys, FUPAN_DEMO="1", FUPAN_SERVICE_LISTEN="0.0.0.0:1"))


def test_secrets_are_not_shown(keys: Path) -> None:
    config = Config.read(
        "table",
        settings(
            keys,
            FUPAN_NATS_URL="nats://table:hidden1@n1:4222",
            FUPAN_POSTGRES_DSN="postgresql://table:hidden2@h/fupan",
        ),
    )
    assert config.nats_password == "hidden1"
    assert "hidden" not in repr(config)
    with pytest.raises(ConfigError) as wrong:
        Config.read("table", settings(keys, FUPAN_NATS_URL="http://table:hidden@n1"))
    assert "hidden" not in str(wrong.value)


# A file of sections


def _file(path: Path, content: object) -> str:
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")
    path.chmod(0o600)
    return str(path)


def test_sections_lie_over_the_environment_and_a_services_own_over_all(keys: Path, tmp_path: Path) -> None:
    sections = {
        "all": {"FUPAN_EPOCH": "e2", "FUPAN_OPERATORS": "li-na"},
        "table": {"FUPAN_EPOCH": "e3", "FUPAN_SERVICE_LISTEN": "127.0.0.1:2"},
    }
    environ = settings(keys, FUPAN_CONFIG=_file(tmp_path / "services.json", sections))
    table, dealer = Config.read("table", environ), Config.read("dealer", environ)
    assert (table.epoch, table.listen.port) == ("e3", 2)
    assert (dealer.epoch, dealer.listen.port) == ("e2", 0)
    assert table.operators == dealer.operators == {"li-na"}


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("{", "is not an object of sections of strings"),
        ({"all": {"FUPAN_PARTITIONS": 8}}, "is not an object of sections of strings"),
        ({"tables": {}}, "has unknown sections tables"),
    ],
)
def test_a_bad_file_is_named(keys: Path, tmp_path: Path, content: object, complaint: str) -> None:
    environ = settings(keys, FUPAN_CONFIG=_file(tmp_path / "services.json", content))
    with pytest.raises(ConfigError, match=complaint) as wrong:
        Config.read("table", environ)
    assert str(wrong.value).startswith(f"FUPAN_CONFIG: {tmp_path}")


def test_a_file_that_others_may_read_is_refused(keys: Path, tmp_path: Path) -> None:
    environ = settings(keys, FUPAN_CONFIG=_file(tmp_path / "services.json", {}))
    (tmp_path / "services.json").chmod(0o640)
    with pytest.raises(ConfigError, match="chmod 600"):
        Config.read("table", environ)
    (tmp_path / "services.json").unlink()
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        Config.read("table", environ)
