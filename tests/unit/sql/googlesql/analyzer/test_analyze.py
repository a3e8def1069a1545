"""Completeness of the tables of resolvers: every expression and pipe operator has an entry."""

from __future__ import annotations

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analyze import RESOLVER_TABLE
from spanemu.sql.googlesql.analyzer.queries import pipes


def test_every_expression_has_a_resolver() -> None:
    kinds = (*ast.Expression.__subclasses__(), *ast.Call.__subclasses__())
    expressions = {
        each for each in kinds if not each.__module__.startswith("spanemu.sql.postgresql")
    }
    assert set(RESOLVER_TABLE.resolvers) == expressions


def test_every_pipe_operator_is_known() -> None:
    operators = {
        member
        for member in vars(ast).values()
        if isinstance(member, type)
        and issubclass(member, ast.PipeOperator)
        and member is not ast.PipeOperator
    }
    assert set(pipes._OPERATORS) == operators
