"""Mutations with their names and values found, before any row is looked at.

What is wrong with one of a commit's mutations as such is therefore reported before what the rows
say to another, in whatever order they stand.
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
    """Ranges of a table's keys. `mutations` is what they count for, however many rows they take."""

    rules: CompiledTable
    ranges: tuple[ByteRange, ...]
    mutations: int


def resolve(
    compiled: CompiledSchema, context: Context, mutation: Mutation
) -> RowsToWrite | RangesToDelete:
    """What a mutation is to do. Raises when it names what does not exist or cannot be written,
    or gives values that cannot be. The context's time bounds commit timestamps in keys.
    """
    rules = compiled.named(mutation.table)
    if rules is None:
        is_view = compiled.schema.view(mutation.table) is not None
        raise (ViewNotWritable if is_view else TableNotFound)(mutation.table)
    if isinstance(mutation, Write):
        plan = plan_of(rules, mutation.kind, mutation.columns)
        if not mutation.rows:
            raise WriteWithoutRows(rules.table.name)
        return RowsToWrite(plan, list(map(plan.decode, mutation.rows)))
    wanted = mutation.key_set
    count = 1 if wanted.all else len(wanted.keys) + len(wanted.ranges)
    return RangesToDelete(rules, DeleteReader(rules, context).ranges(wanted), count)
