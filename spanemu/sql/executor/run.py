"""One execution of a compiled plan: its parameters, its view of the data, its scratch space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Protocol

from spanemu.base.clock import monotonic
from spanemu.sql.executor.reader import Row, RowReader
from spanemu.sql.functions.registry import Context
from spanemu.sql.plan.nodes import Node


class SystemTables(Protocol):
    """Rows of INFORMATION_SCHEMA and SPANNER_SYS, and what is done about them."""

    def rows(self, name: str) -> Iterable[Row]:
        """Rows of the system table of that canonical name, whole."""
        ...

    def call(self, procedure: str, arguments: Row) -> None:
        """Do what a system procedure does."""
        ...


class NodeProfile:
    """What one plan node did: `rows` that came out, `executions`, `seconds` with its inputs."""

    __slots__ = ("executions", "rows", "scanned", "seconds")

    def __init__(self) -> None:
        self.rows = 0
        self.executions = 0
        self.scanned = 0
        self.seconds = 0.0


class Profile:
    """What each node of a plan did, by node."""

    def __init__(self) -> None:
        self._nodes: dict[int, NodeProfile] = {}

    def of(self, node: Node) -> NodeProfile:
        """The figures of a node, zero at first."""
        found = self._nodes.get(id(node))
        if found is None:
            found = self._nodes[id(node)] = NodeProfile()
        return found

    def watched(self, node: Node, rows: Callable[[], Iterable[Row]]) -> Iterator[Row]:
        """The rows of one execution, with their number and the time they take noted for `node`.

        Some operators do all their work when they are asked for rows, before the first.
        """
        figures = self.of(node)
        figures.executions += 1
        began = monotonic()
        source = iter(rows())
        figures.seconds += monotonic() - began
        while True:
            began = monotonic()
            row = next(source, None)
            figures.seconds += monotonic() - began
            if row is None:
                return
            figures.rows += 1
            yield row

    @property
    def rows_scanned(self) -> int:
        """Rows that scans looked at."""
        return sum(node.scanned for node in self._nodes.values())


class Run:
    """What compiled code is given besides a row. Belongs to one execution, on one thread.

    `parameters` are values in Python form, in the order of `Executable.parameters`. `slots` hold
    the outer columns of correlated parts, `memo` what is computed once per run; both are made by
    the executable, which knows how many it needs.
    """

    __slots__ = (
        "context", "held", "kept", "memo", "parameters", "profile", "reader", "scanned", "slots",
        "system_tables",
    )  # fmt: skip

    def __init__(
        self,
        reader: RowReader,
        parameters: Sequence[Any] = (),
        context: Context | None = None,
        system_tables: SystemTables | None = None,
    ) -> None:
        self.reader = reader
        self.parameters = parameters
        self.context: Any = context
        self.system_tables = system_tables
        self.profile: Profile | None = None
        self.scanned = 0  # rows, by the batch
        self.held = self.kept = 0  # bytes: see `memory`
        self.slots: list[Any] = []
        self.memo: list[Any] = []

    def start_profile(self) -> Profile:
        """Have what each operator does counted from here on; costs time only when called."""
        self.profile = Profile()
        return self.profile

    @property
    def rows_scanned(self) -> int:
        """Rows that scans looked at; known only when profiling."""
        return 0 if self.profile is None else self.profile.rows_scanned
