"""What compiling one plan passes around: numbers for slots, memos and parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

from spanemu.base.limits import STATEMENT_MEMORY_BYTES_MAX
from spanemu.sql.executor import codegen
from spanemu.sql.executor.memory import REFERENCE_BYTES, Holding
from spanemu.sql.executor.relation import Each, Layout, Relation, Rows, Value
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.conditions import conjunction, conjunction_or_true, conjuncts
from spanemu.sql.plan.evaluation_order import is_plain
from spanemu.sql.plan.joins import ApplyJoin
from spanemu.sql.plan.nodes import Filter, Node, Project, Scan
from spanemu.sql.plan.traverse import free
from spanemu.sql.resolved import Expr
from spanemu.values.types import Type

Operator = Callable[[Any, "Compiler"], Relation]
Gate = Callable[[Run], Any]  # whether rows are asked for at all


class Compiler:
    """Compiles the nodes and expressions of one plan.

    A column that is not in the layout at hand comes from outside: it is read from a slot, which
    whoever evaluates the correlated part fills first. A memo is a place for something that is
    computed once per run.
    """

    def __init__(
        self,
        operators: Mapping[type[Node], Operator],
        parameters: Sequence[tuple[str, Type]],
        *,
        profiled: bool = False,
        memory_limit: int = STATEMENT_MEMORY_BYTES_MAX,
    ) -> None:
        self._operators = operators
        self._parameters = {name: number for number, (name, _) in enumerate(parameters)}
        self.profiled = profiled
        self._memory_limit = memory_limit
        self.holding_count = 0
        self.constant_size = 0  # characters, bytes and elements of the constants so far
        self._slots: dict[int, int] = {}
        self._filled: set[int] = set()
        self._memos = count()
        self._constants: dict[Hashable, int] = {}
        self.memo_count = 0
        self.read_partly: set[int] = set()  # ids of scans of which rows may be left
        self.common_tables: dict[str, tuple[int, Relation, bool]] = {}

    @property
    def slot_count(self) -> int:
        return len(self._slots)

    def slot(self, column: int) -> int:
        """The slot of an outer column."""
        return self._slots.setdefault(column, len(self._slots))

    def filled_slot(self, column: int) -> int:
        """The slot of an outer column, for whoever fills it."""
        self._filled.add(column)
        return self.slot(column)

    def check(self) -> None:
        """Every column that is read from a slot is put there by somebody."""
        missing = self._slots.keys() - self._filled
        assert not missing, f"columns {sorted(missing)} come from nowhere"

    def memo(self) -> int:
        """A new memo; it holds None until something is put there."""
        self.memo_count = next(self._memos) + 1
        return self.memo_count - 1

    def constant_memo(self, key: Hashable) -> int:
        """Return the memo of a constant: equal constants share one."""
        memo = self._constants.get(key)
        if memo is None:
            memo = self._constants[key] = self.memo()
        return memo

    def holding(self, operator: str, overhead: int = REFERENCE_BYTES) -> Holding:
        """Return an account for the memory of an operator that adds `overhead` to each row."""
        self.holding_count += 1
        return Holding(operator, overhead, self._memory_limit)

    def parameter(self, name: str) -> int:
        """The number of a parameter."""
        return self._parameters[name.lower()]

    def relation(self, node: Node) -> Relation:
        """The operator for a node."""
        relation = self._operators[type(node)](node, self)
        if not self.profiled:
            return relation
        return Relation(_counted(node, relation.rows), relation.layout, relation.width)

    def take_partly(self, node: Node) -> None:
        """Before `relation`: not all rows of the node may be wanted."""
        while not isinstance(node, Scan):
            if isinstance(node, Filter | Project):
                node = node.input
            elif isinstance(node, ApplyJoin):
                node = node.left
            else:
                return  # It takes all rows of what is below, or several are below.
        self.read_partly.add(id(node))

    def value(self, expr: Expr, layout: Layout) -> Value:
        """A function of a row: the value of `expr`."""
        return codegen.value_function(expr, layout, self)

    def test(self, expr: Expr, layout: Layout) -> Value:
        """A function of a row: something true if and only if `expr` is TRUE."""
        return codegen.test_function(expr, layout, self)

    def gate(self, condition: Expr | None, layout: Layout) -> tuple[Gate | None, Expr | None]:
        """Split a condition into a test that is made once for all rows, and what is left of it.

        The test is of the terms that speak of no row and cannot fail; None if there are none.
        """
        terms = list(conjuncts(condition))
        once = [term for term in terms if is_plain(term) and free(term).isdisjoint(layout)]
        if not once:
            return None, condition
        left = [term for term in terms if term not in once]
        is_open = self.test(conjunction_or_true(once), {})
        return (lambda run: is_open((), run)), conjunction(left)

    def cells(self, exprs: Sequence[Expr], layout: Layout) -> Value:
        """A function of a row: the tuple of the values of `exprs`."""
        return codegen.cells_function(exprs, layout, self)

    def kept(self, expr: Expr, layout: Layout) -> Each:
        """A function of many rows: those for which `expr` is TRUE."""
        return codegen.kept_function(expr, layout, self)

    def each_value(self, expr: Expr, layout: Layout) -> Each:
        """A function of many rows: the value of `expr` for each."""
        return codegen.each_value_function(expr, layout, self)

    def each_known(self, expr: Expr, layout: Layout) -> Each:
        """A function of many rows: the values of `expr` that are not NULL."""
        return codegen.each_known_function(expr, layout, self)

    def each_cells(self, exprs: Sequence[Expr], layout: Layout) -> Each:
        """A function of many rows: the tuple of the values of `exprs` for each."""
        return codegen.each_cells_function(exprs, layout, self)

    def binding(self, columns: frozenset[int], layout: Layout) -> Callable[[Any, Run], None] | None:
        """A function that puts those of `columns` that `layout` has into their slots."""
        pairs = [
            (self.filled_slot(column), layout[column]) for column in columns if column in layout
        ]
        if not pairs:
            return None
        if len(pairs) == 1:
            ((slot, place),) = pairs

            def bind_one(row: Any, run: Run) -> None:
                run.slots[slot] = row[place]

            return bind_one

        def bind(row: Any, run: Run) -> None:
            slots = run.slots
            for slot, place in pairs:
                slots[slot] = row[place]

        return bind


def gated(gate: Gate | None, rows: Rows) -> Rows:
    """Return `rows` that are asked for only if `gate` lets them pass."""
    if gate is None:
        return rows
    return lambda run: rows(run) if gate(run) else ()


def _counted(node: Node, rows: Rows) -> Rows:
    """`rows` that tells the run's profile what it does."""

    def counted(run: Run) -> Iterator[Any]:
        assert run.profile is not None
        yield from run.profile.watched(node, partial(rows, run))

    return counted
