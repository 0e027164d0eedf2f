from __future__ import annotations

from pathlib import Path

import pytest

from clients.cli.generate import people
from clients.cli.main import run
from clients.cli.roster import NAMED, BadRoster, Person, Row, named, read


def roster(folder: Path, text: str, encoding: str = "utf-8") -> Path:
    path = folder / "entrants.csv"
    path.write_bytes(text.encode(encoding))
    return path


def bad(folder: Path, text: str) -> tuple[str, ...]:
    with pytest.raises(BadRoster) as found:
        read(roster(folder, text))
    return found.value.lines


def test_a_row_is_an_entrant_with_its_line(tmp_path: Path) -> None:
    text = "number,person_id,unit_id,name,contact\n7,kai,u1,凯,k@x\n,bo,,,\n\n"
    assert read(roster(tmp_path, text)) == [
        Row(2, 7, (Person("kai", "u1", "凯", "k@x"),)),
        Row(3, 0, (Person("bo"),)),
    ]


def test_pairs_stand_side_by_side_in_any_order_of_columns(tmp_path: Path) -> None:
    text = "person_id_2,name_2,person_id\r\nbo,波,kai\r\n"
    assert read(roster(tmp_path, text)) == [Row(2, 0, (Person("kai"), Person("bo", name="波")))]


def test_a_spreadsheet_may_mark_its_utf8(tmp_path: Path) -> None:
    assert read(roster(tmp_path, "person_id\nkai\n", "utf-8-sig")) == [Row(2, 0, (Person("kai"),))]


def test_every_bad_row_is_named_with_line_and_reason(tmp_path: Path) -> None:
    text = "number,person_id,name,person_id_2\n1,,kai,\nx,bo,,\n0,bo,,\n2,bo\n3,bo,,li\n4,,,li\n"
    assert bad(tmp_path, text) == (
        "line 2: person 1 has no person_id",
        "line 3: number 'x' is no whole number from 1",
        "line 4: number '0' is no whole number from 1",
        "line 5: 2 cells where the header has 4",
        "line 7: the persons of an entrant stand side by side, without a gap",
    )


def test_ids_that_are_none_and_what_stands_twice_are_named(tmp_path: Path) -> None:
    text = "number,person_id,unit_id\n1,Kai,u\n2,bo,\n2,li,\n3,bo,\n4,lu,俱乐部\n"
    assert bad(tmp_path, text) == (
        "line 2: person_id 'Kai' is not 1 to 40 of a-z, 0-9 and '-'",
        "line 4: number 2 stands in line 3 already",
        "line 5: person bo stands in line 3 already",
        "line 6: unit_id '俱乐部' is not 1 to 40 of a-z, 0-9 and '-'",
    )


def test_twenty_bad_rows_are_named_and_the_rest_counted_unless_all_are_asked_for(tmp_path: Path) -> None:
    lines = bad(tmp_path, "person_id,number\n" + "kai,x\n" * (NAMED + 3))
    assert len(lines) == NAMED + 3
    assert named(lines, every=True) == list(lines)
    assert named(lines, every=False) == [*lines[:NAMED], "and 3 more; --all names them"]
    assert named(lines[:NAMED], every=False) == list(lines[:NAMED])


@pytest.mark.parametrize("header", ["", "name", "person_id,shoe_size", "person_id,person_id"])
def test_a_header_that_is_none_is_told(header: str, tmp_path: Path) -> None:
    (line,) = bad(tmp_path, f"{header}\nkai\n")
    assert line.startswith("line 1: ")


def test_what_is_no_text_is_told(tmp_path: Path) -> None:
    with pytest.raises(BadRoster, match="line 3: not UTF-8"):
        read(roster(tmp_path, "person_id\nkai\n凯\n", "gb18030"))


def test_a_generated_event_can_be_read_and_is_the_same_for_the_same_seed(tmp_path: Path) -> None:
    for name in ("a", "b"):
        line = ["generate", "--out", str(tmp_path / name), "--entrants", "40", "--seed", "3"]
        assert run(line) == 0
    rows = read(tmp_path / "a/entrants.csv")
    assert [row.members[0] for row in rows] == list(people(40, 3))
    for name in ("entrants.csv", "championship.yaml"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
