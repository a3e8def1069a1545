"""Which rows may be the nearest ones: bounds on distances, computed fast for all rows.

A bound is (value, error): the exact distance of a row, or a number in the same order, lies within
`error` of `value`. A row is a candidate for the nearest `count` rows unless its lowest possible
value exceeds the highest possible one of `count` other rows. The exact distance of a candidate is
computed later, by the SQL function, which alone decides the order.

With numpy, values are products of a matrix of floats of 32 bits, which is kept with the rows. With
u = 2^-24 and d elements, such a product of vectors is off by at most about d*u times their lengths,
whatever the order of its sums. Without numpy, values come from `math.dist`, which is nearly exact.

A row without a finite bound, such as one with NaN or of zero length, is always a candidate.
"""

from __future__ import annotations

from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from heapq import nsmallest
from importlib import import_module
from math import dist, inf, isfinite, isnan, nan, sqrt
from threading import Lock
from typing import Any
from weakref import ref

from spanemu.base.deadline_checks import interruptible, parts_of
from spanemu.base.limits import VECTOR_MATRICES_BYTES_MAX
from spanemu.base.process import ProcessOutOfMemory, headroom
from spanemu.base.record import NamedTuple
from spanemu.sql.functions.registry import Operation
from spanemu.values.vector import Vector
from spanemu.values.vector_rows import Gathered

# Returns the places of the rows that satisfy the filter of the query, of those given.
Passing = Callable[[Sequence[int]], Sequence[int]]

_ROUNDING = 2.0**-24  # of a float of 32 bits
_SMALLEST = 2.0**-148  # of a product of such floats, twice
_SLACK = 1.02
_SHORT, _LONG = 1e-15, 1e18  # a vector of another length may overflow or underflow in 32 bits
_DOUBLE_ROUNDING = 1e-14  # generously, of a few operations on doubles
_ROWS_AT_ONCE = 256  # so few that their copy is in a cache of the processor
_TESTED_FIRST, _TESTED_GROWTH = 256, 8
_NO_PLACES: frozenset[int] = frozenset()


class Search(NamedTuple):
    """A search for the first `limit` rows by the distance from `vector`."""

    operation: Operation
    vector: tuple[float, ...]
    descending: bool
    limit: int


def candidates(
    gathered: Gathered, search: Search, hidden: Sequence[int], passing: Passing | None
) -> Sequence[int] | None:
    """Return the places of the rows among which the nearest ones are; None if all may be.

    Rows at `hidden` places do not count. `passing` is the filter of the query, None without one.
    """
    length = sqrt(sum(map(float.__mul__, search.vector, search.vector)))
    if not _SHORT < length < _LONG:
        return None
    numpy = _numpy()
    if numpy is None:
        return _plain_candidates(gathered, search, length, frozenset(hidden), passing)
    return _matrix_candidates(numpy, gathered, search, (length, hidden), passing)


_imported: list[Any] = []


def _numpy() -> Any:
    """Return numpy, which the extra `vector` brings, or None without it."""
    if not _imported:
        try:
            _imported.append(import_module("numpy"))
        except ImportError:
            _imported.append(None)
    return _imported[0]


# ---------------------------------------------------------------------------- without numpy


def _plain_candidates(
    gathered: Gathered,
    search: Search,
    length: float,
    hidden: frozenset[int],
    passing: Passing | None,
) -> Sequence[int]:
    places: Sequence[int] = [at for at in range(len(gathered.rows)) if at not in hidden]
    if passing is not None:
        places = passing(places)
    bounds = _plain_bounds(gathered, search, length, places)
    highest = [value + error for value, error in bounds if isfinite(value + error)]
    limit = nsmallest(search.limit, highest)[-1] if len(highest) >= search.limit > 0 else inf
    return [
        number
        for number, (value, error) in zip(places, bounds, strict=True)
        if not value - error > limit  # true for NaN, too
    ]


def _plain_bounds(
    gathered: Gathered, search: Search, length: float, places: Sequence[int]
) -> list[tuple[float, float]]:
    position, rows = gathered.column.position, gathered.rows
    vector = search.vector
    sign = -1.0 if search.descending else 1.0
    if search.operation is Operation.EUCLIDEAN_DISTANCE:
        bounds = []
        for number in interruptible(places):
            apart = dist(rows[number][position], vector)
            bounds.append((sign * apart, _DOUBLE_ROUNDING * apart))
        return bounds
    lengths = _plain_lengths(gathered)
    zero = (0.0,) * gathered.column.length
    is_cosine = search.operation is Operation.COSINE_DISTANCE
    square = length * length
    bounds = []
    for number in interruptible(places):
        cells, own = tuple(rows[number][position]), lengths[number]
        if isnan(own):
            own = lengths[number] = dist(cells, zero)
        apart = dist(cells, vector)
        product = (own * own + square - apart * apart) / 2
        error = _DOUBLE_ROUNDING * (own + length) ** 2
        if is_cosine:
            scale = own * length
            value = 1.0 - product / scale if scale else inf
            error = error / scale if scale else inf
        else:
            value = product
        bounds.append((sign * value, error if isfinite(value) else inf))
    return bounds


def _plain_lengths(gathered: Gathered) -> array[float]:
    """Return the lengths computed so far, which are kept with the rows; NaN for the others."""
    kept: array[float] = gathered.kept
    if not isinstance(kept, array):
        kept = gathered.kept = array("d", [nan]) * len(gathered.rows)
    return kept


# ---------------------------------------------------------------------------- with numpy


class _Matrix(NamedTuple):
    """The vectors of rows as floats of 32 bits, and the squares of their lengths.

    `values` is None if the matrix is too large to be kept.
    """

    values: Any
    squares: Any


def _matrix_candidates(
    numpy: Any,
    gathered: Gathered,
    search: Search,
    query: tuple[float, Sequence[int]],
    passing: Passing | None,
) -> Sequence[int]:
    length, hidden = query
    with numpy.errstate(all="ignore"):
        values, errors = _matrix_bounds(numpy, gathered, search, length)
        lowest, highest = values - errors, values + errors
        is_known = numpy.isfinite(highest)
        lowest[~is_known], highest[~is_known] = -inf, inf
        if len(hidden):
            places = numpy.asarray(hidden, dtype=numpy.intp)
            lowest[places] = highest[places] = numpy.nan  # below no limit
        if passing is None:
            limit = _limit(numpy, highest, search.limit)
            chosen: list[int] = numpy.flatnonzero(lowest <= limit).tolist()
            return chosen
        return _passing_candidates(numpy, (lowest, highest), search.limit, passing)


def _limit(numpy: Any, highest: Any, count: int) -> float:
    """Return a number that at least `count` rows certainly do not exceed."""
    if count < 1 or count > len(highest):
        return inf
    limit = float(numpy.partition(highest, count - 1)[count - 1])  # NaN comes last
    return inf if isnan(limit) else limit


def _passing_candidates(
    numpy: Any, bounds: tuple[Any, Any], count: int, passing: Passing
) -> Sequence[int]:
    """Return the candidates that pass a filter, which is tested for the nearest rows first."""
    lowest, highest = bounds
    tested, size = numpy.zeros(len(lowest), dtype=bool), 4 * count + _TESTED_FIRST
    passed: list[int] = []
    limit = inf
    while limit == inf and not tested.all():
        bound = _limit(numpy, lowest, size)
        new = numpy.flatnonzero((lowest <= bound) & ~tested)
        passed += passing(new.tolist())
        tested[new] = True
        if bound == inf:
            return passed
        limit = _limit(numpy, highest[numpy.asarray(passed, dtype=numpy.intp)], count)
        size *= _TESTED_GROWTH
    passed += passing(numpy.flatnonzero((lowest <= limit) & ~tested).tolist())
    return passed


def _matrix_bounds(numpy: Any, gathered: Gathered, search: Search, length: float) -> Any:
    """Return the values of all rows and their errors, as arrays or numbers."""
    unit = numpy.asarray([element / length for element in search.vector], dtype=numpy.float32)
    matrix = _kept_matrix(numpy, gathered)
    if matrix.values is None:
        products = numpy.concatenate(
            [part @ unit for part in _parts(numpy, gathered)], dtype=numpy.float64
        )
    else:
        products = (matrix.values @ unit).astype(numpy.float64)
    squares = matrix.squares
    lengths = numpy.sqrt(squares)
    elements = len(unit)
    rounding = (elements + 8) * _ROUNDING * _SLACK
    smallest = elements * _SMALLEST
    # A short vector loses digits in the squares of its elements.
    lengths[lengths < _SHORT] = numpy.nan
    if search.operation is Operation.COSINE_DISTANCE:
        values = 1.0 - products / lengths
        errors = 1.5 * rounding + smallest / lengths
    elif search.operation is Operation.DOT_PRODUCT:
        values = products * length
        errors = (rounding * lengths + smallest) * length
    else:
        values = squares + length * length - 2.0 * length * products
        errors = rounding * (lengths + length) ** 2 + smallest
    return (-values if search.descending else values), errors


def _kept_matrix(numpy: Any, gathered: Gathered) -> _Matrix:
    kept = gathered.kept
    if isinstance(kept, _Matrix):
        _account.use(gathered)
        return kept
    rows, elements = len(gathered.rows), gathered.column.length
    is_kept = _account.take(gathered, rows * (4 * elements + 8))
    values = _matrix(numpy, rows, elements) if is_kept else None
    squares = numpy.empty(rows, dtype=numpy.float64)
    start = 0
    for part in _parts(numpy, gathered, values):
        end = start + len(part)
        squares[start:end] = numpy.einsum("ij,ij->i", part, part)
        start = end
    matrix = _Matrix(values, squares)
    if is_kept:
        gathered.kept = matrix
    return matrix


def _matrix(numpy: Any, rows: int, elements: int) -> Any:
    """Return a matrix of zeros.

    numpy.empty asks for huge pages, whose first use takes virtual machines three times as long.
    """
    room = numpy.frombuffer(bytearray(4 * rows * elements), dtype=numpy.float32)
    return room.reshape(rows, elements)


def _parts(numpy: Any, gathered: Gathered, values: Any = None) -> Any:
    """Yield matrices of some rows each: parts of `values`, or one matrix that is used again."""
    column, start = gathered.column, 0
    room = numpy.empty((_ROWS_AT_ONCE, column.length), dtype=numpy.float32)
    for rows in parts_of(gathered.rows, _ROWS_AT_ONCE):
        end = start + len(rows)
        part = room[: len(rows)] if values is None else values[start:end]
        _fill(numpy, part, [row[column.position] for row in rows])
        yield part
        start = end


def _fill(numpy: Any, part: Any, cells: list[Any]) -> None:
    """Copy vectors to the rows of a matrix."""
    elements, length, start = memoryview(part.reshape(-1)), part.shape[1], 0
    try:
        for cell in cells:
            elements[start : start + length] = cell
            start += length
    except (TypeError, ValueError):  # Wider elements, or a sequence other than a Vector.
        code = next((cell.typecode for cell in cells if cell.__class__ is Vector), "d")
        vectors = [cell if cell.__class__ is Vector else Vector(code, cell) for cell in cells]
        part[:] = numpy.frombuffer(b"".join(vectors), dtype=code).reshape(part.shape)


class _Account:
    """The account of all matrices of the process, in the order of their last use.

    A matrix that does not fit makes the others go that were used least recently. Under pressure,
    all go.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._mutex = Lock()  # Guards the fields below.
        self._sizes: OrderedDict[ref[Gathered], int] = OrderedDict()
        self.total = 0

    def take(self, owner: Gathered, size: int) -> bool:
        """Account for a matrix; return False if it is too large to be kept."""
        try:
            headroom.check()
        except ProcessOutOfMemory:
            self._shrink(0)
            return False
        if size > self.limit:
            return False
        self._shrink(self.limit - size)
        with self._mutex:
            self._sizes[ref(owner, self._lost)] = size
            self.total += size
        return True

    def use(self, owner: Gathered) -> None:
        """Note the use of a matrix."""
        with self._mutex:
            known = ref(owner)
            if known in self._sizes:
                self._sizes.move_to_end(known)

    def _lost(self, owner: ref[Gathered]) -> None:
        with self._mutex:
            self.total -= self._sizes.pop(owner, 0)

    def _shrink(self, most: int) -> None:
        """Drop the matrices used least recently until they take no more than `most` bytes."""
        while True:
            with self._mutex:
                if self.total <= most:
                    return
                owner, size = self._sizes.popitem(last=False)
                self.total -= size
            gathered = owner()
            if gathered is not None:
                gathered.kept = None


_account = _Account(VECTOR_MATRICES_BYTES_MAX)
