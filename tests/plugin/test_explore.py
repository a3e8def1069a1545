"""The fixture for explorations, the text of its failures, and the schedule that repeats one."""

ACTORS = """
        import pytest

        def add(amount):
            def actor(database):
                with database.snapshot() as snapshot:
                    ((count,),) = snapshot.execute_sql("SELECT COUNT(*) FROM Singers")
                with database.batch() as batch:
                    batch.insert_or_update("Singers", ["SingerId", "Name"], [[1, str(count)]])
                    batch.insert_or_update("Singers", ["SingerId", "Name"], [[amount, "x"]])
            return actor

        def safe(number):
            def actor(database):
                database.run_in_transaction(lambda transaction: transaction.insert_or_update(
                    "Singers", ["SingerId", "Name"], [[number, "x"]]))
            return actor
"""


def test_races_fail_the_test_with_a_timeline(music):
    result = music.run(
        ACTORS
        + """
        def test_racing(spanner_explore):
            spanner_explore({"ann": add(2), "bob": add(3)})

        def test_safe(spanner_explore):
            assert spanner_explore(safe(2), safe(3)).complete
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*phantom: *",
            "advice: *",
            "explored * schedules; repeat it with --spanner-schedule=ABBA",
            " 1  SELECT COUNT(?) FROM Singers*",
            " 4  COMMIT *",
            "*got * Singers *",
            "*ann then bob * Singers *",
        ]
    )


def test_schedules_are_repeated_from_the_command_line(music):
    code = (
        ACTORS
        + """
        def test_racing(spanner_explore):
            spanner_explore({"ann": add(2), "bob": add(3)})

        def test_other(spanner_explore):
            spanner_explore({"ann": safe(2)})
        """
    )
    result = music.run(code, "--spanner-schedule=ABBA", "-k", "racing")
    result.assert_outcomes(failed=1, deselected=1)
    result.stdout.fnmatch_lines(["explored 3 schedules; repeat it with --spanner-schedule=ABBA"])
    result = music.run(code, "--spanner-schedule=AABB", "-k", "racing")
    result.assert_outcomes(passed=1, deselected=1)


def test_a_schedule_belongs_to_one_test(music):
    result = music.run(
        ACTORS
        + """
        def test_one(spanner_explore):
            spanner_explore(safe(2))

        def test_two(spanner_explore):
            spanner_explore(safe(2))
        """,
        "--spanner-schedule=AA",
    )
    assert "repeats one schedule of one test, but 2 tests are selected" in result.stdout.str()


def test_explored_requests_count_for_no_budget(music):
    result = music.run(
        ACTORS
        + """
        @pytest.mark.spanner_budget(commits=1, queries=0)
        def test_budget(spanner_explore, spanner_database):
            spanner_explore(safe(2), safe(3))
            safe(4)(spanner_database)
        """
    )
    result.assert_outcomes(passed=1)


def test_points_are_stops_in_explorations_and_nothing_elsewhere(music):
    result = music.run(
        """
        def test_shared_state(spanner_explore):
            state = {"count": 0}
            def count(database):
                spanner_explore.point("before")
                now = state["count"]
                spanner_explore.point("between")
                state["count"] = now + 1
                return state["count"]
            assert count(None) == 1
            spanner_explore({"x": count, "y": count}, each=lambda: state.update(count=0))
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        ["not the outcome of any serial order of the actors", "*point 'between'*"]
    )


def test_targets_in_other_processes_skip_by_name(music):
    result = music.run(
        ACTORS
        + """
        def test_remote(spanner_explore):
            spanner_explore(safe(2), safe(3))
        """,
        "--spanner-target=subprocess",
        "-rs",
    )
    result.assert_outcomes(skipped=1)
    result.stdout.fnmatch_lines(["*target subprocess has no explorations*"])


def test_malformed_budgets_are_usage_errors(music):
    result = music.run("def test_none(): pass", "--spanner-explore-seconds=soon")
    result.stderr.fnmatch_lines(["*--spanner-explore-seconds: 'soon' is not a whole number*"])


def test_settings_limit_the_search(music):
    result = music.run(
        ACTORS
        + """
        def test_limited(spanner_explore):
            result = spanner_explore(safe(2), safe(3))
            assert str(result) == f"explored 3, {result.left} left"
        """,
        "--spanner-explore-schedules=3",
        "--spanner-explore-preemptions=0",
    )
    result.assert_outcomes(passed=1)


def test_sqlalchemy_engines_are_explored(music):
    result = music.run(
        """
        import sqlalchemy

        def test_engine(spanner_engine, spanner_explore):
            count = sqlalchemy.text("SELECT COUNT(*) FROM Singers")

            def add(number):
                insert = sqlalchemy.text(
                    f"INSERT INTO Singers (SingerId, Name) VALUES ({number}, :name)")
                def actor():
                    with spanner_engine.connect() as connection:
                        now = connection.execute(count).scalar()
                        connection.commit()
                        connection.execute(insert, {"name": str(now)})
                        connection.commit()
                return actor

            spanner_explore({"ann": add(1), "bob": add(2)})
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["phantom: *"])


def test_hotspots_are_unchanged_by_explorations(music):
    result = music.run(
        ACTORS
        + """
        def test_spots(spanner_explore, spanner_hotspots):
            with spanner_hotspots.watch() as watched:
                spanner_explore(safe(2), safe(3))
            assert watched.report().spaces.get("Singers") is None or (
                watched["Singers"].commits == 0)
        """
    )
    result.assert_outcomes(passed=1)
