"""Views, functions and models: objects whose definition is a query or a call."""

from __future__ import annotations

from spanemu.base.record import record
from spanemu.sql.syntax.ast import Identifier, Node, Path, TypeName
from spanemu.sql.syntax.ddl_ast.parts import DdlStatement, Drop, Options, SqlExpression, SqlQuery


@record
class CreateView(DdlStatement):
    """CREATE [OR REPLACE] VIEW; `security` is "INVOKER", "DEFINER" or None when missing."""

    name: Path
    query: SqlQuery
    security: str | None = None
    or_replace: bool = False
    if_not_exists: bool = False


@record
class DropView(Drop):
    """DROP VIEW."""


@record
class FunctionParameter(Node):
    """`name type [DEFAULT expression]`."""

    name: Identifier
    type: TypeName
    default: SqlExpression | None = None


@record
class CreateFunction(DdlStatement):
    """CREATE [OR REPLACE] FUNCTION, in SQL (`body`) or REMOTE."""

    name: Path
    parameters: tuple[FunctionParameter, ...]
    returns: TypeName | None = None
    body: SqlExpression | None = None
    security: str | None = None
    determinism: str | None = None
    language: str | None = None
    remote: bool = False
    options: Options | None = None
    or_replace: bool = False
    if_not_exists: bool = False


@record
class DropFunction(Drop):
    """DROP FUNCTION."""


@record
class ModelColumn(Node):
    """A column of a model's INPUT or OUTPUT."""

    name: Identifier
    type: TypeName
    not_null: bool = False
    options: Options | None = None


@record
class CreateModel(DdlStatement):
    """CREATE [OR REPLACE] MODEL; `inputs` and `outputs` are None when the blocks are missing."""

    name: Path
    inputs: tuple[ModelColumn, ...] | None = None
    outputs: tuple[ModelColumn, ...] | None = None
    remote: bool = False
    options: Options | None = None
    or_replace: bool = False
    if_not_exists: bool = False


@record
class AlterModel(DdlStatement):
    """ALTER MODEL [IF EXISTS] name SET OPTIONS (...)."""

    name: Path
    options: Options
    if_exists: bool = False


@record
class DropModel(Drop):
    """DROP MODEL."""
