"""ALTER STATISTICS and ANALYZE."""

from __future__ import annotations

import re

from spanemu.ddl.change import Change
from spanemu.ddl.errors.names import ObjectNotFound
from spanemu.ddl.errors.options import ObjectOptionMissing
from spanemu.ddl.validators.options import TRUE_OR_FALSE, changed_options
from spanemu.schema.schema import Schema
from spanemu.sql.syntax import ddl_ast

_KIND = "Statistics package"

# Packages are made by the service and named by the time: any such name stands for one.
_PACKAGE = re.compile(r"[a-z][a-z0-9_-]*[a-z0-9]", re.IGNORECASE)


def alter_statistics(statement: ddl_ast.AlterStatistics, schema: Schema) -> Change:
    """Whether a package may be collected when newer ones are there."""
    name = statement.name.name
    if _PACKAGE.fullmatch(name) is None:
        raise ObjectNotFound(_KIND, name)
    options = changed_options((_KIND, name), statement.options, {"allow_gc": TRUE_OR_FALSE})
    if "allow_gc" not in options:
        raise ObjectOptionMissing(_KIND, name, "allow_gc")
    allowed = options["allow_gc"]
    if schema.statistics.get(name) is allowed:
        return Change(schema)
    return Change(schema.next(statistics={**schema.statistics, name: allowed}))


def analyze(statement: ddl_ast.Analyze, schema: Schema) -> Change:
    """Statistics for the optimizer, which always has fresh ones here."""
    return Change(schema)
