"""The linter's settings: thresholds, selected rules, and facts about tables.

[tool.spanemu.lint]
dialect = "postgresql"              # of the schema files; default: googlesql
select = ["default", "SPN210"]      # prefixes of ids, "default" or "all"
ignore = ["SPN104"]
nodes = 10                          # planned size of the instance
baseline = "spanemu-lint.json"

[tool.spanemu.tables.AuditLog]
low_rate = true                     # exempt from rules about high write rates
ignore = ["SPN602"]
qps = 20000                         # expected writes a second
presplit = true                     # split points are added before launch
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from spanemu.base.errors import Code, SpannerError
from spanemu.base.identifiers import fold
from spanemu.base.suggestions import did_you_mean
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, UnknownDialect, dialect_named


class BadSettings(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{path}: {reason}"
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class TableSettings:
    """Facts about a table that its declaration does not state."""

    low_rate: bool = False
    qps: int = 0
    presplit: bool = False
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """The linter's settings; the default thresholds follow Spanner's documentation on hotspots."""

    dialect: str = GOOGLE_STANDARD_SQL.option
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    baseline: str | None = None
    nodes: int = 8
    indexes_max: int = 8  # secondary indexes on one table before SPN214
    depth_warning: int = 5  # levels below the root
    depth_max: int = 7  # quotas: the maximum depth
    cardinality_low_max: int = 16  # distinct values that count as few for a first key column
    shards_per_node_max: int = 100
    backfills_max: int = 10  # statements of a batch that read whole tables
    tenants_min: int = 3  # similar tables that count as a table per tenant
    server_writes_max: int = 3500  # writes a second that a server handles
    tables: Mapping[str, TableSettings] = field(default_factory=dict)

    def of(self, table: str) -> TableSettings:
        """Return the settings of a table, which are the defaults for an unlisted table."""
        return self.tables.get(fold(table), TableSettings())


def find_pyproject(start: Path) -> Path | None:
    """Return the nearest pyproject.toml with a section [tool.spanemu], from `start` upwards."""
    for directory in (start, *start.parents):
        path = directory / "pyproject.toml"
        if path.is_file() and _section(path):
            return path
    return None


def settings_from(path: Path) -> Settings:
    """Return the settings in a pyproject.toml. Raises BadSettings."""
    section = _section(path)
    lint = section.get("lint", {})
    tables = section.get("tables", {})
    if not isinstance(lint, dict) or not isinstance(tables, dict):
        raise BadSettings(str(path), "tool.spanemu.lint and tool.spanemu.tables must be tables.")
    known = {
        fold(name): _merged(TableSettings(), given, path, f"tool.spanemu.tables.{name}")
        for name, given in tables.items()
    }
    settings: Settings = _merged(Settings(), lint, path, "tool.spanemu.lint")
    try:
        dialect_named(settings.dialect)
    except UnknownDialect as problem:
        raise BadSettings(str(path), f"tool.spanemu.lint.dialect: {problem}") from problem
    return replace(settings, tables=known)


def _section(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadSettings(str(path), str(error)) from error
    tools = content.get("tool")
    section = tools.get("spanemu") if isinstance(tools, dict) else None
    return section if isinstance(section, dict) else {}


# Keys of a table's section that other packages read.
_NOT_LINT = frozenset({"cardinality"})


def _merged(default: Any, given: Any, path: Path, where: str) -> Any:
    """Return `default` with the values of a section, which must have the types of the default."""
    if not isinstance(given, dict):
        raise BadSettings(str(path), f"{where} must be a table.")
    names = {attribute.name for attribute in fields(default)} - {"tables"}
    changes = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name in _NOT_LINT:
            continue
        if name not in names:
            hint = did_you_mean(key, names)
            raise BadSettings(str(path), f"{where} has no setting {key!r}.{hint}")
        changes[name] = _value(getattr(default, name), value, path, f"{where}.{key}")
    return replace(default, **changes)


def _value(default: Any, value: Any, path: Path, where: str) -> Any:
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(item, str) for item in value):
            return tuple(value)
        raise BadSettings(str(path), f"{where} must be a list of strings.")
    expected = str if default is None else type(default)
    if type(value) is not expected:
        raise BadSettings(str(path), f"{where} must be of type {expected.__name__}.")
    if isinstance(value, int) and value < 0:
        raise BadSettings(str(path), f"{where} cannot be {value}.")
    return value
