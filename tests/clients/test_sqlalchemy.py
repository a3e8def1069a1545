"""SQLAlchemy's reflection finds what a schema declares, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import spanemu
from tests.clients.schemas import DDL, Column, ForeignKey, Index, Table, declared

sqlalchemy = pytest.importorskip("sqlalchemy")
dialect = pytest.importorskip("google.cloud.sqlalchemy_spanner.sqlalchemy_spanner")

pytestmark = [
    # The dialect registers under a name by which SQLAlchemy does not find its options.
    pytest.mark.filterwarnings("ignore:Can't validate argument"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # inside the client libraries
]


@pytest.fixture(scope="module", params=sorted(DDL))
def shop(request) -> Iterator[tuple[Mapping[str, Table], sqlalchemy.Engine]]:
    """Yield what a schema declares, and an engine of a database that has it."""
    ddl = DDL[request.param]
    with spanemu.Emulator() as emulator:
        database = emulator.create_database("shop", schema=[ddl])
        engine = sqlalchemy.create_engine(
            database.sqlalchemy_url(), poolclass=sqlalchemy.pool.NullPool
        )
        yield declared(ddl), engine
        engine.dispose()


def test_reflection_and_declaration_agree(shop) -> None:
    tables, engine = shop
    metadata = sqlalchemy.MetaData()
    metadata.reflect(bind=engine)
    result = {
        table.name: _reflected(table, sqlalchemy.inspect(engine))
        for table in metadata.tables.values()
    }
    assert result == {name: _without_the_unseen(table) for name, table in tables.items()}


def test_the_inspector_lists_schema_objects(shop) -> None:
    tables, engine = shop
    inspector = sqlalchemy.inspect(engine)
    assert set(inspector.get_table_names()) == set(tables)
    assert inspector.get_view_names() == []
    assert inspector.get_sequence_names() == []
    assert set(inspector.get_schema_names()) == {"", "INFORMATION_SCHEMA", "SPANNER_SYS"}
    assert all(inspector.has_table(name) for name in tables)
    assert not inspector.has_table("Nobody")


def test_the_inspector_finds_unique_constraints_behind_foreign_keys(shop) -> None:
    tables, engine = shop
    inspector = sqlalchemy.inspect(engine)
    for name, table in tables.items():
        behind = {
            key.referenced
            for other in tables.values()
            for key in other.foreign_keys.values()
            if key.table == name and key.referenced != table.key
        }
        result = inspector.get_unique_constraints(name)
        assert {tuple(one["column_names"]) for one in result} == behind


def _reflected(table: sqlalchemy.Table, inspector: sqlalchemy.Inspector) -> Table:
    return Table(
        columns=tuple(_reflected_column(column, inspector.dialect) for column in table.columns),
        key=tuple(table.primary_key.columns.keys()),
        # In the table the dialect's word for the order is lost.
        indexes={one["name"]: _reflected_index(one) for one in inspector.get_indexes(table.name)},
        foreign_keys={
            key.name: ForeignKey(
                tuple(key.column_keys),
                key.referred_table.name,
                tuple(element.column.name for element in key.elements),
            )
            for key in table.foreign_key_constraints
        },
    )


def _reflected_column(column: sqlalchemy.Column, by: sqlalchemy.Dialect) -> Column:
    type_ = by.type_compiler.process(column.type)
    computed = column.computed
    default = None if computed is not None else column.server_default
    return Column(
        name=column.name,
        type=re.sub(rf"\b{dialect.MAX_SIZE}\b", "MAX", type_),
        nullable=column.nullable,
        default=None if default is None else str(default.arg),
        generated=None if computed is None else str(computed.sqltext),
    )


def _reflected_index(index: Mapping[str, Any]) -> Index:
    order = index["column_sorting"]
    return Index(
        key=tuple((column, order[column] == "desc") for column in index["column_names"]),
        unique=index["unique"],
        storing=frozenset(index["include_columns"]),
    )


def _without_the_unseen(table: Table) -> Table:
    """Remove from a table what the dialect does not reflect: interleaving, options."""
    return Table(
        columns=tuple(
            Column(one.name, one.type, one.nullable, one.default, one.generated)
            for one in table.columns
        ),
        key=table.key,
        indexes={
            name: Index(one.key, one.unique, one.storing) for name, one in table.indexes.items()
        },
        foreign_keys=table.foreign_keys,
    )
