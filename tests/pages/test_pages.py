"""Each page works as its readers follow it: in an empty folder, in order, word for word."""

from __future__ import annotations

import shutil

import pytest

from tests.clients.test_clients import STAY_HERE
from tests.pages.blocks import DOCS, blocks
from tests.pages.environments import ROOT
from tests.pages.walkthrough import FOR_REAL, Walkthrough, in_time

pytestmark = in_time


@pytest.fixture
def walk(tmp_path):
    return Walkthrough(tmp_path)


def test_the_readme(tmp_path):
    walk = Walkthrough(tmp_path, folder="spanemu")
    parts = (
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "docs",
        "fixtures",
        "spanemu",
        "pytest_spanemu",
    )
    for part in parts:
        copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copy
        copy(ROOT / part, walk.folder / part)
    printed = walk.follow(
        blocks(ROOT / "README.md"),
        shown={
            "python3 -m venv .venv && .venv/bin/pip install -q -e": "installs and runs these tests"
        },
        fails=[".venv/bin/pytest test_visits.py --spanner-report=html:race.html"],
    )
    assert "1 passed" in printed
    assert 'lost update of Pages("home")' in printed


def test_the_quickstart(walk):
    assert "2 passed" in walk.follow(blocks(DOCS / "quickstart.md"))


def test_moving(walk):
    printed = walk.follow(blocks(DOCS / "how-to" / "moving.md"))
    assert printed.count("2 passed") == printed.count(": pytest\n") == 4


def test_django(walk):
    printed = walk.follow(blocks(DOCS / "how-to" / "django.md"))
    assert "2 passed" in printed
    assert "Ran 1 test" in printed


def test_sqlalchemy(walk):
    printed = walk.follow(blocks(DOCS / "how-to" / "sqlalchemy.md"))
    assert "2 passed" in printed
    assert "4 passed" in printed


def test_alembic(walk):
    assert "2 passed" in walk.follow(blocks(DOCS / "how-to" / "alembic.md"))


def after_the_quickstart(page):
    """Return the blocks of a page that goes on in the folder of the quickstart."""
    *begin, _ = blocks(DOCS / "quickstart.md")
    return [*begin, *blocks(DOCS / "how-to" / page)]


def test_data(walk):
    printed = walk.follow(after_the_quickstart("data.md"))
    assert "3 passed" in printed


def test_graphs(walk):
    assert "4 passed" in walk.follow(after_the_quickstart("graphs.md"))


def test_vector_search(walk):
    printed = walk.follow(after_the_quickstart("vector-search.md"))
    assert "2 passed" in printed


def test_explore(walk):
    printed = walk.follow(
        after_the_quickstart("explore.md"),
        shown={"lost update of": "before", "database.Explore(t": "in Go"},
    )
    assert "1 passed" in printed
    assert ", complete" in printed


OTHER_LANGUAGES = list(blocks(DOCS / "how-to" / "other-languages.md"))
# The commands that a section needs, and what its last command prints.
TOOLCHAINS = {
    "Go": (("go",), "--- PASS: TestAnAbortedCommitIsRepeated"),
    "Java with JUnit 5": (("mvn",), "Tests run: 1, Failures: 0, Errors: 0, Skipped: 0"),
    "Node": (("node", "npm"), "pass 1"),
}


def test_clients_of_other_languages_find_a_server(walk):
    page = [block for block in OTHER_LANGUAGES if block.section not in TOOLCHAINS]
    walk.follow(
        page,
        shown={"$ grpcurl": "needs the tool", "jdbc:cloudspanner": "a URL"},
    )


@pytest.mark.toolchain
@pytest.mark.skipif(not FOR_REAL, reason="takes a minute: set SPANEMU_TEST_PAGES")
@pytest.mark.parametrize("section", TOOLCHAINS)
def test_clients_of_other_languages_isolate_tests(tmp_path, section):
    tools, passed = TOOLCHAINS[section]
    if missing := [tool for tool in tools if shutil.which(tool) is None]:
        pytest.skip(f"{', '.join(missing)}: not installed here")
    walk = Walkthrough(tmp_path, **STAY_HERE)
    (tmp_path / "spanemu").symlink_to(ROOT)
    installs, *rest = OTHER_LANGUAGES
    printed = walk.follow([installs, *(block for block in rest if block.section == section)])
    assert passed in printed


def test_continuous_integration(walk):
    assert walk.follow(after_the_quickstart("ci.md")).count("2 passed") == 2
