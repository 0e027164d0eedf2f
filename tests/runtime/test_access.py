"""Every RPC has a row, and no row lets the wrong caller in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from pathlib import Path

import grpc
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from grpc import StatusCode

from fupan.pairing.v1 import events_pb2
from services.access import OFFICES, RULES, Access
from services.directory import Directory
from services.runtime.config import SERVICES
from services.runtime.errors import Denied, explain, read_status
from services.runtime.identity import ANONYMOUS, Caller, key_id, mint, private_key
from services.runtime.memory import MemoryStore
from services.runtime.server import Server
from tests.runtime.serving import (
    EPOCH,
    Serving,
    appointed,
    created,
    entered,
    methods,
    request_of,
    servicers,
    serving,
)

ALL = methods()


@pytest.fixture
async def served(keys: Path) -> AsyncIterator[Serving]:
    """A championship `open`, one person in each office named after it, a player, and a referee who plays."""
    async with serving(keys) as running:
        await running.log.write(
            "open",
            created("open"),
            *(appointed(name_of(office), office) for office in OFFICES - {"organiser"}),
            *entered("i1", {1: ["player"], 2: ["playing-referee"]}),
            appointed("playing-referee", "referee"),
        )
        await running.log.write("other", created("other", "other-organiser"))
        yield running


def name_of(office: str) -> str:
    return office.replace("_", "-")


def test_every_rpc_has_a_row_and_every_row_an_rpc() -> None:
    assert RULES.keys() == ALL.keys()


def test_every_row_names_a_field_that_holds_the_championship() -> None:
    for name, rule in RULES.items():
        if rule.who & (OFFICES | {"player"}):
            request = request_of(name, ALL[name], "here")
            for part in rule.championship.split("."):
                request = getattr(request, part)
            assert request == "here", name


def _foreign(keys: Path) -> str:
    return mint(Ed25519PrivateKey.generate(), "organiser", 60)


def _claims(keys: Path, sub: str | None = "organiser", key: str = "token", **claims: object) -> str:
    private = private_key(keys, key)
    good = {"sub": sub, "aud": "fupan", "iat": 1_000_000_000, "exp": 4_000_000_000}
    kept = {name: value for name, value in {**good, **claims}.items() if value is not None}
    return jwt.encode(kept, private, algorithm="EdDSA", headers={"kid": key_id(private.public_key())})


def _unsigned(keys: Path) -> str:
    kid = key_id(private_key(keys, "token").public_key())
    return jwt.encode({"sub": "organiser", "aud": "fupan", "iat": 1, "exp": 4e9}, "", "none", {"kid": kid})


def _symmetric(keys: Path) -> str:
    """Signed with the public key as if it were a shared secret."""
    public = private_key(keys, "token").public_key()
    claims = {"sub": "organiser", "aud": "fupan", "iat": 1, "exp": 4_000_000_000}
    return jwt.encode(claims, public.public_bytes_raw(), "HS256", {"kid": key_id(public)})


BAD_TOKENS: dict[str, Callable[[Path], str]] = {
    "garbage": lambda keys: "garbage",
    "empty": lambda keys: "",
    "too long": lambda keys: "a" * 8193,
    "expired": lambda keys: _claims(keys, iat=1_000_000_000, exp=1_000_000_600),
    "not yet": lambda keys: _claims(keys, iat=3_900_000_000),
    "nbf": lambda keys: _claims(keys, nbf=3_900_000_000),
    "other audience": lambda keys: _claims(keys, aud="elsewhere"),
    "no audience": lambda keys: _claims(keys, aud=None),
    "no expiry": lambda keys: _claims(keys, exp=None),
    "expiry is no time": lambda keys: _claims(keys, exp=float("nan")),
    "no subject": lambda keys: _claims(keys, sub=None),
    "subject is no id": lambda keys: _claims(keys, sub="Organiser!"),
    "no issue time": lambda keys: _claims(keys, iat=None),
    "unknown key": _foreign,
    "unsigned": _unsigned,
    "public key as secret": _symmetric,
    "a person's key for a service": lambda keys: _claims(keys, sub="service:table"),
    "a service's key for another": lambda keys: _claims(keys, sub="service:table", key="service-scoring"),
    "a service's key for a person": lambda keys: _claims(keys, sub="organiser", key="service-table"),
    "a signer's key": lambda keys: _claims(keys, key="sign-table"),
}


@pytest.mark.parametrize("kind", BAD_TOKENS)
async def test_a_bad_token_opens_no_rpc(served: Serving, keys: Path, kind: str) -> None:
    """Not even a public one: who sends a bad token should learn it."""
    token = BAD_TOKENS[kind](keys)
    codes = {name: await _code(served, name, token) for name in ALL}
    assert {name: code for name, code in codes.items() if code is not StatusCode.UNAUTHENTICATED} == {}


async def test_without_a_token_only_public_rpcs_answer(served: Serving) -> None:
    for name, rule in RULES.items():
        code = await _code(served, name, None)
        assert code is (StatusCode.OK if "public" in rule.who else StatusCode.UNAUTHENTICATED), name


PEOPLE = [*sorted(OFFICES), "player", "operator", "nobody"]


@pytest.mark.parametrize("word", PEOPLE)
async def test_a_person_may_call_what_its_row_says(served: Serving, word: str) -> None:
    token = served.token(name_of(word))
    for name, rule in RULES.items():
        welcome = rule.who & {"public", "anyone", word}
        code = await _code(served, name, token)
        assert code is (StatusCode.OK if welcome else StatusCode.PERMISSION_DENIED), name


@pytest.mark.parametrize("service", SERVICES)
async def test_a_service_may_call_what_its_row_says(served: Serving, service: str) -> None:
    token = served.token(f"service:{service}")
    for name, rule in RULES.items():
        welcome = rule.who & {"public", "anyone", f"service:{service}"}
        code = await _code(served, name, token)
        assert code is (StatusCode.OK if welcome else StatusCode.PERMISSION_DENIED), name


def test_nobody_but_the_table_service_gets_a_leaf() -> None:
    assert RULES["/fupan.dealer.v1.DealerService/GetDeals"].who == {"service:table"}
    assert RULES["/fupan.dealer.v1.DealerService/ReleaseAppealKey"].who == {"service:appeals"}


async def test_an_office_counts_in_its_own_championship_only(served: Serving) -> None:
    name = "/fupan.table.v1.TableService/PauseTable"
    assert await _code(served, name, served.token("referee"), "open") is StatusCode.OK
    assert await _code(served, name, served.token("referee"), "other") is StatusCode.PERMISSION_DENIED
    assert await _code(served, name, served.token("other-organiser"), "open") is StatusCode.PERMISSION_DENIED
    assert await _code(served, name, served.token("referee"), "none") is StatusCode.NOT_FOUND
    assert await _code(served, name, served.token("referee"), "") is StatusCode.INVALID_ARGUMENT


async def test_a_name_gives_no_right(served: Serving) -> None:
    for name in ("deputy", "public", "anyone", "player", "operator-2", "service-table"):
        code = await _code(served, "/fupan.table.v1.TableService/PauseTable", served.token(name), "other")
        assert code is StatusCode.PERMISSION_DENIED, name


JUDGING = [
    *(
        f"/fupan.table.v1.TableService/{rpc}"
        for rpc in (
            "PauseTable",
            "ResumeTable",
            "RecordInfringement",
            "MakeRuling",
            "ReplaceSeat",
            "CloseBoard",
        )
    ),
    *(
        f"/fupan.scoring.v1.ScoringService/{rpc}"
        for rpc in ("CorrectResult", "VoidBoard", "AssignPercent", "SetPenalty")
    ),
    "/fupan.pairing.v1.PairingService/OverrideSeating",
]


@pytest.mark.parametrize("method", [*JUDGING, "/fupan.table.v1.TableService/WatchTable"])
async def test_an_official_who_plays_neither_watches_nor_judges(served: Serving, method: str) -> None:
    """C9.2: a deputy acts when the chief cannot."""
    await served.log.write("open", appointed("playing-referee", "deputy"))
    token = served.token("playing-referee")
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await served.call(method, token)
    told = read_status(refused.value)
    assert told is not None
    assert (told.code, told.reason) == (StatusCode.PERMISSION_DENIED, "PLAYS_THE_EVENT")
    assert await _code(served, "/fupan.pairing.v1.PairingService/StartRound", token) is StatusCode.OK


async def test_an_appointment_counts_at_once_and_ends_with_suspension(served: Serving) -> None:
    """Who got the answer to AppointOfficial may rely on it, though this service follows pairing's stream at its own pace."""
    name = "/fupan.table.v1.TableService/PauseTable"
    token = served.token("newcomer")
    assert await _code(served, name, token) is StatusCode.PERMISSION_DENIED
    await served.log.write("open", appointed("newcomer", "referee"))
    assert await _code(served, name, token) is StatusCode.OK
    suspended = events_pb2.OfficialSuspended(person_id="newcomer", role="referee", reason="C9.2")
    await served.log.write("open", events_pb2.Event(official_suspended=suspended))
    await served.directory.refresh()
    assert await _code(served, name, token) is StatusCode.PERMISSION_DENIED


@pytest.mark.parametrize(
    ("rpc", "clause"), [("FileAppeal", "C10.1"), ("RecordFee", "C10.2"), ("CastVote", "C10.4")]
)
async def test_who_may_not_appeal_pay_or_vote_is_told_the_clause(rpc: str, clause: str) -> None:
    method = f"/fupan.appeals.v1.AppealsService/{rpc}"
    access = Access(Directory(MemoryStore(), EPOCH), ["operator"])
    with pytest.raises(Denied) as refused:
        await access.admit(method, Caller("service:table", 4e9), None)
    told = explain(refused.value)
    assert (told.reason, told.clause) == ("NOT_IN_ROLE", clause)
    assert f"（依据 {clause}）" in told.message_zh


async def test_an_rpc_without_a_row_is_refused_to_everybody() -> None:
    access = Access(Directory(MemoryStore(), EPOCH), ["operator"], rules={})
    for caller in (ANONYMOUS, Caller("operator", 4e9), Caller("service:table", 4e9)):
        with pytest.raises(Denied, match="RPC_NOT_ALLOWED"):
            await access.admit("/fupan.table.v1.TableService/Join", caller, None)


async def test_a_server_with_an_rpc_without_a_row_does_not_start(served: Serving) -> None:
    server = Server(served.config, served.gate)
    with pytest.raises(RuntimeError, match=r"no row of the access table for \S+/Act$"):
        await server.start(servicers(), lambda method: not method.endswith("/Act"))


async def _code(served: Serving, method: str, token: str | None, championship: str = "open") -> StatusCode:
    try:
        await served.call(method, token, request_of(method, ALL[method], championship))
    except grpc.aio.AioRpcError as error:
        return error.code()
    return StatusCode.OK
