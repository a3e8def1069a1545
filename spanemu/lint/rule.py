"""A lint rule: its description, an example on either side, and the check function.

A rule's id names its family: SPN1xx primary keys, 2xx indexes, 3xx interleaving, 4xx foreign keys,
5xx columns, 6xx row deletion, 7xx operations, 8xx workload. The linter, the hotspot report and the
plugin share the ids.

`check` is None where a schema alone is not enough: such a rule needs values, load or queries, and
the hotspot report evaluates it. The rule is listed here too, so that it can be explained and
ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from spanemu.base.severity import Severity
from spanemu.lint.model import Index, Schema, Table
from spanemu.lint.source import Position

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


class Evidence(StrEnum):
    """The kind of input that a rule needs."""

    DDL = "D"
    VALUES = "V"
    LOAD = "L"
    QUERIES = "Q"


@dataclass(frozen=True, slots=True)
class Hit:
    """A position where a rule applies; `facts` fill the rule's message and fix."""

    position: Position
    object: str
    column: str | None = None
    severity: Severity | None = None  # None: the rule's own severity
    facts: Mapping[str, Any] = field(default_factory=dict)
    opt_in: bool = False  # weak evidence: reported only when the rule is selected by name


Check = Callable[[Schema], Iterable[Hit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A lint rule.

    `message` and `fix` are format strings over object, column and the facts of a hit. A fix that
    begins with CREATE, ALTER or DROP is a script that can be applied to the schema.
    `rate` marks a rule that matters only at a high write rate; low-rate tables are exempt.
    `opt_in` marks a rule of style, which runs only when it is selected.
    `once` combines all hits in a schema into one finding, whose `others` names the other objects.
    `bad` is DDL that triggers the rule, `good` is similar DDL that does not; `--explain` shows
    both, and tests check both.
    """

    id: str
    severity: Severity
    evidence: str
    title: str
    why: str
    fix: str
    message: str = ""
    bad: str = ""
    good: str = ""
    rate: bool = False
    opt_in: bool = False
    once: bool = False
    check: Check | None = None


def each_table(check: Callable[[Table], Iterable[Hit]]) -> Check:
    """Return a check of a whole schema that applies `check` to each table."""

    def over_tables(schema: Schema) -> Iterator[Hit]:
        for table in schema.tables.values():
            yield from check(table)

    return over_tables


def each_index(check: Callable[[Index], Iterable[Hit]]) -> Check:
    """Return a check of a whole schema that applies `check` to each secondary index."""

    def over_indexes(schema: Schema) -> Iterator[Hit]:
        for index in schema.indexes.values():
            if not index.search:
                yield from check(index)

    return over_indexes


def hit_on_part(source: Table | Index, ordinal: int = 0, **facts: Any) -> Hit:
    """Return a hit on the key part at the zero-based position `ordinal`."""
    part = source.key[ordinal]
    shown = {"type": part.column.type if part.column else "?"} | facts
    severity, opt_in = shown.pop("severity", None), shown.pop("opt_in", False)
    return Hit(part.position, source.name, part.name, severity, shown, opt_in)


def hit_on(source: Table | Index, column: str | None = None, **facts: Any) -> Hit:
    """Return a hit on a whole table or index; `column` is the column that causes it, if any."""
    severity, opt_in = facts.pop("severity", None), facts.pop("opt_in", False)
    return Hit(source.position, source.name, column, severity, facts, opt_in)
