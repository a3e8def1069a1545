"""The documentation: what it tells to type works, and it builds without a warning."""

import re
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
    application = pytest.importorskip("sphinx.application")
    pytest.importorskip("myst_parser")
    pytest.importorskip("furo")
    built = application.Sphinx(
        DOCS, DOCS, tmp_path / "html", tmp_path / "trees", "html", status=None, warningiserror=True
    )
    built.build()
    assert built.statuscode == 0
    assert (tmp_path / "html" / "index.html").is_file()
