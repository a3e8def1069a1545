"""Modules that make a Spanner client when they are imported, by a conftest.py or by a test."""

import pytest

APPLICATION = """
import os
from google.cloud import spanner

client = spanner.Client()
database = client.instance(os.environ.get("SPANNER_INSTANCE_ID", "i")).database(
    os.environ.get("SPANNER_DATABASE_ID", "dd")
)
"""
SUITE = """
import os
import pytest
from application import client, database

@pytest.mark.parametrize("number", range(4))
def test_singers(spanner_database, number):
    assert client._emulator_host == os.environ["SPANNER_EMULATOR_HOST"]
    with database.batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [(1, "a")])
    with spanner_database.snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM Singers")) == [[1]]
"""
EAGER = "spanner_start = eager"


@pytest.fixture
def application(music, monkeypatch, tmp_path):
    """Return a project whose conftest.py imports a client; there are no credentials."""
    monkeypatch.setenv("GOOGLE_APPLICATION_CREDENTIALS", "")
    monkeypatch.setenv("CLOUDSDK_CONFIG", str(tmp_path / "no-gcloud"))
    monkeypatch.setenv("NO_GCE_CHECK", "true")
    music.file("application.py", APPLICATION)
    music.file("conftest.py", "import application\n")
    return music


@pytest.mark.parametrize(
    "flags",
    [
        [],
        ["-n", "2"],
        ["-p", "no:xdist", "-p", "no:cacheprovider", "-p", "no:django"],
        ["--spanner-target=subprocess"],
    ],
    ids=" ".join,
)
def test_an_eager_emulator_is_there_before_a_conftest_is_imported(application, flags):
    application.ini(f"pythonpath = .\n{EAGER}")
    application.run_apart(SUITE, *flags).assert_outcomes(passed=4)


def test_the_command_line_and_the_environment_can_request_an_early_start(application, monkeypatch):
    application.ini("pythonpath = .")
    application.run_apart(SUITE, "--spanner-start=eager").assert_outcomes(passed=4)
    monkeypatch.setenv("PYTEST_ADDOPTS", "--spanner-start=eager")
    application.run_apart(SUITE).assert_outcomes(passed=4)


def test_workers_have_the_controllers_seed(application):
    application.ini(f"pythonpath = .\n{EAGER}")
    suite = """
        import os

        def test_seed(spanner_emulator, pytestconfig):
            assert spanner_emulator.handle.config.seed == int(os.environ["SPANEMU_SEED"])
        """
    application.run_apart(suite, "-n", "1").assert_outcomes(passed=1)


def test_help_starts_no_emulator(application):
    application.ini(EAGER)
    application.file("conftest.py", "import os\nassert 'SPANNER_EMULATOR_HOST' not in os.environ\n")
    result = application.run_apart("", "--help")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["*--spanner-start*"])


def test_the_environment_is_restored(application):
    application.ini(f"pythonpath = .\n{EAGER}")
    application.file("conftest.py", "import application\nraise RuntimeError('on purpose')\n")
    application.file(
        "run.py",
        "import os, threading, pytest\nbefore = dict(os.environ)\nassert pytest.main([]) == 4\n"
        "gone = {name for name in os.environ if name.startswith(('SPANNER_', 'GOOGLE_'))} - {*before}\n"
        "assert not gone, gone\n",
    )
    result = application._pytester.runpython("run.py")
    assert result.ret == 0, result.stderr.str()


def test_an_unreachable_target_fails_with_a_sentence(application):
    application.ini(f"pythonpath = .\n{EAGER}\nspanner_target = external\n")
    result = application.run_apart(SUITE, "--spanner-host=localhost:1")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*no server answers at localhost:1*"])
    assert "Traceback" not in result.stderr.str()


# ------------------------------------------------------------------ the hint


def hints(result):
    return (result.stdout.str() + result.stderr.str()).count("set `spanner_start = eager`")


def test_a_conftest_that_finds_no_credentials_gets_a_hint(application):
    application.ini("pythonpath = .")
    result = application.run_apart(SUITE)
    result.stderr.fnmatch_lines(["*DefaultCredentialsError*"])
    assert hints(result) == 1


def test_a_test_module_that_finds_no_credentials_gets_a_hint(application):
    application.ini("pythonpath = .")
    application.file("conftest.py", "")
    result = application.run_apart(SUITE)
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*DefaultCredentialsError*"])
    assert hints(result) == 1


def test_a_conftest_further_down_gets_a_hint(application):
    application.ini("pythonpath = .")
    application.file("conftest.py", "")
    application.file("suite/sub/conftest.py", "import application\n")
    application.file("suite/sub/test_sub.py", "def test_it(): pass\n")
    assert hints(application.run_apart("def test_it(): pass", ".")) == 1


def test_other_failures_get_no_hint(application):
    application.ini("pythonpath = .")
    application.file("application.py", "from google.cloud import spanner\nraise OSError('a disk')")
    assert hints(application.run_apart(SUITE)) == 0
    application.file("conftest.py", "")
    assert hints(application.run_apart(SUITE)) == 0
