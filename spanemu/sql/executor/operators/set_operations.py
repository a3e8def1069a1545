"""UNION ALL, INTERSECT and EXCEPT."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any

from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.memory import ENTRY_BYTES, FREE_ROWS, free_in_parts
from spanemu.sql.executor.operators.hash_tables import row_key
from spanemu.sql.executor.operators.project import compile_outputs
from spanemu.sql.executor.relation import PeekedRows, Relation, Rows, full_batches
from spanemu.sql.executor.run import Row, Run
from spanemu.sql.plan.nodes import SetOperation, UnionAll
from spanemu.sql.resolved import SetOpKind

KeyOf = Callable[[Row], Any]
Account = Callable[[Sequence[Any], int], None]  # accounts for that number of keys like the sample

_KEYS_ACCOUNTED = 64


def compile_union_all(node: UnionAll, compiler: Compiler) -> Relation:
    """Compile the concatenation of the inputs."""
    inputs = _inputs(node, compiler)

    def rows(run: Run) -> Iterable[Row]:
        return chain.from_iterable(source(run) for source in inputs)

    return Relation(rows, _layout(node), len(node.outputs))


def compile_set_operation(node: SetOperation, compiler: Compiler) -> Relation:
    """Compile INTERSECT or EXCEPT: filter the first input by the row counts of the others.

    A later input is read only if the rows to compare it with are not empty.
    """
    combine = _COMBINATIONS[node.kind]
    inputs = _inputs(node, compiler)
    key_of = row_key([column.type for column in node.outputs])
    holding = compiler.holding("Set Operation", ENTRY_BYTES)

    def weighed(left: Iterable[Row], right: Rows, run: Run) -> Iterator[Row]:
        started = PeekedRows(left)
        if started:
            account = partial(holding.take_like, run=run)
            known: Counter[Any] = Counter()
            try:
                _count(known, right(run), key_of, account)
                yield from combine(started, known, key_of, account)
            finally:
                free_in_parts(known)

    def rows(run: Run) -> Iterable[Row]:
        first, *others = inputs
        result: Iterable[Row] = first(run)
        for other in others:
            result = weighed(result, other, run)
        return result

    return Relation(rows, _layout(node), len(node.outputs))


def _inputs(node: UnionAll | SetOperation, compiler: Compiler) -> list[Rows]:
    return [
        compile_outputs(below, columns, compiler)
        for below, columns in zip(node.inputs, node.sources, strict=True)
    ]


def _layout(node: UnionAll | SetOperation) -> dict[int, int]:
    return {column.id: position for position, column in enumerate(node.outputs)}


def _count(counts: Counter[Any], rows: Iterable[Row], key_of: KeyOf, account: Account) -> None:
    """Count how often each key occurs. Each key is accounted for once."""
    for batch in full_batches(rows):
        keys, before = list(map(key_of, batch)), len(counts)
        counts.update(keys)
        if len(counts) > FREE_ROWS:
            account(keys, len(counts) - before)


def _intersect_all(
    left: Iterable[Row], known: Counter[Any], key_of: KeyOf, _: Account
) -> Iterator[Row]:
    for row in left:
        key = key_of(row)
        if known[key] > 0:
            known[key] -= 1
            yield row


def _intersect_distinct(
    left: Iterable[Row], known: Counter[Any], key_of: KeyOf, _: Account
) -> Iterator[Row]:
    for row in left:
        if known.pop(key_of(row), None) is not None:
            yield row


def _except_all(
    left: Iterable[Row], known: Counter[Any], key_of: KeyOf, _: Account
) -> Iterator[Row]:
    for row in left:
        key = key_of(row)
        if known[key] > 0:
            known[key] -= 1
        else:
            yield row


def _except_distinct(
    left: Iterable[Row], known: Counter[Any], key_of: KeyOf, account: Account
) -> Iterator[Row]:
    for row in left:
        key = key_of(row)
        if key not in known:
            known[key] = 1
            if len(known) % _KEYS_ACCOUNTED == 0:
                account((key,), _KEYS_ACCOUNTED)
            yield row


_Combine = Callable[[Iterable[Row], Counter[Any], KeyOf, Account], Iterator[Row]]

_COMBINATIONS: Mapping[SetOpKind, _Combine] = {
    SetOpKind.INTERSECT_ALL: _intersect_all,
    SetOpKind.INTERSECT_DISTINCT: _intersect_distinct,
    SetOpKind.EXCEPT_ALL: _except_all,
    SetOpKind.EXCEPT_DISTINCT: _except_distinct,
}
