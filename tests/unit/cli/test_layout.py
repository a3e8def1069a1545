"""`spanemu layout` prints where rows lie."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from spanemu.cli import main

FIXTURES = Path(__file__).parents[3] / "fixtures"
MUSIC = ["layout", "--schema", str(FIXTURES / "music.sql")]


def run(*flags: str):
    return CliRunner().invoke(main, [*MUSIC, *flags])


def test_rows_and_boundaries() -> None:
    result = run("--rows", str(FIXTURES / "music.json"), "--split", "Singers:2")
    assert result.exit_code == 0
    lines = result.output.splitlines()
    boundary = next(number for number, line in enumerate(lines) if "split boundary" in line)
    assert lines[boundary - 1].strip().startswith('Songs(1, 2, 2)  "Nothing Is The Same"')
    assert lines[boundary + 1].startswith("Singers(2)")


def test_a_split_inside_a_hierarchy_is_refused() -> None:
    result = run("--split", "Albums:1,1")
    assert result.exit_code == 2
    assert "Singers" in result.output


def test_a_key_that_is_not_json_is_refused() -> None:
    assert run("--split", "Singers:oops").exit_code == 2


def test_a_key_of_another_length_is_refused() -> None:
    assert run("--split", "Singers:1,2").exit_code == 2


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("x", "Expecting value"),
        ("[]", '{TABLE: {"columns"'),
        ('{"Singers": [[1]]}', '{TABLE: {"columns"'),
        ('{"Singers": {"columns": ["SingerId"], "rows": [1]}}', '{TABLE: {"columns"'),
        ('{"Singers": {"columns": ["SingerId"], "rows": [["a"]]}}', "SingerId of Singers"),
        ('{"Nobody": {"columns": ["Id"], "rows": [[1]]}}', "Nobody"),
    ],
)
def test_invalid_rows_are_refused_with_their_file(tmp_path, rows, said) -> None:
    path = tmp_path / "rows.json"
    path.write_text(rows)
    result = run("--rows", str(path))
    assert result.exit_code == 2
    assert "rows.json" in result.output.replace("\n", "")
    assert said in result.output
    assert "request_id" not in result.output
