"""Path scans: the rows of the input, each with the paths that begin at its node.

`path_pattern` knows how a path goes on, `path_search` in which order paths are found, and
`path_result` what a path adds to a row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spanemu.base.call import current
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.operators.path_meeting import can_meet, from_both_ends
from spanemu.sql.executor.operators.path_parts import compile_node
from spanemu.sql.executor.operators.path_pattern import Pattern
from spanemu.sql.executor.operators.path_search import SEARCHES
from spanemu.sql.executor.operators.path_trace import NODE, Node, Trace, with_values
from spanemu.sql.executor.relation import Layout, Relation
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.paths import PathScan
from spanemu.sql.plan.traverse import free
from spanemu.sql.resolved import PathPrefix


def compile_path_scan(node: PathScan, compiler: Compiler) -> Relation:
    """Compile a path scan; a search that holds nodes releases them before the next row."""
    below = compiler.relation(node.input)
    start_of = compile_node(node.start, below, compiler)
    end_of = None if node.end is None else compile_node(node.end, below, compiler)
    first_of = (
        None if node.first_element is None else compiler.value(node.first_element, below.layout)
    )
    pattern = Pattern(node, below, compiler)
    outputs_of = pattern.outputs()
    paths_of = _search(node, pattern, compiler)
    is_selective = node.prefix is not PathPrefix.ALL
    bind = compiler.binding(_correlations(node), below.layout)

    def rows(run: Run) -> Iterator[Row]:
        check = current().check
        for row in below.rows(run):
            check()
            start = start_of(row, run)
            end = None if end_of is None else end_of(row, run)
            if start is None or (end_of is not None and end is None):
                continue
            if bind is not None:
                bind(row, run)
            first = None if first_of is None else first_of(row, run)
            held = run.held
            for trace in paths_of(start, end, row, run):
                if end is not None and trace[NODE] != end:
                    continue
                if pattern.is_late:
                    trace = with_values(trace, run)
                yield row + outputs_of(trace, first)
                if end is not None and is_selective:
                    break
                if bind is not None:  # The operators above may have filled the slots.
                    bind(row, run)
            run.held = held

    return Relation(rows, _layout(node, below), below.width + len(node.produced))


_PathsOf = Callable[[Node, "Node | None", Row, Run], Iterator[Trace]]


def _search(node: PathScan, pattern: Pattern, compiler: Compiler) -> _PathsOf:
    """Return the search for the paths from a node, to another where that is known."""
    holding = compiler.holding("Path")
    if can_meet(node):
        meet = from_both_ends(node, pattern, compiler, holding)
        return lambda start, end, row, run: meet(start, end or start, row, run)
    search = SEARCHES[node.prefix](pattern, holding, node.is_free)
    return lambda start, _, row, run: search(start, row, run)


def _layout(node: PathScan, below: Relation) -> Layout:
    """Return the layout of the rows: those of the input, then the outputs."""
    added = {column.id: below.width + place for place, column in enumerate(node.produced)}
    return {**below.layout, **added}


def _correlations(node: PathScan) -> frozenset[int]:
    """Return the columns of the input that the plans of steps and checks refer to."""
    return frozenset[int]().union(*[free(lookup.node) for lookup in node.lookups()])
