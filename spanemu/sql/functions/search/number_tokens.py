"""TOKENIZE_NUMBER: the checks of its options, and the tokens that DEBUG_TOKENLIST shows.

A list keeps the numbers alone, in the order of the array. The tokens of ranges follow from them and
from the options, which are the `detail` of the tokenizer:

    TOKENIZE_NUMBER(42, min=>1, max=>100, granularity=>10)
        ==42, [1, 75], [36, 45], [36, 55], [36, 75]

A range is a node of a tree over the buckets between min and max, each `granularity` wide around a
multiple of it: first the bucket of the number, then `tree_base` times as many buckets, and so on,
as long as the node is not the whole tree. A prefix tree has a token for all greater numbers in
place of the nodes of one bucket; floating-point numbers have their leading digits. Nothing but
debugging looks at ranges: conditions are checked against the column itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf, isfinite

from spanemu.base.record import NamedTuple
from spanemu.sql.functions.errors import InvalidSearch

INT64_MIN, INT64_MAX = -(2**63), 2**63 - 1
Number = int | float

_COMPARISONS = ("all", "equality")
_AUTO = "auto"  # the default algorithm of the type, which Spanner knows by this name, too
_TREES = ("logtree", "prefixtree")
_FLOATING = "floatingpoint"
_BASE_MIN, _BASE_MAX = 2, 10
_PRECISION_MIN, _PRECISION_MAX = 1, 15
_BUCKETS_MAX = 2**64 - 3


class NumberOptions(NamedTuple):
    """The options of a call as given; None for those left out."""

    comparison_type: str | None = None
    algorithm: str | None = None
    min: Number | None = None
    max: Number | None = None
    granularity: Number | None = None
    tree_base: int | None = None
    precision: int | None = None


class NumberTree(NamedTuple):
    """The checked options of a list. Without an algorithm it has tokens of equality alone."""

    algorithm: str
    min: Number = 0
    max: Number = 0
    granularity: Number = 1
    base: int = 2
    precision: int = 15

    def text(self) -> str:
        """Return the options as text for the header of a list."""
        if self in _SHORT:
            return _SHORT[self]
        return ",".join(map(_text, self))


# The trees of calls with default options: their lists are many.
_SHORT = {
    NumberTree("logtree", INT64_MIN, INT64_MAX): "",
    NumberTree(_FLOATING): "f",
    NumberTree(""): "=",
}


def tree_of(text: str) -> NumberTree:
    """Return the options that `NumberTree.text` has written."""
    for tree, short in _SHORT.items():
        if text == short:
            return tree
    algorithm, smallest, largest, granularity, base, precision = text.split(",")
    return NumberTree(
        algorithm,
        _number(smallest),
        _number(largest),
        _number(granularity),
        int(base),
        int(precision),
    )


def checked(options: NumberOptions, *, is_float: bool) -> NumberTree:
    """Return the options of a list of integers or of floating-point numbers."""
    comparison = (options.comparison_type or "all").lower()
    if comparison not in _COMPARISONS:
        raise _bad(
            f"Unsupported comparison type: '{options.comparison_type}', supported comparison"
            " types: 'all', 'equality'"
        )
    algorithm = (options.algorithm or _AUTO).lower()
    if algorithm == _AUTO:
        algorithm = _FLOATING if is_float else _TREES[0]
    if algorithm not in (*_TREES, _FLOATING):
        raise _bad(
            f"Algorithm is not supported: '{options.algorithm}'; supported algorithms are:"
            " 'auto', 'logtree', 'prefixtree', 'floatingpoint' (floatingpoint is supported only"
            " for floating point types)"
        )
    if algorithm == _FLOATING and not is_float:
        raise _bad("algorithm 'floatingpoint' can only be used to tokenize floating point values")
    if comparison == "equality":
        _refuse(options, ("min", "max"), "comparison_type 'equality'")
        return NumberTree("")
    if algorithm == _FLOATING:
        _refuse(options, ("granularity", "tree_base"), "algorithm 'floatingpoint'")
        return NumberTree(algorithm, precision=_precision(options.precision))
    _precision(options.precision)
    _refuse(options, ("precision",), f"algorithm '{algorithm}'")
    return _tree(algorithm, options, is_float=is_float)


def _tree(algorithm: str, options: NumberOptions, *, is_float: bool) -> NumberTree:
    limits = (options.min, options.max, options.granularity)
    for name, limit in zip(("min", "max"), limits[:2], strict=True):
        if limit is not None and not isfinite(limit):
            raise _bad(f"{name} must be finite, got: {_text(limit)}")
    if options.granularity is not None and not 0 < options.granularity < inf:
        raise _bad(f"granularity must be finite and positive, got: {_text(options.granularity)}")
    if is_float and None in limits:
        raise _bad(
            f"min, max and granularity are required for algorithm '{algorithm}' on floating point"
            " values"
        )
    smallest = INT64_MIN if options.min is None else options.min
    largest = INT64_MAX if options.max is None else options.max
    granularity = 1 if options.granularity is None else options.granularity
    if smallest >= largest:
        raise _bad(f"min must be less than max, got: {_text(smallest)} and {_text(largest)}")
    if granularity > largest - smallest:
        raise _bad(
            f"granularity ({_text(granularity)}) must be less than or equal to the difference"
            f" between min and max ({_text(smallest)}, {_text(largest)})"
        )
    # Without min and max, the buckets of all integers are allowed to be a few more.
    if None not in limits[:2] and granularity < (largest - smallest) / _BUCKETS_MAX:
        raise _bad(
            "granularity cannot be less than (max - min) / (2^64 - 3)), which is:"
            f" {_text((largest - smallest) / _BUCKETS_MAX)}; got: {_text(granularity)}"
        )
    base = 2 if options.tree_base is None else options.tree_base
    if not _BASE_MIN <= base <= _BASE_MAX:
        raise _bad(f"tree_base must be in the range [{_BASE_MIN}, {_BASE_MAX}], got: {base}")
    return NumberTree(algorithm, smallest, largest, granularity, base)


def _precision(precision: int | None) -> int:
    if precision is None:
        return _PRECISION_MAX
    if not _PRECISION_MIN <= precision <= _PRECISION_MAX:
        raise _bad(
            f"precision must be in the range [{_PRECISION_MIN}, {_PRECISION_MAX}], got: {precision}"
        )
    return precision


def _refuse(options: NumberOptions, names: Sequence[str], reason: str) -> None:
    for name in names:
        if getattr(options, name) is not None:
            raise _bad(f"{name} is not allowed with {reason}")


def _bad(problem: str) -> InvalidSearch:
    return InvalidSearch(f"TOKENIZE_NUMBER: {problem}")


# ---------------------------------------------------------------------------- tokens


def token(number: Number) -> bytes:
    """Return the token that a list keeps for a number."""
    return b"==" + _text(number).encode()


def debug_tokens(detail: str, tokens: Sequence[bytes]) -> list[str]:
    """Return all tokens of a list as text: those of equality, then the ranges in order."""
    tree = tree_of(detail)
    equal = [each.decode() for each in tokens]
    if not tree.algorithm:
        return equal
    numbers = [_number(each[2:]) for each in equal]
    numbers = [number for number in numbers if isfinite(number)]
    if tree.algorithm == _FLOATING:
        ranges = {each for number in numbers for each in _digit_ranges(number, tree.precision)}
    else:
        ranges = {each for number in numbers for each in _ranges(number, tree)}
    return [*equal, *(f"[{_text(low)}, {_text(high)}]" for low, high in sorted(ranges))]


def _ranges(number: Number, tree: NumberTree) -> Iterator[tuple[Number, Number]]:
    if number < tree.min:
        yield (INT64_MIN if isinstance(tree.min, int) else float("-inf"), tree.min)
        return
    if number > tree.max:
        yield (tree.max, INT64_MAX if isinstance(tree.max, int) else float("inf"))
        return
    buckets = _bucket(tree.max, tree) + 1
    bucket = _bucket(number, tree)
    width = 1
    if tree.algorithm == "prefixtree":
        yield (_edges(bucket, 1, tree)[0], tree.max)
        width = tree.base
    while width < buckets:
        yield _edges(bucket // width * width, width, tree)
        width *= tree.base


def _bucket(number: Number, tree: NumberTree) -> int:
    """Return the bucket of a number: the multiple of the granularity that is nearest."""
    if isinstance(number, int) and isinstance(tree.granularity, int):
        return (number - int(tree.min) + tree.granularity // 2) // tree.granularity
    return int((number - tree.min) / tree.granularity + 0.5)


def _edges(first: int, count: int, tree: NumberTree) -> tuple[Number, Number]:
    """Return the least and the greatest number of some buckets."""
    step = tree.granularity
    if isinstance(step, int) and isinstance(tree.min, int):
        low = tree.min + first * step - step // 2
        return max(tree.min, low), low + count * step - 1
    start = tree.min + (first - 0.5) * step
    return max(tree.min, start), start + count * step


def _digit_ranges(number: Number, precision: int) -> Iterator[tuple[Number, Number]]:
    """Yield the ranges of numbers that share leading digits with a number."""
    digits, exponent = f"{abs(number):.{precision - 1}e}".split("e")
    digits = digits.replace(".", "").rstrip("0") or "0"
    sign = -1 if number < 0 else 1
    for count in range(1, len(digits) + 1):
        scale = int(exponent) - count + 1
        ends = sorted(sign * float(f"{int(digits[:count]) + one}e{scale}") for one in (0, 1))
        yield (ends[0], ends[1])


def _text(number: Number | str) -> str:
    return repr(number) if isinstance(number, float) else str(number)


def _number(text: str) -> Number:
    try:
        return int(text)
    except ValueError:
        return float(text)
