"""pytest rewrites assertions in packages of a plugin's distribution; the engine is left alone."""

import subprocess
import sys

import pytest

EARLY = """
import pytest

pytest.register_assert_rewrite("spanemu", "pytest_spanemu")  # as pytest does for an installed wheel
"""
SUITE = """
import sys

def loader(name):
    return type(sys.modules[name].__loader__).__name__

def test_loaders(spanner_database):
    engine = [
        name for name, module in sys.modules.items()
        if name.startswith("spanemu.") and type(module).__name__ != "LazyModule"
    ]
    assert len(engine) > 150
    rewritten = [name for name in engine if loader(name) == "AssertionRewritingHook"]
    assert len(rewritten) <= PLUGIN_NEEDS_MAX, rewritten
    assert not [name for name in engine if name.startswith("spanemu.lint")]
    assert loader("pytest_spanemu.fixtures") == "AssertionRewritingHook"
    assert loader(__name__) == "AssertionRewritingHook"
"""
# Modules of the engine that the plugin imports before pytest calls any hook of the plugin.
PLUGIN_NEEDS_MAX = 11


def test_the_engine_is_imported_without_rewriting(project):
    project.file("schema.sql", "CREATE TABLE T (K INT64) PRIMARY KEY (K)")
    project.file("early.py", EARLY)
    text = SUITE.replace("PLUGIN_NEEDS_MAX", str(PLUGIN_NEEDS_MAX))
    project.run_apart(text, "-p", "early").assert_outcomes(passed=1)


def test_the_finder_of_the_engine_ends_with_the_run(project):
    result = project.run_apart(
        """
        import sys

        import pytest
        from pytest_spanemu.plugin import EngineFinder

        def finders():
            return [finder for finder in sys.meta_path if isinstance(finder, EngineFinder)]

        def test_nested_runs(tmp_path):
            assert len(finders()) == 1
            (tmp_path / "test_inner.py").write_text("def test_it(): pass")
            (tmp_path / "pytest.ini").write_text("[pytest]")
            assert pytest.main(["-q", "-W", "ignore", f"--rootdir={tmp_path}", str(tmp_path)]) == 0
            assert len(finders()) == 1
        """
    )
    result.assert_outcomes(passed=1)


def test_garbage_is_collected_again_after_the_imports(project):
    project.run_apart(
        """
        import gc

        def test_it(spanner_emulator):
            assert gc.isenabled()
        """
    ).assert_outcomes(passed=1)


FROZEN_AT_EXIT = """
import atexit
import gc

atexit.register(lambda: print("frozen at exit:", gc.get_freeze_count() > 10_000))
"""


@pytest.mark.parametrize(("choice", "is_frozen"), [("on", True), ("auto", False)])
def test_a_run_with_databases_ends_without_further_collections_if_asked_to(
    music, choice, is_frozen
):
    music.file("conftest.py", FROZEN_AT_EXIT)
    result = music.run_apart("def test_it(spanner_database): pass", f"--spanner-gc-freeze={choice}")
    result.stdout.fnmatch_lines(f"frozen at exit: {is_frozen}")


def test_a_run_without_databases_ends_normally(music):
    music.file("conftest.py", FROZEN_AT_EXIT)
    result = music.run_apart("def test_it(): pass")
    result.stdout.fnmatch_lines("frozen at exit: False")


def test_cyclic_garbage_of_a_test_is_reported_at_the_end(music):
    result = music.run_apart(
        """
        import gc

        class Left:
            def __init__(self):
                self.itself = self

            def __del__(self):
                raise RuntimeError("left behind")

        def test_it(spanner_database):
            gc.disable()
            Left()
        """
    )
    assert "left behind" in result.stderr.str() + result.stdout.str()


INSERT = """
def test_it(spanner_database):
    with spanner_database.batch() as batch:
        batch.insert("T", ["K"], [(1,)])
"""


def test_the_engine_is_lazy_where_it_was_imported_before_pytest(project):
    project.file("schema.sql", "CREATE TABLE T (K INT64) PRIMARY KEY (K)")
    project.file("test_it.py", INSERT)
    code = "import pytest_spanemu.databases.templates, pytest; pytest.main(['-p', 'no:faker'])"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=project.path, capture_output=True, text=True, check=False
    )
    assert "1 passed" in ran.stdout, ran.stdout
