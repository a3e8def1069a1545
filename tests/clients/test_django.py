"""Django: introspection finds what a schema declares; migrations make what models declare."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import spanemu
from tests.clients.schemas import DDL, Column, Table, declared

pytest.importorskip("django")
pytest.importorskip("google.cloud.spanner_dbapi")

PROJECT = Path(__file__).parent / "django" / "project.py"
RUN_SECONDS_MAX = 180


def _django(task: str, ddl: str, directory: Path) -> Any:
    """Run Django in a process of its own, because it changes the client library."""
    if not any((Path(place) / "django_spanner").is_dir() for place in sys.path):
        pytest.skip("django-google-spanner: not installed here")
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("shop", schema=[ddl] if ddl else [])
        ran = subprocess.run(
            [sys.executable, PROJECT, task],
            cwd=directory,
            env=os.environ | database.environ(),
            capture_output=True,
            text=True,
            timeout=RUN_SECONDS_MAX,
            check=False,
        )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


@pytest.mark.parametrize("name", sorted(DDL))
def test_introspection_finds_the_declared_schema(name: str, tmp_path: Path) -> None:
    tables, result = declared(DDL[name]), _django("inspect", DDL[name], tmp_path)
    assert set(result["tables"]) == set(result["models"]) == set(tables)
    for table, seen in result["tables"].items():
        _compare(tables[table], seen, tables[table].columns)
    for table, model in result["models"].items():
        assert model == {"columns": [one.name for one in tables[table].columns], "rows": 0}


@pytest.mark.parametrize("name", sorted(DDL))
def test_migrations_apply_and_reverse(name: str, tmp_path: Path) -> None:
    tables = declared(DDL[name])
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "__init__.py").touch()
    (tmp_path / "shop" / "models.py").write_text(_models(tables))
    # The backend drops the indexes behind a foreign key before the key, which Spanner refuses.
    returns = not any(table.foreign_keys for table in tables.values())
    result = _django("migrate and return" if returns else "migrate", "", tmp_path)
    created = result["tables"]
    assert created.pop("django_migrations")["kind"] == "t"
    assert set(created) == set(tables)
    for table, seen in created.items():
        columns = [item for item in tables[table].columns if _has_field(item)]
        # Foreign keys come last.
        assert {item[0] for item in seen["columns"]} == {item.name for item in columns}
        assert seen["relations"] == _relations(tables[table])
        for index, item in tables[table].indexes.items():
            assert seen["constraints"][index]["unique"] is item.unique
    assert result["again"].strip() == "No changes detected in app 'shop'"
    assert result["left"] == (
        ["django_migrations"] if returns else sorted([*created, "django_migrations"])
    )


def _compare(table: Table, seen: Mapping[str, Any], columns: Sequence[Column]) -> None:
    assert seen["kind"] == "t"
    assert [tuple(item) for item in seen["columns"]] == [_described(item) for item in columns]
    assert seen["relations"] == _relations(table)
    keys = [item for item in seen["constraints"].values() if item["primary_key"] and item["orders"]]
    assert [set(item["columns"]) for item in keys] == [set(table.key)]
    indexes = {
        name: item
        for name, item in seen["constraints"].items()
        if item["index"] and not item["primary_key"] and not name.startswith("IDX_")
    }
    assert set(indexes) == set(table.indexes)
    for name, item in table.indexes.items():
        assert set(indexes[name]["columns"]) == {key for key, _ in item.key} | item.storing
        assert indexes[name]["unique"] is item.unique
        orders = [order for order in indexes[name]["orders"] if order is not None]
        assert orders == ["DESC" if down else "ASC" for _, down in item.key]


def _relations(table: Table) -> dict[str, list[str]]:
    return {
        mine: [there, key.table]
        for key in table.foreign_keys.values()
        for mine, there in zip(key.columns, key.referenced, strict=True)
    }


# ---------------------------------------------------------------------------- types

_FIELDS = {
    "BOOL": "BooleanField",
    "BYTES": "BinaryField",
    "DATE": "DateField",
    "FLOAT64": "FloatField",
    "INT64": "IntegerField",
    "JSON": "JSONField",
    "NUMERIC": "DecimalField",
    "STRING": "CharField",
    "TIMESTAMP": "DateTimeField",
}


def _has_field(column: Column) -> bool:
    return not column.type.startswith("ARRAY")


def _described(column: Column) -> tuple[Any, ...]:
    """Return (name, class of field, length, whether nullable) by introspection."""
    if not _has_field(column):
        return column.name, None, None, column.nullable
    name, _, length = column.type.removesuffix(")").partition("(")
    if name != "STRING":
        return column.name, _FIELDS[name], None, column.nullable
    if length == "MAX":
        return column.name, "TextField", "MAX", column.nullable
    return column.name, "CharField", int(length), column.nullable


# ---------------------------------------------------------------------------- models


# Fields are called what their columns are: the backend looks stored columns up by that name.


def _models(tables: Mapping[str, Table]) -> str:
    return "from django.db import models\n" + "".join(
        _model(name, table, tables) for name, table in tables.items()
    )


def _model(name: str, table: Table, tables: Mapping[str, Table]) -> str:
    fields = [_field(name, column, tables) for column in table.columns if _has_field(column)]
    if len(table.key) > 1:
        parts = ", ".join(map(repr, table.key))
        fields.insert(0, f"pk = models.CompositePrimaryKey({parts})")
    indexes = [_index(index, one) for index, one in table.indexes.items() if not one.unique]
    unique = [
        f"models.UniqueConstraint(fields={[column for column, _ in one.key]}, name={index!r})"
        for index, one in table.indexes.items()
        if one.unique
    ]
    body = [
        *fields,
        "class Meta:",
        f"    db_table = {name!r}",
        f"    indexes = [{', '.join(indexes)}]",
        f"    constraints = [{', '.join(unique)}]",
    ]
    return f"class {name}(models.Model):\n" + "".join(f"    {line}\n" for line in body)


def _field(table_name: str, column: Column, tables: Mapping[str, Table]) -> str:
    table = tables[table_name]
    facts = f"db_column={column.name!r}, null={column.nullable}"
    if table.key == (column.name,):
        facts += ", primary_key=True"
    elif _is_referenced(table_name, column.name, tables):
        facts += ", unique=True"
    for key in table.foreign_keys.values():
        if key.columns == (column.name,):
            return (
                f"{column.name} = models.ForeignKey({key.table!r}, models.DO_NOTHING, "
                f"to_field={key.referenced[0]!r}, db_index=False, related_name='+', {facts})"
            )
    _, class_, length, _ = _described(column)
    if class_ == "CharField":
        facts += f", max_length={length}"
    if class_ == "DecimalField":
        facts += ", max_digits=38, decimal_places=9"
    return f"{column.name} = models.{class_}({facts})"


def _is_referenced(table: str, column: str, tables: Mapping[str, Table]) -> bool:
    return any(
        (key.table, key.referenced) == (table, (column,))
        for other in tables.values()
        for key in other.foreign_keys.values()
    )


def _index(name: str, index: Any) -> str:
    fields = [("-" if down else "") + column for column, down in index.key]
    also = f", include={sorted(index.storing)}" if index.storing else ""
    return f"models.Index(fields={fields}, name={name!r}{also})"
