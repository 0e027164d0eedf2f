from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clients.cli.main import run
from fupan.dealer.v1.service_pb2 import RevealDrawResponse
from services.games.championship.tables import plan_of, seat_drawn
from services.ledger import dealing, merkle
from services.pairing import seating
from services.pairing.document import resolve
from services.pairing.model.digests import entrants_digest
from services.pairing.model.events import Entrant, Member

MASTER = bytes(range(64))


def certificate(form: str = "individual", entrants: int = 7, withdrawn: int = 0) -> dict[str, Any]:
    """What pairing hands out for a drawn first round of seven; one may have withdrawn before it was seated."""
    settings = resolve(json.dumps({"championship": "cup", "name": "Cup", "format": form}), demo_allowed=False)
    listed = [Entrant(number, (Member(f"p{number}", f"u{number}"),)) for number in range(3, 3 + entrants)]
    paths = ["1/1/1", "1/2/1", dealing.draw_path("round-1")]
    leaves = [dealing.leaf(MASTER, "cup", path) for path in paths]
    tree = merkle.Tree([merkle.entry(path, leaf) for path, leaf in zip(paths, leaves, strict=True)])
    order = seating.drawn(leaves[2], b"lottery", listed)
    draw = RevealDrawResponse(
        leaf=leaves[2],
        entropy=b"lottery",
        proof=tree.proof(2),
        batch=1,
        index=2,
        size=3,
        merkle_root=tree.root,
    )
    plan = plan_of(settings)
    drawn = seat_drawn(plan, 1, order, {withdrawn})
    tables = seating.seated(1, drawn)
    found: dict[str, Any] = json.loads(seating.certificate(plan, "cup", listed, tables, drawn.byes, draw))
    assert found["entrants_digest"] == entrants_digest(listed).hex()
    return found


def check(document: Any, folder: Path, *options: str) -> int:
    path = folder / "certificate.json"
    path.write_text(json.dumps(document))
    return run(["pairing", "check", str(path), "--json", *options])


@pytest.mark.parametrize("form", ["individual", "machine"])
def test_what_pairing_certifies_is_recomputed(
    form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = certificate(form)
    assert check(document, tmp_path, "--root", document["draw"]["merkle_root"]) == 0
    assert json.loads(capsys.readouterr().out)["ok"]


def test_a_certificate_of_before_the_method_was_named_is_recomputed(tmp_path: Path) -> None:
    document = certificate()
    assert document.pop("line_method") == 1
    assert check(document, tmp_path) == 0


def test_a_certificate_of_a_later_version_is_said_to_be_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert check({**certificate(), "line_method": 4}, tmp_path) == 1
    assert "method 4 of a later version" in capsys.readouterr().err


def test_who_withdrew_after_the_list_was_closed_has_no_seat(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = certificate(withdrawn=5)
    assert document["withdrawn"] == [5]
    assert check(document, tmp_path) == 0
    assert check({**document, "withdrawn": []}, tmp_path) == 1
    assert check({**document, "withdrawn": [6]}, tmp_path) == 1
    capsys.readouterr()


def flipped(digits: str) -> str:
    return f"{int(digits[0], 16) ^ 1:x}{digits[1:]}"


def forged() -> dict[str, dict[str, Any]]:
    """Certificates in which one thing is not what it should be."""
    found = {
        name: certificate()
        for name in ("leaf", "entropy", "root", "swap", "entrant", "group", "table", "more")
    }
    for name, field in (("leaf", "leaf"), ("entropy", "entropy"), ("root", "merkle_root")):
        found[name]["draw"][field] = flipped(found[name]["draw"][field])
    seats = found["swap"]["tables"][0][2]
    seats[0], seats[1] = seats[1], seats[0]
    found["entrant"]["entrants"][0][1][0][0] = "somebody-else"
    found["group"]["tables"][0][1] = 2
    found["table"]["tables"].pop()
    found["more"]["tables"].append(["r1-t4", 1, [0, 0, 0]])
    return found


@pytest.mark.parametrize("name", forged())
def test_a_forged_certificate_fails(name: str, tmp_path: Path) -> None:
    assert check(forged()[name], tmp_path) == 1


def test_another_root_than_the_known_one_fails(tmp_path: Path) -> None:
    assert check(certificate(), tmp_path, "--root", "00" * 32) == 1


@pytest.mark.parametrize(
    "document", [None, [], {}, {"certificate": "fupan/seating/1"}, {"certificate": "other"}]
)
def test_what_is_no_certificate_is_refused(document: Any, tmp_path: Path) -> None:
    assert check(document, tmp_path) == 1
