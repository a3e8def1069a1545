"""What the linter is told besides the schema: thresholds, which rules, and facts about tables.

[tool.spanemu.lint]
select = ["default", "SPN210"]      # beginnings of ids, "default" or "all"
ignore = ["SPN104"]
nodes = 10                          # that the instance will grow to
baseline = "spanemu-lint.json"

[tool.spanemu.tables.AuditLog]
low_rate = true                     # spares it what only hurts at a high rate
ignore = ["SPN602"]
qps = 20000                         # writes a second that are expected
presplit = true                     # split points are made before launch
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from spanemu.base.errors import Code, SpannerError
from spanemu.base.identifiers import fold


class BadSettings(SpannerError):
    """A configuration file says what the linter does not understand."""

    code = Code.INVALID_ARGUMENT
    prose = "{path}: {reason}"
    path: str
    reason: str


@dataclass(frozen=True, slots=True)
class TableSettings:
    """What is known about one table beyond its declaration."""

    low_rate: bool = False
    qps: int = 0
    presplit: bool = False
    ignore: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Settings:
    """Thresholds are from the page on hotspots; counts are of what their names say."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    baseline: str | None = None
    nodes: int = 8
    indexes_max: int = 8  # secondary indexes on one table before SPN214
    depth_warning: int = 5  # levels below the root
    depth_max: int = 7  # quotas: the deepest that Spanner takes
    cardinality_low_max: int = 16  # distinct values that are few for a first key column
    shards_per_node_max: int = 100
    backfills_max: int = 10  # statements of one batch that read whole tables
    tenants_min: int = 3  # tables of one shape that make a pattern
    server_writes_max: int = 3500  # a second, that one server takes
    tables: Mapping[str, TableSettings] = field(default_factory=dict)

    def of(self, table: str) -> TableSettings:
        """What is known about a table."""
        return self.tables.get(fold(table), TableSettings())


def find_pyproject(start: Path) -> Path | None:
    """The nearest pyproject.toml from a directory upwards that speaks of spanemu."""
    for directory in (start, *start.parents):
        path = directory / "pyproject.toml"
        if path.is_file() and _section(path):
            return path
    return None


def settings_from(path: Path) -> Settings:
    """The settings in a pyproject.toml. Raises BadSettings."""
    section = _section(path)
    lint = section.get("lint", {})
    tables = section.get("tables", {})
    if not isinstance(lint, dict) or not isinstance(tables, dict):
        raise BadSettings(str(path), "tool.spanemu.lint and tool.spanemu.tables are tables.")
    known = {
        fold(name): _made(TableSettings(), given, path, f"tool.spanemu.tables.{name}")
        for name, given in tables.items()
    }
    found: Settings = _made(Settings(), lint, path, "tool.spanemu.lint")
    return replace(found, tables=known)


def _section(path: Path) -> dict[str, Any]:
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as problem:
        raise BadSettings(str(path), str(problem)) from problem
    tools = content.get("tool")
    section = tools.get("spanemu") if isinstance(tools, dict) else None
    return section if isinstance(section, dict) else {}


# Keys of a table's section that other parts of the product read.
_NOT_LINT = frozenset({"cardinality"})


def _made(default: Any, given: Any, path: Path, where: str) -> Any:
    """`default` with what a section gives, checked by the default's own types."""
    if not isinstance(given, dict):
        raise BadSettings(str(path), f"{where} is not a table.")
    names = {each.name for each in fields(default)} - {"tables"}
    changes = {}
    for key, value in given.items():
        name = key.replace("-", "_")
        if name in _NOT_LINT:
            continue
        if name not in names:
            raise BadSettings(str(path), f"{where} has no setting {key!r}.")
        changes[name] = _value(getattr(default, name), value, path, f"{where}.{key}")
    return replace(default, **changes)


def _value(default: Any, value: Any, path: Path, where: str) -> Any:
    if isinstance(default, tuple):
        if isinstance(value, list) and all(isinstance(each, str) for each in value):
            return tuple(value)
        raise BadSettings(str(path), f"{where} is a list of strings.")
    wanted = str if default is None else type(default)
    if type(value) is not wanted:
        raise BadSettings(str(path), f"{where} is a value of type {wanted.__name__}.")
    if isinstance(value, int) and value < 0:
        raise BadSettings(str(path), f"{where} cannot be {value}.")
    return value
