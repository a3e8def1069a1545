"""Pipe syntax."""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.base.errors import Unsupported
from spanemu.sql.analyzer.analysis import QueryResult
from spanemu.sql.analyzer.env import Env
from spanemu.sql.syntax import ast


def apply_pipes(
    pipes: Sequence[ast.PipeOperator], result: QueryResult, body: ast.Node, env: Env
) -> QueryResult:
    raise Unsupported("Pipe syntax")


def from_alone(body: ast.FromBody, env: Env) -> QueryResult:
    raise Unsupported("Pipe syntax")
