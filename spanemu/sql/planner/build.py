"""The steps from a resolved statement to its plan.

resolved --translate--> logical nodes --RULES--> --prune--> --physical.choose--> --narrow--> plan
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, TypedDict

from spanemu.base.call import current
from spanemu.base.deep_stack import deep_stack
from spanemu.base.errors import Unsupported
from spanemu.schema.indexes import SortedIndex
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql import resolved
from spanemu.sql.plan.nodes import Columns, Node
from spanemu.sql.plan.statements import (
    CallPlan,
    Conflict,
    DeletePlan,
    InsertPlan,
    Plan,
    QueryPlan,
    UpdatePlan,
)
from spanemu.sql.plan.traverse import map_parts
from spanemu.sql.planner import search_rules, search_scores
from spanemu.sql.planner.fold import fold
from spanemu.sql.planner.physical import choose, choose_in
from spanemu.sql.planner.planning import Planning, PlanTooDeep, Statistics
from spanemu.sql.planner.prune import ids_of, narrow, prune, prune_expression
from spanemu.sql.planner.rules import EARLY_RULES, LATE_RULES, PLAIN_RULES, RULES, rewrite
from spanemu.sql.planner.translate import Translator
from spanemu.sql.resolved import Expr
from spanemu.values.types import Type


@deep_stack()
def plan_statement(
    statement: resolved.Statement,
    schema: Schema,
    statistics: Statistics,
    *,
    by_partition: bool = False,
    accelerates: bool = True,
) -> Plan:
    """Return the plan for a statement under a schema, for the current table sizes.

    `by_partition` says that the plan should run partition by partition (`plan.partitionable`). With
    `accelerates`, a query may read search indexes that it does not ask for.
    """
    current().check()  # Parsing and analyzing a very long statement takes a while.
    is_query = isinstance(statement, resolved.QueryStatement) and not statement.for_update
    planning = Planning(
        schema,
        statistics,
        statement.hints,
        by_partition=by_partition,
        accelerates=accelerates and is_query,
    )
    builder = _Builder(planning, statement)
    try:
        plan = _STATEMENTS[type(statement)](builder, statement)
    except RecursionError:
        raise PlanTooDeep() from None
    if planning.reads_tokens or schema.search_indexes:
        search_rules.check_statement(plan, statement)
    return plan


class _Builder:
    """A planner of the queries and expressions of one statement."""

    def __init__(self, planning: Planning, statement: resolved.Statement) -> None:
        self.planning = planning
        self.translator = Translator(planning)
        self.parameters = tuple(statement.parameters.items())

    def query(self, scan: resolved.Scan, outputs: Columns) -> tuple[Node, Columns]:
        """Return a finished plan for a scan, and its columns that correspond to `outputs`."""
        node, columns = self.translator.query(scan, outputs)
        if self.planning.reads_tokens:
            search_rules.check_places(node, self.planning)
        if self.translator.has_common_tables or self.translator.has_subqueries:
            node = rewrite(node, EARLY_RULES, self.planning)
        rules = RULES if self.translator.has_subqueries else PLAIN_RULES
        node = rewrite(node, rules, self.planning)
        node = prune(node, ids_of(columns))
        node = rewrite(node, LATE_RULES, self.planning)
        finished = choose(node, None, self.planning)
        if self.planning.reads_tokens:
            search_rules.check_plan(finished)
            finished = search_scores.push_scores(finished, self.planning)
        return narrow(finished, columns), columns

    def expr(self, expr: Expr) -> Expr:
        """Plan an expression outside of any query, such as those of THEN RETURN."""

        def on_node(node: Node) -> Node:
            node = rewrite(node, EARLY_RULES, self.planning)
            return rewrite(node, RULES, self.planning)

        def on_expr(inner: Expr) -> Expr:
            return map_parts(inner, on_node, on_expr)

        ready = prune_expression(on_expr(fold(self.translator.expr(expr))))
        return choose_in(ready, self.planning)

    def returning(self, clause: resolved.ReturningClause | None) -> resolved.ReturningClause | None:
        """Plan the expressions of THEN RETURN."""
        if clause is None:
            return None
        computed = tuple([(column, self.expr(value)) for column, value in clause.computed])
        return replace(clause, computed=computed)


def _query(builder: _Builder, statement: resolved.QueryStatement) -> Plan:
    root, outputs = builder.query(
        statement.scan, tuple([output.column for output in statement.output])
    )
    names = tuple([output.name for output in statement.output])
    return QueryPlan(names, builder.parameters, root, outputs)


def _call(builder: _Builder, statement: resolved.CallStatement) -> Plan:
    root, outputs = builder.query(
        statement.scan, tuple([output.column for output in statement.output])
    )
    return CallPlan((), builder.parameters, root, outputs, statement.procedure)


class _Common(TypedDict):
    """The fields that the plans of all DML statements share."""

    names: tuple[str, ...]
    parameters: tuple[tuple[str, Type], ...]
    table: Table
    root: Node
    assert_rows: Expr | None
    returning: resolved.ReturningClause | None


def _common(builder: _Builder, statement: resolved.DmlStatement, root: Node) -> _Common:
    returning = builder.returning(statement.returning)
    return {
        "names": tuple([output.name for output in returning.output]) if returning else (),
        "parameters": builder.parameters,
        "table": statement.table,
        "root": root,
        "assert_rows": statement.assert_rows,
        "returning": returning,
    }


def _insert(builder: _Builder, statement: resolved.InsertStatement) -> Plan:
    root, values = builder.query(statement.source, statement.values)
    return InsertPlan(
        **_common(builder, statement, root),
        kind=statement.kind,
        targets=statement.columns,
        values=values,
        conflict=_conflict(builder, statement),
    )


def _conflict(builder: _Builder, statement: resolved.InsertStatement) -> Conflict | None:
    clause = statement.conflict
    if clause is None:
        if statement.kind is resolved.InsertKind.IGNORE:
            return Conflict(targets=(None,), computed=statement.computed)
        return None
    assignments = None
    if clause.assignments is not None:
        assignments = tuple([(column, builder.expr(value)) for column, value in clause.assignments])
    return Conflict(
        targets=_conflict_targets(builder.planning.schema, statement, clause),
        computed=statement.computed,
        existing=clause.existing,
        excluded=clause.excluded,
        assignments=assignments,
        where=None if clause.where is None else builder.expr(clause.where),
    )


def _conflict_targets(
    schema: Schema, statement: resolved.InsertStatement, clause: resolved.ConflictClause
) -> tuple[SortedIndex | None, ...]:
    """Return the unique keys whose conflicts the clause handles; None is the primary key."""
    unique = [index for index in schema.indexes_of(statement.table) if index.unique]
    if clause.index is not None:
        return tuple([index for index in unique if index.name == clause.index])
    if not clause.target:
        return (None, *unique)
    names = {column.name for column in clause.target}
    if names == {part.column.name for part in statement.table.key}:
        return (None,)
    for index in unique:
        if names == {part.column.name for part in index.key}:
            return (index,)
    raise Unsupported("ON CONFLICT on columns that are not a unique key")


def _update(builder: _Builder, statement: resolved.UpdateStatement) -> Plan:
    # The values are computed inside the query, so that their subqueries are planned with it.
    computed = tuple(
        [
            (builder.planning.new_column(column.name, value.type), value)
            for column, value in statement.assignments
        ]
    )
    outputs = tuple([column for column, _ in computed])
    root, columns = builder.query(
        resolved.ProjectScan(statement.source, computed), (*statement.key, *outputs)
    )
    key, values = columns[: len(statement.key)], columns[len(statement.key) :]
    assignments = tuple(
        [(column, value) for (column, _), value in zip(statement.assignments, values, strict=True)]
    )
    return UpdatePlan(
        **_common(builder, statement, root),
        key=key,
        assignments=assignments,
    )


def _delete(builder: _Builder, statement: resolved.DeleteStatement) -> Plan:
    root, key = builder.query(statement.source, statement.key)
    return DeletePlan(
        **_common(builder, statement, root),
        key=key,
    )


_STATEMENTS: Mapping[type[resolved.Statement], Callable[[_Builder, Any], Plan]] = {
    resolved.QueryStatement: _query,
    resolved.CallStatement: _call,
    resolved.InsertStatement: _insert,
    resolved.UpdateStatement: _update,
    resolved.DeleteStatement: _delete,
}
