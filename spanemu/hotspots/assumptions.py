"""What a test knows better than the detector."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from spanemu.base.suggestions import nearest
from spanemu.hotspots.finding import Finding
from spanemu.schema.schema import Schema

READS_AND_WRITES = ("r", "w")
WORDS = ("low", "high", "random")  # of a column's values
RULE_LIKE = re.compile(r"SPN(\d|$)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What not to tell, and what to take for granted.

    `ignored` are rule ids, names, or id:name. `cardinality` is by "Table.Column": a number, "low",
    "high", or "random" for values that do not grow in production as they did here; by "Table" it is
    the rows of an interleaved table that a parent row has.
    `operations` are judged: "w" for writes, "rw" for reads by key as well. `nodes` is what the
    instance will have in production. Raises ValueError.
    """

    ignored: tuple[str, ...] = ()
    cardinality: Mapping[str, int | str] = field(default_factory=dict)
    operations: str = "w"
    nodes: int | None = None

    def __post_init__(self) -> None:
        if not self.operations or not set(self.operations) <= set(READS_AND_WRITES):
            raise ValueError(f"operations {self.operations!r} are neither w, r nor rw")
        if self.nodes is not None and (not isinstance(self.nodes, int) or self.nodes < 1):
            raise ValueError(f"an instance has a node at least, not {self.nodes!r}")
        for name, said in self.cardinality.items():
            is_count = isinstance(said, int) and not isinstance(said, bool) and said >= 1
            if not is_count and said not in WORDS:
                raise ValueError(
                    f"{name!r} is assumed {said!r}: not a number from 1, nor of {WORDS}"
                )

    def check_names(self, schema: Schema) -> None:
        """Raise ValueError for an assumption about what a schema does not have."""
        for name, said in self.cardinality.items():
            table = schema.tables.get(name.lower())
            if table is None:
                _check_column(schema, name)
            elif table.parent is None:
                raise ValueError(
                    f"{name!r} is assumed {said!r} rows a parent row: it has no parent"
                )
            elif isinstance(said, str):
                raise ValueError(f"{name!r} is assumed {said!r}: rows a parent row are a number")

    def ignores(self, finding: Finding) -> bool:
        """Whether a finding is not to be told."""
        return any(_is_meant(finding, *entry_parts(entry)) for entry in self.ignored)

    def rows_per_parent(self, table: str) -> int | None:
        """How many rows of an interleaved table a parent row has in production, if that is said."""
        said = next((n for name, n in self.cardinality.items() if name.lower() == table.lower()), 0)
        return said if isinstance(said, int) and said > 0 else None

    def of(self, table: str, column: str) -> int | str | None:
        """What is said about the values of a column."""
        wanted = f"{table}.{column}".lower()
        return next((n for name, n in self.cardinality.items() if name.lower() == wanted), None)


def entry_parts(entry: str) -> tuple[str, str]:
    """The rule and the name in an entry of `ignored`; "" for what it does not say."""
    rule, colon, name = entry.partition(":")
    if colon:
        return rule.strip(), name.strip()
    entry = entry.strip()
    return (entry, "") if RULE_LIKE.match(entry) else ("", entry)


def _is_meant(finding: Finding, rule: str, name: str) -> bool:
    is_of_rule = not rule or finding.rule.startswith(rule.upper())
    return is_of_rule and (not name or finding.object.lower() == name.lower())


def _check_column(schema: Schema, name: str) -> None:
    of, _, column = name.rpartition(".")
    table = schema.tables.get(of.lower())
    if table is None:
        index = schema.indexes.get((of or name).lower())
        if index is not None:
            raise ValueError(f"assume: {index.name} is an index; name its table, {index.table}")
        known = [each.name for each in schema.tables.values()]
        near = nearest(of or name, known)
        raise ValueError(f"assume: there is no table {of or name!r}; the nearest are {near}")
    if table.column(column) is None:
        near = nearest(column, [each.name for each in table.columns])
        raise ValueError(f"assume: {table.name} has no column {column!r}; the nearest are {near}")
