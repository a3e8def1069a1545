"""The resolution of mutations: names and values are checked before any row is read.

So an error in a mutation itself is reported before an error that depends on rows, whatever the
order of the mutations.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from spanemu.sql.executor.reader import ByteRange
from spanemu.sql.functions.registry import Context
from spanemu.txn.errors.requests import TableNotFound, ViewNotWritable, WriteWithoutRows
from spanemu.txn.key_sets import DeleteReader
from spanemu.txn.rules import CompiledSchema, CompiledTable
from spanemu.txn.write_plan import WritePlan, plan_of
from spanemu.values.mutation import Mutation, Write


class RowsToWrite(NamedTuple):
    """Rows as Python values, each in the order of the plan's columns."""

    plan: WritePlan
    rows: list[list[Any]]


class RangesToDelete(NamedTuple):
    """Key ranges of a table to delete.

    `mutations` is what the ranges count for, however many rows they hold.
    """

    rules: CompiledTable
    ranges: tuple[ByteRange, ...]
    mutations: int


def resolve(
    compiled_schema: CompiledSchema, context: Context, mutation: Mutation
) -> RowsToWrite | RangesToDelete:
    """Return the rows to write or the ranges to delete for a mutation.

    Raise when it names an object that does not exist or cannot be written, or has invalid values.
    The time of `context` bounds commit timestamps in keys.
    """
    rules = compiled_schema.named(mutation.table)
    if rules is None:
        is_view = compiled_schema.schema.view(mutation.table) is not None
        raise (ViewNotWritable if is_view else TableNotFound)(mutation.table)
    if isinstance(mutation, Write):
        plan = plan_of(rules, mutation.kind, mutation.columns)
        if not mutation.rows:
            raise WriteWithoutRows(rules.table.name)
        return RowsToWrite(plan, list(map(plan.decode, mutation.rows)))
    key_set = mutation.key_set
    count = 1 if key_set.all else len(key_set.keys) + len(key_set.ranges)
    return RangesToDelete(rules, DeleteReader(rules, context).ranges(key_set), count)
