"""Expressions as generated functions: one Python lambda per expression, however deep it nests.

    UPPER(c) = 'X' AND d > @p        lambda row, run: (((t1 := ...) ...) and ...)

A closure per node would cost a Python call per node and row; generated code costs one call per row.
The text consists of the fixed templates of `codegen_templates` and of names generated here (k1 for
a bound object, t1 for a temporary), never of text that a user wrote, and is evaluated without
builtins. The same shapes recur all the time, so code objects are cached by their text.

A function of many rows has the loop inside:

    lambda rows, run: [row for row in rows if ...]

Parts nested deeper than `_DEPTH_MAX` become functions of their own: a client's statement must not
reach the limits of Python's parser.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from spanemu.base.record import dataclass
from spanemu.sql import resolved
from spanemu.sql.executor.codegen_protocols import ExpressionCompiler, ExpressionWriter
from spanemu.sql.executor.codegen_templates import INLINE, WRITERS, may_be_null, write_call
from spanemu.sql.executor.relation import BatchFunction, Layout, Value
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.comparison import between
from spanemu.sql.functions.registry import COMPARISONS, Operation
from spanemu.sql.plan.traverse import scope_of
from spanemu.sql.planner.planning import PlanTooDeep
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall, Literal, ParameterRef
from spanemu.values.types import TypeCode

_DEPTH_MAX = 10


class Writer:
    """A writer of one function. It returns text and keeps the objects that the text names in
    `names`.

    `row` is the text of the row that `layout` describes.
    """

    row = "row"

    def __init__(
        self, layout: Layout, compiler: ExpressionCompiler, *, assumes_known: bool = False
    ) -> None:
        self.assumes_known = assumes_known
        self.layout = layout
        self.compiler = compiler
        self.names: dict[str, Any] = {"__builtins__": {}}
        self._bound = 0
        self._temporaries = 0
        self._depth = 0

    def bind(self, value: Any) -> str:
        """Bind an object to a new name, and return the name."""
        self._bound += 1
        name = f"k{self._bound}"
        self.names[name] = value
        return name

    def temporary(self) -> str:
        """Return a new name for an intermediate value."""
        self._temporaries += 1
        return f"t{self._temporaries}"

    def cell(self, position: int) -> str:
        """Return the text of the cell of the row at `position`."""
        return f"row[{position}]"

    def value(self, expr: Expr) -> str:
        """Return text that evaluates to the value of `expr`."""
        return self._nested(expr, WRITERS[type(expr)], value_function)

    def test(self, expr: Expr) -> str:
        """Return text that is true if and only if `expr` is TRUE; NULL may count as false."""
        writer = _TEST_WRITERS.get(type(expr))
        if writer is None:
            return self.value(expr)
        return self._nested(expr, writer, test_function)

    def _nested(
        self,
        expr: Expr,
        write: Callable[[Any, Writer], str],
        function: Callable[[Expr, Layout, ExpressionCompiler], Value],
    ) -> str:
        if self._depth > _DEPTH_MAX:
            return f"{self.bind(function(expr, self.layout, self.compiler))}({self.row}, run)"
        self._depth += 1
        try:
            return write(expr, self)
        finally:
            self._depth -= 1


class PairWriter(Writer):
    """A writer for a row that is still in two parts: `row` and, from cell `width` on, `other`."""

    row = "(row + other)"

    def __init__(self, layout: Layout, width: int, compiler: ExpressionCompiler) -> None:
        super().__init__(layout, compiler)
        self._width = width

    def cell(self, position: int) -> str:
        return f"row[{position}]" if position < self._width else f"other[{position - self._width}]"


@dataclass(frozen=True, eq=False, slots=True)
class PairOutput:
    """The cells that a join emits of a pair: those at `places` of both rows; None for all."""

    layout: Layout
    width: int
    places: tuple[int, ...] | None

    def pair(self, writer: PairWriter) -> str:
        """Return the text of the row made of `row` and `other`."""
        if self.places is None:
            return "(row + other)"
        return f"({''.join([f'{writer.cell(place)}, ' for place in self.places])})"

    def alone(self, writer: PairWriter, left_width: int, missing: str) -> str:
        """Return the text of the row made of `row` without a partner."""
        if self.places is None:
            return f"(row + {missing})"
        cells = [
            writer.cell(position) if position < left_width else "None" for position in self.places
        ]
        return f"({''.join([f'{cell}, ' for cell in cells])})"


def value_function(expr: Expr, layout: Layout, compiler: ExpressionCompiler) -> Value:
    """Compile `expr` to a function of a row and the run that returns its value."""
    if isinstance(expr, ColumnRef) and expr.column.id in layout and not expr.type.is_array:
        return _cell(layout[expr.column.id])
    if isinstance(expr, Literal):
        return _constant(expr.value)
    if isinstance(expr, ParameterRef):
        return _parameter(compiler.parameter(expr.name))
    writer = Writer(layout, compiler)
    return _function(writer.value(expr), writer)


def test_function(expr: Expr, layout: Layout, compiler: ExpressionCompiler) -> Value:
    """Compile `expr` to a function that is truthy if and only if `expr` is TRUE."""
    writer = Writer(layout, compiler)
    return _function(writer.test(expr), writer)


def cells_function(exprs: Sequence[Expr], layout: Layout, compiler: ExpressionCompiler) -> Value:
    """Compile `exprs` to a function that returns the tuple of their values."""
    writer = Writer(layout, compiler)
    cells = "".join([f"{writer.value(expr)}, " for expr in exprs])
    return _function(f"({cells})", writer)


def batch_filter_function(
    expr: Expr, layout: Layout, compiler: ExpressionCompiler
) -> BatchFunction:
    """Compile `expr` to a function of many rows that returns the rows for which `expr` is TRUE."""
    writer = Writer(layout, compiler)
    text = f"row for row in rows if {writer.test(expr)}"
    scope = scope_of(expr)
    if scope.may_fail or scope.is_volatile or scope.has_query:
        return _loop(text, writer)
    hopeful = Writer(layout, compiler, assumes_known=True)
    shorter = f"row for row in rows if {hopeful.test(expr)}"
    if shorter == text:
        return _loop(text, writer)
    return _unless_null(_loop(shorter, hopeful), lambda: _loop(text, writer))


def _unless_null(
    hopeful: BatchFunction, compile_careful: Callable[[], BatchFunction]
) -> BatchFunction:
    """Return `hopeful`, with another function for batches in which it finds a NULL."""
    careful: BatchFunction | None = None

    def kept(rows: Sequence[Row], run: Run) -> list[Row]:
        nonlocal careful
        try:
            return hopeful(rows, run)
        except TypeError:
            if careful is None:
                careful = compile_careful()
            return careful(rows, run)

    return kept


def batch_values_function(
    expr: Expr, layout: Layout, compiler: ExpressionCompiler
) -> BatchFunction:
    """Compile `expr` to a function of many rows that returns its value for each row."""
    writer = Writer(layout, compiler)
    return _loop(f"{writer.value(expr)} for row in rows", writer)


def batch_known_values_function(
    expr: Expr, layout: Layout, compiler: ExpressionCompiler
) -> BatchFunction:
    """Compile `expr` to a function of many rows that returns the values that are not NULL."""
    writer = Writer(layout, compiler)
    name = writer.temporary()
    value = writer.value(expr)
    return _loop(f"{name} for row in rows if ({name} := {value}) is not None", writer)


def batch_cells_function(
    exprs: Sequence[Expr], layout: Layout, compiler: ExpressionCompiler
) -> BatchFunction:
    """Compile `exprs` to a function of many rows that returns the tuple of values for each row."""
    writer = Writer(layout, compiler)
    cells = "".join([f"{writer.value(expr)}, " for expr in exprs])
    return _loop(f"({cells}) for row in rows", writer)


def _loop(text: str, writer: Writer) -> BatchFunction:
    function: BatchFunction = function_of(f"lambda rows, run: [{text}]", writer)
    return function


def _function(text: str, writer: Writer) -> Value:
    function: Value = function_of(f"lambda row, run: {text}", writer)
    return function


def function_of(text: str, writer: Writer) -> Any:
    """Return the function with the text `text`, which consists of text that `writer` returned."""
    return eval(_code(text), writer.names)


def loop_of(text: str, writer: Writer) -> Any:
    """Return the function `loop` that `text` defines with text that `writer` returned."""
    defined: dict[str, Any] = {}
    exec(_block(text), writer.names, defined)
    return defined["loop"]


@lru_cache(maxsize=512)
def _block(text: str) -> CodeType:
    try:
        return compile(text, "<loop>", "exec")
    except (MemoryError, RecursionError):  # as in `_code`
        raise PlanTooDeep() from None


@lru_cache(maxsize=4096)
def _code(text: str) -> CodeType:
    try:
        return compile(text, "<expression>", "eval")
    except (MemoryError, RecursionError):  # by Python's parser, on a stack overflow
        raise PlanTooDeep() from None


def _cell(position: int) -> Value:
    return lambda row, run: row[position]


def _constant(value: Any) -> Value:
    return lambda row, run: value


def _parameter(number: int) -> Value:
    return lambda row, run: run.parameters[number]


# ---------------------------------------------------------------------------- conditions
#
# The text of conditions of which only matters whether they are TRUE. `Writer.assumes_known` writes
# the text for rows in which no cell is NULL, as most are: it has no tests for NULL where Python
# refuses to compare None, so a caller learns of a NULL by a TypeError.

_ORDERINGS = COMPARISONS - {Operation.EQUAL, Operation.NOT_EQUAL}
# Types whose values are objects of Python's own types, which cannot be ordered beside None.
_PLAIN = frozenset(
    {TypeCode.INT64, TypeCode.FLOAT32, TypeCode.FLOAT64, TypeCode.NUMERIC}
    | {TypeCode.STRING, TypeCode.BYTES, TypeCode.DATE, TypeCode.TIMESTAMP}
)


def _all_true(expr: resolved.And, writer: ExpressionWriter) -> str:
    return f"({' and '.join([writer.test(operand) for operand in expr.operands])})"


def _any_true(expr: resolved.Or, writer: ExpressionWriter) -> str:
    return f"({' or '.join([writer.test(operand) for operand in expr.operands])})"


def _call_test(expr: FunctionCall, writer: ExpressionWriter) -> str:
    signature = expr.signature
    if signature.operation is Operation.NOT:
        return f"({writer.value(expr.arguments[0])} is False)"
    if signature.evaluate is between and not expr.safe:
        return _between(expr, writer)
    if expr.safe or signature.evaluate not in INLINE or signature.operation not in COMPARISONS:
        return write_call(expr, writer)
    if signature.operation is Operation.EQUAL and any(map(_is_value, expr.arguments)):
        # A non-NULL value never equals None, so the comparison needs no NULL test.
        left, right = [writer.value(argument) for argument in expr.arguments]
        return f"({left} == {right})"
    if signature.operation in _ORDERINGS and _assumes_known(expr, writer):
        sides = [writer.value(argument) for argument in expr.arguments]
        return f"({INLINE[signature.evaluate].format(*sides)})"
    tests: list[str] = []
    sides = []
    for argument in expr.arguments:
        text = writer.value(argument)
        if may_be_null(argument) and not (tests and signature.operation is Operation.EQUAL):
            name = writer.temporary()
            tests.append(f"({name} := {text}) is not None and ")
            text = name
        sides.append(text)
    return f"({''.join(tests)}{INLINE[signature.evaluate].format(*sides)})"


def _assumes_known(expr: FunctionCall, writer: ExpressionWriter) -> bool:
    return writer.assumes_known and expr.arguments[0].type.code in _PLAIN


def _between(expr: FunctionCall, writer: ExpressionWriter) -> str:
    value, low, high = expr.arguments
    # Python evaluates `low` first, which only matters for calls.
    is_plain = all(isinstance(argument, _CELLS) for argument in expr.arguments)
    if is_plain and _assumes_known(expr, writer):
        return f"({writer.value(low)} <= {writer.value(value)} <= {writer.value(high)})"
    if not (_is_value(low) and _is_value(high)):
        return write_call(expr, writer)
    name = writer.temporary()
    known = f"({name} := {writer.value(value)}) is not None"
    return f"({known} and {writer.value(low)} <= {name} <= {writer.value(high)})"


_CELLS = (resolved.ColumnRef, resolved.ParameterRef, Literal)


def _is_value(argument: Expr) -> bool:
    return isinstance(argument, Literal) and argument.value is not None


_TEST_WRITERS: Mapping[type[Expr], Callable[[Any, Any], str]] = {
    FunctionCall: _call_test,
    resolved.And: _all_true,
    resolved.Or: _any_true,
}
