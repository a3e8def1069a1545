"""The same suite against an emulator in a process of its own, and against Google's."""

import json
import os

import google.auth
import pytest
from google.auth.credentials import AnonymousCredentials

import spanemu
from pytest_spanemu.targets.real import OmniSpanner
from tests.conformance.reference import official_process

EVERYTHING = """
def test_rows_and_snapshots(spanner_database, spanner_snapshot, spanner_sql):
    spanner_snapshot.take("empty")
    with spanner_database.batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [(1, "Marc")])
    (diff,) = spanner_snapshot.diff("empty")
    assert diff.added == ((1,),)
    spanner_snapshot.restore("empty")
    assert spanner_sql("SELECT * FROM Singers") == []
    with spanner_database.batch() as batch:
        batch.insert("Singers", ["SingerId", "Name"], [(2, "Left behind")])

def test_the_next_one_starts_anew(spanner_sql, spanner_emulator):
    assert spanner_sql("SELECT * FROM Singers") == []
    assert spanner_emulator.default_isolation == "restore"

def test_faults_and_counts(spanner_database, spanner_faults, spanner_assert):
    fault = spanner_faults.abort("Commit", database=spanner_database.name)
    with spanner_assert.commits(1), spanner_assert.aborts(1):
        spanner_database.run_in_transaction(
            lambda txn: txn.insert("Singers", ["SingerId", "Name"], [(1, "Marc")])
        )
    assert fault.fired == 1

def test_clock(spanner_clock):
    before = spanner_clock.now
    spanner_clock.advance(days=1)
    assert (spanner_clock.now - before).days == 1
"""


def test_the_subprocess_target_has_all_features(music):
    music.run(EVERYTHING, "--spanner-target=subprocess").assert_outcomes(passed=4)


@pytest.mark.parametrize("target", ["embedded", "subprocess"])
def test_instances_may_only_name_published_configs(music, target):
    music.run(
        """
        import pytest
        from google.api_core.exceptions import NotFound

        def test_config(spanner_client):
            made_up = f"{spanner_client.project_name}/instanceConfigs/made-up"
            with pytest.raises(NotFound):
                spanner_client.instance("inst-1", configuration_name=made_up).create()
        """,
        f"--spanner-target={target}",
        "--spanner-instance-configs=published",
    ).assert_outcomes(passed=1)


def test_unused_faults_of_a_subprocess_fail_the_test(music):
    result = music.run(
        "def test_one(spanner_faults):\n    spanner_faults.unavailable('Commit')\n",
        "--spanner-target=subprocess",
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*faults that no request triggered:", "*unavailable(Commit)"])


@pytest.mark.reference
def test_googles_emulator_has_rows_and_refuses_the_rest(music):
    text = EVERYTHING + (
        "\ndef test_rows(spanner_sql):\n"
        "    spanner_sql(\"INSERT INTO Singers (SingerId, Name) VALUES (1, 'Marc')\")\n"
        "    assert len(spanner_sql('SELECT * FROM Singers')) == 1\n"
    )
    with official_process() as (client, _):
        host = client._emulator_host
        result = music.run(
            text, "--spanner-target=external", f"--spanner-host={host}", "-k", "not anew", "-rs"
        )
    result.assert_outcomes(passed=1, skipped=3, deselected=1)
    result.stdout.fnmatch_lines(["*target external has no snapshots*"])


def test_an_external_spanemu_has_all_features_and_is_cleaned_up(music):
    with spanemu.Emulator.subprocess() as running:
        for _ in range(2):  # what a run makes does not bar the way of the next
            result = music.run(
                EVERYTHING, "--spanner-target=external", f"--spanner-host={running.uri}"
            )
            result.assert_outcomes(passed=4)
        running.create_database("test-database")
        result = music.run(EVERYTHING, f"--spanner-host={running.uri}", "-k", "clock or rows")
        result.assert_outcomes(errors=2)
        result.stdout.fnmatch_lines(["*database test-database exists at the target already*"])
        assert running.database("test-database").ddl() == []


def test_workers_share_an_external_target(music):
    with spanemu.Emulator.subprocess() as running:
        result = music.run_apart(
            """
            import pytest

            @pytest.mark.parametrize("n", range(8))
            def test_it(spanner_sql, n, spanner_emulator, worker_id):
                assert spanner_emulator.project == f"emulator-project-{worker_id}"
                spanner_sql("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')")
            """,
            f"--spanner-host={running.uri}", "-n", "2",
        )  # fmt: skip
    result.assert_outcomes(passed=8)


# ---------------------------------------------------------------------------- real ones

CLOUD = ("--spanner-target=cloud", "--spanner-project=acme-test", "--spanner-instance=i")


@pytest.mark.parametrize(
    ("args", "environ", "text"),
    [
        (("--spanner-target=cloud",), {}, "*--spanner-project and --spanner-instance are not*"),
        (CLOUD, {}, "*project acme-test is not allowed: spanner_allow_cloud is empty*"),
        ((*CLOUD, "--spanner-allow-cloud=acme"), {}, "*acme-test is not allowed*is acme;*"),
        ((*CLOUD, "--spanner-allow-cloud=.*"), {"SPANNER_EMULATOR_HOST": "x:1"}, "*every client*"),
        (("--spanner-target=omni",), {}, "*--spanner-host is not set*"),
    ],
)
def test_a_real_spanner_must_be_selected_explicitly(music, monkeypatch, args, environ, text):
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    result = music.run(EVERYTHING, *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([text])


def test_an_endpoint_file_names_the_address_of_a_target(music, monkeypatch):
    path = music.path / "endpoint.json"
    monkeypatch.setenv("SPANEMU_ENDPOINT_FILE", str(path))
    text = """
        def test_it(spanner_emulator, spanner_sql):
            assert spanner_emulator.target == "external"
            assert spanner_sql("SELECT * FROM Singers") == []
        """
    result = music.run(text)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*SPANEMU_ENDPOINT_FILE: *endpoint.json*"])
    with spanemu.Emulator() as emulator:
        endpoint = spanemu.Endpoint(
            emulator.uri, os.getpid(), emulator.project, emulator.instance, "2026-01-01T00:00:00Z"
        )
        path.write_text(endpoint.to_json())
        music.run(text).assert_outcomes(passed=1)


def test_tests_that_pass_on_a_real_spanner_are_noted(music):
    text = """
        import pytest

        @pytest.mark.spanner
        def test_good(): pass

        @pytest.mark.spanner
        def test_bad(): assert 0

        def test_other(): pass
        """
    omni = "--spanner-target=omni", "--spanner-host=localhost:1"
    music.run(text, *omni).assert_outcomes(passed=2, failed=1)
    path = music.path / ".spanner-validated.json"
    noted = json.loads(path.read_text())["tests"]
    (name,) = noted
    assert name.endswith("::test_good")
    assert noted[name]["target"] == "omni"
    assert noted[name]["version"] == spanemu.__version__
    before = path.read_text()
    result = music.run(text, "--spanner-validated-older-than=90d")
    result.stdout.fnmatch_lines(["never passed on a real Spanner: *::test_bad"])
    result.stdout.no_fnmatch_line("*Spanner: *test_[go]*")
    assert path.read_text() == before
    path.write_text(before.replace(noted[name]["date"], "2020-01-31"))
    result = music.run(text, "--spanner-validated-older-than=90")
    result.stdout.fnmatch_lines(["last passed on omni on 2020-01-31: *::test_good"])
    result = music.run(text, "--spanner-validated-older-than=long")
    result.stderr.fnmatch_lines(["*spanner_validated_older_than: 'long' is not a number of days."])


def test_the_cloud_target_uses_the_environment_and_unique_names(music, monkeypatch):
    monkeypatch.setattr(google.auth, "default", lambda **_: (AnonymousCredentials(), None))
    result = music.run(
        """
        import os

        def test_it(spanner_emulator, spanner_client, pytestconfig):
            from pytest_spanemu.run import run_of

            settings = run_of(pytestconfig).settings
            assert spanner_client.project == "acme-test"
            assert settings.database.startswith("ci-")
            assert len(settings.database) == 9
            assert spanner_emulator.host_port == "spanner.googleapis.com:443"
            assert spanner_emulator.capabilities == {"plans"}
            assert spanner_emulator.default_isolation == "truncate"
            environ = spanner_emulator.environ("d-1")
            assert environ["SPANNER_PROJECT_ID"] == "acme-test"
            assert "SPANNER_EMULATOR_HOST" not in environ
            url = "spanner+spanner:///projects/acme-test/instances/i/databases/d-1"
            assert spanner_emulator.sqlalchemy_url("d-1") == url

        def test_needs_an_emulator(spanner_faults): pass
        """,
        *CLOUD, "--spanner-allow-cloud=acme-.*", "--spanner-database-prefix=ci", "-k", "test_it",
    )  # fmt: skip
    result.assert_outcomes(passed=1, deselected=1)


def test_a_real_spanner_has_no_controls_and_no_instances_are_made_in_it(monkeypatch):
    monkeypatch.delenv("SPANNER_EMULATOR_HOST", raising=False)
    spanner = OmniSpanner("localhost:15000", project="default", instance="default")
    client = spanner.client()
    assert (client.instance_type, client.project, client._host) == (
        "omni", "default", "localhost:15000",
    )  # fmt: skip
    assert client._use_plain_text
    assert spanner.client() is client
    assert spanner._ensure_instance(spanner.resolve("d-1")) is None
    with pytest.raises(spanemu.Unsupported):
        spanner.database("d-1").open_transactions()
    with pytest.raises(spanemu.Unsupported):
        _ = spanner.clock.now
