from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import jwt
import pytest

from clients.cli.commands import ABOUT, COMMANDS, PACKAGE
from clients.cli.main import run
from clients.cli.words import choose
from services.runtime.config import Config
from services.runtime.identity import Verifier, create_keys

GOOD = {
    "id": "good",
    "game": "paohuzi",
    "kind": "meld",
    "meld": ["run", "s1", "s2", "s3"],
    "expect": {"legal": True},
}
BAD = {**GOOD, "id": "bad", "expect": {"legal": False}}


@pytest.fixture(autouse=True)
def english() -> None:
    choose("en")


def cases(folder: Path, *lines: object) -> str:
    path = folder / "cases.ndjson"
    path.write_text("\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines) + "\n")
    return str(path)


def test_good_cases_end_with_0(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "check", cases(tmp_path, GOOD)]) == 0
    assert capsys.readouterr().out == "ok good\n1 passed, 0 failed\n"


def test_a_failed_case_and_a_broken_line_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "check", cases(tmp_path, GOOD, BAD, "{")]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["ok good", 'FAIL bad: expected {"legal": false}, got {"legal": true}']
    assert lines[2].startswith("FAIL line 3: ")
    assert lines[3:] == ["1 passed, 2 failed"]


def test_json_is_one_object_a_case(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "check", "--json", cases(tmp_path, GOOD, BAD)]) == 1
    told = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(one["id"], one["ok"]) for one in told] == [("good", True), ("bad", False)]


@pytest.mark.parametrize("order", [("good", "-"), ("-", "good"), ("-",)])
def test_stdin_is_read_in_its_place_among_the_files(order: tuple[str, ...], tmp_path: Path) -> None:
    files = [cases(tmp_path, GOOD) if name == "good" else name for name in order]
    line = [sys.executable, "-m", "clients.cli", "rules", "check", *files]
    stdin = json.dumps({**GOOD, "id": "-"})
    done = subprocess.run(line, input=stdin, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[:-1] == [f"ok {name}" for name in order]


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_an_id_that_nothing_can_print_is_escaped(
    form: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    assert run(["rules", "check", *form, cases(tmp_path, {**GOOD, "id": "\ud800\n"})]) == 0
    assert capfd.readouterr().out.splitlines()[0] in (
        "ok \\ud800\\n",
        '{"id": "\\ud800\\n", "ok": true, "message": ""}',
    )


def test_bytes_that_are_no_text_fail_as_a_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "cases").write_bytes(json.dumps(GOOD).encode() + b"\n\xff\xfe\n")
    assert run(["rules", "check", str(tmp_path / "cases")]) == 1
    assert capsys.readouterr().out.splitlines()[1] == "FAIL line 2: MALFORMED_CASE: no UTF-8 from column 1 on"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n\n",
        b"\x89PNG\r\n\x1a\n\xff\n\x00",
        b"format: pairs\nrounds: 3\n",
        b'{"a": 1}\n',
        b"[1, 2]\n",
        json.dumps([GOOD], indent=1).encode(),
    ],
    ids=["empty", "blank", "picture", "yaml", "object", "list", "several lines a case"],
)
@pytest.mark.parametrize(("lang", "told"), [("en", "not a file of cases"), ("zh", "不是用例文件")])
def test_a_file_without_a_case_is_told_once_and_nothing_is_checked(
    data: bytes, lang: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "other").write_bytes(data)
    assert run(["rules", "check", cases(tmp_path, GOOD), str(tmp_path / "other"), "--lang", lang]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert told in said.err
    assert str(tmp_path / "other") in said.err
    assert said.err.count("\n") == 1


def test_a_wrong_line_is_told_in_chinese(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bare = {key: value for key, value in GOOD.items() if key != "meld"}
    assert run(["rules", "check", cases(tmp_path, GOOD, BAD, bare, "{"), "--lang", "zh"]) == 1
    assert capsys.readouterr().out.splitlines() == [
        "ok good",
        'FAIL bad: 应为 {"legal": false}，实为 {"legal": true}',
        "FAIL good: 第 3 行: MALFORMED_CASE: 缺少 meld",
        "FAIL 第 4 行: MALFORMED_CASE: 自第 2 列起不是 JSON",
        "通过 1，未通过 3",
    ]


@pytest.mark.parametrize(
    "line",
    [
        ["rules", "check"],
        ["rules", "check", "/no/such/file"],
        ["rules", "check", "--bogus", "x"],
        ["rules", "check", "x", "--bogus"],
        ["rules", "check", "-", "-"],
        ["nonsense"],
        ["--lang", "fr", "rules"],
        ["token", "mint", "kai", "--seconds", "0"],
        ["token", "mint", "kai", "--server", "/no/such/folder"],
    ],
)
def test_a_wrong_command_line_ends_with_2_and_one_line(
    line: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(line) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("fupan: ")


def test_every_command_is_described_and_can_be_imported() -> None:
    names = {
        f"{group} {sub}".strip(): path
        for group, target in COMMANDS.items()
        for sub, path in ([("", target)] if isinstance(target, str) else target.items())
    }
    assert names.keys() | COMMANDS.keys() == ABOUT.keys()
    for name in sorted(names):
        assert run([*name.split(), "--help"]) == 0


def test_help_tells_a_default_only_where_there_is_something_to_tell(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert run(["board", "replay", "--help"]) == 0
    told = capsys.readouterr().out
    assert "[default: 1]" in told
    assert "False" not in told
    assert '""' not in told


def test_help_speaks_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["rules", "--help", "--lang=zh"]) == 0
    assert ABOUT["rules check"][1] in capsys.readouterr().out


ALONE = """
import importlib, sys
for name in sys.argv[1:]:
    for known in [one for one in sys.modules if one.startswith("clients")]:
        del sys.modules[known]
    importlib.import_module(name)
"""


def test_every_command_is_found_whichever_is_the_first() -> None:
    """A command imports its own module and nothing before it: modules must not go in a circle."""
    targets = [
        one for group in COMMANDS.values() for one in ([group] if isinstance(group, str) else group.values())
    ]
    modules = sorted({f"{PACKAGE}.{target.partition(':')[0]}" for target in targets})
    subprocess.run([sys.executable, "-c", ALONE, *modules], check=True)


def test_rules_check_loads_neither_grpc_nor_a_service(tmp_path: Path) -> None:
    """What starts fast must not drag the network in."""
    script = (
        "import sys; from clients.cli.main import run; code = run(sys.argv[1:]);"
        "print(sorted({'grpc', 'google', 'nats', 'asyncpg', 'services.runtime'} & sys.modules.keys()), code)"
    )
    line = [sys.executable, "-c", script, "rules", "check", cases(tmp_path, GOOD)]
    done = subprocess.run(line, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[] 0"


def test_a_minted_token_is_one_that_services_accept(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    create_keys(tmp_path)
    assert run(["token", "mint", "kai", "--keys", str(tmp_path), "--seconds", "60"]) == 0
    token = capsys.readouterr().out.strip()
    config = Config.read(
        "table",
        {
            "FUPAN_SERVICE_LISTEN": "127.0.0.1:0",
            "FUPAN_NATS_URL": "nats://u:p@127.0.0.1:1",
            "FUPAN_POSTGRES_DSN": "postgresql://u@127.0.0.1:1/x",
            "FUPAN_EPOCH": "e1",
            "FUPAN_KEYS_DIR": str(tmp_path),
        },
    )
    caller = Verifier.of(config).verify(token)
    assert caller.person == "kai"
    assert 50 < caller.expires_at - time.time() <= 60
    assert jwt.get_unverified_header(token)["alg"] == "EdDSA"


@pytest.mark.parametrize(
    "line",
    [
        ["championship", "create", "/dev/zero"],
        ["championship", "regulations", "/no/such/file"],
        ["entrants", "import", "/no/such/file"],
        ["pairing", "check", "/tmp"],
        ["token", "mint", "凯"],
        ["standings", "--as", "Kai"],
        ["standings", "--token", "two\nlines"],
        ["standings", "--championship", "\udcff"],
        ["board", "show", "-1", "--round", "1", "-c", "cup"],
        ["score", "explain", "99999999999", "-c", "cup"],
        ["score", "assign", "1", "1", "60.55", "--round", "1", "--reason", "r", "-c", "cup"],
        ["score", "correct", "t", "1", "--scores", "1.5,nan", "--round", "1", "--reason", "r", "-c", "cup"],
        ["appeal", "fee", "a-1", "500.005", "CNY", "-c", "cup"],
        ["appeal", "whatif", "--table", "t", "--round", "1", "--board", "1", "-c", "cup"],
        ["appeal", "whatif", "--table", "t", "--round", "1", "--match", "2=A=7", "-c", "cup"],
        ["appeal", "whatif", "--penalty", "late=1=2", "--lines", "0", "-c", "cup"],
        ["standings", "--since", "1", "--as-of", "1", "-c", "cup"],
        ["standings", "--lines", "8", "-c", "cup"],
        ["restore", "/usr", "--data", "/no/such/place", "--passphrase-file", __file__],
        ["backup", "/no/such/copy", "--data", "/no/such/place", "--passphrase-file", __file__],
        ["up", "--data", __file__],
    ],
)
def test_what_no_request_can_hold_is_told_before_anything_is_sent(
    line: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    create_keys(tmp_path)
    monkeypatch.setenv("FUPAN_SERVER", "127.0.0.1:1")
    monkeypatch.setenv("FUPAN_KEYS_DIR", str(tmp_path))
    assert run(line) == 2
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith("fupan: ")
    assert told.err.count("\n") == 1


def test_a_mistake_of_the_command_itself_is_told_in_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def broken(_: str) -> None:
        raise LookupError("what nobody thought of")

    monkeypatch.setattr("clients.cli.rules.check_text", broken)
    assert run(["rules", "check", cases(tmp_path, GOOD)]) == 1
    told = capsys.readouterr()
    assert told.err.startswith("fupan: a mistake of fupan itself")
    assert "LookupError: what nobody thought of" in told.err
    monkeypatch.setenv("FUPAN_DEBUG", "1")
    with pytest.raises(LookupError):
        run(["rules", "check", cases(tmp_path, GOOD)])


@pytest.mark.parametrize(
    ("shell", "code"),
    [("{} >/dev/full", 1), ("{} >&-", 0), ("{} 2>&- >&-", 0), ("{} | true; exit ${{PIPESTATUS[0]}}", 0)],
)
def test_an_output_that_takes_nothing_makes_no_traceback(shell: str, code: int, tmp_path: Path) -> None:
    line = f"{sys.executable} -m clients.cli rules check {cases(tmp_path, GOOD)}"
    done = subprocess.run(["bash", "-c", shell.format(line)], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


@pytest.mark.parametrize("form", ["pairs", "teams", "points"])
def test_c1_3_the_machine_is_met_by_individuals_alone(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["demo", "--game", "shengji", "--format", form, "--machine", "--exit"]) == 2
    assert f"--format {form}" in capsys.readouterr().err


IMPATIENT = """
from services.runtime.jetstream import JetStreamStore
JetStreamStore.connect.__func__.__kwdefaults__["patience"] = 0.5
from clients.cli.main import main
main()
"""
"""The command, which does not wait long for servers that nobody has begun."""


@pytest.mark.parametrize(
    ("variable", "value", "code"),
    [("FUPAN_EPOCH", "Spring 2027", 2), ("FUPAN_NATS_URL", "nats://u:p@127.0.0.1:1", 3)],
)
def test_what_keeps_a_platform_from_starting_is_told_once_with_its_variable(
    variable: str, value: str, code: int, tmp_path: Path
) -> None:
    line = [sys.executable, "-c", IMPATIENT, "--lang", "zh", "up", "--data", str(tmp_path / "data")]
    done = subprocess.run(
        line, env={**os.environ, variable: value}, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    _, told = done.stderr.splitlines()
    assert told.startswith(f"fupan: {variable}：")
    assert re.search("[\u4e00-\u9fff]", told.partition("：")[2])
