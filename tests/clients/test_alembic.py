"""Alembic: models become a migration that makes what they declare, and nothing is left to do."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

import spanemu
from spanemu.schema_source import split_schema
from tests.clients.schemas import DDL, Column, Table, declared

alembic = pytest.importorskip("alembic")
sqlalchemy = pytest.importorskip("sqlalchemy")
dialect = pytest.importorskip("google.cloud.sqlalchemy_spanner.sqlalchemy_spanner")

from alembic import command  # noqa: E402
from alembic.config import Config  # noqa: E402

pytestmark = [
    # The dialect registers under a name by which SQLAlchemy does not find its options.
    pytest.mark.filterwarnings("ignore:Can't validate argument"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # inside the client libraries
    pytest.mark.filterwarnings("ignore:This method is non-operational"),  # of autocommit
]

ENVIRONMENT = """
from alembic import context
from alembic.ddl.impl import DefaultImpl


class SpannerImpl(DefaultImpl):
    __dialect__ = "spanner+spanner"


def include(thing, name, kind, reflected, _):
    # Nobody can declare a unique constraint; Spanner makes them behind foreign keys.
    return not (reflected and kind == "unique_constraint")


given = context.config.attributes
# A transaction that is open while the schema changes is aborted, so there is none.
with given["engine"].connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
    context.configure(
        connection=connection, target_metadata=given["metadata"], include_object=include
    )
    with context.begin_transaction():
        context.run_migrations()
"""
SCRIPT = """
from alembic import op
import sqlalchemy as sa
${imports if imports else ""}
revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}

def upgrade():
    ${upgrades if upgrades else "pass"}

def downgrade():
    ${downgrades if downgrades else "pass"}
"""


@dataclass
class Project:
    """An Alembic project whose models are those of a schema."""

    config: Config
    ddl: str
    emulator: spanemu.Emulator

    def use(self, database: Any) -> None:
        """Point it at a database."""
        self.config.attributes["engine"] = sqlalchemy.create_engine(
            database.sqlalchemy_url(), poolclass=sqlalchemy.pool.NullPool
        )


@pytest.fixture(autouse=True)
def mended_dialect(monkeypatch: pytest.MonkeyPatch) -> None:
    """Adapt the dialect to the newest Alembic.

    Alembic asks about no tables at all when there are none (the dialect then asks the server
    "WHERE () ..."), asks for the names of primary keys, and makes indexes on tables of which it
    names the columns of the key only.
    """
    for name in ("columns", "indexes", "pk_constraint", "foreign_keys"):
        asks = getattr(dialect.SpannerDialect, f"get_multi_{name}")
        monkeypatch.setattr(dialect.SpannerDialect, f"get_multi_{name}", _mended(asks))
    write = dialect.SpannerDDLCompiler.visit_create_index
    monkeypatch.setattr(dialect.SpannerDDLCompiler, "visit_create_index", _with_stored(write))


def _with_stored(write: Callable[..., str]) -> Callable[..., str]:
    def visit(self: Any, create: Any, *args: Any, **options: Any) -> str:
        index = create.element
        for name in index.dialect_kwargs.get("spanner_storing", ()):
            if name not in index.table.c:
                index.table.append_column(sqlalchemy.Column(name))
        return write(self, create, *args, **options)

    return visit


def _mended(asks: Callable[..., Mapping[Any, Any]]) -> Callable[..., Mapping[Any, Any]]:
    def ask(self: Any, *args: Any, filter_names: Any = None, **options: Any) -> Mapping[Any, Any]:
        if filter_names is not None and not filter_names:
            return {}
        result = asks(self, *args, filter_names=filter_names, **options)
        for facts in result.values():
            if "constrained_columns" in facts:
                facts.setdefault("name", None)
        return result

    return ask


@pytest.fixture(params=sorted(DDL))
def project(request, tmp_path: Path) -> Iterator[Project]:
    (tmp_path / "versions").mkdir()
    (tmp_path / "env.py").write_text(ENVIRONMENT)
    (tmp_path / "script.py.mako").write_text(SCRIPT)
    config = Config(stdout=io.StringIO())
    config.set_main_option("script_location", str(tmp_path))
    config.set_main_option("path_separator", "os")
    ddl = DDL[request.param]
    config.attributes["metadata"] = _models(declared(ddl))
    with spanemu.Emulator() as emulator:
        yield Project(config, ddl, emulator)


def test_a_database_made_from_the_statements_needs_no_migration(project) -> None:
    project.use(project.emulator.create_database("made", schema=[project.ddl]))
    command.check(project.config)


def test_migrations_upgrade_and_downgrade(project) -> None:
    database = project.emulator.create_database("empty")
    project.use(database)
    command.revision(project.config, autogenerate=True, message="all of it")
    command.upgrade(project.config, "head")
    command.check(project.config)  # A second autogenerate finds nothing.
    created = declared(";\n".join(database.ddl()))
    assert set(created.pop("alembic_version").key) == {"version_num"}
    assert created == _of_length(declared(project.ddl))
    command.downgrade(project.config, "base")
    assert [statement.split()[2] for statement in database.ddl()] == ["alembic_version"]
    command.upgrade(project.config, "head")
    command.check(project.config)


def test_autogenerate_finds_changes(project) -> None:
    # The last statement of the schema never ran.
    *others, _ = split_schema(project.ddl, "all")
    database = project.emulator.create_database("made", schema=others)
    project.use(database)
    with pytest.raises(alembic.util.AutogenerateDiffsDetected):
        command.check(project.config)
    command.stamp(project.config, "head")
    command.revision(project.config, autogenerate=True, message="the rest")
    command.upgrade(project.config, "head")
    command.check(project.config)
    created = declared(";\n".join(database.ddl()))
    del created["alembic_version"]
    assert _of_length(created) == _of_length(declared(project.ddl))


def _of_length(tables: Mapping[str, Table]) -> Mapping[str, Table]:
    """Return tables with the length that the dialect takes for MAX."""
    return {
        name: replace(
            table,
            columns=tuple(
                replace(one, type=one.type.replace("(MAX)", f"({dialect.MAX_SIZE})"))
                for one in table.columns
            ),
        )
        for name, table in tables.items()
    }


# ---------------------------------------------------------------------------- models

_TYPES = {
    "BOOL": sqlalchemy.Boolean,
    "DATE": sqlalchemy.DATE,
    "FLOAT64": sqlalchemy.Float,
    "INT64": sqlalchemy.BIGINT,
    "JSON": sqlalchemy.JSON,
    "NUMERIC": sqlalchemy.NUMERIC(precision=38, scale=9),
    "TIMESTAMP": sqlalchemy.TIMESTAMP,
}
_WITH_LENGTH = {"STRING": sqlalchemy.String, "BYTES": sqlalchemy.LargeBinary}
_MAX = dialect.MAX_SIZE  # as which the dialect reflects MAX


def _models(tables: Mapping[str, Table]) -> sqlalchemy.MetaData:
    metadata = sqlalchemy.MetaData()
    for name, table in tables.items():
        _model(name, table, metadata)
    return metadata


def _model(name: str, table: Table, metadata: sqlalchemy.MetaData) -> None:
    options: dict[str, Any] = {}
    if table.parent is not None:
        options["spanner_interleave_in"] = table.parent
        options["spanner_interleave_on_delete_cascade"] = table.cascade
    created = sqlalchemy.Table(
        name,
        metadata,
        *(_column(column, column.name in table.key) for column in table.columns),
        *(
            sqlalchemy.ForeignKeyConstraint(
                item.columns, [f"{item.table}.{column}" for column in item.referenced], name=key
            )
            for key, item in table.foreign_keys.items()
        ),
        **options,
    )
    if table.parent is not None:
        created.add_is_dependent_on(metadata.tables[table.parent])
    for index, item in table.indexes.items():
        storing = {"spanner_storing": sorted(item.storing)} if item.storing else {}
        inside = {} if item.parent is None else {"spanner_interleave_in": item.parent}
        key = [created.c[column].desc() if down else created.c[column] for column, down in item.key]
        sqlalchemy.Index(index, *key, unique=item.unique, **storing, **inside)


def _column(column: Column, in_key: bool) -> sqlalchemy.Column:
    computed = (
        [] if column.generated is None else [sqlalchemy.Computed(column.generated, persisted=True)]
    )
    options = {"spanner_allow_commit_timestamp": True} if column.commit_timestamp else {}
    return sqlalchemy.Column(
        column.name,
        _type(column.type),
        *computed,
        nullable=column.nullable,
        primary_key=in_key,
        autoincrement=False,
        server_default=None if column.default is None else sqlalchemy.text(column.default),
        **options,
    )


def _type(text: str) -> Any:
    if text.startswith("ARRAY<"):
        return sqlalchemy.ARRAY(_type(text.removeprefix("ARRAY<").removesuffix(">")))
    name, _, length = text.removesuffix(")").partition("(")
    if not length:
        return _TYPES[name]
    return _WITH_LENGTH[name](_MAX if length == "MAX" else int(length))
