"""Expressions as generated functions: one Python lambda per expression, however deep it nests.

    UPPER(c) = 'X' AND d > @p        lambda row, run: (((t1 := ...) ...) and ...)

A closure per node would cost a Python call per node and row; generated code costs one per row.
The text is put together from the fixed templates in `writers` and names made here (k1 for a bound
object, t1 for a temporary), never from anything a user wrote, and is evaluated without builtins.
The same shapes come again and again, so that code objects are cached by their text.

What is done to many rows is one function with the loop inside:

    lambda rows, run: [row for row in rows if ...]

Parts nested deeper than `_DEPTH_MAX` become functions of their own: Python's parser has limits
that a client's statement must not reach.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from types import CodeType
from typing import Any

from spanemu.sql.executor.codegen_protocols import Compiling
from spanemu.sql.executor.codegen_templates import TEST_WRITERS, WRITERS
from spanemu.sql.executor.relation import Each, Layout, Value
from spanemu.sql.planner.errors import PlanTooDeep
from spanemu.sql.resolved import ColumnRef, Expr, Literal, ParameterRef

_DEPTH_MAX = 10


class Writer:
    """Writes one function: text is returned, the objects it speaks of are kept in `names`.

    `row` is text for the row that `layout` describes.
    """

    row = "row"

    def __init__(self, layout: Layout, compiler: Compiling) -> None:
        self.layout = layout
        self.compiler = compiler
        self.names: dict[str, Any] = {"__builtins__": {}}
        self._bound = 0
        self._temporaries = 0
        self._depth = 0

    def bind(self, thing: Any) -> str:
        """A name for an object."""
        self._bound += 1
        name = f"k{self._bound}"
        self.names[name] = thing
        return name

    def temporary(self) -> str:
        """A name for an intermediate value."""
        self._temporaries += 1
        return f"t{self._temporaries}"

    def cell(self, place: int) -> str:
        """Text for a cell of the row."""
        return f"row[{place}]"

    def value(self, expr: Expr) -> str:
        """Text whose value is that of `expr`."""
        return self._nested(expr, WRITERS[type(expr)], value_function)

    def test(self, expr: Expr) -> str:
        """Text that is true if and only if `expr` is TRUE; NULL may count as false."""
        writer = TEST_WRITERS.get(type(expr))
        if writer is None:
            return self.value(expr)
        return self._nested(expr, writer, test_function)

    def _nested(
        self,
        expr: Expr,
        write: Callable[[Any, Writer], str],
        function: Callable[[Expr, Layout, Compiling], Value],
    ) -> str:
        if self._depth > _DEPTH_MAX:
            return f"{self.bind(function(expr, self.layout, self.compiler))}({self.row}, run)"
        self._depth += 1
        try:
            return write(expr, self)
        finally:
            self._depth -= 1


class PairWriter(Writer):
    """Writes about a row that is still in two parts: `row` and, from cell `width` on, `other`."""

    row = "(row + other)"

    def __init__(self, layout: Layout, width: int, compiler: Compiling) -> None:
        super().__init__(layout, compiler)
        self._width = width

    def cell(self, place: int) -> str:
        return f"row[{place}]" if place < self._width else f"other[{place - self._width}]"


def value_function(expr: Expr, layout: Layout, compiler: Compiling) -> Value:
    """The value of `expr` as a function of a row and the run."""
    if isinstance(expr, ColumnRef) and expr.column.id in layout:
        return _cell(layout[expr.column.id])
    if isinstance(expr, Literal):
        return _constant(expr.value)
    if isinstance(expr, ParameterRef):
        return _parameter(compiler.parameter(expr.name))
    writer = Writer(layout, compiler)
    return _function(writer.value(expr), writer)


def test_function(expr: Expr, layout: Layout, compiler: Compiling) -> Value:
    """Whether `expr` is TRUE, as a function."""
    writer = Writer(layout, compiler)
    return _function(writer.test(expr), writer)


def cells_function(exprs: Sequence[Expr], layout: Layout, compiler: Compiling) -> Value:
    """The values of `exprs` as a tuple, as a function."""
    writer = Writer(layout, compiler)
    cells = "".join([f"{writer.value(expr)}, " for expr in exprs])
    return _function(f"({cells})", writer)


def kept_function(expr: Expr, layout: Layout, compiler: Compiling) -> Each:
    """Those of some rows for which `expr` is TRUE, as a function."""
    writer = Writer(layout, compiler)
    return _loop(f"row for row in rows if {writer.test(expr)}", writer)


def each_value_function(expr: Expr, layout: Layout, compiler: Compiling) -> Each:
    """The value of `expr` for each of some rows, as a function."""
    writer = Writer(layout, compiler)
    return _loop(f"{writer.value(expr)} for row in rows", writer)


def each_known_function(expr: Expr, layout: Layout, compiler: Compiling) -> Each:
    """The same without NULLs."""
    writer = Writer(layout, compiler)
    name = writer.temporary()
    value = writer.value(expr)
    return _loop(f"{name} for row in rows if ({name} := {value}) is not None", writer)


def each_cells_function(exprs: Sequence[Expr], layout: Layout, compiler: Compiling) -> Each:
    """The values of `exprs` as a tuple for each of some rows, as a function."""
    writer = Writer(layout, compiler)
    cells = "".join([f"{writer.value(expr)}, " for expr in exprs])
    return _loop(f"({cells}) for row in rows", writer)


def _loop(text: str, writer: Writer) -> Each:
    made: Each = function_of(f"lambda rows, run: [{text}]", writer)
    return made


def _function(text: str, writer: Writer) -> Value:
    made: Value = function_of(f"lambda row, run: {text}", writer)
    return made


def function_of(text: str, writer: Writer) -> Any:
    """The function whose text was put together from what `writer` wrote."""
    return eval(_code(text), writer.names)


@lru_cache(maxsize=4096)
def _code(text: str) -> CodeType:
    try:
        return compile(text, "<expression>", "eval")
    except MemoryError:  # What Python's parser says when its stack is at an end.
        raise PlanTooDeep() from None


def _cell(place: int) -> Value:
    return lambda row, run: row[place]


def _constant(value: Any) -> Value:
    return lambda row, run: value


def _parameter(number: int) -> Value:
    return lambda row, run: run.parameters[number]
