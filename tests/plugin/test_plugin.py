"""The plugin as a suite of somebody else's sees it: fixtures, isolation, targets, markers, options."""

import pytest

from pytest_spanemu.options import OPTIONS


def test_zero_configuration_gives_the_official_clients_database(project):
    result = project.run_apart(
        """
        def test_it(spanner_database):
            spanner_database.update_ddl(["CREATE TABLE T (x INT64) PRIMARY KEY (x)"]).result(60)
            with spanner_database.batch() as batch:
                batch.insert("T", ("x",), [(1,)])
            with spanner_database.snapshot() as snapshot:
                assert list(snapshot.execute_sql("SELECT x FROM T")) == [[1]]
        """
    )
    result.assert_outcomes(passed=1)


def test_a_run_that_uses_no_fixture_imports_nothing(project):
    result = project.run_apart(
        """
        import sys

        def test_modules():
            assert not {"google", "grpc", "faker", "spanemu.api.embedded"} & set(sys.modules)
        """,
        "-p",
        "no:faker",  # Faker's own plugin
    )
    result.assert_outcomes(passed=1)
    result.stdout.no_fnmatch_line("spanner:*")


def test_faker_is_imported_by_the_first_factory(music):
    result = music.run_apart(
        """
        import sys

        def test_database(spanner_database):
            assert "faker" not in sys.modules

        def test_factory(spanner_factory):
            assert "faker" in sys.modules
        """,
        "-p",
        "no:faker",  # Faker's own plugin
    )
    result.assert_outcomes(passed=2)


@pytest.mark.parametrize("isolation", ["restore", "clone", "truncate", "recreate"])
def test_every_isolation_shows_each_test_the_template(music, isolation):
    music.file("seeds/Singers.csv", "SingerId,Name\n1,Marc\n")
    result = music.run(
        """
        import pytest

        @pytest.mark.parametrize("n", range(3))
        def test_change(spanner_database, spanner_sql, n):
            assert spanner_sql("SELECT * FROM Singers") == [{"SingerId": 1, "Name": "Marc"}]
            assert spanner_sql("SELECT * FROM Albums") == []
            assert not spanner_sql("SELECT 1 FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_NAME = 'X'")
            with spanner_database.batch() as batch:
                batch.insert("Singers", ("SingerId", "Name"), [(2, "new")])
                batch.insert("Albums", ("SingerId", "AlbumId"), [(1, 1)])
                batch.update("Singers", ("SingerId", "Name"), [(1, "other")])
            spanner_database.update_ddl(["CREATE TABLE X (a INT64) PRIMARY KEY (a)"]).result(60)
        """,
        f"--spanner-isolation={isolation}",
    )
    result.assert_outcomes(passed=3)


def test_tests_after_a_recreated_database_have_one_with_the_template_s_rows(music):
    music.file("seeds/Singers.csv", "SingerId,Name\n1,Marc\n")
    result = music.run(
        """
        import pytest

        def change(database, sql):
            assert sql("SELECT * FROM Singers") == [{"SingerId": 1, "Name": "Marc"}]
            sql("INSERT INTO Singers (SingerId, Name) VALUES (2, 'new')")
            database.update_ddl(["CREATE TABLE X (a INT64) PRIMARY KEY (a)"]).result(60)

        @pytest.mark.parametrize("n", range(2))
        def test_default(spanner_database, spanner_sql, n):
            change(spanner_database, spanner_sql)

        @pytest.mark.spanner(isolation="recreate")
        def test_recreate(spanner_database, spanner_sql):
            change(spanner_database, spanner_sql)

        @pytest.mark.parametrize("n", range(2))
        def test_restore(spanner_database, spanner_sql, n):
            change(spanner_database, spanner_sql)

        @pytest.mark.spanner(isolation="truncate")
        def test_truncate(spanner_database, spanner_sql):
            change(spanner_database, spanner_sql)

        @pytest.mark.parametrize("n", range(2))
        def test_restore_again(spanner_database, spanner_sql, n):
            change(spanner_database, spanner_sql)

        @pytest.mark.spanner(isolation="recreate")
        def test_recreate_again(spanner_database, spanner_sql):
            change(spanner_database, spanner_sql)

        @pytest.mark.spanner(isolation="clone")
        def test_clone(spanner_database, spanner_sql):
            change(spanner_database, spanner_sql)
        """,
        "-p",
        "no:randomly",
    )
    result.assert_outcomes(passed=10)


def test_isolation_none_shares_and_a_marker_overrides(music):
    result = music.run(
        """
        import pytest

        def test_first(spanner_sql):
            spanner_sql("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')")

        def test_second(spanner_sql):
            assert len(spanner_sql("SELECT * FROM Singers")) == 1

        @pytest.mark.spanner(isolation="clone")
        def test_third(spanner_database, spanner_sql):
            assert spanner_database.database_id == "zz-1"
            spanner_sql("DELETE FROM Singers WHERE true")

        def test_fourth(spanner_sql):
            assert len(spanner_sql("SELECT * FROM Singers")) == 1
        """,
        "--spanner-isolation=none",
        "--spanner-database-prefix=zz",
    )
    result.assert_outcomes(passed=4)


def test_restore_keeps_name_sessions_and_module_level_clients(music):
    music.ini("spanner_start = eager\n")
    result = music.run(
        """
        import os
        from google.cloud import spanner

        database = spanner.Client().instance(os.environ["SPANNER_INSTANCE_ID"]).database(
            os.environ["SPANNER_DATABASE_ID"])

        def singers():
            with database.snapshot() as snapshot:
                return list(snapshot.execute_sql("SELECT COUNT(*) FROM Singers"))[0][0]

        def test_first(spanner_database):
            assert spanner_database.database_id == database.database_id
            with database.batch() as batch:
                batch.insert("Singers", ("SingerId", "Name"), [(1, "a")])
            assert singers() == 1

        def test_second(spanner_database):
            assert singers() == 0
        """
    )
    result.assert_outcomes(passed=2)


def test_a_transaction_left_open_does_not_reach_the_next_test(music):
    result = music.run(
        """
        def test_leaves_it(spanner_database):

            session = spanner_database.session()
            session.create()
            transaction = session.transaction()
            transaction.begin()
            transaction.execute_update("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')")

        def test_next(spanner_database, spanner_sql):
            assert spanner_sql("SELECT * FROM Singers") == []
            spanner_sql("INSERT INTO Singers (SingerId, Name) VALUES (1, 'b')")
        """
    )
    result.assert_outcomes(passed=2)


def test_markers_choose_schema_and_seeds(music):
    music.file("other/Things.json", '[{"Id": 7}]')
    result = music.run(
        """
        import pytest

        @pytest.mark.spanner(schema="CREATE TABLE Things (Id INT64) PRIMARY KEY (Id)", seeds="other")
        def test_things(spanner_sql):
            assert spanner_sql("SELECT Id FROM Things") == [{"Id": 7}]

        @pytest.mark.spanner(schema=[])
        def test_nothing(spanner_sql):
            tables = spanner_sql("SELECT 1 FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ''")
            assert tables == []

        def test_default(spanner_sql):
            assert spanner_sql("SELECT * FROM Singers") == []
        """
    )
    result.assert_outcomes(passed=3)


def test_an_unknown_marker_argument_is_refused_by_name(music):
    result = music.run(
        """
        import pytest

        @pytest.mark.spanner(sceham="x.sql")
        def test_it(spanner_database): pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*does not take sceham*"])


def test_tests_with_spanner_fixtures_are_selected_by_the_marker(music):
    text = """
        def test_with(spanner_database): pass
        def test_without(): pass
        """
    music.run(text, "-m", "spanner", "--strict-markers").assert_outcomes(passed=1, deselected=1)
    music.run(text, "-m", "not spanner").assert_outcomes(passed=1, deselected=1)


def test_targets_that_do_not_fit_are_skipped_or_fail(music):
    text = """
        import pytest

        @pytest.mark.spanner(targets=["omni"])
        def test_it(spanner_database): pass
        """
    music.run(text).assert_outcomes(skipped=1)
    result = music.run(text, "--spanner-unsupported=error")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*for target omni, not embedded*"])
    music.run(text, "--spanner-unsupported=xfail").assert_outcomes(xfailed=1)


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (["--spanner-dialect=mysql"], "*'mysql' is not one of googlesql, postgresql*"),
        (["--spanner-isolation=nonsense"], "*'nonsense' is not one of restore, clone*"),
        (["--spanner-target=external"], "*neither --spanner-host nor SPANNER_EMULATOR_HOST*"),
        (["--spanner-fail-on=heat"], "*'heat' is not one of*"),
        (["--spanner-seed=many"], "*'many' is not a whole number*"),
    ],
)
def test_invalid_settings_are_usage_errors(music, args, text):
    result = music.run("def test_it(spanner_database): pass", *args)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([text])


def test_fixtures_are_overridden_by_name(project):
    project.file(
        "conftest.py",
        """
import pytest

import pytest_spanemu

@pytest.fixture(scope="session")
def spanner_schema():
    return ["CREATE TABLE Mine (Id INT64) PRIMARY KEY (Id)"]

@pytest.fixture(scope="session")
def spanner_template(spanner_template, spanner_factory_session):
    spanner_factory_session.Mine(Id=5)
    return spanner_template
""",
    )
    result = project.run(
        """
        def test_one(spanner_sql, spanner_template):
            (table,) = spanner_template.schema.parsed.tables.values()
            assert table.name == "Mine"
            assert spanner_sql("DELETE FROM Mine WHERE Id = @id", id=5) == 1

        def test_two(spanner_sql):
            assert spanner_sql("SELECT Id FROM Mine") == [{"Id": 5}]
        """
    )
    result.assert_outcomes(passed=2)


def test_a_nested_run_has_its_own_fixtures(music):
    result = music.run(
        """
        def test_it(pytester, request):
            pytester.makefile(".sql", schema="CREATE TABLE Mine (Id INT64) PRIMARY KEY (Id)")
            pytester.makepyfile(
                "def test_mine(spanner_sql): assert spanner_sql('SELECT * FROM Mine') == []"
            )
            pytester.runpytest_inprocess().assert_outcomes(passed=1)
            spanner_sql = request.getfixturevalue("spanner_sql")
            assert spanner_sql("SELECT * FROM Singers") == []
        """,
        "-p", "pytester",
    )  # fmt: skip
    result.assert_outcomes(passed=1)


def test_lazy_waits_for_a_test_and_eager_does_not(music):
    text = """
        import os
        import pytest

        host = os.environ.get("SPANNER_EMULATOR_HOST")

        def test_host(request):
            assert bool(host) is (request.config.getoption("spanner_start") == "eager")
        """
    music.run(text, "--spanner-start=lazy").assert_outcomes(passed=1)
    music.run(text, "--spanner-start=eager").assert_outcomes(passed=1)


def test_an_eager_emulator_serves_a_run_with_dist_and_without_workers(music):
    music.ini("addopts = --dist=worksteal")
    suite = """
        import os

        def test_host():
            assert os.environ["SPANNER_EMULATOR_HOST"]
        """
    music.run(suite, "--spanner-start=eager").assert_outcomes(passed=1)


def test_env_dbapi_and_clock(music):
    result = music.run(
        """
        import os
        from datetime import timedelta

        def test_session_objects(spanner_instance, spanner_engine, spanner_client):
            assert spanner_instance.exists()
            assert spanner_client.project in str(spanner_engine.url)

        def test_env(spanner_env):
            from google.cloud import spanner
            instance = spanner.Client().instance(os.environ["SPANNER_INSTANCE_ID"])
            assert instance.database(os.environ["SPANNER_DATABASE_ID"]).exists()

        def test_env_is_gone():
            assert "SPANNER_EMULATOR_HOST" not in os.environ

        def test_dbapi(spanner_dbapi):
            with spanner_dbapi.cursor() as cursor:
                cursor.execute("SELECT COUNT(*) FROM Singers")
                assert cursor.fetchone() == (0,)

        def test_clock(spanner_clock, spanner_sql):
            spanner_clock.freeze()
            before = spanner_sql("SELECT CURRENT_TIMESTAMP() t")[0]["t"]
            spanner_clock.advance(days=1)
            after = spanner_sql("SELECT CURRENT_TIMESTAMP() t")[0]["t"]
            assert timedelta(days=1) <= after - before < timedelta(days=1, seconds=1)
        """
    )
    result.assert_outcomes(passed=5)


def test_snapshots_inside_a_test(music):
    result = music.run(
        """
        import pytest

        def test_it(spanner_snapshot, spanner_sql, spanner_assert):
            spanner_snapshot.take("empty")
            spanner_sql("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a'), (2, 'b')")
            spanner_snapshot.take("two")
            spanner_sql("UPDATE Singers SET Name = 'c' WHERE SingerId = 2")
            spanner_sql("DELETE FROM Singers WHERE SingerId = 1")
            (diff,) = spanner_snapshot.diff("two")
            assert (diff.added, diff.removed, diff.changed) == ((), ((1,),), ((2,),))
            spanner_snapshot.restore("empty")
            assert spanner_sql("SELECT * FROM Singers") == []
            with pytest.raises(ValueError, match="no snapshot 'two'"):
                spanner_snapshot.diff("two")
            spanner_assert.queries(0).so_far()
        """
    )
    result.assert_outcomes(passed=1)


def test_templates_of_deleted_schemas_are_not_reused(music):
    # A schema may be anywhere in memory, also where one was that a fixture has let go of.
    result = music.run(
        """
        import gc
        import weakref

        from pytest_spanemu.run import run_of
        from pytest_spanemu.requested_options import TemplateSpec

        class Statements(list):
            pass

        def test_it(spanner_emulator, pytestconfig):
            given = Statements(["CREATE TABLE T (A INT64) PRIMARY KEY (A)"])
            here = weakref.ref(given)
            templates = run_of(pytestconfig).templates
            made = templates.for_spec(spanner_emulator, TemplateSpec(None, ()), lambda: given)
            del given
            gc.collect()
            assert templates.for_spec(spanner_emulator, TemplateSpec(None, ()), here) is made
        """
    )
    result.assert_outcomes(passed=1)


def test_snapshots_are_released_with_their_test(music):
    result = music.run(
        """
        given_up = []

        def test_one(spanner_snapshot):
            handle = spanner_snapshot._handle
            forget = handle.forget
            handle.forget = lambda state: (given_up.append(state), forget(state))
            spanner_snapshot.take("a")
            spanner_snapshot.take("b")
            spanner_snapshot.take("c")
            spanner_snapshot.restore("b")
            assert len(given_up) == 1

        def test_two():
            assert len(given_up) == len(set(map(id, given_up))) == 3
        """
    )
    result.assert_outcomes(passed=2)


def test_workers_of_xdist_have_emulators_of_their_own_and_one_seed(music):
    result = music.run(
        """
        import pytest

        @pytest.mark.parametrize("n", range(8))
        def test_it(spanner_sql, n):
            assert spanner_sql("SELECT COUNT(*) n FROM Singers") == [{"n": 0}]
            spanner_sql("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')")
        """,
        "-n",
        "2",
    )
    result.assert_outcomes(passed=8)


def test_the_help_lists_every_option(music, monkeypatch):
    monkeypatch.setenv("COLUMNS", "500")  # so that no line is broken within a word
    result = music.run("def test_it(): pass", "--help")
    assert result.ret == pytest.ExitCode.OK
    words = " ".join(result.stdout.str().split())
    for option in OPTIONS:
        assert f"--spanner-{option.name}" in words
        assert words.count(option.help) == (1 if option.is_switch else 2)  # the ini file's too


def test_error_reports_leave_out_lines_of_the_plugin(music):
    result = music.run(
        """
        import pytest

        def test_column(spanner_factory):
            spanner_factory.Singers(Nam="x")

        def test_snapshot(spanner_snapshot):
            spanner_snapshot.restore("x")

        def test_clock(spanner_clock, spanner_sql):
            spanner_sql("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')")
            spanner_clock.freeze("2001-01-01T00:00:00Z")

        def test_fault(spanner_faults):
            spanner_faults.abort("Comit")

        @pytest.mark.spanner(isolation="clon")
        def test_isolation(spanner_sql): ...

        @pytest.mark.spanner_faults("abrt commit")
        def test_faults(spanner_sql): ...
        """
    )
    result.assert_outcomes(failed=4, errors=2)
    text = result.stdout.str()
    assert not [
        name for name in ("making.py", "clock.py", "faults.py", "wishes.py") if name in text
    ]
    assert "During handling" not in text
    for line in (
        '>       spanner_faults.abort("Comit")',
        "E       ValueError: there is no RPC 'Comit'; there are Commit*",
        "E       TypeError: Singers has no column 'Nam'; it has SingerId, Name",
        "*: isolation: 'clon' is not one of restore, clone, truncate, recreate, none.*",
    ):
        result.stdout.fnmatch_lines([line])
