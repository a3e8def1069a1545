"""CREATE VIEW and DROP VIEW."""

from __future__ import annotations

from spanemu.base.errors import SpannerError, Unsupported
from spanemu.ddl.change import Change
from spanemu.ddl.errors.names import ViewNotFound
from spanemu.ddl.errors.objects import (
    TooManyViews,
    ViewInvalid,
    ViewNamedAsFunction,
    ViewNestedTooDeeply,
    ViewReplacementInvalid,
    ViewWithoutSecurity,
)
from spanemu.ddl.lookup import find_view
from spanemu.ddl.references import refuse_drop_under_views, with_checked_views
from spanemu.ddl.validators import raise_first
from spanemu.ddl.validators.names import object_name_problems
from spanemu.ddl.validators.property_graphs import graphs_over_problems
from spanemu.ddl.validators.users import grant_user_problems
from spanemu.schema.names import with_name, without_name
from spanemu.schema.objects import View
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import ddl_ast
from spanemu.sql.dialect import ViewShape
from spanemu.sql.dialects import dialect_of
from spanemu.sql.planner.build import plan_statement
from spanemu.sql.planner.errors import NullFilteredIndexUnusable


def create_view(statement: ddl_ast.CreateView, schema: Schema) -> Change:
    """A named query, or another query for a name."""
    name = str(statement.name)
    before = find_view(schema, statement.name)
    if before is not None and statement.if_not_exists:
        return Change(schema)
    if before is None or not statement.or_replace:
        _judge_name(name, schema)
        before = None
    if statement.security is None:
        raise ViewWithoutSecurity(name)
    shape = _shape(statement, schema, replaces=before is not None)
    view = View(
        name,
        statement.query.text,
        shape.columns,
        invoker_rights=statement.security == "INVOKER",
        depends_on=shape.depends_on,
    )
    following = schema.next(views=with_name(schema.views, name.lower(), view))
    if before is not None:
        following = with_checked_views(following, (name,), "VIEW", name)
    _check_nesting(view, following)
    _check_forced_indexes(view, following)
    return Change(following)


def _judge_name(name: str, schema: Schema) -> None:
    raise_first(object_name_problems("View", name, schema))
    if dialect_of(schema.dialect).catalog.lookup(name) is not None:
        raise ViewNamedAsFunction(name)
    if len(schema.views) >= schema.limits.views:
        raise TooManyViews(name, schema.limits.views)


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


def _check_nesting(view: View, schema: Schema) -> None:
    below = {view.name.lower()}
    for depth in range(schema.limits.view_depth + 1):
        views = [schema.views[name] for name in below]
        below = {
            name.lower() for v in views for name in v.depends_on if name.lower() in schema.views
        }
        if not below:
            return
        if depth == schema.limits.view_depth - 1:
            raise ViewNestedTooDeeply(view.name, schema.limits.view_depth)


def _check_forced_indexes(view: View, schema: Schema) -> None:
    """Refuse a view that no query can read, as a forced index lacks rows of every answer.

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
        return  # An index that is still being filled, say: later queries may do.


class _EmptyTables:
    """Statistics of tables without rows: which plan is best does not matter here."""

    def row_count_estimate(self, table: Table) -> int:
        """Return that a table has no rows."""
        return 0


_EMPTY = _EmptyTables()


def drop_view(statement: ddl_ast.DropView, schema: Schema) -> Change:
    """Take a view away, unless another uses it."""
    view = find_view(schema, statement.name)
    if view is None:
        if statement.if_exists:
            return Change(schema)
        raise ViewNotFound(str(statement.name))
    refuse_drop_under_views(schema, "VIEW", view.name)
    raise_first(graphs_over_problems(schema, "VIEW", view.name))
    raise_first(grant_user_problems(schema, "VIEW", view.name))
    return Change(schema.next(views=without_name(schema.views, view.name.lower())))
