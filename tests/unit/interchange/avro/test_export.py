"""Exports in the layout of Spanner's Dataflow template: round trips, and exports of others."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from datetime import UTC, datetime

import fastavro
import pytest

from spanemu.interchange.avro.export import load_export, read_export, write_export
from spanemu.interchange.folder import InvalidDump
from spanemu.interchange.parts import Choice, dump_source
from spanemu.interchange.transfer import LoadRejected
from tests.unit.interchange.all_types import rows

DIALECTS = ["googlesql", "postgresql"]


@pytest.fixture(scope="module")
def exports(databases, tmp_path_factory):
    folder = tmp_path_factory.mktemp("exports")
    for dialect in DIALECTS:
        with (
            databases.connection(databases.filled(dialect)) as connection,
            dump_source(connection) as source,
        ):
            write_export(folder / dialect, source)
    return folder


def load(databases, database, path, choice=None):
    with databases.connection(database) as connection:
        load_export(connection, read_export(path), choice or Choice())


def query(database, sql):
    with database.client().snapshot() as snapshot:
        return list(snapshot.execute_sql(sql))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_an_export_restores_schema_and_rows(databases, exports, dialect):
    original, copy = databases.filled(dialect), databases.new(dialect)
    load(databases, copy, exports / dialect)
    assert rows(copy, dialect) == rows(original, dialect)
    assert len(copy.ddl()) == len(original.ddl())


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_records_alone_define_the_schema(databases, exports, dialect, tmp_path):
    # Exports of Spanner have no files with statements, and no roles.
    folder = shutil.copytree(exports / dialect, tmp_path / "export")
    for file in (*folder.glob("schema*.sql"), folder / "spanemu.json"):
        file.unlink()
    original, copy = databases.filled(dialect), databases.new(dialect)
    load(databases, copy, folder)
    assert rows(copy, dialect) == rows(original, dialect)
    kinds = "ALTER DATABASE", "CREATE ROLE", "GRANT"
    expected = [text.split("(")[0] for text in original.ddl() if not text.startswith(kinds)]
    assert [text.split("(")[0] for text in copy.ddl() if not text.startswith(kinds)] == expected


def test_the_layout_is_that_of_spanner(exports):
    folder = exports / "googlesql"
    names = {path.name for path in folder.iterdir()}
    assert {"spanner-export.json", "Child-manifest.json", "Child.avro-00000-of-00001"} <= names
    content = json.loads((folder / "spanner-export.json").read_text())
    assert [each["name"] for each in content["tables"]] == ["Everything", "Child", "Texts"]
    assert content["changeStreams"] == [{"name": "Str", "manifestFile": "Str-manifest.json"}]
    assert content["sequences"] == [{"name": "Seq", "manifestFile": "Seq-manifest.json"}]
    assert "dialect" not in content
    (file,) = json.loads((folder / "Child-manifest.json").read_text())["files"]
    data = (folder / file["name"]).read_bytes()
    assert file["md5"] == base64.b64encode(hashlib.md5(data).digest()).decode()
    with (folder / file["name"]).open("rb") as avro:
        reader = fastavro.reader(avro)
        record = reader.writer_schema
        assert list(reader) == [{"Id": 1, "C": 1}, {"Id": 1, "C": 2}, {"Id": 3, "C": 1}]
    assert record["spannerParent"] == "Everything"
    assert record["spannerOnDeleteAction"] == "cascade"
    assert record["spannerPrimaryKey"] == "`Id` ASC,`C` ASC"
    assert record["googleStorage"] == "CloudSpanner"
    assert record["fields"][1] == {
        "name": "C", "type": "long", "sqlType": "INT64", "hidden": "false"
    }  # fmt: skip
    postgresql = json.loads((exports / "postgresql" / "spanner-export.json").read_text())
    assert postgresql["dialect"] == "POSTGRESQL"


SINGERS = {
    "type": "record",
    "name": "Singers",
    "spannerName": "Singers",
    "spannerPrimaryKey": "`SingerId` ASC",
    "spannerIndex_0": "CREATE INDEX `ByName` ON `Singers`(`Name` ASC)",
    "fields": [
        {"name": "SingerId", "type": "long"},
        {"name": "Name", "type": ["null", "string"], "sqlType": "STRING(20)"},
        {"name": "Born", "type": ["null", {"type": "long", "logicalType": "timestamp-micros"}]},
        {"name": "Day", "type": ["null", {"type": "int", "logicalType": "date"}]},
        {"name": "Paid", "type": ["null", {"type": "bytes", "logicalType": "decimal", "precision": 38, "scale": 2}]},
        {"name": "Tags", "type": ["null", {"type": "array", "items": ["null", "string"]}]},
        {"name": "Upper", "type": "null", "default": None, "sqlType": "STRING(MAX)",
         "notNull": "false", "generationExpression": "UPPER(Name)", "stored": "true"},
    ],
}  # fmt: skip


@pytest.fixture
def by_hand(tmp_path):
    """Return an export that another tool could have written, with plain Avro types."""
    born = datetime(2020, 1, 2, 3, 4, 5, 600, tzinfo=UTC)
    records = [
        {"SingerId": 1, "Name": "Ann", "Born": born, "Day": born.date(), "Paid": b"\x7b", "Tags": ["a", None]},
        {"SingerId": 2, "Name": None, "Born": None, "Day": None, "Paid": None, "Tags": None},
    ]  # fmt: skip
    with (tmp_path / "Singers.avro-00000-of-00001").open("wb") as file:
        fastavro.writer(file, SINGERS, records)
    export = {
        "tables": [{"name": "Singers", "dataFiles": ["Singers.avro-00000-of-00001"]}],
        "databaseOptions": [
            {"optionName": "version_retention_period", "optionType": "STRING", "optionValue": "3h"}
        ],
    }
    (tmp_path / "spanner-export.json").write_text(json.dumps(export))
    return tmp_path


def test_an_export_by_hand_loads(databases, by_hand):
    copy = databases.new()
    load(databases, copy, by_hand)
    result = query(copy, "SELECT * FROM Singers ORDER BY SingerId")
    assert [str(cell) for cell in result[0]] == [
        "1", "Ann", "2020-01-02 03:04:05.000600+00:00", "2020-01-02", "1.23", "['a', None]", "ANN"
    ]  # fmt: skip
    assert result[1] == [2, None, None, None, None, None, None]
    ddl = "\n".join(copy.ddl())
    assert "version_retention_period = '3h'" in ddl
    assert "CREATE INDEX ByName ON Singers(Name)" in ddl
    assert "SingerId INT64 NOT NULL" in ddl


def test_rows_load_into_tables_that_exist(databases, by_hand):
    copy = databases.new(schema="CREATE TABLE Singers (SingerId INT64, Name STRING(9), Born TIMESTAMP, "
        "Day DATE, Paid NUMERIC, Tags ARRAY<STRING(MAX)>, Upper STRING(9) AS (UPPER(Name)) STORED) PRIMARY KEY (SingerId)")  # fmt: skip
    load(databases, copy, by_hand, Choice(schema=False))
    assert query(copy, "SELECT Name FROM Singers ORDER BY SingerId") == [["Ann"], [None]]


def test_a_file_with_another_checksum_is_refused(databases, exports, tmp_path):
    folder = shutil.copytree(exports / "googlesql", tmp_path / "export")
    (folder / "spanemu.json").unlink()
    with (folder / "Child.avro-00000-of-00001").open("ab") as file:
        file.write(b"x")
    with pytest.raises(LoadRejected, match=r"Child\.avro.* is damaged"):
        load(databases, databases.new(), folder)


def test_a_file_that_ends_early_is_refused(databases, by_hand):
    path = by_hand / "Singers.avro-00000-of-00001"
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(LoadRejected, match=r"Singers\.avro-00000-of-00001: after row"):
        load(databases, databases.new(), by_hand)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", "spanner-export.json"),
        ('{"tables": [{"name": "T"}]}', "dataFiles"),
        ('{"tables": [{"name": "T", "dataFiles": []}]}', "T has no file"),
        ('{"tables": [{"name": "T", "dataFiles": ["text"]}]}', "avro"),
        ('{"tables": [], "dialect": "COBOL"}', "COBOL"),
    ],
)
def test_an_invalid_export_is_named(tmp_path, content, words):
    (tmp_path / "text").write_text("no Avro")
    (tmp_path / "spanner-export.json").write_text(content)
    with pytest.raises(InvalidDump, match=words):
        read_export(tmp_path)


def test_an_object_of_another_kind_is_refused(by_hand):
    with (by_hand / "Singers.avro-00000-of-00001").open("wb") as file:
        fastavro.writer(file, {**SINGERS, "spannerEntity": "Model", "fields": []}, [])
    with pytest.raises(InvalidDump, match="Singers: Model in an export is not implemented"):
        read_export(by_hand)
