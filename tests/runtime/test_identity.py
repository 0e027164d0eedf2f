"""Keys and tokens: made once, renewed in time, and never more than they should say."""

from __future__ import annotations

import asyncio
import json
import stat
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from services.ledger.keys import fingerprint, sign, signed
from services.runtime.config import SERVICES, Config, ConfigError, Oidc
from services.runtime.errors import Unauthenticated
from services.runtime.identity import (
    LEEWAY,
    TokenSource,
    Verifier,
    create_keys,
    identity_of,
    key_id,
    mint,
    private_key,
    secret_key,
    trusted_signers,
)
from tests.runtime.serving import settings
from tests.servers import SECONDS

NOW = 1_800_000_000


class Clock:
    """Microseconds since 1970, set in seconds."""

    def __init__(self) -> None:
        self.seconds = float(NOW)

    def __call__(self) -> int:
        return int(self.seconds * 1_000_000)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("keys") / "new"
    assert create_keys(folder)
    return folder


def test_keys_are_made_once_and_for_their_owner_alone(keys: Path) -> None:
    before = {path.name: path.read_bytes() for path in keys.iterdir()}
    private = {"token", "sign-table", "sign-pairing", *(f"service-{name}" for name in SERVICES)}
    assert before.keys() == {f"{name}.{end}" for name in private for end in ("pem", "pub")} | {"dealer.key"}
    assert {stat.S_IMODE(path.stat().st_mode) for path in keys.iterdir()} == {0o600}
    assert stat.S_IMODE(keys.stat().st_mode) == 0o700
    assert not create_keys(keys)
    assert {path.name: path.read_bytes() for path in keys.iterdir()} == before


def test_a_missing_key_is_made_beside_the_others(tmp_path: Path) -> None:
    create_keys(tmp_path)
    kept = (tmp_path / "token.pem").read_bytes()
    (tmp_path / "token.pub").unlink()
    (tmp_path / "dealer.key").unlink()
    assert create_keys(tmp_path)
    assert (tmp_path / "token.pem").read_bytes() == kept
    Verifier.of(Config.read("table", settings(tmp_path))).verify(
        mint(private_key(tmp_path, "token"), "somebody", 60)
    )


def test_a_signing_key_signs_and_its_fingerprint_is_trusted(keys: Path) -> None:
    key = private_key(keys, "sign-table")
    public = key.public_key().public_bytes_raw()
    assert signed(public, sign(key.private_bytes_raw(), b"head"), b"head")
    assert fingerprint(public) in trusted_signers(keys)
    assert len(trusted_signers(keys)) == 2
    assert len(secret_key(keys, "dealer")) == 32


@pytest.mark.parametrize(
    ("name", "content", "complaint"),
    [
        ("token.pub", b"not a key", "token.pub is not a key in PEM"),
        ("token.pub", None, "holds no token.pub and FUPAN_OIDC_JWKS is not set"),
        ("service-table.pem", None, "service-table.pem cannot be read"),
        ("service-table.pem", b"-----BEGIN secret", "service-table.pem is not a key in PEM"),
    ],
)
def test_a_bad_key_folder_is_told_without_its_content(
    tmp_path: Path, name: str, content: bytes | None, complaint: str
) -> None:
    create_keys(tmp_path)
    if content is None:
        (tmp_path / name).unlink()
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(ConfigError, match=complaint) as bad:
        identity_of(Config.read("table", settings(tmp_path)))
    assert "secret" not in str(bad.value)


def test_a_short_secret_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dealer.key").write_bytes(b"short")
    with pytest.raises(ConfigError, match=r"dealer\.key must have 32 bytes, it has 5"):
        secret_key(tmp_path, "dealer")


def test_a_token_says_who_and_until_when(keys: Path, clock: Clock) -> None:
    identity = identity_of(Config.read("table", settings(keys)), clock)
    caller = identity.verify(mint(private_key(keys, "token"), "wang-wei", 60, clock))
    assert (caller.subject, caller.person, caller.service) == ("wang-wei", "wang-wei", "")
    assert caller.expires_at == NOW + 60
    caller = identity.verify(identity.token())
    assert (caller.subject, caller.person, caller.service) == ("service:table", "", "table")


def test_a_token_that_was_good_expires(keys: Path, clock: Clock) -> None:
    """Checked tokens are remembered, their expiry is not."""
    identity = identity_of(Config.read("table", settings(keys)), clock)
    token = mint(private_key(keys, "token"), "somebody", 60, clock)
    for seconds in (0, 59, 60 + LEEWAY - 1):
        clock.seconds = NOW + seconds
        identity.verify(token)
    clock.seconds = NOW + 60 + LEEWAY
    with pytest.raises(Unauthenticated) as refused:
        identity.verify(token)
    assert refused.value.reason == "TOKEN_EXPIRED"


def test_a_clock_that_is_a_little_behind_is_borne(keys: Path, clock: Clock) -> None:
    verifier = Verifier.of(Config.read("table", settings(keys)), clock)
    token = mint(private_key(keys, "token"), "somebody", 60, clock)
    clock.seconds = NOW - LEEWAY
    verifier.verify(token)
    late = mint(private_key(keys, "token"), "somebody", 61, lambda: NOW * 1_000_000)
    clock.seconds = NOW - LEEWAY - 1
    with pytest.raises(Unauthenticated):
        verifier.verify(late)


def test_a_service_renews_its_token_at_half_its_time(keys: Path, clock: Clock) -> None:
    source = TokenSource(private_key(keys, "service-table"), "table", clock)
    first = source.token()
    clock.seconds += TokenSource.TTL / 2 - 1
    assert source.token() == first
    clock.seconds += 1
    assert source.token() != first


def test_a_service_whose_clock_is_set_back_has_a_token_that_is_good_by_then(keys: Path, clock: Clock) -> None:
    source = TokenSource(private_key(keys, "service-table"), "table", clock)
    source.token()
    clock.seconds -= 3600
    verifier = Verifier.of(Config.read("dealer", settings(keys)), clock)
    assert verifier.verify(source.token()).service == "table"


def test_more_issuers_may_stand_beside_the_first(keys: Path, tmp_path: Path, clock: Clock) -> None:
    create_keys(tmp_path)
    (tmp_path / "token-federation.pub").write_bytes((keys / "token.pub").read_bytes())
    verifier = Verifier.of(Config.read("table", settings(tmp_path)), clock)
    assert verifier.verify(mint(private_key(keys, "token"), "somebody", 60, clock)).person == "somebody"
    with pytest.raises(Unauthenticated):
        verifier.verify(mint(private_key(keys, "token"), "service:table", 60, clock))
    with pytest.raises(Unauthenticated):
        verifier.verify(mint(private_key(keys, "service-table"), "service:table", 60, clock))


# An issuer elsewhere


class Issuer:
    """Publishes keys over HTTP on this machine."""

    def __init__(self) -> None:
        self.keys: dict[str, Any] = {}
        self.asked = 0
        issuer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                issuer.asked += 1
                body = json.dumps({"keys": list(issuer.keys.values())}).encode()
                self.send_response(200)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/jwks"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True)
        self._thread.start()

    def add(self, kid: str, algorithm: str, private: Any) -> Any:
        made = jwt.get_algorithm_by_name(algorithm).to_jwk(private.public_key(), as_dict=True)
        self.keys[kid] = {**made, "kid": kid, "alg": algorithm, "use": "sig"}
        return private

    def stop(self) -> None:
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    made = Issuer()
    yield made
    made.stop()


def signed_by(private: Any, kid: str, algorithm: str, **claims: Any) -> str:
    good = {"sub": "somebody", "aud": "fupan", "iss": "https://issuer", "iat": NOW, "exp": NOW + 60}
    return jwt.encode({**good, **claims}, private, algorithm, {"kid": kid})


@pytest.mark.parametrize("algorithm", ["RS256", "ES256", "EdDSA"])
async def test_an_issuers_keys_sign_peoples_tokens_only(issuer: Issuer, clock: Clock, algorithm: str) -> None:
    private = issuer.add("k1", algorithm, _private(algorithm))
    verifier = Verifier({}, Oidc(issuer.url, "https://issuer", "fupan"), clock)
    await verifier.refresh()
    assert verifier.verify(signed_by(private, "k1", algorithm)).person == "somebody"
    for wrong in ({"sub": "service:table"}, {"iss": "https://other"}, {"aud": "other"}, {"sub": "Wang Wei"}):
        with pytest.raises(Unauthenticated):
            verifier.verify(signed_by(private, "k1", algorithm, **wrong))


async def test_an_issuers_key_signs_by_its_own_algorithm_only(issuer: Issuer, clock: Clock) -> None:
    issuer.add("k1", "RS256", _private("RS256"))
    verifier = Verifier({}, Oidc(issuer.url, "https://issuer", "fupan"), clock)
    await verifier.refresh()
    with pytest.raises(Unauthenticated):
        verifier.verify(signed_by("any shared secret of at least 32 bytes", "k1", "HS256"))


async def test_a_new_key_is_fetched_after_it_was_met_and_an_old_one_forgotten(
    issuer: Issuer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.runtime.identity._JWKS_NUDGED", 0.0)
    old = issuer.add("old", "ES256", _private("ES256"))
    verifier = Verifier({}, Oidc(issuer.url, "https://issuer", "fupan"), clock)
    await verifier.refresh()
    verifier.verify(signed_by(old, "old", "ES256"))
    new = issuer.add("new", "ES256", _private("ES256"))
    del issuer.keys["old"]
    stopping, fetched = asyncio.Event(), asyncio.Event()
    refresh = verifier.refresh

    async def noted() -> None:
        await refresh()
        fetched.set()

    monkeypatch.setattr(verifier, "refresh", noted)
    task = asyncio.create_task(verifier.keep_fresh(stopping, pytest.fail))
    token = signed_by(new, "new", "ES256")
    with pytest.raises(Unauthenticated):
        verifier.verify(token)
    await asyncio.wait_for(fetched.wait(), SECONDS)
    assert verifier.verify(token).person == "somebody"
    with pytest.raises(Unauthenticated):
        verifier.verify(signed_by(old, "old", "ES256"))
    stopping.set()
    await task
    assert issuer.asked == 2


async def test_an_issuer_that_is_away_keeps_the_keys_that_are_known(
    issuer: Issuer, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.runtime.identity._JWKS_NUDGED", 0.0)
    private = issuer.add("k1", "ES256", _private("ES256"))
    verifier = Verifier({}, Oidc(issuer.url, "https://issuer", "fupan"), clock)
    await verifier.refresh()
    issuer.stop()
    stopping = asyncio.Event()
    warnings: list[str] = []

    def warn(why: str) -> None:
        warnings.append(why)
        stopping.set()

    with pytest.raises(Unauthenticated):
        verifier.verify(signed_by(private, "unknown", "ES256"))
    await asyncio.wait_for(verifier.keep_fresh(stopping, warn), SECONDS)
    assert len(warnings) == 1
    assert verifier.verify(signed_by(private, "k1", "ES256")).person == "somebody"


async def test_an_issuer_cannot_publish_a_key_under_the_name_of_ours(
    issuer: Issuer, keys: Path, clock: Clock
) -> None:
    kid = key_id(private_key(keys, "service-table").public_key())
    theirs = issuer.add(kid, "EdDSA", Ed25519PrivateKey.generate())
    variables = settings(keys, FUPAN_OIDC_JWKS=issuer.url, FUPAN_OIDC_ISSUER="https://issuer")
    verifier = Verifier.of(Config.read("table", variables), clock)
    await verifier.refresh()
    for subject in ("service:table", "somebody"):
        with pytest.raises(Unauthenticated):
            verifier.verify(signed_by(theirs, kid, "EdDSA", sub=subject))


def _private(algorithm: str) -> Any:
    match algorithm:
        case "RS256":
            return rsa.generate_private_key(public_exponent=65537, key_size=2048)
        case "ES256":
            return ec.generate_private_key(ec.SECP256R1())
    return Ed25519PrivateKey.generate()
