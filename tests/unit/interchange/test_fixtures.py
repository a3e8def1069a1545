"""The example schemas of the repository with their rows survive every format, in both dialects."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from spanemu.interchange.avro.export import load_export, read_export, write_export
from spanemu.interchange.folder import read_folder, write_folder
from spanemu.interchange.parts import dump_source, loaded_columns, loaded_tables
from spanemu.interchange.row_files import Csv, JsonLines
from spanemu.interchange.sql_text import write_sql
from spanemu.interchange.transfer import load_folder, load_sql

FIXTURES = Path(__file__).parents[3] / "fixtures"


@pytest.fixture(scope="module", params=["music", "orders"])
def name(request):
    return request.param


@pytest.fixture(scope="module", params=["googlesql", "postgresql"])
def original(request, databases, name):
    folder = FIXTURES / "postgresql" if request.param == "postgresql" else FIXTURES
    database = databases.new(request.param, folder / f"{name}.sql")
    tables = json.loads((FIXTURES / f"{name}.json").read_text())
    with databases.connection(database) as connection:
        for table, content in tables.items():
            connection.insert(table, content["columns"], content["rows"])
    return database


def content(connection):
    """Return all rows by table."""
    schema = connection.schema()
    with connection.snapshot() as snapshot:
        return {
            table.name: list(
                snapshot.batches(table.name, [column.name for column in loaded_columns(table)])
            )
            for table in loaded_tables(schema)
        }


def transfer(form, source, connection, path):
    """Write a dump, and load it."""
    if form == "sql":
        text = io.StringIO()
        write_sql(text, source)
        load_sql(connection, io.StringIO(text.getvalue()), connection.dialect(), "dump.sql")
    elif form == "avro":
        write_export(path, source)
        load_export(connection, read_export(path))
    else:
        rows = Csv() if form == "csv" else JsonLines()
        write_folder(path, source, rows)
        load_folder(connection, read_folder(path, rows.suffix), rows)


@pytest.mark.parametrize("form", ["sql", "jsonl", "csv", "avro"])
def test_a_fixture_survives(databases, original, form, tmp_path):
    copy = databases.new(original.dialect)
    with databases.connection(original) as connection, databases.connection(copy) as other:
        with dump_source(connection) as source:
            transfer(form, source, other, tmp_path)
        assert content(other) == content(connection)
        assert any(content(other).values())
    assert copy.ddl() == original.ddl()
