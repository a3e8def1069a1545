"""CREATE SEQUENCE, ALTER SEQUENCE and DROP SEQUENCE."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from spanemu.ddl.change import Change, Data, Job
from spanemu.ddl.edit import with_sequences, without_sequence
from spanemu.ddl.errors.names import SequenceNotFound
from spanemu.ddl.errors.objects import (
    BadSequenceOption,
    SequenceClausesAndOptions,
    SequenceInUse,
    SequenceKindMissing,
    SequenceKindUnknown,
    SkipRangeIncomplete,
)
from spanemu.ddl.expressions import sequences_of_default
from spanemu.ddl.lookup import find_sequence
from spanemu.ddl.references import refuse_drop_under_views
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.names import object_name_problems
from spanemu.ddl.validators.options import sequence_problems
from spanemu.ddl.validators.users import grant_user_problems
from spanemu.schema.objects import Sequence
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import OptionValue
from spanemu.storage.observer import TreeWrite

_KIND = "bit_reversed_positive"
_NUMBERS = ("skip_range_min", "skip_range_max", "start_with_counter")


def create_sequence(statement: ddl_ast.CreateSequence, schema: Schema) -> Change:
    """A new sequence, described by clauses or by options."""
    name = str(statement.name)
    if statement.if_not_exists and find_sequence(schema, statement.name) is not None:
        return Change(schema)
    raise_first(object_name_problems("Sequence", name, schema))
    plain = Sequence(name, schema.next_id, kind_written=False, by_options=False)
    sequence = _described(plain, statement.clauses, statement.options)
    return Change(with_sequences(schema, [_judged(sequence, schema)]))


def alter_sequence(statement: ddl_ast.AlterSequence, schema: Schema) -> Change:
    """Another range or counter, in the form in which the sequence was described before."""
    before = find_sequence(schema, statement.name)
    if before is None:
        if statement.if_exists:
            return Change(schema)
        raise SequenceNotFound(str(statement.name))
    after = _judged(_described(before, statement.clauses, statement.options), schema)
    options = ddl_ast.options_by_name(statement.options)
    restarts = statement.clauses.counter is not None or "start_with_counter" in options
    jobs = [restart_counter(after)] if restarts else []
    if after == before and not jobs:
        return Change(schema)
    return Change(with_sequences(schema, [after]), jobs)


def drop_sequence(statement: ddl_ast.DropSequence, schema: Schema) -> Change:
    """Take a sequence away, unless a default draws from it."""
    sequence = find_sequence(schema, statement.name)
    if sequence is None:
        if statement.if_exists:
            return Change(schema)
        raise SequenceNotFound(str(statement.name))
    _refuse_used(sequence, schema)
    refuse_drop_under_views(schema, "SEQUENCE", sequence.name)
    raise_first(grant_user_problems(schema, "SEQUENCE", sequence.name))
    return Change(without_sequence(schema, sequence.name))


def restart_counter(sequence: Sequence) -> Job:
    """Forget what was drawn, so that the next value comes from the start counter."""

    def job(data: Data) -> list[TreeWrite]:
        data.store.sequences.pop(sequence.id, None)
        return []

    return job


# ---------------------------------------------------------------------------- description


def _described(
    before: Sequence, clauses: ddl_ast.SequenceClauses, options: ddl_ast.Options | None
) -> Sequence:
    if options is not None:
        if not clauses.is_empty or (_is_described(before) and not before.by_options):
            raise SequenceClausesAndOptions(before.name)
        return replace(_by_options(before, ddl_ast.options_by_name(options)), by_options=True)
    if not clauses.is_empty and _is_described(before) and before.by_options:
        raise SequenceClausesAndOptions(before.name)
    return replace(
        before,
        by_options=before.by_options and clauses.is_empty,
        kind_written=before.kind_written or clauses.bit_reversed_positive,
        skip_range=None if clauses.no_skip_range else clauses.skip_range or before.skip_range,
        start_counter=before.start_counter if clauses.counter is None else clauses.counter,
    )


def _is_described(sequence: Sequence) -> bool:
    return sequence.kind_written or bool(sequence.skip_range or sequence.start_counter)


def _by_options(before: Sequence, options: Mapping[str, OptionValue]) -> Sequence:
    low, high = before.skip_range or (None, None)
    numbers: dict[str, int | None] = {
        "skip_range_min": low,
        "skip_range_max": high,
        "start_with_counter": before.start_counter,
    }
    kind_written = before.kind_written
    for name, value in options.items():
        if name == "sequence_kind":
            if value is not None and value != _KIND:
                raise SequenceKindUnknown(str(value))
            kind_written = value is not None
        elif name in _NUMBERS and (value is None or type(value) is int):
            numbers[name] = value
        else:
            raise BadSequenceOption(before.name, name)
    low, high, counter = (numbers[name] for name in _NUMBERS)
    if (low is None) != (high is None):
        raise SkipRangeIncomplete
    skip_range = None if low is None or high is None else (low, high)
    return replace(before, kind_written=kind_written, skip_range=skip_range, start_counter=counter)


def _judged(sequence: Sequence, schema: Schema) -> Sequence:
    raise_first(sequence_problems(sequence.skip_range, sequence.start_counter))
    if not sequence.kind_written and not schema.options.get("default_sequence_kind"):
        raise SequenceKindMissing(sequence.name)
    return sequence


def _refuse_used(sequence: Sequence, schema: Schema) -> None:
    name = sequence.name.lower()
    for table in schema.tables.values():
        for column in table.columns:
            # Most defaults do not even contain the name: no need to analyze them.
            if column.default is None or name.rpartition(".")[2] not in column.default.lower():
                continue
            used = sequences_of_default(column, table, schema)
            if name in {other.lower() for other in used}:
                raise SequenceInUse(sequence.name, table.name, column.name)
