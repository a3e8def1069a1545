"""Protocols of the compiler and the writer, for the modules that compile parts of an expression.

`compiler` uses `codegen`, `codegen` uses `codegen_templates`, and `codegen_templates` uses
`subquery`. Each of them calls back those before it. The protocols stand for the classes there, so
that no import circle arises.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Protocol

from spanemu.sql.executor.memory import MemoryAccount
from spanemu.sql.executor.relation import Layout, Relation, Value
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.nodes import Node, Subquery
from spanemu.sql.resolved import Expr


class ExpressionCompiler(Protocol):
    """The compiler of the plan that an expression is part of (`compiler.Compiler`)."""

    constant_size: int  # characters, bytes and elements of the constants so far
    subqueries: dict[tuple[int, int], tuple[Subquery, Layout, Value]]  # by ids of the first two

    def slot(self, column: int) -> int:
        """Return the slot of an outer column."""
        ...

    def filled_slot(self, column: int) -> int:
        """Return the slot of an outer column to the code that fills the slot."""
        ...

    def memo(self) -> int:
        """Return the number of a new memo, which holds None until a value is stored."""
        ...

    @property
    def holding_count(self) -> int:
        """The number of operators compiled so far that hold rows."""
        ...

    def holding(
        self, operator: str, overhead: int = ..., *, of: Relation | None = ...
    ) -> MemoryAccount:
        """Return an account for the memory of an operator that adds `overhead` to each row."""
        ...

    def constant_memo(self, key: Hashable) -> int:
        """Return the memo of a constant; equal constants share a memo."""
        ...

    def parameter(self, name: str) -> int:
        """Return the position of a parameter in `Run.parameters`."""
        ...

    def mark_partial_read(self, node: Node) -> None:
        """Note, before `relation` compiles the node, that not all of its rows may be consumed."""
        ...

    def relation(self, node: Node) -> Relation:
        """Compile a node to its operator."""
        ...

    def value(self, expr: Expr, layout: Layout) -> Value:
        """Compile `expr` to a function of a row that returns its value."""
        ...

    def binding(self, columns: frozenset[int], layout: Layout) -> Callable[[Any, Run], None] | None:
        """Return a function that stores the columns that `layout` has into their slots; None if
        none.
        """
        ...


class ExpressionWriter(Protocol):
    """The writer of the function that an expression is part of (`codegen.Writer`)."""

    @property
    def row(self) -> str:
        """The text of the row that `layout` describes."""
        ...

    @property
    def assumes_known(self) -> bool:
        """True if the text may raise a TypeError for a row with a NULL."""
        ...

    @property
    def layout(self) -> Layout: ...
    @property
    def compiler(self) -> ExpressionCompiler: ...

    def bind(self, value: Any) -> str:
        """Bind an object to a new name, and return the name."""
        ...

    def temporary(self) -> str:
        """Return a new name for an intermediate value."""
        ...

    def cell(self, position: int) -> str:
        """Return the text of the cell of the row at `position`."""
        ...

    def value(self, expr: Expr) -> str:
        """Return text that evaluates to the value of `expr`."""
        ...

    def test(self, expr: Expr) -> str:
        """Return text that is true if and only if `expr` is TRUE; NULL may count as false."""
        ...
