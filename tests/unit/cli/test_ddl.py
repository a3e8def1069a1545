"""`spanemu ddl` and its subcommands."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from google.cloud.spanner_v1.database import Database
from google.protobuf.descriptor_pb2 import FileDescriptorSet

import spanemu
from spanemu.cli.ddl import ddl

OLD = "CREATE TABLE T (k INT64, a STRING(9), b INT64) PRIMARY KEY (k);\nCREATE INDEX I ON T(a);"
NEW = """
CREATE TABLE T (k INT64, a STRING(20), c INT64 NOT NULL DEFAULT (1)) PRIMARY KEY (k);
CREATE TABLE U (k INT64, u INT64) PRIMARY KEY (k, u), INTERLEAVE IN PARENT T;
CREATE INDEX I ON T(a) STORING (c);
CREATE VIEW V SQL SECURITY INVOKER AS SELECT T.k FROM T;
"""


def run(*arguments: object, stdin: str | None = None) -> Result:
    return CliRunner().invoke(ddl, [str(argument) for argument in arguments], input=stdin)


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    old, new = tmp_path / "old.sql", tmp_path / "new.sql"
    old.write_text(OLD)
    new.write_text(NEW)
    return old, new


def test_fmt_is_idempotent(files: tuple[Path, Path]) -> None:
    old, _ = files
    assert run("fmt", "--check", old).exit_code == 1
    assert old.read_text() == OLD
    assert run("fmt", old).exit_code == 0
    assert old.read_text().startswith("CREATE TABLE T (\n  k INT64,\n")
    assert run("fmt", "--check", old).exit_code == 0


def test_fmt_formats_standard_input_to_standard_output() -> None:
    found = run("fmt", "-", stdin="create table T (k INT64) PRIMARY KEY (k)")
    assert found.stdout == "CREATE TABLE T (\n  k INT64,\n) PRIMARY KEY (k);\n"
    assert run("fmt", "--check", "-", stdin=found.stdout).exit_code == 0
    assert run("fmt", "--check", "-", stdin=OLD).exit_code == 1


def test_fmt_names_every_error_and_writes_nothing(tmp_path: Path) -> None:
    good, bad, worse = (tmp_path / name for name in ("good.sql", "bad.sql", "worse.sql"))
    good.write_text(OLD)
    bad.write_text("CREATE TABLE T (k INT64) PRIMARY KEY (k);\n\nCREATE TABLE\n  T k;\nDROP T;\n")
    worse.write_text("\nCREATE VIEW V AS SELECT 'x")
    result = run("fmt", good, bad, worse)
    assert result.exit_code == 2
    for location in ("bad.sql:4:", "bad.sql:5:", "worse.sql:2:"):
        assert location in result.output
    assert good.read_text() == OLD


def test_a_directory_is_its_files_in_the_order_of_their_numbers(tmp_path: Path) -> None:
    (tmp_path / "10_drop.sql").write_text("DROP TABLE T;")
    (tmp_path / "2_make.ddl").write_text("CREATE TABLE T (k INT64) PRIMARY KEY (k);")
    (tmp_path / "notes.txt").write_text("nothing")
    found = run("check", tmp_path)
    assert (found.exit_code, found.output) == (0, "0 tables, 0 indexes, 0 views\n")


def test_check_counts_indexes_of_all_kinds_models_and_graphs() -> None:
    schema = (
        "CREATE TABLE T (k INT64, s STRING(9), v ARRAY<FLOAT32>(vector_length=>2), "
        "t TOKENLIST AS (TOKENIZE_FULLTEXT(s)) HIDDEN) PRIMARY KEY (k);"
        "CREATE INDEX I ON T(s); CREATE SEARCH INDEX S ON T(t);"
        "CREATE VECTOR INDEX V ON T(v) WHERE v IS NOT NULL OPTIONS (distance_type = 'COSINE');"
        "CREATE MODEL M INPUT (a INT64) OUTPUT (b INT64) REMOTE OPTIONS (endpoint = "
        "'//aiplatform.googleapis.com/projects/p/locations/l/endpoints/e');"
        "CREATE PROPERTY GRAPH G NODE TABLES (T);"
    )
    result = run("check", "-", stdin=schema)
    assert result.output == "1 table, 3 indexes, 0 views, 1 model, 1 property graph\n"


def test_check_counts_a_single_table_in_the_singular() -> None:
    made = run("check", "-", stdin="CREATE TABLE T (k INT64) PRIMARY KEY (k)")
    assert made.output == "1 table, 0 indexes, 0 views\n"


def test_standard_input_is_checked_and_compared(files: tuple[Path, Path]) -> None:
    assert run("check", "-", stdin=NEW).output.startswith("2 tables")
    result = run("check", files[0], "-", stdin="DROP TABLE Nope")
    assert result.exit_code == 2
    assert "<stdin>:1" in result.output
    assert run("diff", "--exit-code", files[0], "-", stdin=OLD).exit_code == 0
    assert run("graph", "-", stdin=NEW).output == run("graph", files[1]).output != ""


def test_a_missing_file(tmp_path: Path) -> None:
    for command in ("fmt", "check", "graph"):
        found = run(command, tmp_path / "nope.sql")
        assert found.exit_code == 2
        assert "nope.sql: No such file" in found.output


def test_check_names_the_position(tmp_path: Path) -> None:
    path = tmp_path / "bad.sql"
    path.write_text("CREATE TABLE T (k INT64) PRIMARY KEY (k);\n\nDROP TABLE Nope;\n")
    result = run("check", path)
    assert result.exit_code == 2
    assert "bad.sql:3" in result.output
    assert "Nope" in result.output


def test_diff_marks_destructive_statements(files: tuple[Path, Path]) -> None:
    found = run("diff", *files, "--exit-code")
    assert found.exit_code == 1
    assert "-- loses rows\nALTER TABLE T DROP COLUMN b;" in found.output
    assert "ALTER TABLE T ALTER COLUMN a STRING(20);" in found.output
    assert run("diff", files[0], files[0], "--exit-code").exit_code == 0


@pytest.mark.parametrize("shape", ["text", "dot", "mermaid"])
def test_graph(files: tuple[Path, Path], shape: str) -> None:
    found = run("graph", files[1], "--format", shape)
    assert found.exit_code == 0
    assert "interleaved in parent" in found.output


def test_apply_and_export(files: tuple[Path, Path]) -> None:
    old, new = files
    with spanemu.Emulator() as emulator:
        location = ("--database", emulator.create_database("shop", schema=[old]).name)
        host = ("--host-port", emulator.uri)
        assert run("apply", new, *location, *host, "--dry-run").exit_code == 0
        refused = run("apply", new, *location, *host)
        assert refused.exit_code == 2
        assert "DROP COLUMN b" in refused.output
        assert run("apply", new, *location, *host, "--allow-destructive").exit_code == 0
        again = run("apply", new, *location, *host, "--dry-run")
        assert again.output == ""
        assert "CREATE VIEW V" in run("export", *location, *host).output
        unknown = run("export", "--database", location[1].replace("shop", "nope"), *host)
        assert unknown.exit_code == 2


@pytest.mark.parametrize("reported", [True, False])
def test_apply_to_a_postgresql_database(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, reported: bool
) -> None:
    path = tmp_path / "schema.sql"
    path.write_text(
        'CREATE TABLE t (k bigint PRIMARY KEY, "W" varchar(9)); CREATE INDEX i ON t ("W");'
    )
    if not reported:  # as by Google's emulator
        monkeypatch.setattr(Database, "database_dialect", 0)
    with spanemu.Emulator() as emulator:
        database = emulator.create_database(
            "shop", schema="CREATE TABLE t (k bigint PRIMARY KEY)", dialect="postgresql"
        )
        location = ("--database", database.name, "--host-port", emulator.uri)
        planned = run("apply", path, *location, "--dry-run").output
        assert planned.startswith('ALTER TABLE t ADD COLUMN "W" character varying(9);')
        assert run("apply", path, *location).exit_code == 0
        assert run("apply", path, *location, "--dry-run").output == ""


def test_an_invalid_schema_is_not_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "bad.sql"
    path.write_text("CREATE TABLEE T")
    assert "Usage" not in run("check", path).output
    assert "Usage" in run("check").output


def test_an_unreachable_server_is_reported_at_once(files: tuple[Path, Path]) -> None:
    name = "projects/p/instances/i/databases/d"
    found = run("apply", files[0], "--database", name, "--host-port", "localhost:1")
    assert found.exit_code == 2
    assert "localhost:1" in found.output
    assert run("export", "--database", name, "--host-port", "nowhere").exit_code == 2


def test_proto_bundles_come_with_their_descriptors(tmp_path: Path) -> None:
    described = FileDescriptorSet()
    file = described.file.add(name="shop.proto", package="shop")
    file.message_type.add(name="Item")
    protos = tmp_path / "shop.pb"
    protos.write_bytes(described.SerializeToString())
    path = tmp_path / "schema.sql"
    path.write_text(
        "CREATE PROTO BUNDLE (shop.Item);"
        "CREATE TABLE T (k INT64, item shop.Item) PRIMARY KEY (k);"
        "ALTER DATABASE other SET OPTIONS (optimizer_version = 5);"
    )
    assert "proto_descriptors" in run("check", path).output
    assert run("check", path, "--proto-descriptors", protos).exit_code == 0
    with spanemu.Emulator() as emulator:
        name = emulator.create_database("shop").name
        there = ("--database", name, "--host-port", emulator.uri)
        dry = run("apply", path, *there, "--proto-descriptors", protos, "--dry-run")
        assert "ALTER DATABASE shop SET OPTIONS (optimizer_version = 5);" in dry.output
        done = run("apply", path, *there, "--proto-descriptors", protos)
        assert done.exit_code == 0, done.output
        again = run("apply", path, *there, "--proto-descriptors", protos)
        assert (again.exit_code, again.output) == (0, "")


def test_apply_reports_statements_that_data_violates(tmp_path: Path) -> None:
    path = tmp_path / "schema.sql"
    path.write_text(
        "CREATE TABLE T (k INT64, a INT64) PRIMARY KEY (k);CREATE UNIQUE INDEX I ON T(a)"
    )
    with spanemu.Emulator() as emulator:
        database = emulator.create_database(
            "shop", schema="CREATE TABLE T (k INT64, a INT64) PRIMARY KEY (k)"
        )
        with database.client().batch() as batch:
            batch.insert("T", ("k", "a"), [(1, 1), (2, 1)])
        result = run("apply", path, "--database", database.name, "--host-port", emulator.uri)
    assert result.exit_code == 2
    assert "I" in result.output
    assert "0 of 1 statements applied" in result.output
    assert "Traceback" not in result.output


PG = ("--dialect", "postgresql")


def test_schemas_of_postgresql_are_checked_compared_and_drawn(tmp_path: Path) -> None:
    old, new = tmp_path / "old.sql", tmp_path / "new.sql"
    old.write_text("CREATE TABLE a (id bigint PRIMARY KEY);")
    new.write_text("CREATE TABLE a (id bigint PRIMARY KEY, v varchar(9)); CREATE INDEX i ON a (v);")
    assert run("check", new, *PG).output == "1 table, 1 index, 0 views\n"
    assert run("check", new).exit_code == 2
    printed = run("diff", old, new, *PG).output
    assert "ALTER TABLE a ADD COLUMN v character varying(9);" in printed
    assert "CREATE INDEX i ON a (v);" in printed
    assert "i -> a (index on)" in run("graph", new, *PG).output


def test_fmt_refuses_a_file_with_psql_commands(tmp_path: Path) -> None:
    path = tmp_path / "pg.sql"
    path.write_text("\\connect shop\ncreate table a (id bigint primary key);\n")
    refused = run("fmt", path, *PG)
    assert (refused.exit_code, path.read_text()[:8]) == (2, "\\connect")
    assert "pg.sql:1" in refused.output
    path.write_text("create table a (id bigint primary key);\n")
    assert run("fmt", path, *PG).exit_code == 0
    assert path.read_text().startswith("CREATE TABLE a (")


def test_apply_reads_the_schema_in_the_dialect_of_the_database(tmp_path: Path) -> None:
    path = tmp_path / "pg.sql"
    path.write_text("CREATE TABLE a (id bigint PRIMARY KEY);")
    with spanemu.Emulator() as emulator:
        handle = emulator.create_database("shop", dialect="postgresql")
        target = ("--database", handle.name, "--host-port", emulator.uri)
        assert run("apply", path, *target).exit_code == 0
        assert run("export", *target).output.startswith("CREATE TABLE a (\n  id bigint NOT NULL")
