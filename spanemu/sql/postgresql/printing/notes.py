"""What the analysis of a text decided and printing needs: types, implicit casts, tables of columns.

Printing starts from the syntax tree, because the resolved tree no longer has the forms that a user
wrote (BETWEEN, simple CASE). A `Recorder` wraps the resolvers of an analysis and keeps the value of
each node. An implicit cast is then a call of a cast's function, over the value of a node, that is
itself the value of no node.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from spanemu.sql.analysis.relation import Relation
from spanemu.sql.analysis.tree import expressions_in, is_equivalent
from spanemu.sql.postgresql.analyzer.analysis import Analysis, ExpandedColumn, ResolverTable
from spanemu.sql.postgresql.analyzer.scope import Env, Scope
from spanemu.sql.resolved import And, Expr, FunctionCall, Or
from spanemu.sql.syntax_tree import Expression, Name
from spanemu.values.types import Type

_CAST = "cast_to_"  # the names of the functions of casts begin so


class Notes:
    """The decisions about the nodes of one text."""

    def __init__(self, analysis: Analysis) -> None:
        self._analysis = analysis
        self._values: dict[int, Expr] = {}
        self._tables: dict[int, str] = {}
        self._casts: dict[int, set[Type]] = {}

    @property
    def analysis(self) -> Analysis:
        """The analysis that made the decisions."""
        return self._analysis

    def is_resolved(self, node: Expression) -> bool:
        """Return whether the analysis resolved the node itself, as it is not with output names."""
        return id(node) in self._values

    def type_of(self, node: Expression) -> Type | None:
        """Return the type of a node, other than an untyped literal, before any implicit cast."""
        value = self._values.get(id(node))
        return None if value is None else value.type

    def is_cast(self, node: Expression) -> bool:
        """Return whether the value of a node is a cast, even if the node is written as a call."""
        value = self._values.get(id(node))
        return value is not None and _converted(value) is not None

    def literal_type(self, node: Expression) -> Type | None:
        """Return the type that the context gave to a string literal or to NULL."""
        return self._analysis.literal_types.get(node.at)

    def implicit_cast(self, node: Expression) -> Type | None:
        """Return the type to which the node is converted; None if uses of the node differ."""
        types = self._casts.get(id(node), set())
        return next(iter(types)) if len(types) == 1 else None

    def compared_types(
        self, node: Expression, count: int
    ) -> list[tuple[Type, Type] | tuple[None, None]]:
        """Return the operand types of the comparisons that BETWEEN stands for, in order."""
        value = self._values.get(id(node))
        junctions = (each for each in expressions_in(value) if isinstance(each, And | Or))
        calls = [
            operand
            for junction in junctions
            for operand in junction.operands
            if type(operand) is FunctionCall and len(operand.arguments) == 2
        ]
        if len(calls) != count:
            return [(None, None)] * count
        return [(call.arguments[0].type, call.arguments[1].type) for call in calls]

    def table_of(self, name: Name) -> str | None:
        """Return the alias of the table that a column belongs to."""
        return self._tables.get(id(name))

    def expansion(self, at: int) -> tuple[ExpandedColumn, ...]:
        """Return the columns that the star at an offset stands for."""
        return self._analysis.expansions[at]


class Recorder:
    """Resolvers that note the value of each node, and the table of each column.

    Nodes are told apart by identity, so the recorder keeps them.
    """

    def __init__(self, resolvers: ResolverTable) -> None:
        self._nodes: list[Expression] = []
        self._values: dict[int, Expr] = {}
        self._tables: dict[int, str] = {}
        recording = {kind: self._recording(f) for kind, f in resolvers.resolvers.items()}
        self._row_expression = resolvers.row_expression
        self.resolvers = ResolverTable(
            recording, resolvers.resolve_query, self._without_literal_types
        )

    def _recording(self, resolve: Callable[[Any, Any], Expr]) -> Callable[[Any, Any], Expr]:
        def recorded(node: Expression, env: Env) -> Expr:
            value = resolve(node, env)
            self._nodes.append(node)
            self._values[id(node)] = value
            if type(node) is Name:
                table = _table_of(value, node, env.scope)
                if table is not None:
                    self._tables[id(node)] = table
            return value

        return recorded

    def _without_literal_types(
        self, text: str, type_: Type, row: Relation, analysis: Analysis
    ) -> Expr:
        """Resolve the expression of a generated column: the offsets in it are of another text."""
        known = dict(analysis.literal_types)
        value = self._row_expression(text, type_, row, analysis)
        analysis.literal_types = known
        return value

    def notes(self, analysis: Analysis) -> Notes:
        """Return the decisions of a finished analysis that used the resolvers."""
        notes = Notes(analysis)
        notes._values = self._values
        notes._tables = self._tables
        keys = {value: key for key, value in self._values.items()}  # of equal values the outermost
        for value in keys:
            for expression in expressions_in(value):
                converted = _converted(expression)
                if converted is not None and converted in keys and expression not in keys:
                    notes._casts.setdefault(keys[converted], set()).add(expression.type)
        return notes


def _converted(expression: Expr) -> Expr | None:
    """Return the operand if the expression is the call of a cast's function."""
    if type(expression) is FunctionCall and expression.signature.function.startswith(_CAST):
        return expression.arguments[0]
    return None


def _table_of(value: Expr, name: Name, scope: Scope | None) -> str | None:
    """Return the alias of the table that provides a column."""
    column = name.path.parts[-1].name
    while scope is not None:
        relations = {} if scope.source is None else scope.source.aliases()
        for relation in relations.values():
            provided = relation.column(column, name.at)
            if provided is not None and is_equivalent(provided, value):
                return relation.alias
        scope = scope.parent
    return None
