"""What the parts of an expression ask of those who compile it, so that they need not know them.

compiler  ->  source  ->  writers  ->  subquery, scoped
   \\___________ \\___________ \\____________/
      Compiling     Writing       ask back
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol

from spanemu.sql.executor.memory import Holding
from spanemu.sql.executor.relation import Layout, Relation, Value
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.nodes import Node
from spanemu.sql.resolved import Expr


class Compiling(Protocol):
    """Compiles the plan that an expression is part of (`compiler.Compiler`)."""

    constant_size: int  # characters, bytes and elements of the constants so far

    def slot(self, column: int) -> int:
        """The slot of an outer column."""
        ...

    def filled_slot(self, column: int) -> int:
        """The slot of an outer column, for whoever fills it."""
        ...

    def memo(self) -> int:
        """A new memo; it holds None until something is put there."""
        ...

    @property
    def holding_count(self) -> int:
        """The number of operators so far that hold rows."""
        ...

    def holding(self, operator: str, overhead: int = ...) -> Holding:
        """Return an account for the memory of an operator that adds `overhead` to each row."""
        ...

    def constant_memo(self, key: Hashable) -> int:
        """Return the memo of a constant: equal constants share one."""
        ...

    def parameter(self, name: str) -> int:
        """The number of a parameter."""
        ...

    def take_partly(self, node: Node) -> None:
        """Before `relation`: not all rows of the node may be wanted."""
        ...

    def relation(self, node: Node) -> Relation:
        """The operator for a node."""
        ...

    def value(self, expr: Expr, layout: Layout) -> Value:
        """A function of a row: the value of `expr`."""
        ...

    def binding(self, columns: frozenset[int], layout: Layout) -> Callable[[Any, Run], None] | None:
        """A function that puts those of `columns` that `layout` has into their slots."""
        ...


class Writing(Protocol):
    """Writes the function that an expression is part of (`source.Writer`)."""

    @property
    def row(self) -> str:
        """Text for the row that `layout` describes."""
        ...

    @property
    def layout(self) -> Layout: ...
    @property
    def compiler(self) -> Compiling: ...

    def bind(self, thing: Any) -> str:
        """A name for an object."""
        ...

    def temporary(self) -> str:
        """A name for an intermediate value."""
        ...

    def cell(self, place: int) -> str:
        """Text for a cell of the row."""
        ...

    def value(self, expr: Expr) -> str:
        """Text whose value is that of `expr`."""
        ...

    def test(self, expr: Expr) -> str:
        """Text that is true if and only if `expr` is TRUE; NULL may count as false."""
        ...
