"""Runs the migrations online; Spanner's schema changes need a connection in autocommit."""

from alembic import context
from alembic.ddl.impl import DefaultImpl
from sqlalchemy import create_engine, pool


class SpannerImpl(DefaultImpl):
    """Alembic knows a dialect by a class with its name."""

    __dialect__ = "spanner+spanner"


engine = create_engine(
    context.config.get_main_option("sqlalchemy.url"),
    poolclass=pool.NullPool,
    isolation_level="AUTOCOMMIT",
)
with engine.connect() as connection:
    context.configure(connection=connection, version_table_pk=False)
    with context.begin_transaction():
        context.run_migrations()
engine.dispose()
