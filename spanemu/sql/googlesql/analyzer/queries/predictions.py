"""ML.PREDICT in FROM: a model applied to each row of a table or a query.

    ML.PREDICT(MODEL m, TABLE t)
    SAFE.ML.PREDICT(MODEL m, (SELECT Description AS content FROM t), STRUCT(768 AS dimensions))

The columns are the outputs of the model, then those of the table or query. Where names are equal,
the output hides the other column. An input of the model is the column of its name, in any case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from spanemu.schema.objects import Model, ModelColumn
from spanemu.sql.analysis.derived_relation import DerivedRelation
from spanemu.sql.analysis.hints import HintTarget, check_hints
from spanemu.sql.analysis.relation import Relation
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis, QueryResult
from spanemu.sql.googlesql.analyzer.errors import BadCall, BadModelInput
from spanemu.sql.googlesql.analyzer.expressions.coercion import Kind, coerce, fits, kind_of
from spanemu.sql.googlesql.analyzer.expressions.expression import resolve
from spanemu.sql.googlesql.analyzer.name_errors import ModelNotFound, closest
from spanemu.sql.googlesql.analyzer.queries.value_relation import query_relation
from spanemu.sql.googlesql.analyzer.scope import Env, Scope
from spanemu.sql.remote_calls import BATCH_ROWS_HINT, Target, TargetColumn, TargetKind
from spanemu.sql.resolved import Cast as CastExpr
from spanemu.sql.resolved import (
    ColumnRef,
    Expr,
    Literal,
    ParameterRef,
    ProjectScan,
    RemoteCallScan,
    ResolvedColumn,
    Scan,
)

FUNCTION = "ML.PREDICT"
_FORM = f"{FUNCTION}(MODEL name, TABLE name | (query)[, STRUCT(value AS name, ...)])"
_BATCH_ROWS = 10  # of a model without the option default_batch_size


def is_prediction(function: ast.Path) -> bool:
    """Return whether a table function is ML.PREDICT or SAFE.ML.PREDICT."""
    return ".".join(function.names).upper() in (FUNCTION, f"SAFE.{FUNCTION}")


def resolve_prediction(item: ast.TableFunction, table: Relation | None, env: Env) -> Relation:
    """Resolve a call of ML.PREDICT; `table` is the relation of TABLE t, None for a query."""
    analysis = env.analysis
    model = _model(item, analysis)
    analysis.traits.volatile = True
    analysis.traits.remote_calls.add(model.name)
    analysis.traits.tables.add(model.name)
    hints = dict(check_hints(item.hint, HintTarget.REMOTE_CALL, analysis))
    rows = _InputRows.of_query(item.arguments[1], env) if table is None else _InputRows(table, env)
    target = _target(model, rows, item)
    arguments = tuple([rows.argument(each, item.at) for each in target.inputs])
    parameters = None
    if len(item.arguments) > 2:
        parameters = _parameters(item.arguments[2], env)
    outputs = [(each.name, analysis.column(each.name, each.type)) for each in target.outputs]
    hidden = {analysis.fold(name) for name, _ in outputs}
    passed = [(name, column) for name, column in rows.columns if analysis.fold(name) not in hidden]
    scan = RemoteCallScan(
        rows.scan(),
        target,
        arguments,
        tuple([column for _, column in outputs]),
        hints.get(BATCH_ROWS_HINT, 0),
        parameters,
        item.function.names[0].upper() == "SAFE",
    )
    alias = "" if item.alias is None else item.alias.name
    return DerivedRelation(alias, [*outputs, *passed], scan, analysis.fold)


def table_argument(item: ast.TableFunction) -> ast.TableRef | None:
    """Return the table that a call names with TABLE, None for a query. Raise BadCall for others."""
    if not 2 <= len(item.arguments) <= 3:
        raise BadCall(f"{FUNCTION} takes two or three arguments: {_FORM}", at=item.at)
    written = item.arguments[1]
    if isinstance(written, ast.SequenceArgument) and written.kind == "TABLE":
        return ast.TableRef(written.path, at=written.path.at, end=written.path.end)
    if not isinstance(written, ast.ScalarSubquery):
        raise BadCall(
            f"Argument 2 of {FUNCTION} must be a table or a query: {_FORM}", at=written.at
        )
    return None


def _model(item: ast.TableFunction, analysis: Analysis) -> Model:
    written = item.arguments[0]
    if not isinstance(written, ast.SequenceArgument) or written.kind != "MODEL":
        raise BadCall(f"Argument 1 of {FUNCTION} must be a model: {_FORM}", at=written.at)
    name, models = str(written.path), analysis.schema.models
    model = models.get(analysis.fold(name))
    if model is None:
        suggestion = closest(name, [each.name for each in models.values()])
        raise ModelNotFound(name, suggestion, at=written.path.at)
    return model


def _column(declared: ModelColumn) -> TargetColumn:
    return TargetColumn(declared.name, declared.type, declared.is_required)


def _target(model: Model, rows: _InputRows, item: ast.TableFunction) -> Target:
    """Return the model with those of its inputs that the rows have."""
    inputs = []
    for column in map(_column, model.inputs or ()):
        if rows.has(column.name, item.at):
            inputs.append(column)
        elif column.required:
            problem = f"the schema doesn't have required column `{column.name}` with type "
            raise _mismatch(f"{problem}`{column.type}`", item.at)
    outputs = tuple(map(_column, model.outputs or ()))
    return Target(
        TargetKind.MODEL,
        model.name,
        tuple(inputs),
        outputs,
        tuple(model.endpoints),
        model.options.get("default_batch_size", _BATCH_ROWS),
    )


def _mismatch(problem: str, at: int) -> BadModelInput:
    return BadModelInput(FUNCTION, f"doesn't match the model: {problem}", at=at)


def _parameters(node: ast.Expression, env: Env) -> Expr:
    """Return the STRUCT of parameters: a constant whose fields have names."""
    value = resolve(node, env.inside(Scope(None)))
    if not value.type.is_struct or not _is_constant(value):
        raise BadCall(f"Argument 3 of {FUNCTION} must be a STRUCT of constants", at=node.at)
    names = [field.name.lower() for field in value.type.fields]
    if "" in names or len(set(names)) < len(names):
        problem = f"Parameters of {FUNCTION} must have names that differ: STRUCT(value AS name)"
        raise BadCall(problem, at=node.at)
    return value


def _is_constant(value: Expr) -> bool:
    if isinstance(value, CastExpr):
        return _is_constant(value.operand)
    parts = getattr(value, "items", None) or getattr(value, "arguments", None)
    if parts is not None:
        return all(map(_is_constant, parts))
    return isinstance(value, Literal | ParameterRef)


class _InputRows:
    """The rows that a model is applied to: named columns, and a scan that has them."""

    def __init__(self, relation: Relation, env: Env, result: QueryResult | None = None) -> None:
        self._analysis = env.analysis
        self._computed: Mapping[int, Expr] = {} if result is None else result.computed
        self._retyped: list[tuple[ResolvedColumn, Expr]] = []
        self._settled: set[int] = set()  # parameters that have got their type
        self._relation = relation
        self._extra: list[tuple[ResolvedColumn, Expr]] = []
        self.columns = [(name, self._column(name, value)) for name, value in relation.star()]

    @classmethod
    def of_query(cls, node: ast.Expression, env: Env) -> _InputRows:
        """Return the rows of a query."""
        assert isinstance(node, ast.ScalarSubquery)
        result = env.analysis.resolve_query(node.query, env)
        return cls(query_relation("", result, env.analysis), env, result)

    def _column(self, name: str, value: Expr) -> ResolvedColumn:
        if isinstance(value, ColumnRef):
            return value.column
        column = self._analysis.column(name, value.type)
        self._extra.append((column, value))
        return column

    def _places(self, name: str) -> Sequence[int]:
        fold = self._analysis.fold
        key = fold(name)
        return [place for place, (each, _) in enumerate(self.columns) if fold(each) == key]

    def has(self, name: str, at: int) -> bool:
        """Return whether there is a column of that name. Raise BadModelInput if there are two."""
        places = self._places(name)
        if len(places) > 1:
            problem = f"is ambiguous: it contains multiple columns named `{name}`"
            raise BadModelInput(FUNCTION, problem, at=at)
        return bool(places)

    def argument(self, needed: TargetColumn, at: int) -> Expr:
        """Return the value of an input, converted to its type. Raise BadModelInput."""
        (number,) = self._places(needed.name)
        name, column = self.columns[number]
        written = self._computed.get(column.id)
        kind = Kind.VALUE if written is None else kind_of(written, self._analysis)
        value: Expr = ColumnRef(column.type, column)
        if written is not None and kind is not Kind.VALUE:
            value = written  # A literal or a parameter, which converts to more types.
        if not fits(value, needed.type, self._analysis):
            problem = (
                f"column `{needed.name}` has type `{value.type}` while the model's column has type "
                f"`{needed.type}`"
            )
            raise _mismatch(problem, at)
        converted = coerce(value, needed.type, self._analysis, at)
        if value is not written:
            return converted
        new = self._analysis.column(name, needed.type)
        self._retyped.append((new, converted))
        if kind is Kind.PENDING:
            self._settled.add(column.id)
            self.columns[number] = name, new
        return ColumnRef(new.type, new)

    def scan(self) -> Scan:
        """Return a scan of the rows."""
        scan = self._relation.scan()
        if self._retyped:
            assert isinstance(scan, ProjectScan)
            kept = [pair for pair in scan.computed if pair[0].id not in self._settled]
            scan = ProjectScan(scan.input, (*kept, *self._retyped))
        return ProjectScan(scan, tuple(self._extra)) if self._extra else scan
