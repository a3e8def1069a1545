"""The fixture, the assertion and the marker for hotspots, and the evidence they ask for."""

import pytest

from pytest_spanemu.asserts.hotspots import load

WRITER = """
        import uuid
        import pytest
        from pytest_spanemu import InconclusiveHotspots
        from spanemu.control.hotspots import SpannerHotspotsNotWatched

        def save(database, n):
            with database.batch() as batch:
                batch.insert("Singers", ["SingerId", "Name"], [[n, "x"]])

        def save_spread(database, n):
            save(database, uuid.UUID(int=n * 0x9E3779B97F4A7C15F39CC0605CEDC835 % 2**128).int >> 65)
"""


def test_the_assertion_reports_a_moving_hotspot_with_advice(music):
    result = music.run(
        WRITER
        + """
        def test_hot(spanner_database, spanner_assert):
            spanner_assert.load(lambda n: save(spanner_database, n), times=210)
            assert spanner_assert.hotspots()[0].cpu_usage_score == 100
            spanner_assert.no_hotspots().so_far()

        def test_fixed(spanner_database, spanner_assert):
            spanner_assert.load(lambda n: save_spread(spanner_database, n), times=210, clients=3)
            spanner_assert.no_hotspots("Singers").so_far()
            assert spanner_assert.hotspots() == []

        def test_other_reason(spanner_database, spanner_assert):
            with spanner_assert.no_hotspots(reasons="HOT_ROW"):
                spanner_assert.load(lambda n: save(spanner_database, n), times=210)
        """
    )
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*Expected no hotspots, found 1:*",
            "*MOVING_HOT_SPOT Singers(SingerId)  score 100*",
            "*evidence: 210 commits with inserts*",
            "*ceiling: about * writes/s*",
            "*fix: *",
            "*test_hot * 100 *MOVING_HOT_SPOT Singers(SingerId)*",
            "2 hotspots",
        ]
    )


def test_too_few_writes_prove_nothing(music):
    result = music.run(
        WRITER
        + """
        def test_few(spanner_database, spanner_assert):
            save_spread(spanner_database, 1)
            spanner_assert.no_hotspots().so_far()

        def test_none_at_all(spanner_database, spanner_assert):
            spanner_assert.no_hotspots(tables=["Albums"]).so_far()

        def test_misnamed(spanner_database, spanner_assert):
            save_spread(spanner_database, 1)
            spanner_assert.no_hotspots(tables=["Singer"]).so_far()

        def test_not_minded(spanner_database, spanner_assert):
            with pytest.warns(InconclusiveHotspots, match="200 commits are needed"):
                with spanner_assert.no_hotspots(inconclusive="warn"):
                    save_spread(spanner_database, 1)

        def test_lowered(spanner_database, spanner_assert):
            with spanner_assert.no_hotspots(min_writes=1):
                save_spread(spanner_database, 1)

        def test_mistaken(spanner_assert):
            with pytest.raises(ValueError, match="HEAT"):
                spanner_assert.no_hotspots(reasons=["HEAT"])
        """
    )
    result.assert_outcomes(passed=3, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*Inconclusive: 200 commits are needed*the test made 1 to Singers*",
            "*Inconclusive: 200 commits are needed*the test made 0 to Albums*",
            "*Inconclusive: 200 commits are needed*the test made 0 to Singer.*",
            "*wrote to these tables and indexes: Singers*",
        ]
    )


def test_the_fixture_watches_each_test_separately(music):
    result = music.run(
        WRITER
        + """
        @pytest.mark.parametrize("isolation", range(2))
        def test_it(spanner_database, hotspots, spanner_factory, isolation):
            assert not hotspots.report().is_unwatched
            spanner_factory.Singers.many(3)
            with pytest.warns(SpannerHotspotsNotWatched):  # What a factory writes is not judged.
                assert hotspots.report().spaces == {}
            with hotspots.watch() as watched:
                for n in range(40):
                    save(spanner_database, n)
            assert watched["Singers"].commits == 40
            with pytest.raises(AssertionError, match="MOVING_HOT_SPOT"):
                watched.assert_none()
        """
    )
    result.assert_outcomes(passed=2)


def test_the_marker_checks_the_whole_test(music):
    result = music.run(
        WRITER
        + """
        def write(database):
            for n in range(210):
                save(database, n)

        @pytest.mark.spanner_hotspots(nodes=8, qps=20_000)
        def test_hot(spanner_database):
            write(spanner_database)

        @pytest.mark.spanner_hotspots(qps=100)
        def test_production_writes_seldom(spanner_database):
            write(spanner_database)

        @pytest.mark.spanner_hotspots(expect="SPN802:Singers")
        def test_known(spanner_database):
            write(spanner_database)

        @pytest.mark.spanner_hotspots(expect=["HOT_ROW"], min_writes=0)
        def test_cured(spanner_database):
            save_spread(spanner_database, 1)

        @pytest.mark.spanner_hotspots
        def test_inconclusive(spanner_database): pass
        """
    )
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(
        [
            "*simulated: 20,000 writes/s on 8 nodes*",
            "*Expected hotspots that did not appear: HOT_ROW*",
            "*Inconclusive*the test made none*",
        ]
    )


def test_failures_show_only_lines_of_the_test(music):
    result = music.run(
        WRITER
        + """
        def test_hot(spanner_database, hotspots):
            with hotspots.watch() as watched:
                for n in range(40):
                    save(spanner_database, n)
            watched.assert_none()

        def test_mistaken(spanner_database, hotspots):
            hotspots.ignore("SPN999")

        def test_split(spanner_database, spanner_splits):
            spanner_splits.configure(polic="modern")
        """
    )
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["*ValueError: ignore: There is no rule 'SPN999'*"])
    result.stdout.no_fnmatch_line("*/control/*.py:*")


def test_the_marker_rejects_unknown_arguments(music):
    result = music.run(
        """
        import pytest

        @pytest.mark.spanner_hotspots(nods=8)
        def test_it(spanner_database): pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*spanner_hotspots does not take nods*"])


def test_a_load_of_several_clients_calls_every_number_once_and_raises_the_first_failure():
    seen = []
    load(seen.append, 10, clients=3)
    assert sorted(seen) == list(range(10))

    def fail(number):
        if number % 4 == 1:
            raise ValueError(number)

    with pytest.raises(ValueError, match="1"):
        load(fail, 2, clients=2)
    with pytest.raises(ValueError, match="clients >= 1"):
        load(fail, 1, clients=0)
