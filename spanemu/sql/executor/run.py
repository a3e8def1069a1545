"""One execution of a compiled plan: its parameters, its view of the data, its scratch space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from spanemu.base.clock import monotonic
from spanemu.sql.executor.reader import Row, RowReader
from spanemu.sql.functions.registry import Context
from spanemu.sql.plan.nodes import Node


class SystemTables(Protocol):
    """A provider of the rows of INFORMATION_SCHEMA and SPANNER_SYS, and of system procedures."""

    def rows(self, name: str, required: Mapping[int, Any]) -> Iterable[Row]:
        """Return the rows of the system table with the canonical name `name`.

        Rows whose cells differ from those of `required`, by position, may be missing.
        """
        ...

    def call(self, procedure: str, arguments: Row) -> None:
        """Run the system procedure with these arguments."""
        ...


class NodeProfile:
    """The execution figures of one plan node.

    `rows` counts the rows that the node yielded, `executions` its executions, `scanned` the stored
    rows it read, and `seconds` the time it took, including its inputs.
    """

    __slots__ = ("executions", "rows", "scanned", "seconds")

    def __init__(self) -> None:
        self.rows = 0
        self.executions = 0
        self.scanned = 0
        self.seconds = 0.0


class Profile:
    """The execution figures of a plan, by node."""

    def __init__(self) -> None:
        self._nodes: dict[int, NodeProfile] = {}

    def of(self, node: Node) -> NodeProfile:
        """Return the figures of a node, which are zero at first."""
        profile = self._nodes.get(id(node))
        if profile is None:
            profile = self._nodes[id(node)] = NodeProfile()
        return profile

    def record_rows(self, node: Node, rows: Callable[[], Iterable[Row]]) -> Iterator[Row]:
        """Yield the rows of one execution of `node`, recording their number and the time they take.

        Calling `rows` is timed too, because some operators do all their work before the first row.
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
        """The number of stored rows that all scans read."""
        return sum(node.scanned for node in self._nodes.values())


class Run:
    """The state of one execution, on one thread, which compiled code receives beside each row.

    `parameters` are values in Python form, in the order of `Executable.parameters`. `slots` hold
    the outer columns of correlated parts, `memo` what is computed once per run; the executable
    creates both, because it knows how many the code needs.
    """

    __slots__ = (
        "context",
        "held",
        "kept",
        "memo",
        "parameters",
        "profile",
        "reader",
        "scanned",
        "slots",
        "system_tables",
        "watermark",
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
        self.scanned = 0  # rows, counted batch by batch
        self.held = self.kept = self.watermark = 0  # bytes: see `memory`
        self.slots: list[Any] = []
        self.memo: list[Any] = []

    def start_profile(self) -> Profile:
        """Start counting what each operator does, which costs time, and return the profile."""
        self.profile = Profile()
        return self.profile

    @property
    def rows_scanned(self) -> int:
        """The number of stored rows that scans read; 0 unless the run is profiled."""
        return 0 if self.profile is None else self.profile.rows_scanned
