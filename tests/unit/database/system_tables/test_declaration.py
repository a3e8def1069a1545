from spanemu.database.system_tables.declaration import Declared, written
from spanemu.database.system_tables.information_schema import INFORMATION_SCHEMA
from spanemu.database.system_tables.spanner_sys import SPANNER_SYS
from spanemu.values.types import BYTES, INT64, STRING, array_of, struct_of


def test_the_notation_declares_types_keys_and_nulls() -> None:
    declared = Declared("S", "T", "*A !B:BOOL C:INT64 D:STRING(32) E:STRINGS")
    assert [
        (column.name, column.type, column.spanner_type, column.not_null, column.in_key)
        for column in declared.columns
    ][2:] == [
        ("C", INT64, "INT64", False, False),
        ("D", STRING, "STRING(32)", False, False),
        ("E", array_of(STRING), "ARRAY<STRING(MAX)>", False, False),
    ]
    assert [(column.not_null, column.in_key) for column in declared.columns[:2]] == [
        (True, True),
        (True, False),
    ]
    assert [column.name for column in declared.key_columns] == ["A"]


def test_a_key_may_have_an_order_of_its_own() -> None:
    declared = Declared("S", "T", "*A *B", key="B A")
    assert [column.name for column in declared.key_columns] == ["B", "A"]


def test_types_are_written_as_ddl_does() -> None:
    assert written(array_of(struct_of(("a", BYTES), ("b", INT64)))) == (
        "ARRAY<STRUCT<a BYTES(MAX), b INT64>>"
    )


def test_every_table_is_declared_once_and_well() -> None:
    every = (*INFORMATION_SCHEMA, *SPANNER_SYS)
    names = [declared.full_name for declared in every]
    assert len(set(names)) == len(names)
    for declared in every:
        columns = [column.name for column in declared.columns]
        assert len(set(columns)) == len(columns), declared.full_name
        assert {c.name for c in declared.key_columns} == {
            c.name for c in declared.columns if c.in_key
        }, declared.full_name


def test_keys_are_declared_where_spanner_shows_them() -> None:
    assert all(declared.key_columns for declared in INFORMATION_SCHEMA)
    assert not any(declared.key_columns for declared in SPANNER_SYS)
