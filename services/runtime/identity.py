"""Who is calling: bearer tokens (JWT), the keys that may sign them, and the keys a service signs with.

A key folder (`FUPAN_KEYS_DIR`) holds what its process needs; in embedded mode one folder serves all, made by
`create_keys` on first start, every file 0600:

| File | Content | Who needs it |
|---|---|---|
| `token.pem`, `token.pub` | Ed25519, signs people's tokens | who mints; all verify with `.pub` |
| `service-<name>.pem`, `.pub` | Ed25519, signs tokens of `service:<name>`, no other | that service; all verify |
| `sign-table.pem`, `sign-pairing.pem`, `.pub` | Ed25519, signs table heads and the championship's seal | table, pairing |
| `dealer.key` | 32 bytes, encrypts the dealer's secrets at rest | dealer |

Private and public keys are PEM (PKCS 8, SubjectPublicKeyInfo). More issuers of people's tokens may stand beside
`token.pub` as `token-<any>.pub`; with `FUPAN_OIDC_JWKS` an issuer's published keys sign people's tokens too. Whatever
signs people's tokens can never sign `service:…`.
"""

from __future__ import annotations

import asyncio
import math
import os
from collections.abc import Callable, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from services.ledger.keys import fingerprint
from services.runtime.clock import Clock, now_us
from services.runtime.config import SERVICES, Config, ConfigError, Oidc
from services.runtime.errors import Unauthenticated
from services.runtime.streams import ID

AUDIENCE = "fupan"
SERVICE = "service:"
LEEWAY = 5
"""Seconds that clocks of issuer and service may differ."""

_MAX_TOKEN = 8192
_REQUIRED = ["exp", "iat", "sub", "aud"]
_JWKS_ALGORITHMS = ["EdDSA", "ES256", "RS256"]
_JWKS_REFRESH = 300.0
_JWKS_NUDGED = 30.0


@dataclass(frozen=True, slots=True)
class Caller:
    """Who calls: a person id, `service:<name>`, or "" for nobody. `expires_at` in seconds since 1970."""

    subject: str
    expires_at: float = 0.0

    @property
    def service(self) -> str:
        """The service's name, empty for people."""
        return self.subject.removeprefix(SERVICE) if self.subject.startswith(SERVICE) else ""

    @property
    def person(self) -> str:
        """The person id, empty for services and nobody."""
        return "" if self.subject.startswith(SERVICE) else self.subject


ANONYMOUS = Caller("")

_caller: ContextVar[Caller] = ContextVar("fupan_caller", default=ANONYMOUS)


def caller(context: object = None) -> Caller:
    """The caller of the RPC that is being handled here; ANONYMOUS for a public RPC without a token.

    `context` is the handler's servicer context. The caller follows the task, so it needs not be passed further down.
    """
    return _caller.get()


def set_caller(who: Caller) -> None:
    """Say who calls, for the rest of this task; the interceptor's to do, and a test's."""
    _caller.set(who)


def mint(private: Ed25519PrivateKey, subject: str, ttl: float, clock: Clock = now_us) -> str:
    """A token for `subject`, good for `ttl` seconds."""
    issued = clock() // 1_000_000
    claims = {"sub": subject, "aud": AUDIENCE, "iat": issued, "exp": issued + max(1, int(ttl))}
    return jwt.encode(claims, private, algorithm="EdDSA", headers={"kid": key_id(private.public_key())})


def key_id(public: Ed25519PublicKey) -> str:
    """The `kid` of our own keys: the fingerprint without dashes."""
    return fingerprint(public.public_bytes_raw()).replace("-", "")


@dataclass(frozen=True, slots=True)
class _Key:
    """A key that may sign tokens. `service` is the one it speaks for; empty: people."""

    key: Any
    algorithms: tuple[str, ...]
    service: str
    audience: str = AUDIENCE
    issuer: str | None = None


class Verifier:
    """Tells who a token belongs to, by the keys of a folder and, where configured, an issuer's JWKS."""

    def __init__(self, own: Mapping[str, _Key], oidc: Oidc | None = None, clock: Clock = now_us) -> None:
        self._own = dict(own)
        self._published: dict[str, _Key] = {}
        self._oidc = oidc
        self._clock = clock
        self._nudge = asyncio.Event()
        # A signature costs about 0.1 ms to check; a caller's token comes with every call.
        self._checked = lru_cache(maxsize=20_000)(self._check)

    @classmethod
    def of(cls, config: Config, clock: Clock = now_us) -> Verifier:
        """The verifier of a service; its JWKS, if any, comes with `refresh`. Raises ConfigError."""
        own = dict(_public_keys(config.keys_dir))
        if config.oidc is None and not any(not key.service for key in own.values()):
            raise ConfigError(
                "FUPAN_KEYS_DIR holds no token.pub and FUPAN_OIDC_JWKS is not set: nobody could log in"
            )
        return cls(own, config.oidc, clock)

    def verify(self, token: str) -> Caller:
        """The caller a token stands for. Raises Unauthenticated. For a stream's renewal as well."""
        who = self._checked(token)
        if who.expires_at + LEEWAY <= self._clock() / 1_000_000:
            raise Unauthenticated("TOKEN_EXPIRED")
        return who

    def _check(self, token: str) -> Caller:
        if len(token) > _MAX_TOKEN:
            raise Unauthenticated("TOKEN_INVALID", f"a token has at most {_MAX_TOKEN} characters")
        try:
            key = self._key(jwt.get_unverified_header(token).get("kid"))
            claims = jwt.decode(
                token,
                key.key,
                algorithms=key.algorithms,
                audience=key.audience,
                issuer=key.issuer,
                # Expiry is checked on our own clock at every use, so that a cached answer can expire.
                options={"require": _REQUIRED, "verify_exp": False, "verify_iat": False, "verify_nbf": False},
            )
            issued, begins, expires = (
                _seconds(claims[name]) for name in ("iat", "nbf" if "nbf" in claims else "iat", "exp")
            )
        except (jwt.InvalidTokenError, TypeError, ValueError, OverflowError) as error:
            raise Unauthenticated("TOKEN_INVALID", f"the token is not good: {_why(error)}") from None
        if max(issued, begins) > self._clock() / 1_000_000 + LEEWAY:
            raise Unauthenticated("TOKEN_INVALID", "the token is not valid yet")
        return Caller(_subject(claims["sub"], key), expires)

    def _key(self, kid: object) -> _Key:
        if isinstance(kid, str):
            found = self._own.get(kid) or self._published.get(kid)
            if found is not None:
                return found
        # Perhaps the issuer has a new key. It is asked for in the background, so that nobody can make us wait or ask often.
        self._nudge.set()
        raise Unauthenticated("TOKEN_INVALID", "the token is signed with a key that is not trusted here")

    async def refresh(self) -> None:
        """Fetch the issuer's keys once. Raises jwt.PyJWKClientError."""
        if self._oidc is None:
            return
        client = jwt.PyJWKClient(self._oidc.jwks, cache_jwk_set=False, timeout=10)
        keys = await asyncio.to_thread(client.get_signing_keys)
        self._published = {
            key.key_id: _Key(key.key, (key.algorithm_name,), "", self._oidc.audience, self._oidc.issuer)
            for key in keys
            if key.key_id and key.algorithm_name in _JWKS_ALGORITHMS
        }
        self._checked.cache_clear()

    async def keep_fresh(self, stopping: asyncio.Event, warn: Callable[[str], None]) -> None:
        """Fetch the issuer's keys again from time to time, and soon after an unknown key, until `stopping`."""
        while self._oidc is not None and not stopping.is_set():
            await _first_of(_JWKS_NUDGED, stopping)
            await _first_of(_JWKS_REFRESH - _JWKS_NUDGED, stopping, self._nudge)
            if stopping.is_set():
                return
            self._nudge.clear()
            try:
                await self.refresh()
            except jwt.PyJWKClientError as error:
                warn(str(error))
                self._nudge.set()


class TokenSource:
    """A service's own token, minted anew before it expires."""

    TTL = 600.0

    def __init__(self, private: Ed25519PrivateKey, service: str, clock: Clock = now_us) -> None:
        self._private = private
        self._subject = SERVICE + service
        self._clock = clock
        self._token = ""
        self._minted_us = self._renew_us = 0

    def token(self) -> str:
        """A token that is good for at least half its time, also by a clock that was set back: nobody takes one of tomorrow."""
        now = self._clock()
        if not self._minted_us <= now < self._renew_us:
            self._token = mint(self._private, self._subject, self.TTL, self._clock)
            self._minted_us, self._renew_us = now, now + int(self.TTL * 500_000)
        return self._token


@dataclass(frozen=True, slots=True)
class Identity:
    """What a service knows of identities: how to tell callers, and how to say who it is itself."""

    verifier: Verifier
    own: TokenSource

    def verify(self, token: str) -> Caller:
        """The caller a token stands for. Raises Unauthenticated."""
        return self.verifier.verify(token)

    def token(self) -> str:
        """This service's own token."""
        return self.own.token()


def identity_of(config: Config, clock: Clock = now_us) -> Identity:
    """The identity of the service `config` is for. Raises ConfigError."""
    name = config.service
    return Identity(
        Verifier.of(config, clock), TokenSource(private_key(config.keys_dir, f"service-{name}"), name, clock)
    )


def private_key(keys_dir: Path, name: str) -> Ed25519PrivateKey:
    """The key in `<name>.pem`. Raises ConfigError. `.private_bytes_raw()` is what `ledger.keys.sign` takes."""
    key = _load(keys_dir / f"{name}.pem", lambda data: load_pem_private_key(data, None))
    if not isinstance(key, Ed25519PrivateKey):
        raise ConfigError(f"FUPAN_KEYS_DIR: {name}.pem must be an Ed25519 private key in PEM")
    return key


def secret_key(keys_dir: Path, name: str) -> bytes:
    """The 32 bytes in `<name>.key`. Raises ConfigError."""
    data: bytes = _load(keys_dir / f"{name}.key", bytes)
    if len(data) != 32:
        raise ConfigError(f"FUPAN_KEYS_DIR: {name}.key must have 32 bytes, it has {len(data)}")
    return data


def trusted_signers(keys_dir: Path) -> tuple[str, ...]:
    """Fingerprints of the keys that may sign table heads and seals: every `sign-*.pub`."""
    return tuple(
        fingerprint(_public(path).public_bytes_raw()) for path in sorted(keys_dir.glob("sign-*.pub"))
    )


def create_keys(keys_dir: Path) -> bool:
    """Make every key that is missing, for embedded mode. True when any was made.

    The folder is made 0700; files are 0600 and never overwritten.
    """
    keys_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    made = False
    for name in ("token", *(f"service-{service}" for service in SERVICES), "sign-table", "sign-pairing"):
        path = keys_dir / f"{name}.pem"
        if not path.exists():
            pem = Ed25519PrivateKey.generate().private_bytes(
                Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
            )
            made = _write(path, pem)
        if not (public := path.with_suffix(".pub")).exists():
            key = private_key(keys_dir, name).public_key()
            made = _write(public, key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    if not (keys_dir / "dealer.key").exists():
        made = _write(keys_dir / "dealer.key", os.urandom(32))
    return made


def _write(path: Path, data: bytes) -> bool:
    """Write a new file that only its owner can read, whole or not at all."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.rename(path)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _public_keys(keys_dir: Path) -> Iterable[tuple[str, _Key]]:
    for path in sorted(keys_dir.glob("*.pub")):
        kind, _, name = path.stem.partition("-")
        if kind == "service" or kind == "token":
            public = _public(path)
            yield key_id(public), _Key(public, ("EdDSA",), name if kind == "service" else "")


def _public(path: Path) -> Ed25519PublicKey:
    key = _load(path, load_pem_public_key)
    if not isinstance(key, Ed25519PublicKey):
        raise ConfigError(f"FUPAN_KEYS_DIR: {path.name} must be an Ed25519 public key in PEM")
    return key


def _load(path: Path, parse: Callable[[bytes], Any]) -> Any:
    try:
        return parse(path.read_bytes())
    except OSError as error:
        raise ConfigError(f"FUPAN_KEYS_DIR: {path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        # What stands in the file is secret, so the parser's words are not repeated.
        raise ConfigError(f"FUPAN_KEYS_DIR: {path.name} is not a key in PEM") from error


def _subject(subject: str, key: _Key) -> str:
    """The subject of a token, when its key may name it."""
    if key.service:
        if subject == SERVICE + key.service:
            return subject
    elif ID.fullmatch(subject):
        return subject
    raise Unauthenticated("TOKEN_INVALID", "the token's key may not speak for its subject")


def _seconds(claim: object) -> float:
    seconds = float(claim)  # type: ignore[arg-type]  # what is no number raises, and is refused
    if not math.isfinite(seconds):
        raise ValueError("not a time")
    return seconds


def _why(error: Exception) -> str:
    """A reason to show: our own sentences and the library's, never what stands in the token."""
    return str(error) if isinstance(error, jwt.InvalidTokenError) else "a claim has the wrong type"


async def _first_of(seconds: float, *events: asyncio.Event) -> None:
    """Wait until one of `events` is set, at most `seconds`."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    await asyncio.wait(waits, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    for wait in waits:
        wait.cancel()
