"""The fixture `spanner_models`, and the count of rows that a test sends to models."""

SCORES = """
        import pytest
        from google.api_core import exceptions

        ASKED = "SELECT AI.SCORE(word) FROM UNNEST(['a', 'b', 'c']) AS word"

        def scores(database, sql=ASKED):
            with database.snapshot() as snapshot:
                return [row[0] for row in snapshot.execute_sql(sql)]
"""


def test_registrations_and_calls_end_with_the_test(music):
    result = music.run(
        SCORES
        + """
        @pytest.fixture(scope="session", autouse=True)
        def for_all(spanner_emulator):
            with spanner_emulator.models.register("AI.IF", lambda rows, call: [True for _ in rows]):
                yield

        def test_registers(spanner_database, spanner_models):
            spanner_models.register("AI.*", lambda rows, call: [1.5 for _ in rows])
            assert scores(spanner_database) == [1.5, 1.5, 1.5]
            (call,) = spanner_models.calls
            assert call.function == "AI.SCORE"
            assert [row["prompt"] for row in call.rows] == ["a", "b", "c"]
            spanner_models.fail("AI.SCORE", "quota")

        def test_starts_anew(spanner_database, spanner_models):
            assert not spanner_models.calls
            with pytest.raises(exceptions.FailedPrecondition, match="AI.SCORE"):
                scores(spanner_database)
            assert scores(spanner_database, "SELECT AI.IF('a')") == [True]
        """
    )
    result.assert_outcomes(passed=2)


def test_the_rows_of_a_test_are_counted(music):
    result = music.run(
        SCORES
        + """
        @pytest.fixture(autouse=True)
        def answered(spanner_models):
            spanner_models.register("AI.SCORE", lambda row, call: 1.0, each=True)

        def test_passes(spanner_database, spanner_assert):
            with spanner_assert.predictions(3), spanner_assert.predictions(max=4):
                scores(spanner_database)
            spanner_assert.predictions(3).so_far()
            with spanner_assert.predictions(0):
                scores(spanner_database, "SELECT 1")

        def test_too_many(spanner_database, spanner_assert):
            with spanner_assert.predictions(max=2):
                scores(spanner_database)

        def test_too_few(spanner_database, spanner_assert):
            scores(spanner_database)
            spanner_assert.predictions(4).so_far()
        """
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(
        ["*Expected at most 2 predictions, saw 3*", "*Expected 4 predictions, saw 3*"]
    )


def test_the_report_names_a_function_that_does_not_return(music):
    result = music.run(
        SCORES
        + """
        import threading

        release = threading.Event()

        def hang(rows, call):
            release.wait(20)

        @pytest.fixture(scope="session", autouse=True)
        def released():
            yield
            release.set()

        def test_hangs(spanner_database, spanner_models):
            spanner_models.register("AI.SCORE", hang)
            with spanner_database.snapshot() as snapshot:
                with pytest.raises(exceptions.DeadlineExceeded):
                    list(snapshot.execute_sql(ASKED, timeout=0.2))
        """
    )
    result.assert_outcomes(passed=1)
    result.stdout.fnmatch_lines(["*test_hangs*does not return: hang (*) of AI.SCORE*"])
