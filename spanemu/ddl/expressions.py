"""SQL inside a schema: the objects that expressions refer to, and the views that depend on objects.

Here DDL calls the analyzer. `validators.expressions` decides whether the result is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from typing import Any

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.ddl.errors.objects import ViewBecomesInvalid, ViewsDepend, ViewsDependOnType
from spanemu.ddl.errors.routines import FunctionBecomesInvalid, FunctionsDepend
from spanemu.schema.objects import UserFunction, View
from spanemu.schema.schema import Schema
from spanemu.schema.shared_maps import with_names
from spanemu.schema.table import Column, Table
from spanemu.sql import syntax_tree as ast
from spanemu.sql.dialect import StoredExpression
from spanemu.sql.dialects import dialect_of
from spanemu.values.types import BOOL, Type


def without_generated(table: Table) -> Table:
    """Return the table with its generated columns as regular columns.

    The analyzer expands virtual columns. Without them, an expression refers to exactly the columns
    that it names, and columns that are computed from each other cause no endless expansion.
    """
    if all(column.generated is None for column in table.columns):
        return table
    columns = tuple(
        column if column.generated is None else replace(column, generated=None, stored=True)
        for column in table.columns
    )
    return replace(table, columns=columns)


def stored_expression(text: str, table: Table, schema: Schema, type_: Type) -> StoredExpression:
    """Analyze `text` over a row of a `without_generated` table. Raises AnalysisError."""
    return dialect_of(schema.dialect).analyze_expression(text, table, schema, expected=type_)


def canonical_column(column: Column, table: Table, schema: Schema) -> Column:
    """Return a valid column of a table with its expressions as the schema keeps them."""
    dialect = dialect_of(schema.dialect)
    seen = without_generated(table)

    def canonical(text: str | None) -> str | None:
        if text is None:
            return None
        return dialect.canonical_expression(text, seen, schema, column.type)

    after = replace(
        column,
        default=canonical(column.default),
        generated=canonical(column.generated),
        on_update=canonical(column.on_update),
    )
    return column if after == column else after


def canonical_check(expression: str, table: Table, schema: Schema) -> str:
    """Return the expression of a valid check as the schema keeps it."""
    dialect = dialect_of(schema.dialect)
    return dialect.canonical_expression(expression, without_generated(table), schema, BOOL)


def columns_of_generated(table: Table, schema: Schema) -> dict[int, frozenset[int]]:
    """Return the ids of the columns that each generated column names, by its id."""
    seen = without_generated(table)
    return {
        column.id: _references(column.generated, seen, schema, column.type)
        for column in table.columns
        if column.generated is not None
    }


def columns_of_checks(table: Table, schema: Schema) -> dict[str, frozenset[int]]:
    """Return the ids of the columns that each check names, by the check's name."""
    seen = without_generated(table)
    return {check.name: _references(check.expression, seen, schema, BOOL) for check in table.checks}


def sequences_of_default(column: Column, table: Table, schema: Schema) -> frozenset[str]:
    """Return the names of the sequences that a column's default draws from."""
    if column.default is None:
        return frozenset()
    return stored_expression(
        column.default, without_generated(table), schema, column.type
    ).sequences


def functions_of(text: str, schema: Schema) -> frozenset[str]:
    """Return the folded names of the functions that an expression calls."""
    names: set[str] = set()
    waiting: list[Any] = [dialect_of(schema.dialect).parse_expression(text)]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Call):
            called = schema.fold(str(node.function))
            names |= {called, called.removeprefix("safe.")}
        if isinstance(node, tuple):
            waiting.extend(node)
        elif isinstance(node, ast.Node):
            waiting.extend(vars(node).values())
    return frozenset(names)


def _references(text: str, table: Table, schema: Schema, type_: Type) -> frozenset[int]:
    analyzed = stored_expression(text, table, schema, type_)
    return frozenset(column.id for column in analyzed.references)


def element_row(schema: Schema, name: str) -> Table | None:
    """Return the columns of a table or view for an element of a graph; a view has no key."""
    table = schema.tables.get(schema.fold(name))
    if table is not None:
        return without_generated(table)
    view = schema.views.get(schema.fold(name))
    if view is None:
        return None
    columns = tuple(
        Column(column, type_, id=position + 1, position=position)
        for position, (column, type_) in enumerate(view.columns)
    )
    return Table(view.name, 0, columns, (), fold=schema.fold)


OnInvalid = Callable[[View, str], SpannerError]


def views_over(schema: Schema, names: Collection[str]) -> Iterator[View]:
    """Yield the views that use any of these objects directly."""
    wanted = {schema.fold(name) for name in names}
    for view in schema.views.values():
        if any(schema.fold(used) in wanted for used in view.depends_on):
            yield view


def dependent_view_problems(schema: Schema, words: str, name: str) -> Iterator[SpannerError]:
    """Yield the errors for an object to drop that views or functions use."""
    views = [view.name for view in views_over(schema, (name,))]
    if views:
        yield ViewsDepend(words, name, ",".join(views))
    if functions := [function.name for function in functions_over(schema, (name,))]:
        yield FunctionsDepend(words, name, ", ".join(functions))


def analyzed_body(
    function: UserFunction, schema: Schema, expected: Type | None
) -> StoredExpression:
    """Return the analysis of a function's body, with the parameters as columns of a row."""
    assert function.body is not None
    columns = tuple(
        Column(parameter.name, parameter.type, id=position + 1, position=position)
        for position, parameter in enumerate(function.parameters)
    )
    row = Table(function.name, 0, columns, ())
    analyze = dialect_of(schema.dialect).analyze_expression
    return analyze(function.body, row, schema, expected=expected)


def refuse_views_in_views(function: UserFunction) -> None:
    """Refuse a function that a view calls and that reads a view itself.

    The text of a schema has functions over views behind all views.
    """
    if function.reads_views:
        raise Unsupported(f"A view that calls a function that reads a view ({function.name})")


def functions_over(schema: Schema, names: Collection[str]) -> Iterator[UserFunction]:
    """Yield the functions whose bodies use any of these objects."""
    wanted = {schema.fold(name) for name in names}
    for function in schema.functions.values():
        if any(schema.fold(used) in wanted for used in function.depends_on):
            yield function


def with_checked_views(
    schema: Schema, changed: Collection[str], kind: str, name: str, invalid: OnInvalid | None = None
) -> Schema:
    """Return the schema after analyzing every view and function over `changed` again.

    Error messages call the changed object by `kind` and `name`. `invalid` makes the error for a
    view whose query has become invalid.
    """
    for function in functions_over(schema, changed):
        try:
            analyzed_body(function, schema, function.returns)
        except SpannerError as failure:
            raise FunctionBecomesInvalid(kind, name, function.name, str(failure)) from None
    if not schema.views:
        return schema
    views = {}
    for view in views_over(schema, changed):
        try:
            shape = dialect_of(schema.dialect).analyze_view(view.query, schema)
        except SpannerError as failure:
            if invalid is not None:
                raise invalid(view, str(failure)) from None
            raise ViewBecomesInvalid(kind, name, view.name, str(failure)) from None
        if shape.columns != view.columns:
            raise ViewsDependOnType(kind, name, view.name)
        if shape.depends_on != view.depends_on:
            views[schema.fold(view.name)] = replace(view, depends_on=shape.depends_on)
    return schema.next(views=with_names(schema.views, views)) if views else schema
