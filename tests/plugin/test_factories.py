"""Fixtures that a project makes with `pytest_spanemu.factories`."""

import pytest

from pytest_spanemu import factories


def test_a_database_depends_on_another(music):
    music.file("seeds/Singers.csv", "SingerId,Name\n1,Marc\n")
    music.file(
        "conftest.py",
        """
from pytest_spanemu import factories

labels = factories.database(
    schema="CREATE TABLE Labels (Id INT64) PRIMARY KEY (Id)",
    depends_on="spanner_template",
    fill=lambda factory: factory.Singers(SingerId=2),
)
shops = factories.database(
    schema="CREATE TABLE Shops (Id INT64) PRIMARY KEY (Id)", depends_on=labels
)
""",
    )
    result = music.run(
        """
        import pytest

        def count(database, table):
            with database.snapshot() as snapshot:
                return list(snapshot.execute_sql(f"SELECT COUNT(*) FROM {table}"))[0][0]

        @pytest.mark.parametrize("n", range(2))
        def test_all(spanner_database, labels, shops, n):
            assert count(spanner_database, "Singers") == 1
            assert (count(labels, "Singers"), count(labels, "Labels")) == (2, 0)
            assert (count(shops, "Singers"), count(shops, "Labels"), count(shops, "Shops")) == (2, 0, 0)
            for database in (labels, shops):
                with database.batch() as batch:
                    batch.insert("Labels", ["Id"], [[1]])
        """
    )
    result.assert_outcomes(passed=2)


def test_databases_depend_on_factories_only():
    with pytest.raises(pytest.UsageError, match="depends_on='spanner_database' is neither"):
        factories.database(depends_on="spanner_database")


def test_a_database_with_the_schema_and_seeds_of_the_run(music):
    music.file("seeds/Singers.csv", "SingerId,Name\n1,Marc\n")
    music.file(
        "conftest.py",
        """
from pytest_spanemu import factories

shared = factories.database(scope="module")
bare = factories.database(seeds=[])
nothing = factories.database(schema=[])
""",
    )
    result = music.run(
        """
        def rows(database, sql):
            with database.snapshot() as snapshot:
                return [row[0] for row in snapshot.execute_sql(sql)]

        def test_first(shared, bare, nothing):
            assert rows(shared, "SELECT Name FROM Singers") == ["Marc"]
            with shared.batch() as batch:
                batch.insert("Singers", ["SingerId", "Name"], [[2, "x"]])
            assert rows(bare, "SELECT Name FROM Singers") == []
            tables = "SELECT COUNT(*) FROM INFORMATION_SCHEMA.TABLES WHERE TABLE_SCHEMA = ''"
            assert rows(nothing, tables) == [0]

        def test_second(shared, spanner_database):
            assert len(rows(shared, "SELECT * FROM Singers")) == 2
            assert len(rows(spanner_database, "SELECT * FROM Singers")) == 1
        """
    )
    result.assert_outcomes(passed=2)


def test_another_emulator(music):
    music.file(
        "conftest.py",
        """
from pytest_spanemu import factories

old_emulator = factories.emulator(start_time="2020-06-01T00:00:00Z", project="past")
old_database = factories.database(schema="schema.sql", emulator="old_emulator")
""",
    )
    result = music.run(
        """
        import pytest

        def year(database):
            with database.snapshot() as snapshot:
                sql = "SELECT EXTRACT(YEAR FROM CURRENT_TIMESTAMP())"
                return list(snapshot.execute_sql(sql))[0][0]

        @pytest.mark.parametrize("n", range(2))
        def test_both(old_emulator, old_database, spanner_database, spanner_emulator, n):
            assert year(old_database) == 2020 < year(spanner_database)
            assert old_emulator.host_port != spanner_emulator.host_port
            assert old_database.name.startswith("projects/past/")
            with old_database.batch() as batch:
                batch.insert("Singers", ["SingerId", "Name"], [[1, "x"]])
        """
    )
    result.assert_outcomes(passed=2)


def test_factories_make_other_databases(music):
    music.file("other.sql", "CREATE TABLE T (x INT64) PRIMARY KEY (x)")
    music.file(
        "conftest.py",
        """
from pytest_spanemu import factories

other_database = factories.database(schema="other.sql", isolation="clone", fill=lambda f: f.T(x=1))
""",
    )
    result = music.run(
        """
        import pytest

        @pytest.mark.parametrize("n", range(2))
        def test_both(spanner_database, other_database, n):
            assert other_database.database_id != spanner_database.database_id
            with other_database.batch() as batch:
                batch.insert("T", ["x"], [[2]])
            with other_database.snapshot() as snapshot:
                assert list(snapshot.execute_sql("SELECT x FROM T ORDER BY x")) == [[1], [2]]
        """
    )
    result.assert_outcomes(passed=2)
