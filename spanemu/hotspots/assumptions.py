"""Statements of a test about production that the detector cannot observe."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from spanemu.base.suggestions import nearest
from spanemu.schema.schema import Schema

if TYPE_CHECKING:
    from spanemu.hotspots.finding import Finding

NODES_DEFAULT = 8  # where the test does not state the number of nodes
READS_AND_WRITES = ("r", "w")
WORDS = ("low", "high", "random")  # of a column's values
RULE_LIKE = re.compile(r"SPN(\d|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assumptions:
    """The findings to suppress and the facts about production to take as given.

    `ignored` are rule ids, names, or id:name. `cardinality` by "Table.Column" is a number, "low",
    "high", or "random" for values that do not grow in production as they do in the test;
    `cardinality` by "Table" is the number of rows of an interleaved table for each parent row.
    `operations` to judge are "w" for writes, or "rw" for reads by key as well. `nodes` is the size
    of the instance in production. Raises ValueError.
    """

    ignored: tuple[str, ...] = ()
    cardinality: Mapping[str, int | str] = field(default_factory=dict)
    operations: str = "w"
    nodes: int | None = None

    def __post_init__(self) -> None:
        if not self.operations or not set(self.operations) <= set(READS_AND_WRITES):
            raise ValueError(f"operations {self.operations!r} are not w, r or rw")
        if self.nodes is not None and (not isinstance(self.nodes, int) or self.nodes < 1):
            raise ValueError(f"nodes must be a whole number from 1, not {self.nodes!r}")
        for name, assumed in self.cardinality.items():
            is_count = isinstance(assumed, int) and not isinstance(assumed, bool) and assumed >= 1
            if not is_count and assumed not in WORDS:
                raise ValueError(
                    f"assume: the cardinality of {name!r} is a number from 1 or one of {WORDS}, "
                    f"not {assumed!r}"
                )

    def check_names(self, schema: Schema) -> None:
        """Raise ValueError for an assumption about a table or column that does not exist."""
        for name, assumed in self.cardinality.items():
            table = schema.tables.get(schema.fold(name))
            if table is None:
                _check_column(schema, name)
            elif table.parent is None:
                raise ValueError(
                    f"assume: {name!r} has no parent, so {assumed!r} rows a parent row cannot apply"
                )
            elif isinstance(assumed, str):
                raise ValueError(
                    f"assume: rows of {name!r} a parent row is a number, not {assumed!r}"
                )

    def ignores(self, finding: Finding) -> bool:
        """Return whether an entry of `ignored` covers the finding."""
        return any(_covers(finding, *entry_parts(entry)) for entry in self.ignored)

    def rows_per_parent(self, table: str) -> int | None:
        """Return the assumed rows of an interleaved table for each parent row, or None."""
        assumed = next(
            (n for name, n in self.cardinality.items() if name.lower() == table.lower()), 0
        )
        return assumed if isinstance(assumed, int) and assumed > 0 else None

    def of(self, table: str, column: str) -> int | str | None:
        """Return the assumption about the values of a column, or None."""
        full_name = f"{table}.{column}".lower()
        return next((n for name, n in self.cardinality.items() if name.lower() == full_name), None)


def entry_parts(entry: str) -> tuple[str, str]:
    """Return the rule and the name in an entry of `ignored`; "" for the part that is missing."""
    rule, colon, name = entry.partition(":")
    if colon:
        return rule.strip(), name.strip()
    entry = entry.strip()
    return (entry, "") if RULE_LIKE.match(entry) else ("", entry)


def _covers(finding: Finding, rule: str, name: str) -> bool:
    is_of_rule = not rule or finding.rule.startswith(rule.upper())
    return is_of_rule and (not name or finding.object.lower() == name.lower())


def _check_column(schema: Schema, name: str) -> None:
    of, _, column = name.rpartition(".")
    table = schema.tables.get(schema.fold(of))
    if table is None:
        index = schema.indexes.get(schema.fold(of or name))
        if index is not None:
            raise ValueError(f"assume: {index.name} is an index; name its table, {index.table}")
        known = [table.name for table in schema.tables.values()]
        near = nearest(of or name, known)
        raise ValueError(f"assume: there is no table {of or name!r}; the nearest are {near}")
    if table.column(column) is None:
        near = nearest(column, [column.name for column in table.columns])
        raise ValueError(f"assume: {table.name} has no column {column!r}; the nearest are {near}")
