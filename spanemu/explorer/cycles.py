"""The cycles of dependencies between actors, and their names.

phantom              each reads what another writes, and one of the writes inserts a row
write skew           the same, and no write inserts a row
inconsistent read    any other cycle: A before B at one row, B before A at another
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from spanemu.explorer.dependencies import (
    MOVE_READ,
    ONE_SNAPSHOT,
    ONE_WRITE,
    STRICTER,
    Diagnosis,
    Edge,
    Link,
    RowNames,
)

_VERBS = {
    "rw": "{target} writes {row}, which {source} has read",
    "wr": "{target} reads {row}, which {source} has written",
    "ww": "{target} overwrites {row}, which {source} has written",
}
Cycle = tuple[Edge, ...]


def cycle_of(edges: list[Edge]) -> Cycle | None:
    """Return the cycle that explains most: of two actors, of reads before writes, of inserts."""
    pairs = [
        (there, back)
        for there in edges
        for back in edges
        if there.source < there.target
        and back.source == there.target
        and back.target == there.source
    ]
    return min(pairs, key=_rank, default=None) or _longer_cycle(edges)


def _rank(cycle: Cycle) -> tuple[bool, bool]:
    """Return the rank of a cycle of two actors; the first of the least rank is reported."""
    return not _is_rw(cycle), not any(edge.inserts for edge in cycle)


def _is_rw(cycle: Cycle) -> bool:
    return all(edge.kind == "rw" for edge in cycle)


def _longer_cycle(edges: list[Edge]) -> Cycle | None:
    """Return a shortest cycle of three or more actors, None without one."""
    first: dict[tuple[int, int], Edge] = {}
    for edge in edges:
        first.setdefault((edge.source, edge.target), edge)
    paths: list[tuple[int, ...]] = [(source,) for source in sorted({source for source, _ in first})]
    while paths:
        longer: list[tuple[int, ...]] = []
        for path in paths:
            for source, target in sorted(first):
                if source != path[-1]:
                    continue
                if target == path[0] and len(path) > 2:
                    return tuple(first[ends] for ends in pairwise((*path, target)))
                if target not in path:
                    longer.append((*path, target))
        paths = longer
    return None


def named(cycle: Cycle, names: list[str], rows: RowNames, writers: set[int]) -> Diagnosis:
    """Return the diagnosis of a cycle; `writers` are the actors that have written."""
    links = tuple(
        Link(
            edge.kind,
            edge.first,
            edge.second,
            edge.access,
            dependency_text(
                edge.kind, names[edge.source], names[edge.target], rows.row(edge.access)
            ),
        )
        for edge in cycle
    )
    inserting = [edge for edge in cycle if edge.inserts]
    if _is_rw(cycle) and inserting:
        return Diagnosis("phantom", _phantom(cycle, names, rows), _advice(cycle), links)
    if _is_rw(cycle):
        parts = [
            f"{names[edge.source]} reads what {names[edge.target]} writes at "
            f"{rows.row(edge.access)}"
            for edge in cycle
        ]
        return Diagnosis("write skew", f"write skew: {_listed(parts)}", _advice(cycle), links)
    if len(cycle) == 2:
        there, back = cycle
        text = (
            f"{names[there.source]} comes before {names[there.target]} at "
            f"{rows.row(there.access)}, and after it at {rows.row(back.access)}"
        )
    else:
        text = _listed(
            [
                f"{names[edge.source]} comes before {names[edge.target]} at {rows.row(edge.access)}"
                for edge in cycle
            ]
        )
    return Diagnosis(
        "inconsistent read",
        f"not serializable (inconsistent read): {text}",
        _advice_for_readers(cycle, writers),
        links,
    )


def _advice(cycle: Cycle) -> str:
    """Return what helps if each actor reads what another writes."""
    return MOVE_READ if any(edge.transaction is None for edge in cycle) else STRICTER


def _advice_for_readers(cycle: Cycle, writers: set[int]) -> str:
    """Return what helps if an actor reads on both sides of what another writes."""
    before = next((edge for edge in cycle if edge.kind == "rw"), None)
    after = next((edge for edge in cycle if edge.kind == "wr"), None)
    if before is None or after is None or len(cycle) > 2:
        return ONE_SNAPSHOT
    is_one_read = before.first == after.second or (
        before.transaction is not None and before.transaction == after.transaction
    )
    if is_one_read:
        return ONE_WRITE
    return MOVE_READ if before.source in writers else ONE_SNAPSHOT


def _phantom(cycle: Cycle, names: list[str], rows: RowNames) -> str:
    """Return the sentence of a phantom: who inserts what, and what the others read and write."""
    inserting = next(edge for edge in cycle if edge.inserts)
    text = (
        f"phantom: {names[inserting.source]} reads a range or a missing row of "
        f"{rows.name(inserting.access)}, into which {names[inserting.target]} inserts "
        f"{rows.row(inserting.access)}, and "
    )
    others = [edge for edge in cycle if edge is not inserting]
    if all(edge.inserts for edge in others) and len(others) == 1:
        return f"{text}the other way round"
    return text + _listed(
        [
            f"{names[edge.source]} reads what {names[edge.target]} writes at "
            f"{rows.row(edge.access)}"
            for edge in others
        ]
    )


def dependency_text(kind: str, source: str, target: str, row: str) -> str:
    """Return a dependency as a sentence."""
    return _VERBS[kind].format(source=source, target=target, row=row)


def _listed(parts: Sequence[str]) -> str:
    *first, last = parts
    return f"{', '.join(first)}, and {last}" if first else last
