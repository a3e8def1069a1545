"""Markers that configure what fixtures do."""

import pytest

from pytest_spanemu.markers import read_plan

INSERT = """
        import pytest

        def insert(database, *ids):
            def work(transaction):
                transaction.insert("Singers", ["SingerId", "Name"], [[n, "x"] for n in ids])
            database.run_in_transaction(work)
"""


@pytest.mark.parametrize(
    ("text", "plan"),
    [
        ("abort", ("abort", (), {})),
        ("abort commit:2", ("abort", ("Commit",), {"nth": 2})),
        ("delay Commit seconds=0.5 times=2", ("delay", ("Commit",), {"seconds": 0.5, "times": 2})),
        (
            "unavailable executeStreamingSql after_rows=3 sql='FROM t WHERE'",
            ("unavailable", ("ExecuteStreamingSql",), {"after_rows": 3, "sql": "FROM t WHERE"}),
        ),
    ],
)
def test_the_words_of_a_fault(text, plan):
    assert read_plan(text) == plan


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "'' is not one of abort"),
        ("explode Commit", "'explode' is not one of abort"),
        ("abort Commit:x", "nth='x' is not a number"),
        ("abort Commit size=3", "'size' is not one of nth"),
    ],
)
def test_malformed_faults_are_refused(text, problem):
    with pytest.raises(ValueError, match=problem):
        read_plan(text)


def test_faults_of_a_marker_strike_its_own_database(music):
    result = music.run(
        INSERT
        + """
        @pytest.mark.spanner_faults("abort commit:2", "delay commit seconds=0")
        def test_struck(spanner_database, spanner_assert):
            insert(spanner_database, 1)
            insert(spanner_database, 2)
            spanner_assert.aborts(1).so_far()

        @pytest.mark.spanner_faults("abort commit:7")
        def test_unused(spanner_database):
            insert(spanner_database, 1)

        def test_after(spanner_database, spanner_assert):
            insert(spanner_database, 1)
            insert(spanner_database, 2)
            spanner_assert.aborts(0).so_far()
        """
    )
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["faults that no request triggered:", "  abort(Commit, *nth=7*)"])


def test_a_malformed_fault_is_reported(music):
    result = music.run(
        """
        import pytest

        @pytest.mark.spanner_faults("abort Comit")
        def test_wrong(spanner_database):
            pass
        """
    )
    result.stdout.fnmatch_lines(["marker spanner_faults: 'abort Comit': there is no RPC 'Comit'*"])


def test_a_test_may_fail_on_a_target(music):
    text = """
        import pytest

        @pytest.mark.spanner_flaky_on("{}", reason="plans differ")
        def test_flaky(spanner_database):
            assert 0
        """
    result = music.run(text.format("embedded"), "-rx")
    result.assert_outcomes(xfailed=1)
    result.stdout.fnmatch_lines(["XFAIL *on embedded: plans differ*"])
    music.run(text.format("omni")).assert_outcomes(failed=1)
    result = music.run(text.format("saturn"))
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*spanner_flaky_on takes a target (embedded, *not ('saturn'*"])


def test_hotspots_in_a_budget(music):
    result = music.run(
        INSERT
        + """
        @pytest.mark.spanner_budget(hotspots=0)
        def test_few(spanner_database):
            insert(spanner_database, 1)

        @pytest.mark.spanner_budget(hotspots=1)
        def test_one_is_known(spanner_database):
            for n in range(300):
                insert(spanner_database, n)

        @pytest.mark.spanner_budget(hotspots=0)
        def test_hot(spanner_database):
            for n in range(300):
                insert(spanner_database, n)
        """
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*Expected no hotspots, found 1:", "*MOVING_HOT_SPOT Singers*"])
    result.stdout.fnmatch_lines(["*test_hot *over budget: hotspots 1 > 0*"])


@pytest.mark.parametrize(
    ("marker", "text"),
    [
        ("spanner(sceham='x.sql')", "does not take sceham. Did you mean 'schema'?*"),
        ("spanner(isolation='rstore')", "'rstore' is not one of *Did you mean 'restore'?"),
        ("spanner(dialect='postgres')", "'postgres' is not one of *Did you mean 'postgresql'?"),
        ("spanner(targets='embeded')", "'embeded' is not one of *Did you mean 'embedded'?"),
        ("spanner(seeds=3)", "schema, seeds and targets take a text*"),
        ("spanner_budget(query=3)", "does not take query. Did you mean 'queries'?*"),
        ("spanner_budget(queries='3')", "takes a whole number as queries, not '3'."),
        ("spanner_hotspots(tabels=['T'])", "does not take tabels. Did you mean 'tables'?*"),
        ("spanner_hotspots(qps='fast')", "qps='fast' is not a number*"),
        ("spanner_hotspots(tables=3)", "marker spanner_hotspots has wrong arguments*"),
        ("spanner_faults(abort='commit')", "marker spanner_faults does not take abort=*"),
        ("spanner_faults('abrt commit')", "'abrt' is not one of abort*"),
        ("spanner_faults(7)", "not a text such as*"),
        ("spanner_flaky_on('mars', 'far')", "takes a target*not ('mars', 'far')."),
        ("spanner_flaky_on(targt='cloud')", "takes a target*not (targt='cloud')."),
        ("spanner_abort_each(mx=2)", "does not take mx. Did you mean 'max'?*"),
        ("spanner_abort_each(max='2')", "takes a whole number of at least 1 as max, not '2'."),
    ],
)
def test_a_mistyped_marker_fails_its_test_and_no_other(music, marker, text):
    result = music.run(
        f"""
        import pytest

        @pytest.mark.{marker}
        def test_mistyped(spanner_database):
            pass

        def test_other(spanner_sql):
            assert spanner_sql("SELECT 1 AS n") == [{{"n": 1}}]
        """
    )
    result.assert_outcomes(passed=1, errors=1)
    result.stdout.fnmatch_lines(["*ERROR at setup of test_mistyped*", f"*{text}"])
    result.stdout.no_fnmatch_line("*Traceback*")
