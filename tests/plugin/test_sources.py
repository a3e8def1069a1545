"""Schema sources and seeds."""

from pathlib import Path

import pytest

from pytest_spanemu.options import Dialect
from pytest_spanemu.sources import Ddl, Dml, SourceError, source_of
from tests.installed import needs


@pytest.fixture
def root(tmp_path):
    def write(files):
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return tmp_path

    return write


def steps(text, root):
    return [
        (type(step), step.text, Path(step.origin).name, step.line)
        for step in source_of(text, root).steps()
    ]


A = "CREATE TABLE A (x INT64) PRIMARY KEY (x)"
B = "CREATE TABLE B (x INT64) PRIMARY KEY (x)"


def test_a_schema_file_knows_lines_and_separates_rows_from_schema(root):
    path = root({"s.sql": f"-- first\n{A};\n\nINSERT INTO A (x) VALUES (1);\n{B}"})
    assert steps("s.sql", path) == [
        (Ddl, A, "s.sql", 2),
        (Dml, "INSERT INTO A (x) VALUES (1)", "s.sql", 4),
        (Ddl, B, "s.sql", 5),
    ]


def test_a_glob_is_in_natural_order(root):
    path = root({"db/10_b.sql": B, "db/2_a.sql": A, "db/readme.md": "no"})
    assert [each[1] for each in steps("db/*", path)] == [A, B]
    assert [each[1] for each in steps("db", path)] == [A, B]


@pytest.mark.parametrize(
    ("name", "table", "count"),
    [("singers", "Songs", 3), ("banking", "Bookings", 2), ("finance", "Account", 2),
     ("fingraph", "AccountTransferAccount", 2)],
)  # fmt: skip
def test_samples(project, name, table, count):
    result = project.run(
        f"""
        def test_it(spanner_sql, spanner_factory, spanner_assert):
            assert len(spanner_sql("SELECT * FROM {table}")) == {count}
            assert len(spanner_factory["{table}"].many(3)) == 3
            graphs = "SELECT COUNT(*) AS n FROM INFORMATION_SCHEMA.PROPERTY_GRAPHS"
            assert spanner_sql(graphs) == [{{"n": {int(name == "fingraph")}}}]
        """,
        f"--spanner-schema=sample:{name}",
        "--spanner-fail-on=lint:error",
    )
    result.assert_outcomes(passed=1)


def test_an_unknown_sample_is_refused(tmp_path):
    with pytest.raises(SourceError, match="samples are singers, banking, finance, fingraph"):
        source_of("sample:bakery", tmp_path)


def test_wrench_runs_migrations_after_the_schema(root):
    files = {
        "schema.sql": A,
        "migrations/000002.sql": "UPDATE A SET x = 1 WHERE true",
        "migrations/000001_b.up.sql": B,
        "migrations/000001_b.down.sql": "DROP TABLE B",
    }
    path = root({f"db/{name}": text for name, text in files.items()})
    result = source_of("db", path).steps()
    assert [step.text for step in result] == [A, B, "UPDATE A SET x = 1 WHERE true"]
    assert result[2].partitioned


def test_wrench_schema_written_after_the_migrations_is_all(root):
    path = root(
        {
            "db/schema.sql": f"{A};\nCREATE TABLE SchemaMigrations (Version INT64) PRIMARY KEY (Version)",
            "db/migrations/000001.sql": B,
        }
    )
    assert len(steps("db", path)) == 2


def test_golang_migrate_takes_the_way_up(root):
    path = root({"m/2_b.up.sql": B, "m/2_b.down.sql": "DROP TABLE B", "m/1_a.up.sql": A})
    assert [each[1] for each in steps("m", path)] == [A, B]


def test_goose_takes_up_sections_and_whole_blocks(root):
    block = "CREATE VIEW V SQL SECURITY INVOKER AS SELECT 1 AS a"
    path = root(
        {
            "m/1_a.sql": f"-- +goose Up\n{A};\n-- +goose Down\nDROP TABLE A;\n",
            "m/2_v.sql": f"-- +goose Up\n-- +goose StatementBegin\n{block};\n-- +goose StatementEnd\n",
        }
    )
    assert steps("goose:m", path) == [(Ddl, A, "1_a.sql", 2), (Ddl, block, "2_v.sql", 3)]


def test_functions_give_statements_or_take_the_database(root):
    path = root(
        {
            "shop_ddl.py": f"def ddl():\n    return [{A!r}]\n\ndef fill(database): ...\nSTATIC = {B!r}\n"
        }
    )
    assert [step.text for step in source_of("call:shop_ddl:ddl", path).steps()] == [A]
    assert [step.text for step in source_of("call:shop_ddl:STATIC", path).steps()] == [B]
    (program,) = source_of("call:shop_ddl:fill", path).steps()
    assert program.run


@pytest.mark.parametrize(
    "text",
    [
        "no.sql",
        "*.nothing",
        "alembic:no.ini",
        "call:shop",
        "cal:shop:ddl",
        "spanner://x/y",
        "goose:no",
    ],
)
def test_a_missing_source_is_named(text, tmp_path):
    with pytest.raises(SourceError, match=r"schema source"):
        source_of(text, tmp_path).steps()


@pytest.mark.parametrize("text", ["alembic:alembic.ini", "metadata:m:Base", "django:"])
def test_programs_that_write_googlesql_are_refused_for_other_dialects(text, tmp_path):
    with pytest.raises(SourceError, match="writes GoogleSQL; a database of dialect postgresql"):
        source_of(text, tmp_path, Dialect.POSTGRESQL)


def test_errors_name_file_and_line(music):
    music.file(
        "schema.sql",
        "CREATE TABLE A (x INT64) PRIMARY KEY (x);\nCREATE TABLE B (y BAD) PRIMARY KEY (y)",
    )
    result = music.run("def test_it(spanner_database): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*schema.sql:2: *"])


def test_seeds_of_all_kinds_are_loaded_in_the_order_of_their_constraints(music):
    music.file("seeds/Albums.csv", "SingerId,AlbumId,Title\n1,1,\n1,2,B\n")
    music.file(
        "seeds/Singers.jsonl", '{"SingerId": 1, "Name": "a"}\n{"SingerId": "2", "Name": "b"}\n'
    )
    music.file(
        "seeds/more.json", '{"Singers": {"columns": ["SingerId", "Name"], "rows": [[3, "c"]]}}'
    )
    music.file("seeds/z.sql", "UPDATE Singers SET Name = 'd' WHERE SingerId = 3;")
    result = music.run(
        """
        def test_it(spanner_sql):
            assert [row["Name"] for row in spanner_sql("SELECT Name FROM Singers ORDER BY SingerId")] == ["a", "b", "d"]
            assert [row["Title"] for row in spanner_sql("SELECT Title FROM Albums ORDER BY AlbumId")] == [None, "B"]
        """
    )
    result.assert_outcomes(passed=1)


def test_seeds_for_unknown_tables_are_refused(music):
    music.file("seeds/Nothing.csv", "a\n1\n")
    result = music.run("def test_it(spanner_database): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*there is no table 'Nothing'*"])


ENUMS = """
import enum

from sqlalchemy import Column, Enum, Integer, TypeDecorator
from sqlalchemy.orm import declarative_base

Base = declarative_base()

class Status(enum.Enum):
    OPEN = "open"
    SENT = "sent"

class Wrapped(TypeDecorator):
    impl = Enum("x", "y", name="letter")
    cache_ok = True

class Order(Base):
    __tablename__ = "Orders"
    id = Column(Integer, primary_key=True, autoincrement=False)
    by_name = Column(Enum(Status), nullable=False)
    by_value = Column(Enum(Status, values_callable=lambda kind: [each.value for each in kind]))
    size = Column(Enum("S", "M", "L", name="size"))
    wrapped = Column(Wrapped)
    fixed = Column(Enum(Status), server_default="SENT")
"""
ENUM_TEST = """
from models import Order, Status
from sqlalchemy import select

def test_orm(spanner_session, spanner_factory):
    spanner_factory.Orders.many(20)
    orders = spanner_session.scalars(select(Order)).all()
    assert {each.by_name for each in orders} == {each.by_value for each in orders} == set(Status)
    assert {each.size for each in orders} == {"S", "M", "L"}
    assert {each.wrapped for each in orders} == {"x", "y"}
    assert {each.fixed for each in orders} <= {DEFAULTS}
"""


def test_factories_honour_sqlalchemy_enumerations(project):
    needs("google.cloud.sqlalchemy_spanner")
    project.file("models.py", ENUMS)
    project.ini("spanner_schema = metadata:models:Base\npythonpath = .\n")
    text = ENUM_TEST.replace("DEFAULTS", "Status.SENT")
    project.run_apart(text, "-p", "no:warnings").assert_outcomes(passed=1)


def test_factories_honour_enumerations_of_models_whose_schema_comes_from_elsewhere(project):
    needs("google.cloud.sqlalchemy_spanner")
    project.file("models.py", ENUMS)
    columns = ", ".join(f"{name} STRING(9)" for name in
                        ("by_name", "by_value", "size", "wrapped", "fixed"))  # fmt: skip
    project.file("schema.sql", f"CREATE TABLE Orders (id INT64, {columns}) PRIMARY KEY (id)")
    project.ini("spanner_models = metadata:models:Base\npythonpath = .\n")
    text = ENUM_TEST.replace("DEFAULTS", "*Status")
    project.run_apart(text, "-p", "no:warnings").assert_outcomes(passed=1)


def test_sqlalchemy_metadata(project):
    needs("google.cloud.sqlalchemy_spanner")
    project.file(
        "models.py",
        "from sqlalchemy import Column, Integer, String\n"
        "from sqlalchemy.orm import declarative_base\n"
        "Base = declarative_base()\n"
        "class Thing(Base):\n"
        "    __tablename__ = 'Things'\n"
        "    id = Column(Integer, primary_key=True, autoincrement=False)\n"
        "    name = Column(String(20))\n",
    )
    project.ini("spanner_schema = metadata:models:Base\n")
    result = project.run(
        """
        from models import Thing

        def test_orm(spanner_session, spanner_sql):
            spanner_session.add(Thing(id=1, name="x"))
            spanner_session.commit()
            assert spanner_sql("SELECT name FROM Things") == [{"name": "x"}]
        """,
        "-W",
        "ignore",
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize(
    ("name", "text", "told"),
    [
        ("Singers.csv", "SingerId,Name\n1,a\n1,b\n", "Singers.csv:3: *already exists*"),
        ("Singers.csv", "SingerId,Name\n1,a,b\n", "Singers.csv: line 2 has more cells*"),
        ("Singers.jsonl", '{"SingerId": 1}\n', "Singers.jsonl:1: *Name*"),
        ("Singers.json", '[{"SingerId": "x", "Name": "a"}]', "Singers.json (row 1 of Singers): *"),
        ("Nobody.json", "[{}]", "Nobody.json (row 1 of Nobody): there is no table 'Nobody'*"),
        ("a.sql", "\nINSERT INTO Singers (Nam) VALUES (1)", "a.sql:2: *Nam*"),
        ("a.sql", "DROP TABLE Singers", "a.sql:1: seeds take INSERT*"),
    ],
)
def test_errors_of_seeds_name_the_file_and_line(music, name, text, told):
    music.file(f"seeds/{name}", text)
    result = music.run("def test(spanner_database): pass", "--spanner-seeds=seeds")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines([f"*/seeds/{told}"])
    result.stdout.no_fnmatch_line("*During handling*")


def test_seeds_in_yaml(music):
    needs("yaml")
    music.file("seeds/Singers.yaml", "- SingerId: 1\n  Name: Marc\n")
    result = music.run(
        """
        def test(spanner_sql):
            assert spanner_sql("SELECT * FROM Singers") == [{"SingerId": 1, "Name": "Marc"}]
        """
    )
    result.assert_outcomes(passed=1)


def test_each_directory_may_have_its_own_schema(project):
    for name in ("a", "b"):
        project.file(
            f"{name}/conftest.py",
            f"""
import pytest

@pytest.fixture(scope="session")
def spanner_schema():
    return "CREATE TABLE T{name} (K INT64) PRIMARY KEY (K)"
""",
        )
        project.file(
            f"{name}/test_{name}.py",
            f"""
def test_one(spanner_sql):
    assert spanner_sql("INSERT INTO T{name} (K) VALUES (1)") == 1

def test_two(spanner_sql):
    assert spanner_sql("SELECT * FROM T{name}") == []
""",
        )
    result = project.run("def test(spanner_sql): assert spanner_sql('SELECT 1 x')")
    result.assert_outcomes(passed=5)
    project.file(
        "conftest.py",
        """
import pytest

@pytest.fixture(scope="session")
def spanner_template(spanner_template, spanner_factory_session):
    return spanner_template
""",
    )
    result = project.run("def test(spanner_sql): assert spanner_sql('SELECT 1 x')")
    result.assert_outcomes(passed=2, errors=3)
    result.stdout.fnmatch_lines(["b/test_b.py overrides spanner_schema, but *"])


def test_a_template_function_without_a_result_is_reported(music):
    music.file(
        "conftest.py",
        """
import pytest

@pytest.fixture(scope="session")
def spanner_template(spanner_template):
    pass
""",
    )
    result = music.run("def test(spanner_database): pass")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*spanner_template gave None; it must return the template*"])
