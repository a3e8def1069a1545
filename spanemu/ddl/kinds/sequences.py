"""Sequences that users create."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from collections.abc import Sequence as Items
from dataclasses import replace

from spanemu.base.errors import SpannerError
from spanemu.base.identifiers import split_name
from spanemu.ddl.change import Data, Job
from spanemu.ddl.errors.objects import (
    BadSequenceOption,
    SequenceClausesAndOptions,
    SequenceInUse,
    SequenceKindMissing,
    SequenceKindUnknown,
    SequenceNotFound,
    SkipRangeIncomplete,
)
from spanemu.ddl.expressions import sequences_of_default
from spanemu.ddl.kinds.kind import ObjectKind, privileges_on, views_over
from spanemu.ddl.kinds.rows import OPTION, ObjectTable, Rows, option_rows
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.options import distinct_options, sequence_problems
from spanemu.schema.objects import SEQUENCE_NUMBERS, Sequence
from spanemu.schema.option_text import shown_value
from spanemu.schema.schema import Schema
from spanemu.sql import ddl_ast
from spanemu.sql.ddl_ast import OptionValue
from spanemu.storage.observer import TreeWrite

_BIT_REVERSED = "bit_reversed_positive"

Statement = ddl_ast.CreateSequence | ddl_ast.AlterSequence


def _sequence(statement: Statement, before: Sequence | None, schema: Schema) -> Sequence:
    if before is None:
        name = str(statement.name)
        before = Sequence(name, schema.next_id, kind_written=False, by_options=False)
    sequence = _described(before, statement.clauses, statement.options)
    raise_first(sequence_problems(sequence.skip_range, sequence.start_counter))
    if not sequence.kind_written and not schema.options.get("default_sequence_kind"):
        raise SequenceKindMissing(sequence.name)
    return sequence


def _described(
    before: Sequence, clauses: ddl_ast.SequenceClauses, options: ddl_ast.Options | None
) -> Sequence:
    """Return a sequence after its clauses or options; a sequence may not have both."""
    if options is not None:
        if not clauses.is_empty or (_is_described(before) and not before.by_options):
            raise SequenceClausesAndOptions(before.name)
        return replace(_by_options(before, distinct_options(options)), by_options=True)
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
    numbers: dict[str, int | None] = dict(
        zip(SEQUENCE_NUMBERS, (low, high, before.start_counter), strict=True)
    )
    kind_written = before.kind_written
    for name, value in options.items():
        if name == "sequence_kind":
            if value is not None and value != _BIT_REVERSED:
                raise SequenceKindUnknown(shown_value(value))
            kind_written = value is not None
        elif name in SEQUENCE_NUMBERS and (value is None or type(value) is int):
            numbers[name] = value
        else:
            raise BadSequenceOption(before.name, name)
    low, high, counter = (numbers[name] for name in SEQUENCE_NUMBERS)
    if (low is None) != (high is None):
        raise SkipRangeIncomplete
    skip_range = None if low is None or high is None else (low, high)
    return replace(before, kind_written=kind_written, skip_range=skip_range, start_counter=counter)


def _jobs(statement: ddl_ast.DdlStatement, sequence: Sequence) -> Items[Job]:
    if not isinstance(statement, ddl_ast.AlterSequence):
        return ()
    options = ddl_ast.options_by_name(statement.options)
    restarts = statement.clauses.counter is not None or "start_with_counter" in options
    return [restart_counter(sequence)] if restarts else ()


def restart_counter(sequence: Sequence) -> Job:
    """Return the job that resets a counter: the next value comes from the start counter."""

    def job(data: Data) -> list[TreeWrite]:
        data.store.sequences.pop(sequence.id, None)
        return []

    return job


def _defaults_over(dropped: Sequence, schema: Schema) -> Iterator[SpannerError]:
    name = schema.fold(dropped.name)
    for table in schema.tables.values():
        for column in table.columns:
            # Most defaults do not even contain the name: no need to analyze them.
            if column.default is None or name.rpartition(".")[2] not in schema.fold(column.default):
                continue
            used = sequences_of_default(column, table, schema)
            if name in {schema.fold(other) for other in used}:
                yield SequenceInUse(dropped.name, table.name, column.name)


# ---------------------------------------------------------------------------- text and rows


def _is_printed(sequence: Sequence) -> bool:
    return not sequence.internal


def _rows(schema: Schema) -> Rows:
    for sequence in SEQUENCE.printed(schema):
        yield "", *split_name(sequence.name), "INT64"


def _option_rows(schema: Schema) -> Rows:
    for sequence in SEQUENCE.printed(schema):
        yield from option_rows(sequence.name, sequence.settings)


_KEY = "*CATALOG *SCHEMA *NAME"

SEQUENCE = ObjectKind(
    words="SEQUENCE",
    label="Sequence",
    field="sequences",
    found_in_any_case=True,
    create=ddl_ast.CreateSequence,
    define=_sequence,
    alter=ddl_ast.AlterSequence,
    redefine=_sequence,
    drop=ddl_ast.DropSequence,
    jobs=_jobs,
    not_found=SequenceNotFound,
    privileges=frozenset({"SELECT", "UPDATE"}),
    dependents=(_defaults_over, views_over("SEQUENCE"), privileges_on("SEQUENCE")),
    is_printed=_is_printed,
    tables=(
        ObjectTable("SEQUENCES", f"{_KEY} !DATA_TYPE", _rows, by_privilege=True),
        ObjectTable("SEQUENCE_OPTIONS", f"{_KEY} {OPTION}", _option_rows, by_privilege=True),
    ),
)
