"""Seeks as ranges of encoded keys, computed from the values of one evaluation.

    SingerId = @s AND AlbumId > 4      (enc(s) + after(enc(4)), after(enc(s)))

Ranges come out sorted and disjoint. A constraint whose value is NULL matches nothing, and then
there is no range at all. So does NaN, except where a key part sorts NaN as the greatest value:
there NaN equals itself.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from spanemu.base.deadline_checks import interruptible
from spanemu.schema.table import KeyPart
from spanemu.sql.executor.compiler import Compiler
from spanemu.sql.executor.relation import Layout, Value
from spanemu.sql.executor.run import ByteRange, Run
from spanemu.sql.plan.nodes import Among, Constraint, Equal, Prefixed, Seek, Within
from spanemu.sql.plan.traverse import has_query, parts
from spanemu.values.key import TOP, after_prefix, key_encoder, merge_ranges, successor
from spanemu.values.types import TypeCode

RangesOf = Callable[[Any, Run], list[ByteRange]]
PointOf = Callable[[Any, Run], bytes | None]

# The alternative encoded values of one key part.
_Options = Callable[[Any, Run], Sequence[bytes]]
# Start and end of one key part's interval; an end of None stands for the end of the key prefix.
_Interval = Callable[[Any, Run], tuple[bytes, bytes | None] | None]
_Encode = Callable[[Any], bytes]

_SURROGATES = range(0xD800, 0xE000)
_HIGHEST_CHARACTER = 0x10FFFF


def compile_ranges(
    seeks: Sequence[Seek], key: Sequence[KeyPart], layout: Layout, compiler: Compiler
) -> RangesOf:
    """Compile seeks into a key to a function of an outer row that returns the union of their
    ranges.
    """
    makers = [_compile_seek(seek, key, layout, compiler) for seek in seeks]
    if len(makers) == 1:
        return makers[0]

    def ranges(row: Any, run: Run) -> list[ByteRange]:
        return merge_ranges([each for make in makers for each in make(row, run)])

    return ranges


def compile_point(
    seeks: Sequence[Seek] | None, key: Sequence[KeyPart], layout: Layout, compiler: Compiler
) -> PointOf | None:
    """Compile seeks to a function of an outer row that returns the one encoded key they match.

    Return None if the seeks do not determine exactly one whole key.
    """
    if seeks is None or len(seeks) != 1 or len(seeks[0].points) != len(key):
        return None
    points = [point for point in seeks[0].points if isinstance(point, Equal)]
    if len(points) != len(key):
        return None
    encode = key_encoder([(part.column.type, part.order) for part in key])
    checks = _checks(points, key, layout, compiler)
    if len(checks) == 1 and checks[0][:2] == (True, False):
        only = checks[0][2]

        def single(row: Any, run: Run) -> bytes | None:
            value = only(row, run)
            return None if value is None else encode((value,))

        return single

    whole = _whole_key(checks, encode)
    known = [check for check, point in zip(checks, points, strict=True) if not _has_query(point)]
    if len(known) in (0, len(checks)):
        return whole
    is_possible = _whole_key(known, lambda _: b"")

    def guarded(row: Any, run: Run) -> bytes | None:
        return None if is_possible(row, run) is None else whole(row, run)

    return guarded


def _checks(
    points: Sequence[Equal], key: Sequence[KeyPart], layout: Layout, compiler: Compiler
) -> list[tuple[bool, bool, Value]]:
    """Return (is strict, refuses NaN, value) for each point: see `_whole_key`."""
    return [
        (
            not point.nulls,
            point.value.type.is_float and not part.order.nan_greatest,
            compiler.value(point.value, layout),
        )
        for point, part in zip(points, key, strict=False)
    ]


def _whole_key(
    checks: Sequence[tuple[bool, bool, Value]], encode: Callable[[Sequence[Any]], bytes]
) -> PointOf:
    """Return a function from a row to its key, given (is strict, refuses NaN, value) per part.

    The parts may be the leading parts of a key.
    """

    def whole(row: Any, run: Run) -> bytes | None:
        values = []
        for is_strict, refuses_nan, value_of in checks:
            value = value_of(row, run)
            # NaN is the value that is unequal to itself.
            if is_strict and (value is None or (refuses_nan and value != value)):
                return None
            values.append(value)
        return encode(values)

    return whole


def _has_query(constraint: Constraint) -> bool:
    return any(map(has_query, parts(constraint)))


def _compile_seek(
    seek: Seek, key: Sequence[KeyPart], layout: Layout, compiler: Compiler
) -> RangesOf:
    equalities = [point for point in seek.points if isinstance(point, Equal)]
    is_prefix = seek.last is None and len(equalities) == len(seek.points) < len(key)
    if is_prefix and not any(map(_has_query, equalities)):
        return _prefix_ranges(equalities, key, layout, compiler)
    options = [
        _OPTIONS[type(point)](point, part, layout, compiler)
        for point, part in zip(seek.points, key, strict=False)
    ]
    interval: _Interval | None = None
    if seek.last is not None:
        part = key[len(seek.points)]
        interval = _INTERVALS[type(seek.last)](seek.last, part, layout, compiler)
    is_whole = len(seek.points) == len(key)

    def ranges(row: Any, run: Run) -> list[ByteRange]:
        prefixes: Sequence[bytes] = (b"",)
        for option in options:
            values = option(row, run)
            prefixes = [
                prefix + end for prefix in interruptible(prefixes) for end in interruptible(values)
            ]
        if interval is None:
            end_of = successor if is_whole else after_prefix
            result = [(prefix, end_of(prefix)) for prefix in interruptible(prefixes)]
        else:
            bounds = interval(row, run)
            if bounds is None:
                return []
            start, end = bounds
            result = [
                (prefix + start, _end(prefix) if end is None else prefix + end)
                for prefix in interruptible(prefixes)
            ]
        return merge_ranges(result)

    queries = list(map(_has_query, seek.points))
    known = [option for option, is_query in zip(options, queries, strict=True) if not is_query]
    known_interval = None if seek.last is None or _has_query(seek.last) else interval
    if any(queries) or (interval is not None and known_interval is None):
        return _guarded(ranges, known, known_interval)
    return ranges


def _prefix_ranges(
    points: Sequence[Equal], key: Sequence[KeyPart], layout: Layout, compiler: Compiler
) -> RangesOf:
    """Compile equalities of the leading parts of a key: the usual seek of a join."""
    encode = key_encoder([(part.column.type, part.order) for part in key[: len(points)]])
    prefix_of = _whole_key(_checks(points, key, layout, compiler), encode)

    def ranges(row: Any, run: Run) -> list[ByteRange]:
        prefix = prefix_of(row, run)
        return [] if prefix is None else [(prefix, after_prefix(prefix))]

    return ranges


def _guarded(ranges: RangesOf, known: Sequence[_Options], interval: _Interval | None) -> RangesOf:
    """Return `ranges`, computed only if the constraints without subqueries match anything."""

    def guarded(row: Any, run: Run) -> list[ByteRange]:
        if not all(option(row, run) for option in known):
            return []
        if interval is not None:
            bounds = interval(row, run)
            if bounds is None or (bounds[1] is not None and bounds[0] >= bounds[1]):
                return []
        return ranges(row, run)

    return guarded


def _end(prefix: bytes) -> bytes:
    return after_prefix(prefix) if prefix else TOP


def _part_encoder(part: KeyPart) -> _Encode:
    encode = key_encoder(((part.column.type, part.order),))
    return lambda value: encode((value,))


def _equal(point: Equal, part: KeyPart, layout: Layout, compiler: Compiler) -> _Options:
    encode, value_of = _part_encoder(part), compiler.value(point.value, layout)
    takes_null = point.nulls
    takes_nan = point.nulls or part.order.nan_greatest

    def options(row: Any, run: Run) -> Sequence[bytes]:
        value = value_of(row, run)
        if value is None:
            return (encode(None),) if takes_null else ()
        return (encode(value),) if takes_nan or value == value else ()

    return options


def _among(point: Among, part: KeyPart, layout: Layout, compiler: Compiler) -> _Options:
    encode, takes_nan = _part_encoder(part), part.order.nan_greatest
    if point.array is not None:
        values_of = compiler.value(point.array, layout)
    else:
        values_of = compiler.cells(point.values, layout)

    def options(row: Any, run: Run) -> Sequence[bytes]:
        values = values_of(row, run) or ()
        encoded = {
            encode(value)
            for value in interruptible(values)
            if value is not None and (takes_nan or value == value)
        }
        return list(encoded)

    return options


_OPTIONS: Mapping[type, Callable[[Any, KeyPart, Layout, Compiler], _Options]] = {
    Equal: _equal,
    Among: _among,
}

_Bounds = tuple[Any, bool, Any, bool]  # low, low_closed, high, high_closed; None: unbounded


def _bounded(part: KeyPart) -> Callable[[_Bounds], tuple[bytes, bytes | None]]:
    """Return a function that encodes bounds on a key part, in whatever order the part is sorted."""
    encode = _part_encoder(part)
    null = encode(None)
    # The keys of all values that are not NULL.
    first: bytes = after_prefix(null) if part.order.nulls_first else b""
    last: bytes | None = None if part.order.nulls_first else null

    def ascending(bounds: _Bounds) -> tuple[bytes, bytes | None]:
        low, low_closed, high, high_closed = bounds
        start = first if low is None else _from(encode(low), low_closed)
        return start, last if high is None else _up_to(encode(high), high_closed)

    def descending(bounds: _Bounds) -> tuple[bytes, bytes | None]:
        low, low_closed, high, high_closed = bounds
        start = first if high is None else _from(encode(high), high_closed)
        return start, last if low is None else _up_to(encode(low), low_closed)

    return descending if part.descending else ascending


def _from(encoded: bytes, closed: bool) -> bytes:
    return encoded if closed else after_prefix(encoded)


def _up_to(encoded: bytes, closed: bool) -> bytes:
    return after_prefix(encoded) if closed else encoded


def _within(last: Within, part: KeyPart, layout: Layout, compiler: Compiler) -> _Interval:
    bounded, refuses_nan = _bounded(part), not part.order.nan_greatest
    low_of = None if last.low is None else compiler.value(last.low, layout)
    high_of = None if last.high is None else compiler.value(last.high, layout)

    def interval(row: Any, run: Run) -> tuple[bytes, bytes | None] | None:
        low = high = None
        if low_of is not None:
            low = low_of(row, run)
            if low is None or (refuses_nan and low != low):
                return None
        if high_of is not None:
            high = high_of(row, run)
            if high is None or (refuses_nan and high != high):
                return None
        return bounded((low, last.low_closed, high, last.high_closed))

    return interval


def _prefixed(last: Prefixed, part: KeyPart, layout: Layout, compiler: Compiler) -> _Interval:
    bounded = _bounded(part)
    prefix_of = compiler.value(last.prefix, layout)
    following = after_bytes if part.column.type.code is TypeCode.BYTES else after_text

    def interval(row: Any, run: Run) -> tuple[bytes, bytes | None] | None:
        prefix = prefix_of(row, run)
        if prefix is None:
            return None
        if last.is_pattern:
            prefix = literal_prefix(prefix)
        return bounded((prefix, True, following(prefix), False))

    return interval


_INTERVALS: Mapping[type[Constraint], Callable[[Any, KeyPart, Layout, Compiler], _Interval]] = {
    Within: _within,
    Prefixed: _prefixed,
}


def after_text(prefix: str) -> str | None:
    """Return the least text above every text that starts with `prefix`; None if there is none."""
    kept = prefix.rstrip(chr(_HIGHEST_CHARACTER))
    if not kept:
        return None
    following = ord(kept[-1]) + 1
    if following in _SURROGATES:
        following = _SURROGATES.stop
    return kept[:-1] + chr(following)


def after_bytes(prefix: bytes) -> bytes | None:
    """Return the least bytes above all bytes that start with `prefix`; None if there are none."""
    kept = prefix.rstrip(b"\xff")
    return kept[:-1] + bytes((kept[-1] + 1,)) if kept else None


def literal_prefix(pattern: Any) -> Any:
    """Return the text that every match of a LIKE pattern starts with: all before the first bare %
    or _.
    """
    text: str = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    taken: list[str] = []
    characters = iter(text)
    for character in characters:
        if character in "%_":
            break
        taken.append(next(characters, "") if character == "\\" else character)
    prefix = "".join(taken)
    return prefix.encode("latin-1") if isinstance(pattern, bytes) else prefix
