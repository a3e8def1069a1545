"""Recording and assertions, their texts included."""

import pytest


def test_counts_and_their_texts(music):
    result = music.run(
        """
        from google.cloud.spanner_v1 import KeySet

        def names(database):
            with database.snapshot() as snapshot:
                found = list(snapshot.execute_sql("SELECT SingerId FROM Singers WHERE Name > ''"))
            for (id_,) in found:
                with database.snapshot() as snapshot:
                    list(snapshot.read("Singers", ["Name"], KeySet(keys=[[id_]])))

        def test_passes(spanner_factory, spanner_database, spanner_assert):
            spanner_factory.Singers.many(3)
            with spanner_assert.queries(4), spanner_assert.queries(max=3, match="^READ"):
                names(spanner_database)
            with spanner_assert.commits(1), spanner_assert.mutations(2), spanner_assert.aborts(0):
                with spanner_database.batch() as batch:
                    batch.insert("Singers", ["SingerId", "Name"], [[1, "x"]])

        def test_budget(spanner_factory, spanner_database, spanner_assert):
            spanner_factory.Singers.many(3)
            with spanner_assert.queries(max=2):
                names(spanner_database)

        def test_n_plus_one(spanner_factory, spanner_database, spanner_assert):
            spanner_factory.Singers.many(3)
            with spanner_assert.no_duplicate_queries():
                names(spanner_database)

        def test_scan(spanner_database, spanner_assert):
            with spanner_assert.no_full_scan():
                names(spanner_database)

        def test_whole_test(spanner_database, spanner_assert):
            names(spanner_database)
            spanner_assert.queries(0).so_far()
        """
    )
    result.assert_outcomes(passed=1, failed=4)
    result.stdout.fnmatch_lines(
        [
            "*Expected at most 2 queries, saw 4*",
            "*3x  READ Name FROM Singers  test_counts_and_their_texts.py:8*",
            "*1x  SELECT SingerId FROM Singers WHERE Name > ''*FULL SCAN Singers*",
            "*Expected no statement 2 times from one line, saw 1:*",
            "*Expected no full scan, saw 1:*",
            "*Expected 0 queries, saw 1*",
        ]
    )


def test_texts_name_the_helpers_line_and_its_caller(music):
    result = music.run(
        """
        import pytest

        def name_of(database, singer):
            with database.snapshot() as snapshot:
                return snapshot.execute_sql(
                    "SELECT Name FROM Singers WHERE Name = 'a'").one_or_none()

        def page(database):
            return [name_of(database, singer) for singer in range(3)]

        def save(database):
            with database.batch() as batch:
                batch.insert("Singers", ["SingerId", "Name"], [[1, "a"]])

        def test_n_plus_one(spanner_database, spanner_assert):
            with spanner_assert.no_duplicate_queries():
                page(spanner_database)

        @pytest.mark.spanner_budget(queries=1)
        def test_queries(spanner_database):
            page(spanner_database)

        @pytest.mark.spanner_budget(full_scans=2)
        def test_scans(spanner_database):
            page(spanner_database)

        @pytest.mark.spanner_budget(commits=0)
        def test_commits(spanner_database):
            save(spanner_database)
        """
    )
    result.assert_outcomes(failed=4)
    file = "test_texts_name_the_helpers_line_and_its_caller.py"
    query = f"*3x  SELECT Name FROM Singers * {file}:6, called from {file}:9 *"
    result.stdout.fnmatch_lines(
        [
            "*Expected no statement 2 times from one line, saw 1:*", query,
            "*Expected at most 1 query, saw 3*", query,
            "*Expected at most 2 full scans, saw 3:*", query,
            "*Expected at most 0 commits, saw 1*",
            f"*  2 mutations  1 split  Singers  {file}:12, called from {file}:29*",
        ]
    )  # fmt: skip


LOOK = """
        import unittest

        import pytest

        def look(database):
            with database.snapshot() as snapshot:
                list(snapshot.execute_sql("SELECT 1"))
"""
# Every assertion that checks a block as well as the test so far, with arguments that one query fits.
BOTH_FORMS = (
    "queries(1)", "commits(0)", "mutations(0)", "aborts(0)", "participants(1)", "no_lock_waits()",
    "no_full_scan()", "no_duplicate_queries()", "tagged('')", "no_hotspots(min_writes=0)",
    "predictions(0)",
)  # fmt: skip


def test_so_far_checks_the_test_up_to_its_line(music):
    result = music.run(
        LOOK
        + """
        def test_passes(spanner_database, spanner_assert):
            look(spanner_database)
            spanner_assert.queries(1).so_far()
            with pytest.raises(AssertionError, match="saw 1"):
                spanner_assert.queries(0).so_far()
            with pytest.raises(AssertionError, match="Inconclusive"):
                spanner_assert.no_hotspots("Singers").so_far()
            check = spanner_assert.queries(2)
            look(spanner_database)
            check.so_far()
            look(spanner_database)
            with pytest.raises(AssertionError, match="saw 3"):
                check.so_far()
            with check:
                look(spanner_database)
                look(spanner_database)

        def test_fails_at_its_line(spanner_database, spanner_assert):
            look(spanner_database)
            spanner_assert.queries(0).so_far()
            raise RuntimeError("never reached")

        class TestUnit(unittest.TestCase):
            @pytest.fixture(autouse=True)
            def _take(self, spanner_database, spanner_assert):
                self.database, self.spanner_assert = spanner_database, spanner_assert

            def test_method(self):
                look(self.database)
                self.spanner_assert.queries(0).so_far()

            @pytest.mark.spanner_budget(queries=0)
            def test_budget(self):
                look(self.database)
        """
    )
    result.assert_outcomes(passed=1, failed=3)
    result.stdout.fnmatch_lines(
        [
            ">       spanner_assert.queries(0).so_far()",
            "E       AssertionError: Expected 0 queries, saw 1",
        ]
    )
    result.stdout.no_fnmatch_line("*never reached*")


@pytest.mark.parametrize("assertion", BOTH_FORMS)
def test_an_assertion_has_both_forms_and_fails_when_used_in_neither(music, assertion):
    result = music.run(
        LOOK
        + f"""
        def test_both(spanner_database, spanner_assert):
            look(spanner_database)
            spanner_assert.{assertion}.so_far()
            with spanner_assert.{assertion}:
                look(spanner_database)

        def test_neither(spanner_database, spanner_assert):
            look(spanner_database)
            check = spanner_assert.{assertion}
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    call = f"spanner_assert.{assertion.partition('(')[0]}(...)"
    result.stdout.fnmatch_lines([f"{call} at test_an_*.py:17 *"])
    assert f"{call}.so_far()" in result.stdout.str()
    assert f"with {call}:" in result.stdout.str()


def test_a_check_for_blocks_fails_without_a_block(music):
    result = music.run(
        """
        def test_forgotten(spanner_assert):
            spanner_assert.unchanged()

        def test_failed_for_another_reason(spanner_assert):
            spanner_assert.unchanged()
            raise RuntimeError("first")
        """
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["spanner_assert.unchanged(...) at *.py:2 * `with *"])
    assert "so_far" not in result.stdout.str()
    # Once: the other test shows its own failure. (CI's summary repeats it, after "FAILED".)
    shown = [line for line in result.stdout.lines if line.startswith("spanner_assert.unchanged(")]
    assert len(shown) == 1


def test_an_unused_assertion_fails_a_test_that_requests_the_fixture_in_its_body(music):
    result = music.run(
        """
        def test_it(request):
            check = request.getfixturevalue("spanner_assert").queries(0)
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["spanner_assert.queries(...) at *.py:2 has checked nothing*"])


def test_a_call_without_a_block_checks_nothing(music):
    result = music.run(
        LOOK
        + """
        def test_it(spanner_database, spanner_assert):
            look(spanner_database)
            spanner_assert.queries(1)
        """
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["spanner_assert.queries(...) at *.py:11 has checked nothing. *"])


def test_plans(music):
    music.file(
        "schema.sql",
        (music.path / "schema.sql").read_text() + "CREATE INDEX ByName ON Singers (Name);",
    )
    result = music.run(
        """
        import pytest

        def test_it(spanner_assert):
            sql = "SELECT SingerId FROM Singers WHERE Name = @name"
            spanner_assert.plan(sql, name="x").uses_index("ByName").no_full_scan().no_sort().seek_on("Name")
            with pytest.raises(AssertionError, match="to use index Other"):
                spanner_assert.plan(sql, name="x").uses_index("Other")
            with pytest.raises(AssertionError, match="Expected no full scan"):
                spanner_assert.plan("SELECT Title FROM Albums").no_full_scan()
            with pytest.raises(AssertionError, match="Expected no sort"):
                spanner_assert.plan("SELECT * FROM Albums ORDER BY Title DESC, AlbumId").no_sort()
            spanner_assert.plan("UPDATE Singers SET Name = 'x' WHERE SingerId = 1").no_full_scan()

        def test_text(spanner_assert, request):
            plan = spanner_assert.plan("SELECT SingerId FROM Singers WHERE SingerId = 1")
            with pytest.raises(AssertionError, match="Expected another plan:"):
                plan.matches("Scan")
            plan.matches(str(plan))
            file = request.config.rootpath / "plans" / "singers.txt"
            with pytest.raises(AssertionError, match="singers.txt was missing"):
                plan.matches(file)
            plan.matches(file)
            with pytest.raises(AssertionError, match="Expected another plan:"):
                spanner_assert.plan("SELECT SingerId FROM Singers").matches(file)
        """
    )
    result.assert_outcomes(passed=2)


def test_distributed_joins(music):
    music.file(
        "schema.sql",
        (music.path / "schema.sql").read_text()
        + "CREATE TABLE Songs (SingerId INT64 NOT NULL, AlbumId INT64 NOT NULL, SongId INT64, Genre INT64)"
        " PRIMARY KEY (SingerId, AlbumId, SongId), INTERLEAVE IN PARENT Albums;"
        "CREATE TABLE Genres (GenreId INT64, Title STRING(99)) PRIMARY KEY (GenreId);"
        "CREATE INDEX SongsByGenre ON Songs (SingerId, AlbumId, Genre), INTERLEAVE IN Albums;",
    )
    result = music.run(
        """
        import pytest

        TOGETHER = (
            "SELECT * FROM Songs WHERE SingerId = 1",
            "SELECT * FROM Singers s JOIN Songs USING (SingerId) WHERE s.SingerId = 1",
            "SELECT * FROM Singers s JOIN Songs g ON g.SingerId = s.SingerId",
            "SELECT a.Title FROM Albums a JOIN Songs@{FORCE_INDEX=SongsByGenre} g"
            " ON g.SingerId = a.SingerId AND g.AlbumId = a.AlbumId WHERE a.SingerId = 1",
        )
        APART = (
            "SELECT * FROM Songs JOIN Genres ON GenreId = Genre",
            "SELECT * FROM Songs JOIN Genres ON GenreId = Genre WHERE SingerId = 1",
            "SELECT AlbumId FROM Albums@{FORCE_INDEX=AlbumsByTitle} JOIN Genres g USING (Title)",
        )

        @pytest.mark.parametrize("sql", TOGETHER)
        def test_together(spanner_assert, sql):
            spanner_assert.plan(sql).no_distributed_join()
            spanner_assert.queries(0).so_far()

        @pytest.mark.parametrize("sql", APART)
        def test_apart(spanner_assert, sql):
            with pytest.raises(AssertionError, match="Expected no distributed join, but"):
                spanner_assert.plan(sql).no_distributed_join()
        """
    )
    result.assert_outcomes(passed=7)


def test_rows_and_unchanged(music):
    result = music.run(
        """
        import pytest

        def test_it(spanner_assert, spanner_sql):
            with spanner_assert.unchanged():
                assert spanner_assert.rows("Singers") == []
            with pytest.raises(AssertionError, match=r"Singers: 1 added"):
                with spanner_assert.unchanged():
                    spanner_sql("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')")
            assert spanner_assert.rows("Singers", "SingerId = @id", id=1) == [{"SingerId": 1, "Name": "a"}]
        """
    )
    result.assert_outcomes(passed=1)


def test_records_name_tables_as_they_are_declared(music):
    result = music.run(
        """
        from google.cloud.spanner_v1 import KeySet

        def test_it(spanner_record, spanner_database):
            with spanner_record() as recorded:
                with spanner_database.batch() as batch:
                    batch.insert("singers", ["SingerId", "Name"], [[1, "a"]])
                with spanner_database.snapshot() as snapshot:
                    list(snapshot.read("SINGERS", ["Name"], KeySet(all_=True)))
            (commit,), (read,) = recorded.commits, recorded.queries
            assert commit.tables == read.tables == read.full_scans == ("Singers",)
            assert read.sql == "READ Name FROM Singers"
        """
    )
    result.assert_outcomes(passed=1)


def test_raw_records(music):
    result = music.run(
        """
        def test_it(spanner_record, spanner_database):
            with spanner_record() as recorded:
                spanner_database.run_in_transaction(
                    lambda t: t.execute_update("INSERT INTO Singers (SingerId, Name) VALUES (1, 'a')"))
            (query,) = recorded.queries
            assert (query.kind, query.tables, query.error) == ("dml", ("Singers",), "")
            assert query.site.endswith(":4")
            assert recorded.mutations == 2
            assert len(recorded.commits) == 1
            with spanner_database.snapshot() as snapshot:
                list(snapshot.execute_sql("SELECT 1"))
            assert len(recorded.queries) == 1
            assert recorded.to_json()["mutations"] == 2
        """
    )
    result.assert_outcomes(passed=1)


def test_participants_and_splits(music):
    result = music.run(
        """
        def rename(database, *ids):
            with database.batch() as batch:
                batch.update("Singers", ["SingerId", "Name"], [[n, "x"] for n in ids])

        def test_one(spanner_factory, spanner_database, spanner_assert, spanner_splits):
            for n in range(1, 7):
                spanner_factory.Singers(SingerId=n)
            spanner_splits.at("Singers", [3])
            with spanner_assert.participants(1):
                rename(spanner_database, 1, 2)
            spanner_splits.assert_single_split()
            assert spanner_splits.of("Singers", [5]).start == "Singers(3)"

        def test_two(spanner_factory, spanner_database, spanner_assert, spanner_splits):
            for n in range(1, 7):
                spanner_factory.Singers(SingerId=n)
            assert "Singers(3)" not in [split.start for split in spanner_splits]
            spanner_splits.at("Singers", [3])
            with spanner_assert.participants(max=1):
                rename(spanner_database, 1, 5)
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        ["*Expected at most 1 participant, saw 2*", "*4 mutations  2 splits*"]
    )


def test_faults_strike_and_unused_faults_fail_the_test(music):
    result = music.run(
        """
        def insert(database):
            def work(transaction):
                transaction.insert("Singers", ["SingerId", "Name"], [[1, "x"]])
            database.run_in_transaction(work)

        def test_retried(spanner_database, spanner_faults, spanner_assert):
            spanner_faults.abort("Commit")
            with spanner_assert.aborts(1), spanner_assert.commits(1):
                insert(spanner_database)

        def test_answer_lost(spanner_database, spanner_faults, spanner_sql):
            spanner_faults.lose_response("Commit")
            insert(spanner_database)
            assert len(spanner_sql("SELECT * FROM Singers")) == 1

        def test_unused(spanner_database, spanner_faults):
            spanner_faults.abort("Commit", nth=7)
        """
    )
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["faults that no request triggered:", "  abort(Commit, nth=7)"])


def test_budgets(music):
    result = music.run(
        """
        import pytest

        @pytest.mark.spanner_budget(heat=0)
        def test_unknown(spanner_sql): pass
        """
    )
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*spanner_budget does not take heat*"])
    result = music.run(
        """
        import pytest

        def query(database, sql):
            with database.snapshot() as snapshot:
                return list(snapshot.execute_sql(sql))

        @pytest.mark.spanner_budget(queries=1, commits=0, full_scans=0)
        def test_within(spanner_database):
            query(spanner_database, "SELECT * FROM Singers WHERE SingerId = 1")

        @pytest.mark.spanner_budget(full_scans=0)
        def test_over(spanner_database):
            query(spanner_database, "SELECT * FROM Singers")
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*Expected no full scan, saw 1:*"])
    result.stdout.re_match_lines([r".*test_over .*over budget: full scans 1 > 0"])


WAITS = """
        import threading
        import pytest

        def add_one(transaction):
            transaction.execute_update("UPDATE Singers SET Name = CONCAT(Name, '!') WHERE SingerId = 1")

        def wait_for_each_other(database, open_transactions):
            session = database.session()
            session.create()
            holding = session.transaction()
            holding.begin()
            add_one(holding)
            waiter = threading.Thread(target=database.run_in_transaction, args=(add_one,))
            waiter.start()
            while not any(each.waits for each in open_transactions()):
                assert waiter.is_alive()
            holding.commit()
            waiter.join()

        @pytest.fixture(autouse=True)
        def row(spanner_factory):
            spanner_factory.Singers(SingerId=1)

        @pytest.fixture
        def waiting(spanner_database, spanner_emulator):
            handle = spanner_emulator.database(spanner_database.database_id)
            return lambda: wait_for_each_other(spanner_database, handle.open_transactions)
"""


def test_waits_for_locks(music):
    result = music.run(
        WAITS
        + """
        def test_none(spanner_assert, spanner_database):
            with spanner_assert.no_lock_waits():
                spanner_database.run_in_transaction(add_one)

        def test_some(spanner_assert, waiting):
            with spanner_assert.no_lock_waits():
                waiting()

        @pytest.mark.spanner_budget(lock_waits=0)
        def test_budget(waiting):
            waiting()

        @pytest.mark.spanner_budget(lock_waits=9)
        def test_within(waiting):
            waiting()
        """
    )
    result.assert_outcomes(passed=2, failed=2)
    result.stdout.fnmatch_lines(
        [
            "*Expected no wait for a lock, saw 1:",
            "* ms  COMMIT  *ABORTED  waited for *Singers(1)*",
            "*Read less in the*",
        ]
    )


def test_queries_of_the_test_itself_are_not_counted(music):
    result = music.run(
        """
        import pytest

        @pytest.mark.spanner_budget(queries=0, commits=0, full_scans=0)
        def test_it(spanner_sql, spanner_factory, spanner_assert):
            spanner_factory.Singers.many(3)
            assert len(spanner_sql("SELECT * FROM Singers")) == 3
            assert len(spanner_assert.rows("Singers")) == 3
            with spanner_assert.unchanged():
                pass
            spanner_assert.plan("SELECT 1")
            spanner_assert.queries(0).so_far()
        """
    )
    result.assert_outcomes(passed=1)


def test_abort_each_finds_a_missing_retry(music):
    result = music.run(
        """
        import pytest

        @pytest.mark.spanner_abort_each(max=2)
        def test_retries(spanner_database, spanner_sql):
            spanner_database.run_in_transaction(
                lambda t: t.insert("Singers", ["SingerId", "Name"], [[1, "x"]]))
            assert len(spanner_sql("SELECT * FROM Singers")) == 1

        @pytest.mark.spanner_abort_each(max=1)
        def test_does_not(spanner_database):
            mails = []

            def work(transaction):
                mails.append("sent")
                transaction.insert("Singers", ["SingerId", "Name"], [[1, "x"]])

            spanner_database.run_in_transaction(work)
            assert mails == ["sent"]
        """
    )
    result.assert_outcomes(passed=4, failed=1)
    result.stdout.fnmatch_lines(["FAILED *test_does_not?abort@1?*"])


def test_stale_reads(music):
    result = music.run(
        """
        from datetime import timedelta

        STALE = {"exact_staleness": timedelta(microseconds=1)}

        def test_stale(spanner_database, spanner_assert):
            with spanner_assert.stale_reads_only():
                with spanner_database.snapshot(**STALE) as snapshot:
                    list(snapshot.execute_sql("SELECT 1"))
                with spanner_database.snapshot(multi_use=True, **STALE) as snapshot:
                    list(snapshot.execute_sql("SELECT 1"))
                    list(snapshot.execute_sql("SELECT 2"))

        def test_strong(spanner_database, spanner_assert):
            with spanner_database.snapshot(multi_use=True) as snapshot:
                list(snapshot.execute_sql("SELECT 1"))
                list(snapshot.execute_sql("SELECT 2"))
            with spanner_database.snapshot() as snapshot:
                list(snapshot.execute_sql("SELECT 3"))
            spanner_database.run_in_transaction(lambda t: list(t.execute_sql("SELECT 4")))
            spanner_assert.stale_reads_only().so_far()
        """
    )
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*Expected stale reads only, saw 4 others:",
            "*1x  SELECT 1*",
            "*Read data that may be slightly old*",
        ]
    )


def test_locks_held_and_distribution_of_writes(music):
    result = music.run(
        """
        import uuid
        import pytest

        def test_locks(spanner_database, spanner_factory, spanner_assert):
            spanner_factory.Singers(SingerId=1)
            with pytest.raises(AssertionError, match=r"lock Exclusive Singers\\(...\\), the locks held are:\\n  none"):
                spanner_assert.locks("Singers")

            def work(transaction):
                transaction.execute_update("UPDATE Singers SET Name = 'x' WHERE SingerId = 1")
                spanner_assert.locks("singers", "readershared")
                with pytest.raises(AssertionError, match="takes its write locks when it commits"):
                    spanner_assert.locks("singers", "Exclusive")
                with pytest.raises(AssertionError, match="Exclusive Albums"):
                    spanner_assert.locks("Albums")

            spanner_database.run_in_transaction(work)
            with pytest.raises(ValueError, match="not one of ReaderShared"):
                spanner_assert.locks("Singers", "tight")

        def insert(database, key):
            with database.batch() as batch:
                batch.insert("Singers", ["SingerId", "Name"], [[key, "x"]])

        def test_even(spanner_database, spanner_assert):
            with pytest.raises(AssertionError, match="Inconclusive: 0 commits to Singers"):
                spanner_assert.even_distribution("Singers").so_far()
            with spanner_assert.even_distribution("Singers", max_share=0.5):
                for _ in range(300):
                    insert(spanner_database, uuid.uuid4().int >> 65)
            with pytest.raises(AssertionError, match="spread: at most 30% in one of eight"):
                with spanner_assert.even_distribution("singers"):
                    for n in range(300):
                        insert(spanner_database, n)
        """
    )
    result.assert_outcomes(passed=2)


def test_lint_findings_fail_a_run_with_fail_on_lint(project):
    project.file(
        "schema.sql",
        "CREATE TABLE Fine (K STRING(36)) PRIMARY KEY (K);\n\n"
        "CREATE TABLE Events (\n  EventTs TIMESTAMP\n) PRIMARY KEY (EventTs);\n",
    )
    project.file(
        "conftest.py",
        "from pytest_spanemu import factories\nother = factories.database(isolation='clone')",
    )
    text = "def test(spanner_database): pass\ndef test_next(spanner_database, other): pass"
    project.run(text).assert_outcomes(passed=2)
    project.run(text, "--spanner-fail-on=lint:error").assert_outcomes(passed=2)
    result = project.run(text, "--spanner-fail-on=lint:warning")
    result.assert_outcomes(passed=2, errors=1)  # told once
    result.stdout.re_match_lines(
        [r"the schema: .*schema\.sql:[345]: SPN102 Events\(EventTs\) \(warning\): .*"]
    )
    project.run(text, "--spanner-fail-on=lint:info").assert_outcomes(passed=2, errors=1)
    project.file("pyproject.toml", '[tool.spanemu.lint]\nignore = ["SPN9999"]\n')
    result = project.run(text, "--spanner-fail-on=lint:error")
    result.stdout.fnmatch_lines(["*pyproject.toml: There is no rule 'SPN9999'*"])
    result.stdout.no_fnmatch_line("*/lint.py:*")


def test_the_client_for_asyncio(music):
    result = music.run(
        """
        import asyncio

        def test_async(spanner_async_database, spanner_sql, spanner_record):
            async def work():
                database = await spanner_async_database()
                async with database.batch() as batch:
                    batch.insert("Singers", ["SingerId", "Name"], [[1, "x"]])
                async with database.snapshot() as snapshot:
                    found = await snapshot.execute_sql("SELECT Name FROM Singers")
                    return [row async for row in found]

            with spanner_record() as recorded:
                assert asyncio.run(work()) == [["x"]]
            assert spanner_sql("SELECT SingerId FROM Singers") == [{"SingerId": 1}]
            assert [query.site.split(":")[1] for query in recorded.queries] == ["10"]
            assert [commit.site.split(":")[1] for commit in recorded.commits] == ["6"]
        """
    )
    result.assert_outcomes(passed=1)
