"""The fixture for explorations, the text of its failures, and the schedule that repeats one."""

import json

import pytest

from tests.installed import needs

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
    result.stdout.fnmatch_lines(["explored * schedules; repeat it with --spanner-schedule=ABBA"])
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
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(
        ["*--spanner-schedule=AA repeats one schedule of one test, but 2 tests are selected*"]
    )


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


def test_a_schedule_needs_a_test_that_explores(music):
    result = music.run("def test_plain(spanner_database): pass", "--spanner-schedule=AA")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines(["*spanner_explore, which *::test_plain does not use*"])


TWO = (
    ACTORS
    + """
        def test_two(spanner_explore):
            assert spanner_explore(safe(2), safe(3)).schedules > 1
            spanner_explore({"ann": add(2), "bob": add(3)})
"""
)


def test_schedules_name_the_exploration_of_a_test_with_several(music):
    result = music.run(TWO)
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*repeat it with --spanner-schedule=2:ABBA"])
    result = music.run(TWO, "--spanner-schedule=2:ABBA")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["phantom: *"])
    music.run(TWO, "--spanner-schedule=2:AABB").assert_outcomes(passed=1)


def test_malformed_schedules_fail_with_the_actors(music):
    code = ACTORS + "\n        def test_one(spanner_explore):\n            spanner_explore(safe(2))"
    result = music.run(code, "--spanner-schedule=AZ")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["*schedule='AZ'*"])


def test_the_table_of_the_run_says_how_much_was_explored(music):
    code = (
        ACTORS
        + """
        def test_complete(spanner_explore):
            spanner_explore(safe(2), safe(3))

        def test_limited(spanner_explore):
            spanner_explore(safe(2), safe(3), schedules=3)
        """
    )
    result = music.run(code, "--spanner-report=json:report.json")
    result.assert_outcomes(passed=2)
    result.stdout.re_match_lines_random(
        [
            r"\S+::test_complete .*   explored \d+, complete",
            r"\S+::test_limited .*   explored 3, \d+ left",
        ]
    )
    tests = json.loads((music.path / "report.json").read_text())["tests"]
    assert [len(each["explorations"]) for each in tests] == [1, 1]


def test_the_html_report_draws_the_timeline(music):
    code = ACTORS + (
        "\n        def test_racing(spanner_explore):\n"
        '            spanner_explore({"<ann>": add(2), "bob": add(3)})\n'
    )
    result = music.run(code, "--spanner-report=html:report.html")
    result.assert_outcomes(failed=1)
    page = (music.path / "report.html").read_text(encoding="utf-8")
    begin = page.index('<figure class="lanes">')
    figure = page[begin : page.index("</figure>", begin)]
    assert "<svg role=" in figure
    assert "&lt;ann&gt;" in figure
    assert "<ann>" not in figure
    assert figure.count('<g class="arrow">') == 2
    assert "The same as a table" in figure
    assert "explored " in page
    for outside in ("http://", "https://", "<script", "<img"):
        assert outside not in figure


def test_reports_of_workers_have_their_explorations(music):
    needs("xdist")
    code = ACTORS + (
        "\n        @pytest.mark.parametrize('number', range(3))\n"
        "        def test_safe(spanner_explore, number):\n"
        "            assert spanner_explore(safe(2), safe(3)).complete\n"
        "\n        @pytest.mark.parametrize('number', range(6))\n"
        "        @pytest.mark.spanner_budget(commits=1, queries=1)\n"
        "        def test_ordinary(spanner_database, spanner_sql, number):\n"
        "            assert spanner_sql('SELECT COUNT(*) AS n FROM Singers') == [{'n': 0}]\n"
        "            safe(number)(spanner_database)\n"
        "\n        @pytest.mark.spanner_budget(commits=2)\n"
        "        def test_both(spanner_explore, spanner_database):\n"
        "            safe(5)(spanner_database)\n"
        "            spanner_explore(safe(2), safe(3))\n"
        "            safe(6)(spanner_database)\n"
        "\n        def test_race(spanner_explore):\n"
        '            spanner_explore({"ann": add(2), "bob": add(3)})\n'
        "\n        def test_spots(spanner_hotspots, spanner_database, spanner_explore):\n"
        "            safe(7)(spanner_database)\n"
        "            before = spanner_hotspots.report().spaces.keys()\n"
        "            spanner_explore(safe(2), safe(3))\n"
        "            assert spanner_hotspots.report().spaces.keys() == before\n"
    )
    result = music.run_apart(code, "-n", "4", "--spanner-report=json:report.json")
    result.assert_outcomes(passed=11, failed=1)
    tests = json.loads((music.path / "report.json").read_text())["tests"]
    commits = {each["test"].partition("::")[2]: each["commits"] for each in tests}
    assert commits["test_both"] == 2
    assert commits["test_race"] == 0
    assert commits["test_ordinary[3]"] == 1
    noted = {each["test"].partition("::")[2] for each in tests if each["explorations"]}
    assert noted == {
        "test_safe[0]",
        "test_safe[1]",
        "test_safe[2]",
        "test_both",
        "test_race",
        "test_spots",
    }


def test_sqlalchemy_sessions_are_actors(music):
    needs("sqlalchemy", "google.cloud.sqlalchemy_spanner")
    result = music.run_apart(
        """
        import sqlalchemy
        from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

        class Base(DeclarativeBase):
            pass

        class Singer(Base):
            __tablename__ = "Singers"
            SingerId: Mapped[int] = mapped_column(primary_key=True)
            Name: Mapped[str]

        def append(engine, text, between):
            def actor():
                with Session(engine) as session:
                    name = session.get(Singer, 1).Name
                    if between:
                        session.commit()
                    session.get(Singer, 1).Name = name + text
                    session.commit()
            return actor

        def test_two_transactions(spanner_engine, spanner_explore, spanner_factory):
            spanner_factory.Singers(SingerId=1, Name="")
            spanner_explore(
                {"ann": append(spanner_engine, "a", True), "bob": append(spanner_engine, "b", True)})

        def test_one_transaction(spanner_engine, spanner_explore, spanner_factory):
            from google.cloud.spanner_dbapi.exceptions import RetryAborted
            spanner_factory.Singers(SingerId=1, Name="")
            spanner_explore(
                {"ann": append(spanner_engine, "a", False), "bob": append(spanner_engine, "b", False)},
                allow_errors=(RetryAborted, sqlalchemy.exc.DBAPIError))
        """,
        "-W",
        "ignore::DeprecationWarning",
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["lost update of Singers(1): *"])


def test_the_run_states_the_limits_of_explorations(music):
    result = music.run(
        ACTORS
        + """
        def test_disjoint(spanner_explore):
            spanner_explore(safe(2), safe(3))

        def test_limited(spanner_explore):
            spanner_explore(safe(2), safe(2), schedules=3)
        """
    )
    result.assert_outcomes(passed=2)
    result.stdout.re_match_lines_random(
        [
            r"\S+::test_disjoint explored \d+, complete: no two actors touch a common cell: .*",
            r"\S+::test_limited explored 3, \d+ left: the budget ended the search among .*",
        ]
    )
