"""The plugin as a suite of somebody else's sees it."""

import os
import sys

import pytest

pytest_plugins = ["pytester"]


@pytest.fixture
def run(pytester, monkeypatch):
    """Run a test file's text in a process of its own, where the plugin loads by its entry point."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))

    def run(text):
        pytester.makepyfile(text)
        return pytester.runpytest_subprocess("-W", "error")

    return run


def test_each_test_gets_a_database_of_its_own(run):
    result = run(
        """
        seen = []

        def test_first(spanner_database):
            seen.append(spanner_database.name)
            spanner_database.update_ddl(["CREATE TABLE T (x INT64) PRIMARY KEY (x)"]).result(5)

        def test_second(spanner_database, spanner_emulator):
            spanner_database.reload()
            assert spanner_database.ddl_statements == ()
            (listed,) = spanner_emulator.client().instance(
                spanner_emulator.instance).list_databases()
            assert listed.name == spanner_database.name != seen[0]
        """
    )
    result.assert_outcomes(passed=2)


def test_a_run_that_uses_no_fixture_imports_nothing(run):
    result = run(
        """
        import sys

        def test_modules():
            assert not {"google", "grpc", "spanemu.emulator"} & set(sys.modules)
        """
    )
    result.assert_outcomes(passed=1)
