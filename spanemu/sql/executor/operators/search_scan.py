"""Scans of a search index: the documents that fulfil conditions on their token lists.

A reader that has postings gives the documents of a partition (`Documents` in `run`). They are found
by `executor.search` and returned in one of three ways: as they are found, sorted by their keys, or,
if they are many and a LIMIT may end the scan early, by walking through the index in its order and
leaving out what was not found. Without postings, or where they cannot tell, every document of the
seeks is tested, as in any scan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from operator import add

from spanemu.base.bits import bits_of, numbers_in
from spanemu.base.deadline_checks import STEP_ITEMS_MAX, Batched, in_steps, interruptible
from spanemu.base.record import NamedTuple
from spanemu.schema.indexes import SearchIndex
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.documents import (
    Program,
    Segment,
    Unsuited,
    tokenizer_of,
    vocabulary_of,
)
from spanemu.sql.executor.operators.best_scores import BestScores
from spanemu.sql.executor.operators.scan import compile_scan, fetcher, layout_of
from spanemu.sql.executor.ranges import RangesOf, compile_ranges
from spanemu.sql.executor.relation import (
    BATCH_ROWS_MAX,
    Layout,
    Relation,
    Value,
    batches,
    map_batches,
)
from spanemu.sql.executor.run import ByteRange, NodeProfile, Row, Run
from spanemu.sql.executor.search import compile_search
from spanemu.sql.executor.search_scores import NgramScores, Scores
from spanemu.sql.functions.registry import Operation
from spanemu.sql.functions.search.queries import ngram_score_query, score_query
from spanemu.sql.plan.conditions import conjunction, conjuncts
from spanemu.sql.plan.nodes import Equal, SearchScan
from spanemu.sql.plan.traverse import free, replace_fields
from spanemu.sql.resolved import ColumnRef, Expr, FunctionCall
from spanemu.values.key import after_prefix, key_encoder
from spanemu.values.types import TypeCode

SORTED_MAX = 4096  # documents that are sorted rather than met on a walk

DocumentScores = Scores | NgramScores
_OfSegment = tuple[Segment, Sequence[DocumentScores | None]]

Rows = Iterable[Row]


class _Found(NamedTuple):
    """A segment with the documents that were found, and that the statement sees, a bit for each."""

    segment: Segment
    bits: int
    visible: int


def compile_search_scan(node: SearchScan, compiler: Compiler) -> Relation:
    """Compile a search to the documents that the seeks and all conditions select."""
    tested = _tested(node, compiler)
    if node.search is None:
        return tested
    try:
        search = _Search(node, compiler)
    except Unsuited:
        return tested

    def rows(run: Run) -> Rows:
        found = search.rows(run)
        return tested.rows(run) if found is None else found

    return Relation(rows, tested.layout, tested.width)


def _tested(node: SearchScan, compiler: Compiler) -> Relation:
    """Compile a search to a test of every document."""
    conditions = conjunction([*conjuncts(node.search), *conjuncts(node.residual)])
    tested = compile_scan(replace_fields(node, {"residual": conditions}), compiler)
    if not node.scores:
        return tested
    of_row = compiler.cells([call for _, call in node.scores], tested.layout)
    layout = {**tested.layout, **_score_layout(node, tested.width)}

    def rows(run: Run) -> Rows:
        return (row + of_row(row, run) for row in tested.rows(run))

    return Relation(rows, layout, tested.width + len(node.scores))


def _score_layout(node: SearchScan, width: int) -> dict[int, int]:
    return {column.id: width + number for number, (column, _) in enumerate(node.scores)}


class _Search:
    """A search by postings."""

    def __init__(self, node: SearchScan, compiler: Compiler) -> None:
        assert isinstance(node.index, SearchIndex)
        assert node.search is not None
        layout, _ = layout_of(node)
        self._index = node.index
        self._program: Program = compile_search(node.search, layout, compiler)
        self._test: Value = compiler.test(node.search, layout)
        self._prefix = _prefix_of(node, compiler)
        self._lists = _lists_of(node, layout)
        self._ranges: RangesOf | None = None
        if node.seeks is not None:
            self._ranges = compile_ranges(node.seeks, self._index.full_key, {}, compiler)
        self._gate, residual = compiler.gate(node.residual, layout)
        self._kept = None if residual is None else compiler.batch_filter(residual, layout)
        self._fetch = fetcher(node)
        self._is_ordered = node.ordered
        self._is_descending = node.descending
        self._node = node
        self._best: BestScores | None = compiler.searches.get(id(node))
        # A profile must not count rows that no operator asked for.
        self._largest = 1 if compiler.profiled else BATCH_ROWS_MAX
        self._scorings = [_Scoring(call, layout, compiler) for _, call in node.scores]
        self._score_of = compiler.cells([call for _, call in node.scores], layout)

    def rows(self, run: Run) -> Rows | None:
        """Return the rows of a run; None if postings cannot tell them."""
        if self._gate is not None and not self._gate(run):
            return ()
        prefix = self._prefix(run)
        ranges = None if self._ranges is None else self._ranges((), run)
        if prefix is None or ranges == []:
            return ()
        documents = run.reader.documents(self._index, prefix, self._lists)
        if documents is None:
            return None
        try:
            matching = [
                _Found(segment, self._program(run, segment, visible)[0], visible)
                for segment, visible in documents.segments
            ]
            scores = [
                (each.segment, [scoring.scores(run, each.segment) for scoring in self._scorings])
                for each in matching
            ]
        except Unsuited:
            return None
        others = [(key, row) for key, row in documents.others if self._test(row, run)]
        within = _within(prefix, ranges)
        if self._best is not None:
            matching = self._among_best(self._best, matching, scores, within, run)
            rows: Rows = self._in_order(matching, others, within, ranges, run)
            return self._scored(self._filtered(rows, run), scores, run)
        rows = self._filtered(self._in_order(matching, others, within, ranges, run), run)
        return self._scored(rows, scores, run) if self._scorings else rows

    def _among_best(
        self,
        best: BestScores,
        matching: Sequence[_Found],
        scores: Sequence[_OfSegment],
        within: Callable[[bytes], bool] | None,
        run: Run,
    ) -> list[_Found]:
        """Return the documents of each segment among which the best are, of those that count."""
        _, count = best.bounds(run)
        chosen = []
        for matched, (segment, of_segment) in zip(matching, scores, strict=True):
            bits, of_documents = matched.bits, of_segment[best.place]
            if of_documents is not None and bits.bit_count() > count > 0:
                if within is not None or self._kept is not None:
                    bits = self._counting(segment, bits, within, run)
                numbers = of_documents.best(bits, count)
                run.scanned += matched.bits.bit_count() - len(numbers)
                matched = _Found(segment, bits_of(numbers), matched.visible)
            chosen.append(matched)
        return chosen

    def _counting(
        self, segment: Segment, bits: int, within: Callable[[bytes], bool] | None, run: Run
    ) -> int:
        """Return the documents that the seeks and the remaining condition select."""
        numbers, keys, rows, kept = numbers_in(bits), segment.keys, segment.rows, self._kept
        if within is not None:
            numbers = [number for number in interruptible(numbers) if within(keys[number])]
        if kept is None:
            return bits_of(numbers)
        passing: list[int] = []
        for part in in_steps(numbers, STEP_ITEMS_MAX, STEP_ITEMS_MAX):
            left = set(map(id, kept([rows[number] for number in part], run)))
            passing += [number for number in part if id(rows[number]) in left]
        return bits_of(passing)

    def _scored(self, rows: Rows, scores: Sequence[_OfSegment], run: Run) -> Rows:
        """Return rows with their scores."""

        def scored(batch: list[Row]) -> list[Row]:
            if len(scores) == 1:
                ((segment, of_segment),) = scores
                numbers = segment.numbers_of_all(batch)
                if numbers is not None:
                    columns = [
                        [0.0] * len(numbers) if each is None else each.of_all(numbers)
                        for each in of_segment
                    ]
                    return list(map(add, batch, zip(*columns, strict=True)))
            return [self._row_scored(row, scores, run) for row in batch]

        return map_batches(rows, scored, self._largest)

    def _row_scored(self, row: Row, scores: Sequence[_OfSegment], run: Run) -> Row:
        for segment, of_segment in scores:
            number = segment.number_of(row)
            if number is not None:
                return (*row, *[0.0 if each is None else each.of(number) for each in of_segment])
        return (*row, *self._score_of(row, run))

    def _filtered(self, rows: Rows, run: Run) -> Rows:
        kept, largest = self._kept, self._largest
        if run.profile is not None:
            rows = _counted(rows, run.profile.of(self._node))
        if kept is None:
            return Batched(batches(iter(rows), largest, run))
        return map_batches(iter(rows), lambda batch: kept(batch, run), largest, run)

    def _in_order(
        self,
        matching: Sequence[_Found],
        others: Sequence[tuple[bytes, Row]],
        within: Callable[[bytes], bool] | None,
        ranges: list[ByteRange] | None,
        run: Run,
    ) -> Rows:
        """Return the rows found, in the order that the plan needs."""
        count = sum([each.bits.bit_count() for each in matching]) + len(others)
        if self._is_ordered and count > SORTED_MAX:
            return self._walk(matching, ranges, run)
        if not self._is_ordered and within is None:
            return chain(_rows_of(matching), [row for _, row in others])
        items = [*_items_of(matching), *others]
        if within is not None:
            items = [item for item in items if within(item[0])]
        if self._is_ordered:
            items.sort(key=_key_of, reverse=self._is_descending)
        return [row for _, row in items]

    def _walk(
        self, matching: Sequence[_Found], ranges: list[ByteRange] | None, run: Run
    ) -> Iterator[Row]:
        """Yield the rows found in the order of the index, of which the caller may need a few."""
        flags = [(each.segment, _flags(each.bits), _flags(each.visible)) for each in matching]
        for row in self._fetch(run, ranges):
            for segment, bits, visible in flags:
                number = segment.number_of(row)
                if number is not None and _is_set(visible, number):
                    if _is_set(bits, number):
                        yield row
                    break
            else:
                if self._test(row, run):
                    yield row


def _counted(rows: Rows, figures: NodeProfile) -> Iterator[Row]:
    for row in rows:
        figures.scanned += 1
        yield row


class _Scoring:
    """A call of SCORE or SCORE_NGRAMS, with its constants."""

    def __init__(self, call: Expr, layout: Layout, compiler: Compiler) -> None:
        assert isinstance(call, FunctionCall)
        tokens, *constants = call.arguments
        assert isinstance(tokens, ColumnRef)
        self._is_of_ngrams = call.signature.operation is Operation.SCORE_NGRAMS
        self._position = layout[tokens.column.id]
        self._values = [compiler.value(each, {}) for each in constants]

    def scores(self, run: Run, segment: Segment) -> DocumentScores | None:
        """Return the scores of the documents of a segment; None if all are 0."""
        postings = segment.columns[self._position]
        tokenizer = tokenizer_of([postings])
        arguments = [value((), run) for value in self._values]
        if tokenizer is None:
            return None
        if self._is_of_ngrams:
            scorer = ngram_score_query(tokenizer, arguments)
            if scorer is None:
                return None
            return NgramScores(segment.rows, self._position, postings, scorer)
        query = score_query(tokenizer, arguments)
        if query is None:
            return None
        query = query.among(vocabulary_of([postings]))
        return Scores(postings, query.tree, query.scorer)


def _lists_of(node: SearchScan, layout: Layout) -> tuple[int, ...]:
    """Return the positions of the token lists that a search looks at."""
    looked_at = [node.search, *[call for _, call in node.scores]]
    ids = frozenset().union(*[free(each) for each in looked_at if each is not None])
    lists = [column for column, stored in node.outputs if stored.type.code is TypeCode.TOKENLIST]
    return tuple(sorted([layout[column.id] for column in lists if column.id in ids]))


def _prefix_of(node: SearchScan, compiler: Compiler) -> Callable[[Run], bytes | None]:
    """Return the function of the encoded values of the partition columns; None for a NULL."""
    assert isinstance(node.index, SearchIndex)
    parts = node.index.partition_key
    if not parts:
        return lambda run: b""
    points = [] if node.seeks is None else node.seeks[0].points[: len(parts)]
    values = [compiler.value(each.value, {}) for each in points if isinstance(each, Equal)]
    if len(values) < len(parts):
        raise Unsuited
    encode = key_encoder(tuple([(part.column.type, part.order) for part in parts]))

    def prefix(run: Run) -> bytes | None:
        cells = [value((), run) for value in values]
        return None if None in cells else encode(cells)

    return prefix


def _within(prefix: bytes, ranges: list[ByteRange] | None) -> Callable[[bytes], bool] | None:
    """Return the test whether a key of a partition lies in one of some ranges; None if all do."""
    if ranges is None or (prefix and ranges == [(prefix, after_prefix(prefix))]):
        return None
    return lambda key: any(low <= key < high for low, high in ranges)


def _rows_of(found: Sequence[_Found]) -> Iterator[Row]:
    for segment, bits, _ in found:
        rows = segment.rows
        for number in numbers_in(bits):
            yield rows[number]


def _items_of(found: Sequence[_Found]) -> Iterator[tuple[bytes, Row]]:
    for segment, bits, _ in found:
        rows, keys = segment.rows, segment.keys
        for number in numbers_in(bits):
            yield keys[number], rows[number]


def _key_of(item: tuple[bytes, Row]) -> bytes:
    return item[0]


def _flags(bits: int) -> bytes:
    return bits.to_bytes((bits.bit_length() + 7) >> 3, "little")


def _is_set(flags: bytes, number: int) -> bool:
    return number >> 3 < len(flags) and bool(flags[number >> 3] >> (number & 7) & 1)
