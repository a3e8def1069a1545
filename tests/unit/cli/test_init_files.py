"""Files that a server runs before it is ready."""

import pytest

import spanemu
from spanemu.cli.init_files import InitFileRejected, run_init_files

SINGERS = "CREATE TABLE Singers (Id INT64 NOT NULL, Name STRING(MAX)) PRIMARY KEY (Id);"


@pytest.fixture(scope="module")
def emulator():
    with spanemu.Emulator() as running:
        yield running


@pytest.fixture
def write(tmp_path):
    def run(name, text):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)

    return run


def names(database):
    with database.client().snapshot() as snapshot:
        return [row[0] for row in snapshot.execute_sql("SELECT Name FROM Singers ORDER BY Id")]


def test_files_run_in_the_order_of_their_names_and_mix_statements(emulator, write, tmp_path):
    write("10-more.sql", "INSERT INTO Singers (Id, Name) VALUES (2, 'Jones');")
    write(
        "2-schema.ddl",
        f"{SINGERS} -- the first\nINSERT INTO Singers (Id, Name) VALUES (1, 'Smith');\n"
        "CREATE INDEX ByName ON Singers (Name)",
    )
    write("ignored.txt", "nonsense")
    database = emulator.create_database("ordered")
    assert run_init_files(emulator, tmp_path, ["ordered"], "googlesql") == []
    assert names(database) == ["Smith", "Jones"]


def test_a_subdirectory_is_a_database(emulator, write, tmp_path):
    write("music/1.sql", f"{SINGERS}INSERT INTO Singers (Id) VALUES (1)")
    (created,) = run_init_files(emulator, tmp_path, [], "googlesql")
    assert created.endswith("/databases/music")
    assert names(emulator.database("music")) == [None]


def test_a_subdirectory_may_add_to_a_requested_database(emulator, write, tmp_path):
    write("1.sql", SINGERS)
    write("both/2.sql", "INSERT INTO Singers (Id, Name) VALUES (1, 'own')")
    database = emulator.create_database("both")
    assert run_init_files(emulator, tmp_path, ["both"], "googlesql") == []
    assert names(database) == ["own"]


def test_postgresql_databases_have_files_in_postgresql(emulator, write, tmp_path):
    write(
        "pg/1.sql",
        "CREATE TABLE singers (id bigint PRIMARY KEY, name text);\n"
        "INSERT INTO singers VALUES (1, 'a;b');",
    )
    assert len(run_init_files(emulator, tmp_path, [], "postgresql")) == 1
    with emulator.database("pg").client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT name FROM singers")) == [["a;b"]]


def test_errors_name_the_file_and_the_line(emulator, write, tmp_path):
    write("1.sql", "\nCREATE NONSENSE;")
    with pytest.raises(InitFileRejected, match=r"1\.sql.*--database"):
        run_init_files(emulator, tmp_path, [], "googlesql")
    emulator.create_database("faulty")
    with pytest.raises(spanemu.SpannerError, match=r"1\.sql:2"):
        run_init_files(emulator, tmp_path, ["faulty"], "googlesql")
    write("1.sql", f"{SINGERS}\nINSERT INTO Singers (Id) VALUES ('x')")
    with pytest.raises(InitFileRejected, match=r"1\.sql:2"):
        run_init_files(emulator, tmp_path, ["faulty"], "googlesql")
