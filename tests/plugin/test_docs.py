"""The documentation: what it tells to type works, and it builds without a warning."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


def blocks(page, language):
    """The code blocks of a language."""
    return re.findall(rf"```{language}\n(.*?)```", (DOCS / page).read_text(), re.DOTALL)


def test_the_quickstart_runs_and_is_short(project):
    (schema,) = blocks("quickstart.md", "sql")
    (tests,) = blocks("quickstart.md", "python")
    project.file("schema.sql", schema)
    project.run(tests).assert_outcomes(passed=2)
    assert len((DOCS / "quickstart.md").read_text().splitlines()) <= 31


def test_the_pages_build_without_warnings(tmp_path):
    for package in ("sphinx", "myst_parser", "furo"):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    subprocess.run(
        [sys.executable, "-m", "sphinx", "-q", "-W", "-b", "html", "-d", tmp_path / "trees",
         DOCS, tmp_path / "html"],
        check=True, timeout=200,
    )  # fmt: skip
    assert (tmp_path / "html" / "index.html").is_file()


def test_the_page_on_schema_files_runs(capsys):
    (program,) = blocks("how-to/ddl.md", "python")
    exec(compile(program, "ddl.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "ALTER TABLE Singers ALTER COLUMN Name STRING(MAX) ",
        "CREATE INDEX ByName ON Singers(Name) ",
    ]
    assert lines[2:4] == ["1 CreateIndex", "1 DropTable"]
