"""Builds that begin with the state after an unchanged prefix of Alembic's revisions.

The project's env.py prints which revisions run. A database that has been built from a state is
compared with the database that all revisions build.
"""

import json
import re
import sys
from pathlib import Path

import pytest

from pytest_spanemu.databases import kept_revisions
from pytest_spanemu.sources.code_facts import facts_of

alembic = pytest.importorskip("alembic")
pytest.importorskip("sqlalchemy")

pytestmark = [
    pytest.mark.filterwarnings("ignore:Can't validate argument"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # inside the client libraries
]

ENVIRONMENT = """
from alembic import context
from alembic.ddl.impl import DefaultImpl
from sqlalchemy import create_engine, pool


class SpannerImpl(DefaultImpl):
    __dialect__ = "spanner+spanner"


def note(ctx, step, heads, run_args):
    print("ran", step.up_revision_id)


engine = create_engine(
    context.config.get_main_option("sqlalchemy.url"),
    poolclass=pool.NullPool,
    isolation_level="AUTOCOMMIT",
)
with engine.connect() as connection:
    context.configure(
        connection=connection, version_table_pk=False, on_version_apply=note
    )
    with context.begin_transaction():
        context.run_migrations()
engine.dispose()
"""
# Spanner permits several rows only in a table with a key, and no change of a key: an implementation
# for branches replaces the row.
BRANCHING = (
    ENVIRONMENT.replace(
        '    __dialect__ = "spanner+spanner"\n',
        """    __dialect__ = "spanner+spanner"

    def _exec(self, construct, *args, **kwargs):
        new = re.match("UPDATE alembic_version SET version_num='(.*?)' WHERE (.*)", str(construct))
        if new is None:
            return super()._exec(construct, *args, **kwargs)
        super()._exec(text(f"DELETE FROM alembic_version WHERE {new[2]}"))
        return super()._exec(text(f"INSERT INTO alembic_version (version_num) VALUES ('{new[1]}')"))
""",
    )
    .replace(", pool\n", ", pool, text\n")
    .replace("version_table_pk=False, ", "")
)
BRANCHING = f"import re\n{BRANCHING}"
REVISION = """
import sqlalchemy as sa
from alembic import op
{imports}

revision = {name!r}
down_revision = {before!r}
{more}

def upgrade():
    {body}
"""
TEST = """
        import json
        from pathlib import Path

        def test_it(spanner_database, spanner_sql, spanner_template):
            rows = {
                name: spanner_sql(f"SELECT * FROM {name}")
                for name in sorted(row["n"] for row in spanner_sql(
                    "SELECT table_name AS n FROM information_schema.tables"
                    " WHERE table_schema = ''"))
            }
            Path("state.json").write_text(
                json.dumps([spanner_template.handle.ddl(), rows], default=str))
"""
QUIET = ("-s", "-p", "no:faker", "-W", "ignore")


class Migrations:
    """An Alembic project, and runs of its suite."""

    def __init__(self, project):
        self.project = project
        project.ini("spanner_schema = alembic:alembic.ini\n")
        project.file(
            "alembic.ini",
            "[alembic]\nscript_location = %(here)s/migrations\npath_separator = os\n",
        )
        self.environment(ENVIRONMENT)

    def environment(self, text):
        self.project.file("migrations/env.py", text)

    def add(self, name, before, body="pass", imports="", more=""):
        text = REVISION.format(name=name, before=before, body=body, imports=imports, more=more)
        self.project.file(f"migrations/versions/{name}.py", text)

    def chain(self, *bodies):
        before = None
        for number, body in enumerate(bodies, 1):
            self.add(f"r{number}", before, body)
            before = f"r{number}"

    def run(self, *args):
        """Run the suite; return the revisions that have run, and schema and rows."""
        result = self.project.run_keeping(TEST, *QUIET, *args)
        result.assert_outcomes(passed=1)
        ran = re.findall(r"ran (\w+)", result.stdout.str())
        return ran, json.loads((self.project.path / "state.json").read_text())

    def assert_resumes(self, *expected):
        """Run the suite: only these revisions run, and the database is that of all revisions."""
        ran, state = self.run()
        assert ran == list(expected)
        _, complete = self.run("--spanner-reuse=off")
        assert state == complete


def table(name, *more):
    columns = ", ".join(('sa.Column("id", sa.String(9), primary_key=True)', *more))
    return f'op.create_table("{name}", {columns})'


def insert(name, key):
    return f"op.execute(\"INSERT INTO {name} (id) VALUES ('{key}')\")"


@pytest.fixture
def migrations(project, monkeypatch):
    # Python takes a file of the same size, changed within a second, for the file that it knows.
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return Migrations(project)


def test_a_changed_last_revision_runs_alone(migrations):
    migrations.chain(table("a"), table("b"), table("c"))
    assert migrations.run()[0] == ["r1", "r2", "r3"]
    migrations.add("r3", "r2", table("d"))
    migrations.assert_resumes("r3")


def test_a_new_revision_runs_alone(migrations):
    migrations.chain(table("a"), insert("a", "x"))
    migrations.run()
    migrations.add("r3", "r2", insert("a", "y"))
    migrations.assert_resumes("r3")
    migrations.add("r4", "r3", "op.execute(\"DELETE FROM a WHERE id = 'y'\")")
    migrations.add("r5", "r4", "op.drop_table('a')")
    migrations.assert_resumes("r4", "r5")


def test_a_removed_last_revision_is_not_in_the_database(migrations):
    migrations.chain(table("a"), table("b"), table("c"))
    migrations.run()
    (migrations.project.path / "migrations/versions/r3.py").unlink()
    migrations.assert_resumes()


def test_all_revisions_run_after_a_change_of_the_first(migrations):
    migrations.chain(table("a"), table("b"), table("c"))
    migrations.run()
    migrations.add("r1", None, table("z"))
    migrations.assert_resumes("r1", "r2", "r3")


def test_constraints_and_indexes_are_found_by_later_revisions(migrations):
    migrations.chain(
        table("a", 'sa.Column("n", sa.Integer), sa.CheckConstraint("n > 0", name="positive")'),
        table("b", 'sa.Column("a", sa.String(9), sa.ForeignKey("a.id", name="to_a"))'),
        'op.create_index("b_by_a", "b", ["a"])',
        'op.execute("CREATE CHANGE STREAM s FOR a")',
        'op.execute("CREATE ROLE reader"); op.execute("GRANT SELECT ON TABLE a TO ROLE reader")',
        table("c"),
    )
    migrations.run()
    drops = (
        'op.drop_index("b_by_a", table_name="b")',
        'op.execute("ALTER TABLE b DROP CONSTRAINT to_a")',
        'op.execute("ALTER TABLE a DROP CONSTRAINT positive")',
        'op.execute("REVOKE SELECT ON TABLE a FROM ROLE reader")',
        'op.execute("DROP CHANGE STREAM s")',
    )
    migrations.add("r6", "r5", "; ".join(drops))
    migrations.assert_resumes("r6")


def test_merged_branches_are_resumed(migrations):
    migrations.environment(BRANCHING)
    migrations.add("r1", None, table("a"))
    migrations.add("left", "r1", table("l"))
    migrations.add("right", "r1", insert("a", "x"))
    migrations.add("merge", ("left", "right"))
    migrations.add("last", "merge", table("z"))
    assert len(migrations.run()[0]) == 5
    migrations.add("last", "merge", table("y"))
    migrations.assert_resumes("last")


def test_several_heads_are_resumed_or_built(migrations):
    migrations.project.ini("spanner_schema = alembic:alembic.ini@heads\n")
    migrations.environment(BRANCHING)
    migrations.add("r1", None, table("a"))
    migrations.add("left", "r1", table("l"))
    migrations.add("right", "r1", table("r"))
    last = migrations.run()[0][-1]
    migrations.add(last, "r1", table("z"))
    migrations.assert_resumes(last)


def test_dependencies_are_part_of_the_order(migrations):
    migrations.project.ini("spanner_schema = alembic:alembic.ini@heads\n")
    migrations.environment(BRANCHING)
    migrations.add("first", None, table("a"), more="branch_labels = ('one',)")
    migrations.add("other", None, table("b"), more="branch_labels = ('two',)")
    migrations.add("needs", "other", insert("a", "x"), more="depends_on = 'first'")
    assert sorted(migrations.run()[0]) == ["first", "needs", "other"]
    migrations.add("needs", "other", insert("a", "y"), more="depends_on = 'first'")
    migrations.assert_resumes("needs")


def test_another_target_shares_the_prefix(migrations):
    migrations.chain(table("a"), table("b"), table("c"))
    migrations.project.ini("spanner_schema = alembic:alembic.ini@r2\n")
    assert migrations.run()[0] == ["r1", "r2"]
    migrations.project.ini("spanner_schema = alembic:alembic.ini\n")
    migrations.assert_resumes("r3")


def test_a_relative_target_builds_from_the_beginning(migrations):
    migrations.chain(table("a"), table("b"), table("c"), table("d"))
    migrations.project.ini("spanner_schema = alembic:alembic.ini@+3\n")
    assert migrations.run()[0] == ["r1", "r2", "r3"]
    migrations.add("r3", "r2", table("z"))
    ran, state = migrations.run()
    assert ran == ["r1", "r2", "r3"]
    assert state == migrations.run("--spanner-reuse=off")[1]


@pytest.mark.parametrize(
    ("imports", "body"),
    [
        ("import datetime", "print(datetime.datetime.now())"),
        ("import random", "print(random.random())"),
        ("from uuid import uuid4 as key", "print(key())"),
        ("import os", "print(os.environ['HOME'])"),
        ("", "print(open('alembic.ini').read())"),
        ("from pathlib import Path", "print(Path('alembic.ini').read_text())"),
        ("", "global state"),
        ("", "print(op.get_bind().execute(sa.text('SELECT CURRENT_TIMESTAMP()')).scalar())"),
    ],
)
def test_revisions_of_unknown_effect_run_again(migrations, imports, body):
    migrations.chain(table("a"), table("b"), table("c"))
    migrations.add("r2", "r1", body, imports)
    migrations.run()
    migrations.add("r3", "r2", table("d"))
    assert migrations.run()[0] == ["r2", "r3"]


def test_rows_with_times_of_the_database_are_written_again(migrations):
    now = "INSERT INTO a (id) SELECT CAST(EXTRACT(YEAR FROM CURRENT_TIMESTAMP()) AS STRING)"
    migrations.chain(table("a"), f'op.execute("{now}")', table("c"))
    migrations.run()
    migrations.add("r3", "r2", table("d"))
    assert migrations.run()[0] == ["r2", "r3"]


def test_defaults_of_time_without_rows_are_resumed(migrations):
    default = 'sa.Column("t", sa.TIMESTAMP, server_default=sa.func.current_timestamp())'
    migrations.chain(table("a", default), table("b"), table("c"))
    migrations.run()
    migrations.add("r3", "r2", table("d"))
    migrations.assert_resumes("r3")


def test_states_of_many_rows_are_not_kept(migrations, monkeypatch):
    monkeypatch.setattr(kept_revisions, "ROWS_MAX", 1)
    migrations.chain(table("a"), insert("a", "x"), insert("a", "y"), table("b"))
    migrations.run()
    migrations.add("r4", "r3", table("c"))
    assert migrations.run()[0] == ["r1", "r2", "r3", "r4"]
    migrations.add("r5", "r4", table("d"))
    migrations.assert_resumes("r5")


def test_sequences_that_have_counted_are_not_resumed(migrations):
    create = "CREATE SEQUENCE s OPTIONS (sequence_kind = 'bit_reversed_positive')"
    count = "INSERT INTO a (id) SELECT CAST(MOD(GET_NEXT_SEQUENCE_VALUE(SEQUENCE s), 9) AS STRING)"
    migrations.chain(table("a"), f'op.execute("{create}")', f'op.execute("{count}")', table("c"))
    migrations.run()
    migrations.add("r4", "r3", table("d"))
    assert migrations.run()[0][-2:] == ["r3", "r4"]


def test_a_changed_module_that_a_revision_imports_runs_the_revision(migrations):
    migrations.project.file("shop/__init__.py", "")
    migrations.project.file("shop/names.py", "from shop.more import TABLE")
    migrations.project.file("shop/more.py", "TABLE = 'b'")
    migrations.project.file("other.py", "")
    migrations.project.ini("pythonpath = .\nspanner_schema = alembic:alembic.ini\n")
    named = 'op.create_table(TABLE, sa.Column("id", sa.String(9), primary_key=True))'
    migrations.chain(table("a"), "", table("c"))
    migrations.add("r2", "r1", named, "from shop.names import TABLE")
    migrations.run()
    migrations.project.file("other.py", "changed = True")
    assert migrations.run()[0] == []
    migrations.project.file("shop/more.py", "TABLE = 'bb'  # changed")
    ran, (ddl, _) = migrations.run()
    assert ran in (["r2", "r3"], ["r1", "r2", "r3"])
    assert any("bb" in statement for statement in ddl)


def test_changed_env_and_ini_and_variables_run_all_revisions(migrations, monkeypatch):
    reading = ENVIRONMENT.replace(
        "from alembic import context", "import os\nfrom alembic import context", 1
    )
    reading += "\nprint(os.environ.get('SHOP_VARIABLE'))\n"
    monkeypatch.setenv("SHOP_VARIABLE", "1")
    migrations.environment(reading)
    migrations.chain(table("a"), table("b"))
    everything = ["r1", "r2"]
    assert migrations.run()[0] == everything
    migrations.project.file("other.py", "")
    assert migrations.run()[0] == []
    monkeypatch.setenv("SHOP_VARIABLE", "2")
    migrations.project.file("other.py", "changed = True")
    assert migrations.run()[0] == everything
    migrations.environment(reading + "# changed\n")
    assert migrations.run()[0] == everything
    ini = migrations.project.path / "alembic.ini"
    ini.write_text(ini.read_text() + "timezone = UTC\n")
    assert migrations.run()[0] == everything


@pytest.mark.parametrize(
    ("before", "within"),
    [
        ("import random", ""),
        ("from test_names import TABLE", ""),
        ("import os; print({**os.environ})", ""),
        ("", "connection.execute(context.text('SELECT 1')) if 0 else None"),
        ("", "context.get_revision_argument()"),
    ],
)
def test_an_env_of_unknown_effect_keeps_no_state(migrations, before, within):
    migrations.project.ini("pythonpath = .\nspanner_schema = alembic:alembic.ini\n")
    migrations.project.file("test_names.py", "TABLE = 1")
    begin = "    with context.begin_transaction():\n"
    inside = ENVIRONMENT.replace(begin, f"    {within}\n{begin}")
    migrations.environment(f"{before}\n{inside}")
    migrations.chain(table("a"), table("b"))
    migrations.run()
    migrations.add("r2", "r1", table("c"))
    assert migrations.run()[0] == ["r1", "r2"]


def test_states_that_a_transaction_hides_are_not_resumed(migrations):
    migrations.environment(ENVIRONMENT.replace('    isolation_level="AUTOCOMMIT",\n', ""))
    migrations.chain(table("a"), insert("a", "x"), insert("a", "y"))
    try:
        migrations.run()
    except (AssertionError, pytest.fail.Exception):
        pytest.skip("this dialect needs AUTOCOMMIT")
    migrations.add("r3", "r2", insert("a", "z"))
    _, state = migrations.run()
    assert state == migrations.run("--spanner-reuse=off")[1]


def test_a_failing_revision_shows_the_failure_of_a_complete_build(migrations):
    migrations.chain(table("a"), table("b"))
    migrations.run()
    migrations.add("r2", "r1", table("a"))
    result = migrations.project.run_keeping(TEST, *QUIET)
    result.assert_outcomes(errors=1)
    assert re.findall(r"ran (\w+)", result.stdout.str()) == ["r1"]
    migrations.add("r2", "r1", table("c"))
    migrations.assert_resumes("r2")


def test_a_damaged_state_is_ignored(migrations):
    migrations.chain(table("a"), table("b"))
    migrations.run()
    for path in migrations.project.path.glob(".pytest_cache/d/spanemu/revisions-*"):
        path.write_bytes(path.read_bytes()[:60])
    migrations.add("r2", "r1", table("c"))
    assert migrations.run()[0] == ["r1", "r2"]


def test_reuse_off_reads_and_keeps_no_state(migrations):
    migrations.chain(table("a"), table("b"))
    assert migrations.run("--spanner-reuse=off")[0] == ["r1", "r2"]
    assert not list(migrations.project.path.glob(".pytest_cache/d/spanemu/*"))


def test_at_most_eight_states_are_kept(migrations):
    migrations.chain(table("a"), table("b"))
    for number in range(10):
        migrations.add("r2", "r1", table(f"t{number}"))
        migrations.run()
    assert len(list(migrations.project.path.glob(".pytest_cache/d/spanemu/revisions-*"))) == 8


def test_workers_share_the_states(migrations):
    pytest.importorskip("xdist")
    migrations.chain(table("a"), table("b"))
    migrations.run()
    migrations.add("r2", "r1", table("c"))
    text = TEST.replace(
        "def test_it(",
        "import pytest\n        @pytest.mark.parametrize('n', [1, 2])\n        def test_it(n, ",
    )
    result = migrations.project.run_keeping(text, "-p", "no:faker", "-W", "ignore", "-n", "2")
    result.assert_outcomes(passed=2)
    ddl, _ = json.loads((migrations.project.path / "state.json").read_text())
    assert migrations.run("--spanner-reuse=off")[1][0] == ddl


def test_the_env_files_that_alembic_writes_are_known():
    templates = Path(alembic.__file__).parent / "templates"
    for name in ("generic", "async", "pyproject"):
        for path in (templates / name).glob("env.py"):
            assert facts_of(path.read_bytes(), in_environment=True) is not None
