"""Views: CREATE VIEW and DROP VIEW."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.ddl.errors.objects import (
    TooManyViews,
    ViewInvalid,
    ViewNamedAsFunction,
    ViewNestedTooDeeply,
    ViewNotFound,
    ViewReplacementInvalid,
    ViewWithoutSecurity,
)
from spanemu.ddl.expressions import refuse_views_in_views, with_checked_views
from spanemu.ddl.expressions import views_over as views_using
from spanemu.ddl.kinds.kind import ObjectKind, privileges_on, views_over
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.property_graphs import graphs_over_problems, graphs_over_view_problems
from spanemu.schema.objects import View
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast
from spanemu.sql.dialect import ViewShape
from spanemu.sql.dialects import dialect_of
from spanemu.sql.planner.build import plan_statement
from spanemu.sql.planner.planning import NullFilteredIndexUnusable


def _view(statement: ddl_ast.CreateView, before: View | None, schema: Schema) -> View:
    name = str(statement.name)
    if before is None and dialect_of(schema.dialect).catalog.lookup(name) is not None:
        raise ViewNamedAsFunction(name)
    if statement.security is None:
        raise ViewWithoutSecurity(name)
    shape = _shape(statement, schema, replaces=before is not None)
    for used in shape.depends_on:
        function = schema.functions.get(schema.fold(used))
        if function is not None:
            refuse_views_in_views(function)
    return View(
        name,
        dialect_of(schema.dialect).canonical_view(statement.query.text, schema),
        shape.columns,
        invoker_rights=statement.security == "INVOKER",
        depends_on=shape.depends_on,
    )


def _shape(statement: ddl_ast.CreateView, schema: Schema, *, replaces: bool) -> ViewShape:
    name = str(statement.name)
    try:
        shape = dialect_of(schema.dialect).analyze_view(statement.query.text, schema)
    except Unsupported:
        raise
    except SpannerError as failure:
        if replaces:
            raise ViewReplacementInvalid(name, str(failure)) from None
        raise ViewInvalid(name, str(failure)) from None
    if name in shape.depends_on:
        raise ViewReplacementInvalid(name, "the view is recursive")
    return shape


def _with_checks(before: View | None, after: View, schema: Schema) -> Schema:
    if before is not None:
        schema = with_checked_views(schema, (after.name,), "VIEW", after.name)
        raise_first(graphs_over_view_problems(schema, after))
    _check_nesting(after, schema)
    _check_forced_indexes(after, schema)
    return schema


def _check_nesting(view: View, schema: Schema) -> None:
    """Raise ViewNestedTooDeeply if the view, or a view above it, stands on too many levels."""
    limit = schema.limits.view_depth
    below = {schema.fold(view.name)}
    levels = 0
    while below := _views_below(below, schema):
        levels += 1
        if levels > limit:
            raise ViewNestedTooDeeply(view.name, limit)
    above = [view]
    while above := _views_above(above, schema):
        levels += 1
        if levels > limit:
            raise ViewNestedTooDeeply(above[0].name, limit)


def _views_below(names: set[str], schema: Schema) -> set[str]:
    used = {schema.fold(name) for view in names for name in schema.views[view].depends_on}
    return used & schema.views.keys()


def _views_above(views: list[View], schema: Schema) -> list[View]:
    return list(views_using(schema, {view.name for view in views}))


def _check_forced_indexes(view: View, schema: Schema) -> None:
    """Raise ViewInvalid if a forced index lacks rows of every possible query of the view.

    A query that asks for no NULL in any column of the view needs the fewest rows.
    """
    if "force_index" not in view.query.lower():
        return
    dialect = dialect_of(schema.dialect)
    conditions = " AND ".join(f"{dialect.quoted(name)} IS NOT NULL" for name, _ in view.columns)
    sql = f"SELECT 1 FROM {dialect.quoted_path(view.name)} WHERE {conditions}"
    try:
        statement = dialect.resolve(sql, schema, {})
        plan_statement(statement, schema, _EMPTY)
    except NullFilteredIndexUnusable as failure:
        raise ViewInvalid(view.name, str(failure)) from None
    except SpannerError:
        return  # Later queries may succeed, for example when an index has been filled.


class _EmptyTables:
    """Statistics of tables without rows; which plan is best does not matter here."""

    def row_count_estimate(self, table: Table) -> int:
        return 0


_EMPTY = _EmptyTables()


def _graphs_over(dropped: View, schema: Schema) -> Iterator[SpannerError]:
    return graphs_over_problems(schema, "VIEW", dropped.name)


def _depends_on(view: View, _schema: Schema) -> Iterable[tuple[str, str]]:
    return ((used, "reads") for used in sorted(view.depends_on))


VIEW = ObjectKind(
    words="VIEW",
    label="View",
    field="views",
    create=ddl_ast.CreateView,
    define=_view,
    drop=ddl_ast.DropView,
    settle=_with_checks,
    limit="views",
    not_found=ViewNotFound,
    too_many=TooManyViews,
    privileges=frozenset({"SELECT"}),
    dependents=(views_over("VIEW"), _graphs_over, privileges_on("VIEW")),
    depends_on=_depends_on,
    needs=lambda view: sorted(view.depends_on, key=str.lower),
)
