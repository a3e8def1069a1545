"""`spanemu dump` and `spanemu load`: what one writes, the other reads."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

import spanemu
from spanemu.api.data_connection import data_connection
from spanemu.cli import main
from spanemu.schema.dialect import POSTGRESQL
from tests.unit.shop import BUNDLE, DESCRIPTORS

SCHEMA = """
CREATE TABLE Singers (SingerId INT64, Name STRING(MAX)) PRIMARY KEY (SingerId);
CREATE TABLE Albums (SingerId INT64, AlbumId INT64) PRIMARY KEY (SingerId, AlbumId),
  INTERLEAVE IN PARENT Singers;
"""
ROWS = "SELECT Name, AlbumId FROM Singers LEFT JOIN Albums USING (SingerId) ORDER BY 1, 2"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("music", SCHEMA)
        with database.client().batch() as batch:
            batch.insert("Singers", ["SingerId", "Name"], [[1, "Ann"], [2, None]])
            batch.insert("Albums", ["SingerId", "AlbumId"], [[1, 7], [1, 8]])
        yield emulator


@pytest.fixture
def run(emulator):
    def run(*arguments, exit_code=0, **options):
        host = {"SPANNER_EMULATOR_HOST": emulator.uri, "SPANEMU_ENDPOINT_FILE": None}
        result = CliRunner().invoke(main, [*map(str, arguments)], env=host, **options)
        assert result.exit_code == exit_code, result.output
        return result

    return run


def rows(emulator, database):
    with emulator.database(database).client().snapshot() as snapshot:
        return list(snapshot.execute_sql(ROWS))


@pytest.mark.parametrize("format_", ["sql", "jsonl", "csv", "avro"])
def test_a_dump_becomes_a_new_database(emulator, run, tmp_path, format_):
    path = tmp_path / "dump"
    run("dump", "music", "--format", format_, "-o", path)
    run("load", f"copy-{format_}", path, "--create")
    assert rows(emulator, f"copy-{format_}") == rows(emulator, "music")
    assert emulator.database(f"copy-{format_}").ddl() == emulator.database("music").ddl()


def test_create_makes_the_instance_too(emulator, run):
    text = run("dump", "music").stdout
    name = "projects/p/instances/new-instance/databases/music-copy"
    run("load", name, "-", "--create", input=text)
    assert rows(emulator, name) == rows(emulator, "music")


def test_standard_output_is_standard_input(emulator, run):
    text = run("dump", "music").stdout
    run("load", "copy-of-output", "-", "--create", input=text)
    assert rows(emulator, "copy-of-output") == rows(emulator, "music")


def test_carriage_returns_of_a_schema_pass_through_standard_streams(emulator, run):
    view = "CREATE VIEW v SQL SECURITY INVOKER AS SELECT 'a\r\nb\rc'::text AS v"
    emulator.create_database("lines", view, dialect="postgresql")
    text = run("dump", "lines").stdout_bytes
    run("load", "lines-copy", "-", "--create", "--dialect", "postgresql", input=text)
    assert emulator.database("lines-copy").ddl() == [view]


def test_the_dialect_is_that_of_the_dump(emulator, run, tmp_path):
    emulator.create_database("pg", "CREATE TABLE t (a bigint PRIMARY KEY)", dialect="postgresql")
    run("dump", "pg", "--format", "jsonl", "-o", tmp_path / "dump")
    run("load", "pg-copy", tmp_path / "dump", "--create")
    assert emulator.database("pg-copy").ddl() == emulator.database("pg").ddl()


def test_a_server_may_leave_the_dialect_out(emulator, monkeypatch):
    # Google's emulator does.
    emulator.create_database("pg-bare", dialect="postgresql")
    with data_connection(emulator.uri, emulator.database("pg-bare").name) as connection:
        call = connection._call

        def without_dialect(method, request, reply):
            return reply() if method.endswith("GetDatabase") else call(method, request, reply)

        monkeypatch.setattr(connection, "_call", without_dialect)
        assert connection.dialect() is POSTGRESQL


def test_tables_rows_and_schema_can_be_left_out(run, tmp_path):
    path = tmp_path / "dump"
    run("dump", "music", "--format", "jsonl", "-o", path, "--table", "Albums", "--no-schema")
    manifest = json.loads((path / "manifest.json").read_text())
    assert [table["table_name"] for table in manifest["tables"]] == ["Albums"]
    names = {"Albums.jsonl", "manifest.json", "spanemu.json"}
    assert {file.name for file in path.iterdir()} == names
    assert "INSERT" not in run("dump", "music", "--no-rows").stdout


def test_csv_has_the_requested_form(run, tmp_path):
    options = ["--csv-header", "--csv-null", "-", "--csv-delimiter", ";"]
    run("dump", "music", "--format", "csv", "-o", tmp_path, *options)
    assert (tmp_path / "Singers.csv").read_text() == "SingerId;Name\n1;Ann\n2;-\n"
    run("load", "copy-of-header", tmp_path, "--create", *options)


@pytest.mark.parametrize(
    ("arguments", "exit_code", "words"),
    [
        (["dump", "music", "--format", "csv"], 2, "needs --output"),
        (["dump", "nobody"], 1, "Database not found"),
        (["dump", "a/b"], 2, "a/b"),
        (["dump", "music", "--table", "Nobody"], 1, "there is no table Nobody"),
        (["dump", "music", "-o", "/nowhere/file.sql"], 1, "/nowhere/file.sql"),
        (["load", "music", "nowhere.sql"], 2, "nowhere.sql does not exist"),
        (["load", "nobody", "-"], 1, "Database not found"),
        (["load", "music", "-", "--no-rows"], 1, "SQL, of which no part can be selected"),
    ],
)
def test_refused_commands_name_the_reason(run, arguments, exit_code, words):
    assert words in run(*arguments, exit_code=exit_code).stderr


def test_a_folder_without_a_dump_is_refused(run, tmp_path):
    assert "manifest.json" in run("load", "music", tmp_path, exit_code=1).stderr


def test_a_file_in_another_encoding_is_refused(run, tmp_path):
    (tmp_path / "file.sql").write_bytes(b"SELECT '\xff';")
    assert "utf-8" in run("load", "music", tmp_path / "file.sql", exit_code=1).stderr


def test_a_terminal_shows_the_progress(run, tmp_path, monkeypatch):
    monkeypatch.setattr("spanemu.cli.transfer_options.is_terminal", lambda: True)
    shown = run("dump", "music", "--format", "csv", "-o", tmp_path).stderr
    assert "Singers" in shown
    assert "rows: 2" in shown
    assert not run("dump", "music", "--format", "csv", "-o", tmp_path, "-q").stderr


def test_a_data_directory_takes_the_place_of_a_server(run, tmp_path):
    text = run("dump", "music").stdout
    directory = tmp_path / "data"
    directory.mkdir()
    with spanemu.Emulator(data_dir=directory) as emulator:
        emulator.create_instance()
    run("load", "loaded", "-", "--create", "--data-dir", directory, input=text)
    assert run("dump", "loaded", "--data-dir", directory).stdout == text
    with spanemu.Emulator(data_dir=directory):
        arguments = ("load", "other", "-", "--create", "--data-dir", directory)
        assert "another emulator" in run(*arguments, input=text, exit_code=1).stderr


PROTOS = f"{BUNDLE}; CREATE TABLE Orders (Id INT64, O shop.Order, G shop.Genre) PRIMARY KEY (Id)"


@pytest.mark.parametrize("format_", ["sql", "jsonl", "csv", "avro"])
def test_messages_and_enums_survive(emulator, run, tmp_path, format_):
    types, path = tmp_path / "types.pb", tmp_path / "dump"
    types.write_bytes(DESCRIPTORS)
    name = f"protos-{format_}"
    text = f"{PROTOS}; INSERT INTO Orders (Id, O, G) VALUES (1, NEW shop.Order {{ number: 'n' }}, 'JAZZ');"
    run("load", name, "-", "--create", "--proto-descriptors", types, input=text)
    types.unlink()
    result = run("dump", name, "--format", format_, "-o", path)
    assert ("--proto-descriptors" in result.stderr) == (format_ == "sql")
    if format_ == "sql":
        run("dump", name, "-o", path, "--proto-descriptors", types)
        run("load", f"{name}-2", path, "--create", "--proto-descriptors", types)
    else:
        types = (path / "descriptors.pb").rename(tmp_path / "moved.pb")
        assert "descriptors.pb is missing" in run("load", name, path, exit_code=1).stderr
        types.rename(path / "descriptors.pb")
        run("load", f"{name}-2", path, "--create")
    query = "SELECT O.number, CAST(G AS INT64) FROM Orders"
    with emulator.database(f"{name}-2").client().snapshot() as snapshot:
        assert list(snapshot.execute_sql(query)) == [["n", 1]]
    assert emulator.database(f"{name}-2").ddl() == emulator.database(name).ddl()


# ------------------------------------------------------------------ damaged and edited dumps


@pytest.mark.parametrize("format_", ["sql", "jsonl", "csv", "avro"])
def test_a_damaged_dump_is_refused_unless_it_was_edited(emulator, run, tmp_path, format_):
    path = tmp_path / ("dump.sql" if format_ == "sql" else "dump")
    run("dump", "music", "--format", format_, "-o", path)
    file = path if format_ == "sql" else path / "schema.sql"
    file.write_text(file.read_text().replace("STRING(MAX)", "STRING(99)"))
    name = f"damaged-{format_}"
    refused = run("load", name, path, "--create", exit_code=1).stderr
    assert f"{file} is damaged" in refused
    with pytest.raises(spanemu.SpannerError):
        emulator.database(name)
    run("load", name, path, "--create", "--edited")
    assert any("STRING(99)" in line for line in emulator.database(name).ddl())
    assert rows(emulator, name) == rows(emulator, "music")


def test_a_pipe_that_breaks_loads_nothing(emulator, run):
    text = run("dump", "music").stdout
    for cut in ("", text[:30], text[: len(text) // 2], text.rpartition("--")[0]):
        stderr = run("load", "music", "-", input=cut, exit_code=1).stderr
        assert "<stdin> is " in stderr
    assert len(rows(emulator, "music")) == 3


@pytest.mark.parametrize("dialect", ["googlesql", "postgresql"])
def test_a_dump_in_sql_names_its_dialect(emulator, run, tmp_path, dialect):
    name, path = f"dialect-{dialect}", tmp_path / "dump.sql"
    key = "(a INT64) PRIMARY KEY (a)" if dialect == "googlesql" else "(a bigint PRIMARY KEY)"
    emulator.create_database(name, f"CREATE TABLE t {key}", dialect=dialect)
    run("dump", name, "-o", path)
    run("load", f"{name}-file", path, "--create")
    run("load", f"{name}-input", "-", "--create", input=path.read_text())
    for copy in (f"{name}-file", f"{name}-input"):
        assert emulator.database(copy).ddl() == emulator.database(name).ddl()
    other = "postgresql" if dialect == "googlesql" else "googlesql"
    refused = run("load", f"{name}-no", path, "--create", "--dialect", other, exit_code=1).stderr
    assert "is a dump in the dialect" in refused
    with pytest.raises(spanemu.SpannerError):
        emulator.database(f"{name}-no")
    emulator.create_database(f"{name}-no", dialect=other)
    assert "is a dump in the dialect" in run("load", f"{name}-no", path, exit_code=1).stderr


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [
        ("Singers.csv", "1,Ann\n2,\\N\n", []),
        ("singers.csv", "Name,SingerId\nAnn,1\nNULL,2\n", ["--csv-header", "--csv-null", "NULL"]),
        ("Singers.jsonl", '{"SingerId": 1, "Name": "Ann"}\n{"SingerId": 2}\n', []),
    ],
)
def test_a_file_of_rows_is_loaded_into_the_table_of_its_name(
    emulator, run, tmp_path, name, text, options
):
    path = tmp_path / name
    path.write_text(text)
    database = f"file-{name.lower().replace('.', '-')}-{len(options)}"
    emulator.create_database(database, SCHEMA)
    run("load", database, path, *options)
    assert rows(emulator, database) == [[None, None], ["Ann", None]]


def test_a_file_of_a_dump_is_loaded_alone(emulator, run, tmp_path):
    options = ["--csv-header", "--csv-null", "-"]
    run("dump", "music", "--format", "csv", "-o", tmp_path, *options)
    emulator.create_database("one-file", SCHEMA)
    run("load", "one-file", tmp_path / "Singers.csv")
    assert rows(emulator, "one-file") == [[None, None], ["Ann", None]]
    (tmp_path / "Albums.csv").write_text("SingerId,AlbumId\n1,7\n")
    assert (
        "Albums.csv is damaged"
        in run("load", "one-file", tmp_path / "Albums.csv", exit_code=1).stderr
    )


def test_csv_loads_in_the_form_in_which_it_was_written(emulator, run, tmp_path):
    options = ["--csv-header", "--csv-null", "-", "--csv-delimiter", ";"]
    run("dump", "music", "--format", "csv", "-o", tmp_path, *options)
    run("load", "form-of-csv", tmp_path, "--create")
    assert rows(emulator, "form-of-csv") == rows(emulator, "music")
    emulator.create_database("form-of-csv-2")
    refused = run("load", "form-of-csv-2", tmp_path, "--csv-null", "NULL", exit_code=1).stderr
    assert "was written with --csv-header --csv-null '-' --csv-delimiter ';'" in refused


def test_a_single_file_of_an_export_is_refused(run, tmp_path):
    run("dump", "music", "--format", "avro", "-o", tmp_path)
    path = tmp_path / "Singers.avro-00000-of-00001"
    assert "an Avro source is a folder" in run("load", "music", path, exit_code=1).stderr


VALUES = "CREATE TABLE V (A INT64, S STRING(3), D DATE, B BOOL, X ARRAY<INT64>) PRIMARY KEY (A)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A,S,D,B,X\n1,a,\\N,true,[1]\n", ["line 1: ", "'B'", "--csv-header"]),
        ("A,S,D\n", ["line 1: 3 cells for 5 columns"]),
        ("1,a,\\N,true,[1]\n2,b,\\N,NULL,[1]\n", ["line 2: ", "--csv-null 'NULL'"]),
        ("1,a,\\N,true,[1]\n2,b,,true,[1]\n", ["line 2: ", "DATE", "--csv-null ''"]),
        ("1,a,\\N,true,[1]\n2,b,\\N,true,\n", ["line 2: ", "JSON array", "--csv-null ''"]),
        ("1,a,\\N,true,[1]\n2,long,\\N,true,[1]\n3,b,\\N,true,[1]\n", ["line 2: ", "V.S"]),
        ('1,"a\n",\\N,true,[1]\n2,b,today,true,[1]\n3,b,\\N,true,[1]\n', ["line 3: ", "today"]),
        ("1;a;\\N;true;[1]\n", ["line 1: 1 cell for 5 columns", "--csv-delimiter ';'"]),
        ("1,a,\\N,true,[1]\n2,b,\\N,true,[1.5]\n", ["line 2: ", "1.5"]),
    ],
)
def test_an_invalid_value_of_csv_names_its_line_and_the_option(
    emulator, run, tmp_path, text, words
):
    (tmp_path / "V.csv").write_text(text)
    emulator.create_database("values", VALUES)
    try:
        stderr = run("load", "values", tmp_path / "V.csv", exit_code=1).stderr
        assert all(word in stderr for word in [str(tmp_path / "V.csv"), *words]), stderr
    finally:
        emulator.database("values").drop()


def test_an_invalid_value_names_its_line_in_every_format(emulator, run, tmp_path):
    emulator.create_database("values-2", VALUES)
    (tmp_path / "V.jsonl").write_text('{"A": 1}\n\n{"A": 2, "D": "today"}\n{"A": 3}\n')
    assert "line 3: " in run("load", "values-2", tmp_path / "V.jsonl", exit_code=1).stderr
    text = 'INSERT INTO V (A) VALUES (1);\nINSERT INTO V (A, S) VALUES (2, "long");\n'
    assert "<stdin>:2: " in run("load", "values-2", "-", input=text, exit_code=1).stderr


def test_a_failed_load_reports_its_progress(emulator, run, tmp_path, monkeypatch):
    monkeypatch.setattr("spanemu.interchange.transfer.MUTATIONS_PER_COMMIT", 4)
    emulator.create_database("in-part", "CREATE TABLE T (A INT64, B INT64) PRIMARY KEY (A)")
    (tmp_path / "T.csv").write_text("1,1\n2,2\n3,x\n4,4\n")
    stderr = run("load", "in-part", tmp_path, exit_code=1).stderr
    assert "line 3: " in stderr
    assert "(2 rows before were loaded)" in stderr
    with emulator.database("in-part").client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM T")) == [[2]]


def test_a_load_of_one_row_is_reported_in_the_singular(emulator, run, tmp_path):
    emulator.create_database("single", "CREATE TABLE T (A INT64) PRIMARY KEY (A)")
    inserted = run("load", "single", "-", input="INSERT INTO T (A) VALUES (1);").output
    assert inserted.endswith(": 1 table, 1 row or statement\n")
    (tmp_path / "T.csv").write_text("2\n")
    assert run("load", "single", tmp_path).output.endswith(": 1 table, 1 row\n")


def test_a_failed_load_does_not_change_a_data_directory(run, tmp_path):
    directory = tmp_path / "data"
    directory.mkdir()
    with spanemu.Emulator(data_dir=directory) as emulator:
        emulator.create_database("shop", "CREATE TABLE T (A INT64) PRIMARY KEY (A)")
    before = sorted(path.name for path in directory.iterdir())
    text = "CREATE TABLE U (A INT64) PRIMARY KEY (A); INSERT INTO T (A) VALUES (1), (1);"
    refused = run("load", "shop", "-", "--data-dir", directory, input=text, exit_code=1).stderr
    assert f"{directory} stays as it was" in refused
    assert sorted(path.name for path in directory.iterdir()) == before
    assert "TABLE U" not in run("dump", "shop", "--data-dir", directory).stdout


def test_a_damaged_data_directory_is_dumped_if_it_was_edited(run, tmp_path):
    with spanemu.Emulator(data_dir=tmp_path) as emulator:
        emulator.create_database("shop", "CREATE TABLE T (A INT64) PRIMARY KEY (A)")
    (path,) = tmp_path.glob("state-*/database-0001/T.jsonl")
    path.write_text('{"A": 1}\n')
    assert str(path) in run("dump", "shop", "--data-dir", tmp_path, exit_code=1).stderr
    assert "VALUES (1)" in run("dump", "shop", "--data-dir", tmp_path, "--edited").stdout


def test_an_empty_file_is_said_to_be_empty_and_nothing_more(run, tmp_path):
    (tmp_path / "empty.sql").touch()
    for flags in ([], ["--edited"]):
        refused = run("load", "music", tmp_path / "empty.sql", *flags, exit_code=1).stderr
        assert "empty.sql is empty" in refused
        assert "--edited" not in refused
