"""Property graphs as the records of Spanner's export define them."""

from __future__ import annotations

import fastavro
import pytest

from spanemu.interchange.avro.definitions import UnknownDefinition, schema_statements
from spanemu.interchange.avro.export import load_export, read_export, write_export
from spanemu.interchange.parts import Choice, dump_source
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL

SCHEMA = """
    CREATE TABLE Person (id INT64 NOT NULL, name STRING(MAX), `Order` INT64) PRIMARY KEY (id);
    CREATE TABLE Knows (id INT64 NOT NULL, to_id INT64 NOT NULL) PRIMARY KEY (id, to_id);
    CREATE VIEW Named SQL SECURITY INVOKER AS SELECT p.id, p.name FROM Person AS p;
    CREATE PROPERTY GRAPH People
      NODE TABLES (
        Person LABEL Human PROPERTIES (id, UPPER(name) AS name) LABEL Being NO PROPERTIES,
        Named AS Second KEY (id) LABEL Other PROPERTIES ALL COLUMNS EXCEPT (id))
      EDGE TABLES (Knows KEY (id, to_id)
        SOURCE KEY (id) REFERENCES Person (id) DESTINATION KEY (to_id) REFERENCES Person (id));
    CREATE PROPERTY GRAPH Nodes NODE TABLES (Person);
"""


def statement_of(ddl, name):
    return next(text for text in ddl if text.startswith(f"CREATE PROPERTY GRAPH {name}"))


@pytest.fixture(scope="module")
def original(databases):
    return databases.new(schema=SCHEMA)


@pytest.fixture
def folder(databases, original, tmp_path):
    with databases.connection(original) as connection, dump_source(connection) as source:
        write_export(tmp_path, source)
    for file in (*tmp_path.glob("schema*.sql"), tmp_path / "spanemu.json"):
        file.unlink()  # Exports of Spanner have none.
    return tmp_path


def record_of(folder, name):
    with (folder / f"{name}.avro-00000-of-00001").open("rb") as file:
        return fastavro.reader(file).writer_schema


def test_the_records_alone_define_the_graphs(databases, original, folder):
    copy = databases.new()
    with databases.connection(copy) as connection:
        load_export(connection, read_export(folder), Choice())
    for name in ("People", "Nodes"):
        assert statement_of(copy.ddl(), name) == statement_of(original.ddl(), name)


def test_a_record_has_the_properties_of_spanners_export(folder):
    record = record_of(folder, "People")
    assert record["spannerEntity"] == "PropertyGraph"
    expected = {
        "spannerGraphNodeTable_0_NAME": "Person",
        "spannerGraphNodeTable_0_BASE_TABLE_NAME": "Person",
        "spannerGraphNodeTable_0_KEY_COLUMNS": "id",
        "spannerGraphNodeTable_0_LABEL_0_PROPERTY_1_NAME": "name",
        "spannerGraphNodeTable_0_LABEL_0_PROPERTY_1_VALUE": "UPPER(name)",
        "spannerGraphNodeTable_0_LABEL_1_NAME": "Being",
        "spannerGraphEdgeTable_0_KEY_COLUMNS": "id,to_id",
        "spannerGraphEdgeTable_0_SOURCE_NODE_TABLE_NAME": "Person",
        "spannerGraphEdgeTable_0_TARGET_EDGE_KEY_COLUMNS": "to_id",
        "spannerGraphLabel_0_NAME": "Human",
        "spannerGraphLabel_0_PROPERTY_0": "id",
        "spannerGraphPropertyDeclaration_0_NAME": "id",
        "spannerGraphPropertyDeclaration_0_TYPE": "INT64",
    }
    assert {name: record.get(name) for name in expected} == expected


def test_a_record_without_a_property_is_refused(folder):
    record = {**record_of(folder, "Nodes")}
    del record["spannerGraphNodeTable_0_KEY_COLUMNS"]
    with pytest.raises(UnknownDefinition, match=r"Nodes: .*_0_KEY_COLUMNS is missing"):
        schema_statements([record], GOOGLE_STANDARD_SQL)
