"""The context of compiling one plan, which numbers slots, memos and parameters."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any, TypeVar

from spanemu.base.deep_stack import deep_stack
from spanemu.base.limits import STATEMENT_MEMORY_BYTES_MAX
from spanemu.sql.executor import codegen
from spanemu.sql.executor.memory import REFERENCE_BYTES, MemoryAccount
from spanemu.sql.executor.relation import BatchFunction, Layout, Relation, Rows, Value
from spanemu.sql.executor.run import Run
from spanemu.sql.plan.conditions import conjunction, conjunction_or_true, conjuncts, is_plain
from spanemu.sql.plan.joins import ApplyJoin
from spanemu.sql.plan.nodes import Filter, Node, Project, Scan, Subquery
from spanemu.sql.plan.traverse import free
from spanemu.sql.planner.planning import PlanTooDeep
from spanemu.sql.resolved import Expr
from spanemu.values.types import Type

T = TypeVar("T")
Operator = Callable[[Any, "Compiler"], Relation]
Gate = Callable[[Run], Any]  # true if rows are to be read at all


class Compiler:
    """A compiler of the nodes and expressions of one plan.

    A column that is missing from the layout at hand belongs to an outer row: the compiled code
    reads it from a slot, which the evaluator of the correlated part fills first. A memo holds a
    value that is computed once per run.
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
        self._declared = parameters
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
        self.partial_reads: set[int] = set()  # ids of scans that may not be read to the end
        self.searches: dict[int, Any] = {}  # What a sort needs of a scan, by the id of the scan
        self.common_tables: dict[str, tuple[int, Relation, bool]] = {}
        # An expression may be compiled more than once, the subqueries in it only once.
        self.subqueries: dict[tuple[int, int], tuple[Subquery, Layout, Value]] = {}

    def compiled_later(self, compile_part: Callable[[Compiler], T]) -> T | None:
        """Return a part of the plan that is compiled while a statement runs.

        Return None if the part needs a slot or a memo, of which the run has none for it, or nests
        too deep.
        """
        separate = Compiler(self._operators, self._declared, memory_limit=self._memory_limit)
        try:
            with deep_stack():
                part = compile_part(separate)
        except (RecursionError, PlanTooDeep):
            return None
        return None if separate.slot_count or separate.memo_count else part

    @property
    def slot_count(self) -> int:
        """The number of slots that a run needs."""
        return len(self._slots)

    def slot(self, column: int) -> int:
        """Return the slot of an outer column."""
        return self._slots.setdefault(column, len(self._slots))

    def filled_slot(self, column: int) -> int:
        """Return the slot of an outer column to the code that fills the slot."""
        self._filled.add(column)
        return self.slot(column)

    def check(self) -> None:
        """Assert that some code fills every slot that other code reads."""
        missing = self._slots.keys() - self._filled
        assert not missing, f"no code fills the slots of columns {sorted(missing)}"

    def memo(self) -> int:
        """Return the number of a new memo, which holds None until a value is stored."""
        self.memo_count = next(self._memos) + 1
        return self.memo_count - 1

    def constant_memo(self, key: Hashable) -> int:
        """Return the memo of a constant; equal constants share a memo."""
        memo = self._constants.get(key)
        if memo is None:
            memo = self._constants[key] = self.memo()
        return memo

    def holding(
        self, operator: str, overhead: int = REFERENCE_BYTES, *, of: Relation | None = None
    ) -> MemoryAccount:
        """Return an account for the memory of an operator that adds `overhead` to each row.

        The operator holds rows of the relation `of`, or values that the statement makes.
        """
        self.holding_count += 1
        return MemoryAccount(operator, overhead, self._memory_limit, of)

    def parameter(self, name: str) -> int:
        """Return the position of a parameter in `Run.parameters`."""
        return self._parameters[name.lower()]

    def relation(self, node: Node) -> Relation:
        """Compile a node to its operator."""
        relation = self._operators[type(node)](node, self)
        if not self.profiled:
            return relation
        return relation.with_rows(_counted(node, relation.rows))

    def mark_partial_read(self, node: Node) -> None:
        """Note, before `relation` compiles the node, that not all of its rows may be consumed."""
        while not isinstance(node, Scan):
            if isinstance(node, Filter | Project):
                node = node.input
            elif isinstance(node, ApplyJoin):
                node = node.left
            else:
                return  # The node consumes all rows of its input, or has several inputs.
        self.partial_reads.add(id(node))

    def value(self, expr: Expr, layout: Layout) -> Value:
        """Compile `expr` to a function of a row that returns its value."""
        return codegen.value_function(expr, layout, self)

    def test(self, expr: Expr, layout: Layout) -> Value:
        """Compile `expr` to a function of a row that is truthy if and only if `expr` is TRUE."""
        return codegen.test_function(expr, layout, self)

    def gate(self, condition: Expr | None, layout: Layout) -> tuple[Gate | None, Expr | None]:
        """Split a condition into a test that is made once for all rows and the remaining condition.

        The test covers the conjuncts that use no column of a row and cannot fail; it is None if
        there are none.
        """
        terms = list(conjuncts(condition))
        once = [term for term in terms if is_plain(term) and free(term).isdisjoint(layout)]
        if not once:
            return None, condition
        left = [term for term in terms if term not in once]
        is_open = self.test(conjunction_or_true(once), {})
        return (lambda run: is_open((), run)), conjunction(left)

    def cells(self, exprs: Sequence[Expr], layout: Layout) -> Value:
        """Compile `exprs` to a function of a row that returns the tuple of their values."""
        return codegen.cells_function(exprs, layout, self)

    def batch_filter(self, expr: Expr, layout: Layout) -> BatchFunction:
        """Compile `expr` to a function of many rows that returns those for which `expr` is TRUE."""
        return codegen.batch_filter_function(expr, layout, self)

    def batch_values(self, expr: Expr, layout: Layout) -> BatchFunction:
        """Compile `expr` to a function of many rows that returns its value for each row."""
        return codegen.batch_values_function(expr, layout, self)

    def batch_known_values(self, expr: Expr, layout: Layout) -> BatchFunction:
        """Compile `expr` to a function of many rows that returns the values that are not NULL."""
        return codegen.batch_known_values_function(expr, layout, self)

    def batch_cells(self, exprs: Sequence[Expr], layout: Layout) -> BatchFunction:
        """Compile `exprs` to a function of many rows that returns a tuple of values for each."""
        return codegen.batch_cells_function(exprs, layout, self)

    def binding(self, columns: frozenset[int], layout: Layout) -> Callable[[Any, Run], None] | None:
        """Return a function that stores the columns that `layout` has into their slots; None if
        none.
        """
        pairs = [
            (self.filled_slot(column), layout[column]) for column in columns if column in layout
        ]
        if not pairs:
            return None
        if len(pairs) == 1:
            ((slot, position),) = pairs

            def bind_one(row: Any, run: Run) -> None:
                run.slots[slot] = row[position]

            return bind_one

        def bind(row: Any, run: Run) -> None:
            slots = run.slots
            for slot, position in pairs:
                slots[slot] = row[position]

        return bind


def gated(gate: Gate | None, rows: Rows) -> Rows:
    """Return a relation's `rows` that are read only if `gate` is open."""
    if gate is None:
        return rows
    return lambda run: rows(run) if gate(run) else ()


def _counted(node: Node, rows: Rows) -> Rows:
    """Return `rows` that record their figures in the run's profile."""

    def counted(run: Run) -> Iterator[Any]:
        assert run.profile is not None
        yield from run.profile.record_rows(node, partial(rows, run))

    return counted
