"""The dialects, by the names that options have."""

from __future__ import annotations

import pytest

from spanemu.schema.dialect import (
    GOOGLE_STANDARD_SQL,
    POSTGRESQL,
    DatabaseDialect,
    UnknownDialect,
    dialect_named,
)


@pytest.mark.parametrize(
    ("option", "dialect"), [("googlesql", GOOGLE_STANDARD_SQL), ("postgresql", POSTGRESQL)]
)
def test_an_option_names_a_dialect(option: str, dialect: DatabaseDialect) -> None:
    assert dialect_named(option) is dialect
    assert dialect.option == option


@pytest.mark.parametrize("option", ["", "PostgreSQL", "mysql"])
def test_an_unknown_option_lists_the_dialects(option: str) -> None:
    with pytest.raises(UnknownDialect, match="googlesql or postgresql"):
        dialect_named(option)
