"""Tests with annotations: what a type checker makes of them, and that the annotations are right."""

from pathlib import Path

import pytest
from mypy import api

import pytest_spanemu
from tests.plugin.conftest import SCHEMA

SUITE = Path(__file__).with_name("typed_suite.py")
# As docs/typing.md has it. Google's client has classes with types, and methods without.
CONFIGURATION = "[mypy]\nstrict = True\nuntyped_calls_exclude = google.cloud\n"
MISTAKES = """
from pytest_spanemu import SpannerAssert, SpannerClock, SpannerEmulator, SpannerFaults, SpannerSql
from pytest_spanemu import SpannerNothing

def test_it(
    spanner_assert: SpannerAssert,
    spanner_clock: SpannerClock,
    spanner_emulator: SpannerEmulator,
    spanner_faults: SpannerFaults,
    spanner_sql: SpannerSql,
) -> None:
    spanner_assert.no_fullscan()
    spanner_clock.advance(minuts=5)
    spanner_emulator.clokc.freeze()
    spanner_faults.abrt("Commit")
    count: int = spanner_sql.rows("SELECT 1")
    spanner_sql.rows(sql="SELECT 1")
"""


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """Return the errors that mypy's strict mode finds in the suite and in the mistakes, by file.

    Both are checked at once, because mypy reads the modules that they import for minutes.
    """
    directory = tmp_path_factory.mktemp("typing")
    (directory / "mypy.ini").write_text(CONFIGURATION)
    texts = {"test_suite.py": SUITE.read_text(), "test_mistakes.py": MISTAKES}
    for name, text in texts.items():
        (directory / name).write_text(text)
    flags = ["--config-file", str(directory / "mypy.ini"), "--no-error-summary"]
    flags.append(f"--cache-dir={directory / 'cache'}")
    answer, problem, _ = api.run([*flags, *(str(directory / name) for name in texts)])
    assert not problem
    lines = [line for line in answer.splitlines() if " error: " in line]
    return {name: [line for line in lines if name in line] for name in texts}


def test_a_suite_with_annotations_passes_in_strict_mode(errors):
    assert errors["test_suite.py"] == []


def test_a_type_checker_finds_mistakes(errors):
    lines = errors["test_mistakes.py"]
    assert [line.rpartition("[")[2].rstrip("]") for line in lines] == [
        "attr-defined",  # SpannerNothing
        "attr-defined",
        "call-arg",
        "attr-defined",
        "attr-defined",
        "assignment",
        "call-arg",
    ]


@pytest.mark.parametrize("target", ["embedded", "subprocess"])
def test_the_annotated_suite_passes_at_run_time(music, target):
    music.file("schema.sql", f"{SCHEMA}CREATE CHANGE STREAM SingerChanges FOR Singers;")
    music.run(SUITE.read_text(), f"--spanner-target={target}").assert_outcomes(passed=13)


def test_every_public_name_is_there():
    for name in pytest_spanemu.__all__:
        assert getattr(pytest_spanemu, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'SpannerNothing'"):
        _ = pytest_spanemu.SpannerNothing


def test_columns_may_have_the_names_of_parameters(project):
    project.file(
        "schema.sql", "CREATE TABLE T (self INT64, `count` INT64, `table` INT64) PRIMARY KEY (self)"
    )
    project.run(
        """
        def test_it(spanner_factory, spanner_sql):
            spanner_factory.T(self=1, count=2, table=3)
            spanner_factory.T.many(1, self=2, count=2, table=3)
            assert spanner_factory.ref("T", self=3, table=3) == 3
            rows = spanner_sql.rows("SELECT COUNT(*) AS n FROM T WHERE self > @sql", sql=0)
            assert rows == [{"n": 3}]
        """
    ).assert_outcomes(passed=1)


def test_rows_and_execute_update_refuse_the_other_kind(music):
    music.run(
        """
        import pytest

        def test_it(spanner_sql):
            insert = "INSERT INTO Singers (SingerId, Name) VALUES ({}, 'a')"
            assert spanner_sql.execute_update(insert.format(1)) == 1
            returned = spanner_sql.rows(insert.format(2) + " THEN RETURN SingerId")
            assert returned == [{"SingerId": 2}]
            with pytest.raises(TypeError):
                spanner_sql.rows(insert.format(3))
            with pytest.raises(TypeError):
                spanner_sql.execute_update("SELECT 1")
        """
    ).assert_outcomes(passed=1)
