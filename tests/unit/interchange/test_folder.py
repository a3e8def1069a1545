"""Folders that other tools or people wrote: Spanner's manifest of CSV files, or files alone."""

from __future__ import annotations

import json

import pytest

from spanemu.interchange.folder import InvalidDump, read_folder
from spanemu.interchange.row_files import Csv
from spanemu.interchange.transfer import LoadRejected, load_folder

SCHEMA = "CREATE TABLE Albums (Id INT64, Title STRING(MAX), Sold INT64) PRIMARY KEY (Id)"


def test_a_manifest_of_spanners_csv_import_is_loaded(databases, tmp_path):
    # In the form that Spanner documents: patterns of files, and columns in the files' order.
    manifest = {
        "tables": [
            {
                "table_name": "Albums",
                "file_patterns": ["albums/*.csv", "more.csv"],
                "columns": [
                    {"column_name": "Title", "type_name": "STRING"},
                    {"column_name": "Id", "type_name": "INT64"},
                ],
            }
        ]
    }
    (tmp_path / "albums").mkdir()
    (tmp_path / "albums" / "1.csv").write_text("One,1\n")
    (tmp_path / "albums" / "2.csv").write_text('"Two, or more",2\n')
    (tmp_path / "more.csv").write_text("\\N,3\n")
    path = tmp_path / "any-name.json"
    path.write_text(json.dumps(manifest))
    copy = databases.new(schema=SCHEMA)
    with databases.connection(copy) as connection:
        load_folder(connection, read_folder(path, ".csv"), Csv())
    with copy.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT Id, Title FROM Albums ORDER BY Id")) == [
            [1, "One"], [2, "Two, or more"], [3, None],
        ]  # fmt: skip


def test_files_without_a_manifest_are_tables(tmp_path):
    (tmp_path / "my%2Ftable.csv").write_text("1\n")
    (file,) = read_folder(tmp_path, ".csv").files
    assert (file.table, file.columns) == ("my/table", ())


@pytest.mark.parametrize(
    "text", ["[]", "{", '{"tables": [{}]}', '{"tables": [], "dialect": "COBOL"}', '{"tables": 1}']
)
def test_an_invalid_manifest_is_named(text, tmp_path):
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(InvalidDump, match=r"manifest\.json"):
        read_folder(tmp_path, ".csv")


def test_an_empty_folder_is_refused_as_a_dump(tmp_path):
    with pytest.raises(InvalidDump, match="neither"):
        read_folder(tmp_path, ".csv")


def test_a_file_of_an_unknown_table_is_refused_before_rows_are_loaded(databases, tmp_path):
    (tmp_path / "Albums.csv").write_text("1,One,2\n")
    (tmp_path / "Singers.csv").write_text("1\n")
    copy = databases.new(schema=SCHEMA)
    with (
        databases.connection(copy) as connection,
        pytest.raises(LoadRejected, match=r"Singers\.csv: there is no table Singers"),
    ):
        load_folder(connection, read_folder(tmp_path, ".csv"), Csv())
    with copy.client().snapshot() as snapshot:
        assert list(snapshot.execute_sql("SELECT COUNT(*) FROM Albums")) == [[0]]
