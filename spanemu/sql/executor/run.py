"""One execution of a compiled plan: its parameters, its view of the data, its scratch space."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from spanemu.base.clock import monotonic
from spanemu.schema.indexes import SearchIndex, TableOrIndex
from spanemu.schema.table import Table
from spanemu.sql.functions.registry import Context
from spanemu.sql.plan.nodes import Node
from spanemu.values.cell_mask import WHOLE_ROW

Row = tuple[Any, ...]
ByteRange = tuple[bytes, bytes]


class Documents(Protocol):
    """The documents of a partition of a search index.

    `segments` pairs segments with postings (`executor.search.Segment`) with the documents of each
    that the statement sees, a bit for each number. `others` are visible documents without postings,
    with their keys.
    """

    @property
    def segments(self) -> Sequence[tuple[Any, int]]: ...

    @property
    def others(self) -> Sequence[tuple[bytes, Row]]: ...


class RowReader(Protocol):
    """The interface through which a running statement reads rows, as of one view of the data.

    Ranges are half-open pairs of encoded keys (`values.key`), sorted and disjoint; `None` means the
    whole table or index. Rows come back in key order. A table's row is a tuple over
    `Column.position`, exactly `table.width` long; an index entry is a tuple over `index.columns`.

    `cells` is the mask of the cells that the statement uses (`values.cell_mask`): another
    transaction may lock and change the other cells meanwhile. `for_update` locks the cells
    exclusively, so that no other transaction may read them.
    """

    def stopping_early(self) -> RowReader:
        """Return a reader for a caller that may not consume a scan: unread rows stay unlocked."""
        ...

    def scan(
        self,
        source: TableOrIndex,
        ranges: Sequence[ByteRange] | None = None,
        *,
        descending: bool = False,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> Iterator[Row]:
        """Yield the rows or entries of `source` whose encoded key is in one of `ranges`."""
        ...

    def get(
        self, table: Table, key: bytes, *, for_update: bool = False, cells: int = WHOLE_ROW
    ) -> Row | None:
        """Return the row with the encoded primary key `key`, or None."""
        ...

    def count(
        self,
        source: TableOrIndex,
        ranges: Sequence[ByteRange] | None = None,
        *,
        for_update: bool = False,
        cells: int = WHOLE_ROW,
    ) -> int | None:
        """Return the number of rows that a scan would yield; None if they are to be scanned."""
        ...

    @property
    def reads_freely(self) -> bool:
        """True if it has no effect which rows are read: there are no locks, and no observer."""
        ...

    def documents(
        self, index: SearchIndex, prefix: bytes, lists: tuple[int, ...]
    ) -> Documents | None:
        """Return the documents of the partition of a search index whose keys begin with `prefix`.

        Their postings are those of the token lists at the positions `lists` of a document.
        None if they are few, or if the reader has no postings: they are to be scanned.
        """
        ...

    def row_count_estimate(self, table: Table) -> int:
        """Return about how many rows a table has, for choosing plans, at no cost."""
        ...


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
    rows it read, `calls` the requests it sent to a model, and `seconds` the time it took, including
    its inputs, of which it `waited` for functions of models.
    """

    __slots__ = ("calls", "executions", "rows", "scanned", "seconds", "waited")

    def __init__(self) -> None:
        self.rows = 0
        self.executions = 0
        self.scanned = 0
        self.calls = 0
        self.seconds = self.waited = 0.0


class Profile:
    """The execution figures of a plan, by node.

    `waited` returns the seconds that the run has waited for functions of models so far.
    """

    def __init__(self, waited: Callable[[], float] = float) -> None:
        self._nodes: dict[int, NodeProfile] = {}
        self._waited = waited

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
        waited, began = self._waited(), monotonic()
        source = iter(rows())
        figures.seconds += monotonic() - began
        figures.waited += self._waited() - waited
        while True:
            waited, began = self._waited(), monotonic()
            row = next(source, None)
            figures.seconds += monotonic() - began
            figures.waited += self._waited() - waited
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
        self.profile = Profile() if self.context is None else Profile(self.context.waited)
        return self.profile

    @property
    def rows_scanned(self) -> int:
        """The number of stored rows that scans read; 0 unless the run is profiled."""
        return 0 if self.profile is None else self.profile.rows_scanned
