"""How many values a declaration allows a column: what the detector asks of the schema's SQL."""

from __future__ import annotations

from functools import lru_cache

from spanemu.schema.column import Column
from spanemu.schema.table import Table
from spanemu.sql.syntax.ast import Expression
from spanemu.sql.syntax.statement import parse_expression
from spanemu.sql.syntax.value_bounds import allowed_by, modulus


def values_allowed(table: Table, column: Column) -> int | None:
    """By a CHECK of the table, or by the MOD that the column is computed with; None if neither."""
    for text in (column.generated, column.default):
        if text is not None and (found := modulus(_parsed(text))) is not None:
            return found[0]
    counts = (allowed_by(_parsed(check.expression), column.name) for check in table.checks)
    return next((count for count in counts if count), None)


@lru_cache(maxsize=256)
def _parsed(text: str) -> Expression:
    return parse_expression(text)
