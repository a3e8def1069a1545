"""What a rule is: facts for a reader, one example either way, and a small function.

A rule's id says its family: SPN1xx primary keys, 2xx indexes, 3xx interleaving, 4xx foreign keys,
5xx columns, 6xx row deletion, 7xx operations, 8xx workload. The ids are used by everything that
reports on keys: this linter, the detector of hotspots, the plugin.

`check` is None where a schema alone decides nothing: such a rule needs values, load or queries and
is run by the detector. It is listed here all the same, so that it can be explained and ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from spanemu.base.severity import Severity
from spanemu.lint.model import Index, Schema, Table
from spanemu.lint.source import Spot

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO


class Evidence(StrEnum):
    """What a rule must see before it can speak."""

    DDL = "D"
    VALUES = "V"
    LOAD = "L"
    QUERIES = "Q"


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a rule applies; `facts` fill the rule's prose."""

    spot: Spot
    object: str
    column: str | None = None
    severity: Severity | None = None  # where it differs from the rule's
    facts: Mapping[str, Any] = field(default_factory=dict)
    opt_in: bool = False  # weak evidence: reported only when the rule is selected by name


Check = Callable[[Schema], Iterable[Hit]]


@dataclass(frozen=True, slots=True)
class Rule:
    """`says` and `fix` are format strings over object, column and the facts of a hit.

    `rate` marks what only hurts at a high rate of writes: a low-rate table is spared those.
    `opt_in` marks a matter of taste: the rule runs only when it is selected.
    `once` makes one finding of all hits in a schema; `others` in its prose names the rest.
    `bad` fires the rule, `good` is a near miss; both are DDL, shown by `--explain` and tested.
    """

    id: str
    severity: Severity
    evidence: str
    title: str
    why: str
    fix: str
    says: str = ""
    bad: str = ""
    good: str = ""
    rate: bool = False
    opt_in: bool = False
    once: bool = False
    check: Check | None = None


def each_table(check: Callable[[Table], Iterable[Hit]]) -> Check:
    """A check of a whole schema from one of a single table."""

    def over_tables(schema: Schema) -> Iterator[Hit]:
        for table in schema.tables.values():
            yield from check(table)

    return over_tables


def each_index(check: Callable[[Index], Iterable[Hit]]) -> Check:
    """A check of a whole schema from one of a single secondary index on a known table."""

    def over_indexes(schema: Schema) -> Iterator[Hit]:
        for index in schema.indexes.values():
            if not index.search:
                yield from check(index)

    return over_indexes


def at_part(thing: Table | Index, place: int = 0, **facts: Any) -> Hit:
    """A hit on the part of a key at `place`."""
    part = thing.key[place]
    shown = {"type": part.column.type if part.column else "?"} | facts
    severity, opt_in = shown.pop("severity", None), shown.pop("opt_in", False)
    return Hit(part.spot, thing.name, part.name, severity, shown, opt_in)


def at(thing: Table | Index, column: str | None = None, **facts: Any) -> Hit:
    """A hit on a table or index as a whole; `column` is the one to blame, if any."""
    severity, opt_in = facts.pop("severity", None), facts.pop("opt_in", False)
    return Hit(thing.spot, thing.name, column, severity, facts, opt_in)
