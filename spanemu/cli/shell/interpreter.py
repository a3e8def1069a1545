"""The state of a shell, and how it runs statements: query, DML, DDL, plans and transactions.

A query plan is a drawing, with the figures of EXPLAIN ANALYZE beside the operators:

    Operator                                   Rows  Executions     Time
    Serialize Result                              3           1  0.21 ms
    └─ Table Scan (scan_target: Singers, ...)     3           1  0.18 ms
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from spanemu.base.clock import monotonic
from spanemu.base.counts import counted
from spanemu.base.resource_names import DatabaseName
from spanemu.cli.databases import contents_of
from spanemu.cli.shell.cells import text_of
from spanemu.cli.shell.database_session import DatabaseSession, Parameter, Parameters, Result
from spanemu.cli.shell.failures import ShellFailure
from spanemu.cli.shell.output import Column, Columns, Printer
from spanemu.cli.shell.script import InvalidStatement, Kind, Request, Statement, request_of
from spanemu.cli.target import Target
from spanemu.schema.dialect import DatabaseDialect
from spanemu.sql.plan.drawing import RELATIONAL, SCALAR, ChildLink, PlanNode, PlanTree

_PARAMETERS = re.compile(r"(?<![@\w])@([A-Za-z_]\w*)|\$(\d+)")
_KINDS = {1: RELATIONAL, 2: SCALAR}
_TITLES = ("Operator", "Rows", "Executions", "Time")


@dataclass(slots=True)
class Shell:
    """A shell on one database. `schema_version` changes with each statement that may change it."""

    session: DatabaseSession
    target: Target
    printer: Printer
    parameters: dict[str, Parameter] = field(default_factory=dict)
    timing: bool = False
    schema_version: int = 0
    folder: Path = Path()  # against which \i resolves paths
    depth: int = 0  # of files that include files

    @property
    def dialect(self) -> DatabaseDialect:
        """The dialect of the database."""
        return self.session.dialect

    @property
    def server(self) -> Target:
        """The server, where ids of databases are those of the current instance first."""
        return replace(self.target, own=self.session.name.parent)

    def databases(self) -> list[DatabaseName]:
        """Return the databases of the server, in order. Raises SpannerError."""
        return sorted(contents_of(self.server).databases, key=str)

    def run(self, statement: Statement) -> None:
        """Run a statement and show its result. Raises one of `failures.FAILURES`."""
        began = monotonic()
        try:
            request = request_of(statement.text, self.dialect)
        except InvalidStatement as problem:
            raise ShellFailure(str(problem)) from problem
        match request:
            case Request(kind=Kind.DDL):
                self._run_ddl(request)
            case Request(kind=Kind.BEGIN):
                self.session.begin(read_only=request.read_only, bound=request.bound)
                self.printer.note("BEGIN READ ONLY" if request.read_only else "BEGIN")
            case Request(kind=Kind.COMMIT):
                timestamp = self.session.commit()
                self.printer.note(
                    "COMMIT" if timestamp is None else f"COMMIT at {_time(timestamp)}"
                )
            case Request(kind=Kind.ROLLBACK):
                self.session.rollback()
                self.printer.note("ROLLBACK")
            case Request(explain=True):
                self._explain(request)
            case _:
                self._run_rows(request)
        if self.timing:
            self.printer.remark(f"Time: {(monotonic() - began) * 1000:.1f} ms")

    def set_parameter(self, name: str, expression: str) -> None:
        """Set a query parameter to the value of an expression, which the server evaluates."""
        result = self.session.query(f"SELECT {expression}", {})
        rows = list(result.rows)
        if len(rows) != 1 or len(result.fields) != 1:
            raise ShellFailure(f"the value of {name} must be a single expression")
        key = f"p{name}" if name.isdecimal() else name
        self.parameters[key] = Parameter(result.fields[0].type_, rows[0][0])

    def change_database(self, session: DatabaseSession) -> None:
        """Continue with another database."""
        self.session.close()
        self.session = session
        self.schema_version += 1

    def show(self, result: Result) -> int:
        """Write the rows of a result, and return their number."""
        return self.printer.result(columns_of(result), result.rows)

    def parameters_of(self, sql: str) -> Parameters:
        """Return the parameters that a statement names."""
        names = {name or f"p{number}" for name, number in _PARAMETERS.findall(sql)}
        folded = {name.lower() for name in names}
        return {name: each for name, each in self.parameters.items() if name.lower() in folded}

    # ------------------------------------------------------------------ statements

    def _run_ddl(self, request: Request) -> None:
        self.schema_version += 1
        self.session.ddl(request.text)
        self.printer.note("Schema changed")

    def _run_rows(self, request: Request) -> None:
        is_dml = request.kind is Kind.DML
        run = self.session.dml if is_dml else self.session.query
        result = run(request.text, self.parameters_of(request.text))
        count = self.show(result) if result.fields else len(list(result.rows))
        changed = result.row_count
        self.printer.note(
            counted(count, "row") if changed is None else f"{counted(changed, 'row')} changed"
        )

    def _explain(self, request: Request) -> None:
        ask = self.session.profile if request.analyze else self.session.plan
        is_dml = request.kind is Kind.DML
        result = ask(request.text, self.parameters_of(request.text), is_dml=is_dml)
        lines = list(plan_lines(result.stats))
        self.printer.text("\n".join(lines) or "The server returned no plan.")
        if figures := summary(result.stats):
            self.printer.note(f"\n{figures}")


def columns_of(result: Result) -> Columns:
    """Return the columns of a result."""
    return [Column(each.name, each.type_) for each in result.fields]


def parameter_text(parameter: Parameter) -> str:
    """Return the value of a parameter as text."""
    return text_of(parameter.cell, parameter.type)


def _time(timestamp: object) -> str:
    text = timestamp.rfc3339() if hasattr(timestamp, "rfc3339") else str(timestamp)
    return str(text)


def plan_lines(stats: Any) -> Iterator[str]:
    """Yield the lines of the plan in the message ResultSetStats; none if it has no plan."""
    nodes = [] if stats is None else list(stats.query_plan.plan_nodes)
    if not nodes:
        return
    tree = PlanTree(tuple(_node(node) for node in nodes))
    drawn = list(tree.numbered_lines())
    if any(node.execution_stats for node in tree.nodes):
        yield from _aligned([_TITLES, *((line, *_figures(node)) for line, node in drawn)])
    else:
        yield from (line for line, _ in drawn)


def summary(stats: Any) -> str:
    """Return the figures of a whole statement: time, CPU time and scanned rows."""
    figures = {} if stats is None else dict(stats.query_stats or {})
    names = ("elapsed_time", "cpu_time", "rows_scanned")
    return ", ".join(f"{name}: {figures[name]}" for name in names if name in figures)


def _node(node: Any) -> PlanNode:
    return PlanNode(
        node.index,
        _KINDS.get(int(node.kind), SCALAR),
        node.display_name,
        {name: str(value) for name, value in (node.metadata or {}).items()},
        node.short_representation.description if node.short_representation else "",
        [ChildLink(link.child_index, link.type_, link.variable) for link in node.child_links],
        node.execution_stats or {},
    )


def _figures(node: PlanNode | None) -> tuple[str, str, str]:
    stats: Mapping[str, Any] = {} if node is None else node.execution_stats
    unit = _part(stats, "latency", "unit").replace("msecs", "ms")
    return (
        _part(stats, "rows", "total"),
        _part(stats, "execution_summary", "num_executions"),
        f"{_part(stats, 'latency', 'total')} {unit}".strip(),
    )


def _part(stats: Mapping[str, Any], figure: str, part: str) -> str:
    return str(stats.get(figure, {}).get(part, ""))


def _aligned(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    """Yield rows with the first column to the left and the others to the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for first, *others in rows:
        cells = [text.rjust(width) for text, width in zip(others, widths[1:], strict=True)]
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()
