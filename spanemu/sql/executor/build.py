"""The entry points that compile a plan into an `Executable`, and the table of operators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from spanemu.base.deep_stack import deep_stack
from spanemu.base.deferred import deferred
from spanemu.base.limits import STATEMENT_MEMORY_BYTES_MAX
from spanemu.schema.table import Table
from spanemu.sql.executor import dml
from spanemu.sql.executor.compiler import Compiler, Operator
from spanemu.sql.executor.operators import (
    aggregate,
    apply_join,
    hash_join,
    loop_join,
    path_scan,
    project,
    remote_call,
    sample,
    scan,
    search_scan,
    set_operations,
    sort,
    spools,
    top_n,
    unnest,
)
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.functions.registry import Context
from spanemu.sql.plan import joins, nodes, paths
from spanemu.sql.plan.nodes import Node
from spanemu.sql.plan.statements import (
    CallPlan,
    DmlPlan,
    Plan,
    QueryPlan,
    Reads,
    reads_of,
    returning_scans,
)
from spanemu.sql.planner.planning import PlanTooDeep
from spanemu.sql.resolved import Expr
from spanemu.values.types import Type

OPERATORS: Mapping[type[Node], Operator] = {
    nodes.Unit: deferred(lambda: unnest.compile_unit),
    nodes.Values: deferred(lambda: unnest.compile_values),
    nodes.Scan: scan.compile_scan,
    nodes.SearchScan: lambda node, compiler: search_scan.compile_search_scan(node, compiler),
    nodes.SystemScan: scan.compile_system_scan,
    nodes.Filter: project.compile_filter,
    nodes.Project: project.compile_project,
    nodes.Limit: deferred(lambda: sort.compile_limit),
    nodes.Sort: deferred(lambda: sort.compile_sort),
    nodes.TopN: deferred(lambda: top_n.compile_top_n),
    nodes.Rank: deferred(lambda: sort.compile_rank),
    nodes.HashAggregate: deferred(lambda: aggregate.compile_hash_aggregate),
    nodes.StreamAggregate: deferred(lambda: aggregate.compile_stream_aggregate),
    nodes.UnionAll: deferred(lambda: set_operations.compile_union_all),
    nodes.SetOperation: deferred(lambda: set_operations.compile_set_operation),
    nodes.With: deferred(lambda: spools.compile_with),
    nodes.WithRef: deferred(lambda: spools.compile_with_ref),
    nodes.Sample: deferred(lambda: sample.compile_sample),
    nodes.RemoteCall: deferred(lambda: remote_call.compile_remote_call),
    joins.Join: deferred(lambda: loop_join.compile_join),
    joins.HashJoin: deferred(lambda: hash_join.compile_hash_join),
    # The order of the left input is kept.
    joins.MergeJoin: deferred(lambda: hash_join.compile_hash_join),
    joins.ApplyJoin: deferred(lambda: apply_join.compile_apply_join),
    joins.KeyedSpool: deferred(lambda: spools.compile_keyed_spool),
    joins.Unnest: deferred(lambda: unnest.compile_unnest),
    paths.PathScan: deferred(lambda: path_scan.compile_path_scan),
}

_Rows = Callable[[Run], Iterable[Any]]


class _Code:
    """The compiled functions of a plan, and how much scratch space they need."""

    __slots__ = ("constant_size", "memos", "returning", "rows", "slots")

    def __init__(self, plan: Plan, memory_limit: int, *, profiled: bool) -> None:
        compiler = Compiler(
            OPERATORS, plan.parameters, profiled=profiled, memory_limit=memory_limit
        )
        self.returning: dml.Returning | None = None
        self.rows: _Rows
        if isinstance(plan, DmlPlan):
            self.rows = dml.compile_dml(plan, compiler)
            if plan.returning is not None:
                self.returning = dml.compile_returning(plan.returning, plan.table.width, compiler)
        else:
            assert isinstance(plan, QueryPlan)
            self.rows = project.compile_outputs(plan.root, plan.outputs, compiler)
        compiler.check()
        self.slots = compiler.slot_count
        self.memos = compiler.memo_count
        self.constant_size = compiler.constant_size

    def prepare(self, run: Run) -> None:
        """Give `run` the scratch space that the code needs."""
        if self.slots:
            run.slots = [None] * self.slots
        if self.memos:
            run.memo = [None] * self.memos


class Executable:
    """A compiled plan, which holds no state of a run: any number of threads may run it at once.

    - `columns`: (name, type) of the rows that the plan yields; for DML, of the rows of THEN RETURN
    - `parameters`: (name, type), in the order in which `Run.parameters` holds the values
    - `reads`: the tables and columns that the plan may read
    - `returning_scans`: whether THEN RETURN reads tables too
    """

    def __init__(self, plan: Plan, memory_limit: int = STATEMENT_MEMORY_BYTES_MAX) -> None:
        self.plan = plan
        self._memory_limit = memory_limit
        self.is_dml = isinstance(plan, DmlPlan)
        self.parameters: tuple[tuple[str, Type], ...] = plan.parameters
        self.columns = _columns(plan)
        self.reads: Reads = reads_of(plan)
        self.returning_scans = returning_scans(plan)
        self._code = _Code(plan, memory_limit, profiled=False)
        self._profiled: _Code | None = None

    @property
    def constant_size(self) -> int:
        """The number of characters, bytes and elements of the plan's constants."""
        return self._code.constant_size

    @property
    def table(self) -> Table | None:
        """The table that DML writes to; None for a query."""
        return self.plan.table if isinstance(self.plan, DmlPlan) else None

    def run(self, run: Run) -> Iterator[Any]:
        """Yield the rows of a query as tuples over `columns`, or the `RowWrite`s and `RowDelete`s
        of DML.
        """
        code = self._code if run.profile is None else self._profiled_code()
        if code.slots or code.memos:
            code.prepare(run)
        return iter(code.rows(run))

    def returning(self, run: Run, written: Iterable[dml.Written]) -> Iterator[Row]:
        """Yield the THEN RETURN row for each (action, final stored row) written; call it after
        `run`.
        """
        code = self._code if run.profile is None else self._profiled_code()
        if code.returning is None:
            return iter(())
        code.prepare(run)
        return code.returning(run, written)

    def _profiled_code(self) -> _Code:
        # Two threads may both compile the profiled code; either result is correct.
        if self._profiled is None:
            self._profiled = _Code(self.plan, self._memory_limit, profiled=True)
        return self._profiled


class ProcedureCall(Executable):
    """A compiled CALL. It yields no rows; running it calls the procedure."""

    def __init__(self, plan: CallPlan, memory_limit: int) -> None:
        super().__init__(plan, memory_limit)
        self.procedure = plan.procedure

    def run(self, run: Run) -> Iterator[Any]:
        """Call the procedure with the arguments that the plan computes."""
        (arguments,) = super().run(run)
        assert run.system_tables is not None
        run.system_tables.call(self.procedure, arguments)
        return iter(())


def _columns(plan: Plan) -> tuple[tuple[str, Type], ...]:
    if isinstance(plan, CallPlan):
        return ()
    if isinstance(plan, QueryPlan):
        types = [column.type for column in plan.outputs]
    elif isinstance(plan, DmlPlan) and plan.returning is not None:
        types = [output.column.type for output in plan.returning.output]
    else:
        types = []
    return tuple(zip(plan.names, types, strict=True))


@deep_stack()
def compile_plan(plan: Plan, memory_limit: int = STATEMENT_MEMORY_BYTES_MAX) -> Executable:
    """Compile a plan once, to be run many times; no run may hold more than `memory_limit` bytes.

    Raise PlanTooDeep if the plan nests deeper than Python's stack allows.
    """
    try:
        if isinstance(plan, CallPlan):
            return ProcedureCall(plan, memory_limit)
        return Executable(plan, memory_limit)
    except RecursionError:
        raise PlanTooDeep() from None


def compile_row_expression(
    expr: Expr, positions: Mapping[int, int]
) -> Callable[[Row, Context], Any]:
    """Compile an expression without parameters and subqueries to `evaluate(row, context)`.

    `positions` maps column ids to positions in the row. DEFAULT, CHECK and generated columns are
    evaluated this way.
    """
    compiler = Compiler(OPERATORS, ())
    value = compiler.value(expr, positions)
    slots, memos = compiler.slot_count, compiler.memo_count

    def evaluate(row: Row, context: Context) -> Any:
        run = Run(_NO_READER, (), context)
        if slots or memos:
            run.slots, run.memo = [None] * slots, [None] * memos
        return value(row, run)

    return evaluate


ColumnFunction = Callable[[Sequence[Row], Context], list[Any]]


def compile_column_expression(expr: Expr, positions: Mapping[int, int]) -> ColumnFunction:
    """Compile an expression as `compile_row_expression` does, to `evaluate(rows, context)`."""
    compiler = Compiler(OPERATORS, ())
    values = compiler.batch_values(expr, positions)
    slots, memos = compiler.slot_count, compiler.memo_count

    def evaluate(rows: Sequence[Row], context: Context) -> list[Any]:
        run = Run(_NO_READER, (), context)
        if slots or memos:
            run.slots, run.memo = [None] * slots, [None] * memos
        return values(rows, run)

    return evaluate


_NO_READER: Any = None
