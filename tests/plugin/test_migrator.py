"""Migrations one by one, over rows that were there before."""

import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "docs" / "examples" / "sqlalchemy_alembic"

needs_alembic = pytest.mark.skipif(
    not (find_spec("alembic") and find_spec("google.cloud.sqlalchemy_spanner")),
    reason="Alembic or the dialect is not installed",
)

FILES = {
    "db/migrations/000001_orders.up.sql": "CREATE TABLE Orders (Id INT64, Status STRING(9) NOT NULL) PRIMARY KEY (Id)",
    "db/migrations/000002_words.up.sql": "UPDATE Orders SET Status = 'OPEN' WHERE Status = 'o'",
    "db/migrations/000003_cents.up.sql": "ALTER TABLE Orders ADD COLUMN Cents INT64",
    "db/migrations/000003_cents.down.sql": "ALTER TABLE Orders DROP COLUMN Cents",
}


@pytest.fixture
def orders(project):
    for name, text in FILES.items():
        project.file(name, text)
    project.ini("spanner_schema = db\n")
    return project


def test_rows_are_migrated(orders):
    result = orders.run(
        """
        import pytest

        def test_words(spanner_migrator):
            assert len(spanner_migrator.names) == 3
            assert spanner_migrator.current is None
            spanner_migrator.up_before(2)
            assert spanner_migrator.current == "000001_orders.up.sql"
            spanner_migrator.insert("Orders", Id=1, Status="o")
            spanner_migrator.up("000002")
            assert spanner_migrator.sql("SELECT Status FROM Orders") == [{"Status": "OPEN"}]

        def test_columns_come_and_go(spanner_migrator):
            spanner_migrator.head()
            assert spanner_migrator.insert("Orders", Id=1, Cents=5)["Cents"] == 5
            spanner_migrator.down(2)
            assert set(spanner_migrator.insert("Orders", Id=2)) == {"Id", "Status"}
            with pytest.raises(ValueError, match="000002_words.up.sql of 'db' cannot be undone"):
                spanner_migrator.down()

        def test_names(spanner_migrator):
            with pytest.raises(ValueError, match="no migration of 'db' matches 7; .*000001"):
                spanner_migrator.up(7)
            with pytest.raises(ValueError, match="more than one migration of 'db' matches '00'"):
                spanner_migrator.up("00")

        def test_the_template_is_elsewhere(spanner_migrator, spanner_sql):
            assert spanner_sql("SELECT * FROM Orders") == []
        """
    )
    result.assert_outcomes(passed=4)


def test_goose_goes_up_and_down(project):
    project.file(
        "m/1_a.sql",
        "-- +goose Up\nCREATE TABLE A (x INT64) PRIMARY KEY (x);\n-- +goose Down\nDROP TABLE A;\n",
    )
    result = project.run(
        """
        import pytest

        @pytest.mark.spanner(schema="goose:m")
        def test_it(spanner_migrator):
            spanner_migrator.up(1)
            spanner_migrator.insert("A", x=1)
            spanner_migrator.down()
            spanner_migrator.up(1)
            assert spanner_migrator.sql("SELECT * FROM A") == []
        """
    )
    result.assert_outcomes(passed=1)


def test_a_schema_without_migrations_gets_an_error(music):
    result = music.run("def test_it(spanner_migrator): pass", "--spanner-schema=schema.sql")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*needs migrations*schema.sql.*"])


@needs_alembic
def test_alembic_goes_up_and_down(project):
    ours = shutil.ignore_patterns("test_*.py", "0002_*")  # its tests, and a later migration
    shutil.copytree(EXAMPLE, project.path, dirs_exist_ok=True, ignore=ours)
    project.file(
        "migrations/versions/0002_years.py",
        """
import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

def upgrade():
    op.add_column("books", sa.Column("year", sa.BigInteger()))
    op.execute("UPDATE books SET year = 1900 WHERE true")

def downgrade():
    op.drop_column("books", "year")
""",
    )
    quiet = [
        word for kind in ("DeprecationWarning", "UserWarning") for word in ("-W", f"ignore::{kind}")
    ]
    result = project.run_apart(
        """
        def test_it(spanner_migrator):
            assert spanner_migrator.names == ("0001", "0002")
            spanner_migrator.up_before("0002")
            spanner_migrator.insert("books", title="Notes")
            spanner_migrator.up(2)
            assert spanner_migrator.sql("SELECT title, year FROM books") == [{"title": "Notes", "year": 1900}]
            spanner_migrator.down(1)
            assert set(spanner_migrator.insert("books")) == {"id", "author_id", "title"}
            spanner_migrator.head()
        """,
        *quiet,
    )
    result.assert_outcomes(passed=1)


@needs_alembic
def test_alembic_settings_that_spanner_needs_are_reported(project):
    ours = shutil.ignore_patterns("test_*.py")
    for name, there, wrong in (
        ("a", '__dialect__ = "spanner+spanner"', '__dialect__ = "another"'),
        ("b", ", version_table_pk=False", ""),
    ):
        shutil.copytree(EXAMPLE, project.path / name, ignore=ours)
        env = project.path / name / "migrations/env.py"
        assert there in env.read_text()
        env.write_text(env.read_text().replace(there, wrong))
    result = project.run_apart(
        """
        import pytest

        @pytest.mark.spanner(schema="alembic:a/alembic.ini")
        def test_dialect(spanner_database): pass

        @pytest.mark.spanner(schema="alembic:b/alembic.ini")
        def test_version_table(spanner_database): pass
        """,
        "-p",
        "no:warnings",
    )
    result.assert_outcomes(errors=2)
    result.stdout.fnmatch_lines_random(
        ["*add to env.py: class SpannerImpl*", "*add to env.py: *version_table_pk=False*"]
    )
