"""Rules for the expressions of columns and checks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.ddl.errors.alterations import GeneratedColumnHasDefault
from spanemu.ddl.errors.columns import (
    CommitTimestampDefault,
    CommitTimestampDependency,
    DefaultInvalid,
    DefaultRefersToColumn,
    GeneratedColumnCycle,
    GeneratedColumnInvalid,
    GeneratedKeyDependency,
    OnUpdateInKey,
    OnUpdateMismatch,
    OnUpdateNotCommitTimestamp,
    OnUpdateWithoutDefault,
    PendingDefaultWithoutOption,
    VirtualKeyColumn,
)
from spanemu.ddl.errors.tables import CheckInvalid, CheckOnCommitTimestamp, CheckWithoutColumns
from spanemu.ddl.expressions import stored_expression, without_generated
from spanemu.schema.schema import Schema
from spanemu.schema.table import Check, Column, Table
from spanemu.sql.dialect import StoredExpression
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import BOOL, Type, TypeCode

_SUBQUERY = "Cannot use non-scalar expressions inside {0}."
_NOT_DETERMINISTIC = (
    "Expression is non-deterministic. Expression of {0} must yield the same value for the same "
    "dependent column values."
)
_REMOTE = "Function {0} cannot be called in a column default."
_PENDING = (
    "The PENDING_COMMIT_TIMESTAMP() function may only be used as a value for INSERT or UPDATE of "
    "an appropriately typed column."
)

_Refuse = Callable[[str], SpannerError]


class _RefusedError(Exception):
    """The analyzer's reason for refusing an expression; it never leaves this module."""

    def __init__(self, failure: SpannerError) -> None:
        super().__init__(str(failure))
        self._failure = failure

    def within(self, problem: SpannerError) -> SpannerError:
        """Return the failure of a statement whose text contains the reason."""
        problem.__cause__ = self._failure
        return problem


# ---------------------------------------------------------------------------- defaults


def default_problems(table: Table, column: Column, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with DEFAULT and ON UPDATE of a column."""
    if column.default is not None:
        if column.generated is not None:
            yield GeneratedColumnHasDefault(table.name, column.name)
        yield from _default_problems(table, column, schema)
    yield from _on_update_problems(table, column, schema)


def _default_problems(table: Table, column: Column, schema: Schema) -> Iterator[SpannerError]:
    assert column.default is not None
    try:
        analyzed = _analyzed(column.default, without_generated(table), schema, column.type)
    except _RefusedError as reason:
        yield reason.within(DefaultInvalid(table.name, column.name, str(reason)))
        return
    if analyzed.references:
        yield DefaultRefersToColumn(table.name, column.name)
    if analyzed.has_subquery:
        yield DefaultInvalid(table.name, column.name, _SUBQUERY.format("column default"))
    for function in sorted(analyzed.remote_calls):
        yield DefaultInvalid(table.name, column.name, _REMOTE.format(function))
    if analyzed.pending_commit_timestamp and not column.allow_commit_timestamp:
        yield PendingDefaultWithoutOption(table.name, column.name)
    if column.allow_commit_timestamp and not analyzed.pending_commit_timestamp:
        yield CommitTimestampDefault(table.name, column.name)


def _on_update_problems(table: Table, column: Column, schema: Schema) -> Iterator[SpannerError]:
    if column.on_update is None:
        return
    is_commit_timestamp = dialect_of(schema.dialect).is_commit_timestamp
    if not is_commit_timestamp(column.on_update):
        yield OnUpdateNotCommitTimestamp(table.name, column.name)
    if column.default is None:
        yield OnUpdateWithoutDefault(table.name, column.name)
    elif not is_commit_timestamp(column.default):
        yield OnUpdateMismatch(table.name, column.name)
    if column.id in {part.id for part in table.key_columns}:
        yield OnUpdateInKey(table.name, column.name)


# ---------------------------------------------------------------------------- generated columns


def generated_problems(
    table: Table, new: Mapping[int, Column], schema: Schema
) -> Iterator[SpannerError]:
    """Yield an error for each invalid generated column; `new` holds the added columns by id."""
    seen = without_generated(table)
    uses: dict[int, frozenset[int]] = {}
    for column in table.columns:
        if column.generated is None:
            continue
        try:
            analyzed = _analyzed(column.generated, seen, schema, column.type)
        except _RefusedError as reason:
            yield reason.within(GeneratedColumnInvalid(table.name, column.name, str(reason)))
            continue
        uses[column.id] = frozenset(reference.id for reference in analyzed.references)
        if column.id in new:
            yield from _generated_problems(table, column, analyzed)
    cycles = list(_cycle_problems(table, uses))
    yield from cycles or _token_list_problems(table, uses, schema)
    for column in table.key_columns:
        if column.id in new and column.id in uses:
            yield from _generated_key_problems(table, column, uses[column.id])


def _token_list_problems(
    table: Table, uses: Mapping[int, frozenset[int]], schema: Schema
) -> Iterator[SpannerError]:
    """Yield an error for each token list that cannot be made of the token lists that it refers to.

    That depends on their expressions, with which each list is analyzed once more.
    """
    lists = {column.id for column in table.columns if column.type.code is TypeCode.TOKENLIST}
    for column in table.columns:
        if (
            column.id not in lists
            or column.generated is None
            or lists.isdisjoint(uses.get(column.id, ()))
        ):
            continue
        try:
            _analyzed(column.generated, table, schema, column.type)
        except _RefusedError as reason:
            yield reason.within(GeneratedColumnInvalid(table.name, column.name, str(reason)))


def _generated_problems(
    table: Table, column: Column, analyzed: StoredExpression
) -> Iterator[SpannerError]:
    def refuse(reason: str) -> SpannerError:
        return GeneratedColumnInvalid(table.name, column.name, reason)

    yield from _impure_problems(analyzed, refuse, "generated columns")
    for used in analyzed.references:
        if used.allow_commit_timestamp:
            yield CommitTimestampDependency(column.name, used.name)


def _impure_problems(
    analyzed: StoredExpression, refuse: _Refuse, owner: str
) -> Iterator[SpannerError]:
    if analyzed.has_subquery:
        yield refuse(_SUBQUERY.format(owner))
    if analyzed.pending_commit_timestamp:
        yield refuse(_PENDING)
    if not analyzed.is_deterministic:
        yield refuse(_NOT_DETERMINISTIC.format(owner))


def _generated_key_problems(
    table: Table, column: Column, uses: frozenset[int]
) -> Iterator[SpannerError]:
    if not column.stored:
        yield VirtualKeyColumn(table.name, column.name)
    key = {part.id for part in table.key_columns}
    outside = []
    for used in table.columns:
        if used.id not in uses:
            continue
        if used.generated is not None:
            yield _key_problem(table, column, used, "it is a generated column")
        elif used.id not in key:
            outside.append(used)
            if used.default is not None:
                yield _key_problem(table, column, used, "it has a DEFAULT value")
    for used in outside[1:]:
        yield _key_problem(table, column, used, "only one non-key column can be used")


def _key_problem(table: Table, column: Column, used: Column, reason: str) -> SpannerError:
    return GeneratedKeyDependency(table.name, column.name, used.name, reason)


def _cycle_problems(table: Table, uses: Mapping[int, frozenset[int]]) -> Iterator[SpannerError]:
    waiting = dict(uses)
    while waiting:
        ready = [id_ for id_, used in waiting.items() if not used & waiting.keys()]
        if not ready:
            names = ",".join(column.name for column in table.columns if column.id in waiting)
            yield GeneratedColumnCycle(names)
            return
        for id_ in ready:
            del waiting[id_]


# ---------------------------------------------------------------------------- checks


def check_problems(table: Table, check: Check, schema: Schema) -> Iterator[SpannerError]:
    """Yield the problems with a check."""

    def refuse(reason: str) -> SpannerError:
        return CheckInvalid(table.name, check.name, check.expression, reason)

    try:
        analyzed = _analyzed(check.expression, without_generated(table), schema, BOOL)
    except _RefusedError as reason:
        yield reason.within(refuse(str(reason)))
        return
    yield from _impure_problems(analyzed, refuse, "check constraints")
    for used in analyzed.references:
        if used.allow_commit_timestamp:
            yield CheckOnCommitTimestamp(check.name, used.name)
    if not analyzed.references:
        yield CheckWithoutColumns(table.name, check.name, check.expression)


def _analyzed(text: str, table: Table, schema: Schema, type_: Type) -> StoredExpression:
    try:
        return stored_expression(text, table, schema, type_)
    except Unsupported:
        raise
    except SpannerError as failure:
        raise _RefusedError(failure) from None
