"""NATS' configuration, read by the very server that the tests run."""

from __future__ import annotations

import datetime as dt
import re
import subprocess
import sys
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.deploy.rendered import Rendered
from tests.servers import SECONDS

NATS_SERVER = Path(sys.executable).with_name("nats-server")
USERS = 'authorization { users: [ { user: "table", password: "x", permissions: { publish: "fupan.>" } } ] }'


@pytest.fixture
def config(rendered: Rendered) -> str:
    text: str = rendered.by_name("ConfigMap")["nats-config"]["data"]["nats.conf"]
    return text


def test_the_server_accepts_it(config: str, tmp_path: Path) -> None:
    assert _check(config, tmp_path) == ""


def test_the_server_refuses_a_wrong_word(config: str, tmp_path: Path) -> None:
    assert "sync_intervall" in _check(config.replace("sync_interval", "sync_intervall"), tmp_path)


def test_nothing_is_acknowledged_before_it_is_on_disk(config: str) -> None:
    assert re.search(r"jetstream \{[^}]*\bsync_interval: always\b", config)


def test_routes_are_the_three_servers(rendered: Rendered, config: str) -> None:
    spec = rendered.by_name("StatefulSet")["nats"]["spec"]
    assert spec["replicas"] == 3
    service = rendered.by_name("Service")[spec["serviceName"]]
    assert service["spec"]["clusterIP"] == "None"
    wanted = [f"nats-route://nats-{index}.{spec['serviceName']}:6222" for index in range(spec["replicas"])]
    assert re.findall(r"nats-route://\S+", config) == wanted


def test_the_disk_holds_what_the_server_may_store(rendered: Rendered, config: str) -> None:
    (claim,) = rendered.by_name("StatefulSet")["nats"]["spec"]["volumeClaimTemplates"]
    disk = re.fullmatch(r"(\d+)Gi", claim["spec"]["resources"]["requests"]["storage"])
    stored = re.search(r"max_file_store: (\d+)GiB", config)
    assert disk
    assert stored
    assert int(stored[1]) < int(disk[1])


def _check(config: str, folder: Path) -> str:
    """What `nats-server -t` has against the configuration; empty when it is content."""
    for name in ("tls", "users"):
        (folder / name).mkdir()
    _certificate(folder / "tls")
    (folder / "users" / "users.conf").write_text(USERS, "utf-8")
    path = folder / "nats.conf"
    path.write_text(config.replace("/etc/nats/", f"{folder}/"), "utf-8")
    command = [str(NATS_SERVER), "-c", str(path), "-t"]
    result = subprocess.run(
        command, capture_output=True, text=True, env={"POD_NAME": "nats-0"}, timeout=SECONDS, check=False
    )
    return result.stderr if result.returncode else ""


def _certificate(folder: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "nats")])
    start = dt.datetime(2026, 1, 1, tzinfo=dt.UTC)
    certificate = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(start + dt.timedelta(days=36500))
        .sign(key, hashes.SHA256())
    )
    pem = certificate.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    for file, content in (("tls.crt", pem), ("ca.crt", pem), ("tls.key", private)):
        (folder / file).write_bytes(content)
