"""Descriptions of functions: overloads as data, and the bound signature in the resolved tree.

A chapter module declares a table of `Function`s; `googlesql.catalog` joins the tables into one
mapping by name. The analyzer (`expressions.overload`) matches argument types against
`Overload.parameters` and puts a bound `Signature` into the resolved tree; the executor calls
`Signature.evaluate` and never looks at names.

Two flags say how `evaluate` is called:

    default        evaluate(a, b, ...)            values in Python form
    context=True   evaluate(context, a, b, ...)   a `Context` first
    lazy=True      arguments arrive as thunks: evaluate(thunk_a, thunk_b, ...)

`nulls` says what a NULL argument does: with STRICT (nearly all functions) the result is NULL
without a call. A lambda argument arrives as a Python callable over its parameters' values. A
`Special` argument arrives as a str ("DAY", "WEEK(MONDAY)", the sequence's name), and its type among
the argument types is STRING.

Planner and executor know functions by properties, above all by `Operation`, and never by name, so
a dialect can give a function another name. The row of a chapter module states the properties of its
function, and the analyzer puts them into each `Signature`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import Enum, auto
from typing import Any, Protocol, runtime_checkable

from spanemu.base.rand import Randomness
from spanemu.base.record import Record, Unique, record
from spanemu.sql.remote_calls import RemoteCalls, Target
from spanemu.values.types import Type


class Operation(Enum):
    """The meaning of a function that the engine has a special method for."""

    # A member is equal to itself alone. The hash of Enum, that of the name, is a call in Python.
    __hash__ = object.__hash__

    EQUAL = "$equal"
    NOT_EQUAL = "$not_equal"
    LESS = "$less"
    LESS_OR_EQUAL = "$less_or_equal"
    GREATER = "$greater"
    GREATER_OR_EQUAL = "$greater_or_equal"
    BETWEEN = "$between"
    IN_LIST = "$in"
    IN_ARRAY = "$in_unnest"
    IS_NULL = "$is_null"
    IS_TRUE = "$is_true"
    IS_FALSE = "$is_false"
    IS_DISTINCT = "$is_distinct_from"
    NOT = "$not"
    LIKE = "$like"
    STARTS_WITH = "STARTS_WITH"
    ENDS_WITH = "ENDS_WITH"
    REGEXP_CONTAINS = "REGEXP_CONTAINS"
    ARRAY_INCLUDES = "ARRAY_INCLUDES"
    ARRAY_INCLUDES_ANY = "ARRAY_INCLUDES_ANY"
    ARRAY_INCLUDES_ALL = "ARRAY_INCLUDES_ALL"
    JSON_CONTAINS = "JSON_CONTAINS"
    JSON_CONTAINED = "jsonb_contained"
    JSONB_EXISTS = "jsonb_exists"
    JSONB_EXISTS_ANY = "jsonb_exists_any"
    JSONB_EXISTS_ALL = "jsonb_exists_all"
    MEMBER = "$json_subscript"  # of a JSON object, or an element of an array
    COALESCE = "COALESCE"
    IFNULL = "IFNULL"
    ADD = "$add"
    SUBTRACT = "$subtract"
    MULTIPLY = "$multiply"
    DIVIDE = "$divide"
    CONCATENATE = "$concat_op"
    NEXT_SEQUENCE_VALUE = "GET_NEXT_SEQUENCE_VALUE"
    COSINE_DISTANCE = "COSINE_DISTANCE"
    EUCLIDEAN_DISTANCE = "EUCLIDEAN_DISTANCE"
    DOT_PRODUCT = "DOT_PRODUCT"
    QUERY_VECTOR = "$query_vector"  # the constant of a search, checked before its first row
    SEARCH = "SEARCH"
    SEARCH_SUBSTRING = "SEARCH_SUBSTRING"
    SEARCH_NGRAMS = "SEARCH_NGRAMS"
    SCORE = "SCORE"
    SCORE_NGRAMS = "SCORE_NGRAMS"
    HAS_VALUE = "$has_value"
    HAS_ANY_VALUE = "$has_any_value"
    HAS_ALL_VALUES = "$has_all_values"
    LACKS_VALUES = "$lacks_values"
    HAS_DOCUMENT = "$has_document"
    HAS_PATH = "$has_path"
    HAS_ANY_KEY = "$has_any_key"
    HAS_ALL_KEYS = "$has_all_keys"
    HAS_TEXTS = "$has_texts"
    HAS_NUMBER_WITHIN = "$has_number_within"


# Functions that are NULL for a NULL list of tokens.
SEARCHES = frozenset({Operation.SEARCH, Operation.SEARCH_SUBSTRING, Operation.SEARCH_NGRAMS})
# Conditions on token lists that follow from other conditions (`functions.search.implied`).
IMPLIED = frozenset(
    {Operation.HAS_VALUE, Operation.HAS_ANY_VALUE, Operation.HAS_ALL_VALUES}
    | {Operation.LACKS_VALUES, Operation.HAS_TEXTS, Operation.HAS_NUMBER_WITHIN}
    | {Operation.HAS_DOCUMENT, Operation.HAS_PATH, Operation.HAS_ANY_KEY, Operation.HAS_ALL_KEYS}
)
COMPARISONS = frozenset(
    {Operation.EQUAL, Operation.NOT_EQUAL, Operation.LESS, Operation.LESS_OR_EQUAL}
    | {Operation.GREATER, Operation.GREATER_OR_EQUAL}
)

DISTANCES = frozenset(
    {Operation.COSINE_DISTANCE, Operation.EUCLIDEAN_DISTANCE, Operation.DOT_PRODUCT}
)


class Context(Protocol):
    """The services of a running statement for functions that need more than their arguments."""

    time_zone: str  # the database's default zone
    randomness: Randomness

    @property
    def remote_calls(self) -> RemoteCalls:
        """The calls of models and remote functions that the statement makes."""
        ...

    def waited(self) -> float:
        """Return the seconds that the statement has waited for functions of models."""
        ...

    @property
    def now(self) -> int:
        """CURRENT_TIMESTAMP: nanoseconds since the epoch, constant within a statement."""
        ...

    def next_sequence_value(self, sequence: str) -> int:
        """Return `GET_NEXT_SEQUENCE_VALUE(sequence)`; raise outside read-write transactions."""
        ...

    def sequence_state(self, sequence: str) -> int | None:
        """Return `GET_INTERNAL_SEQUENCE_STATE(sequence)`."""
        ...

    def identity_state(self, column: str) -> int | None:
        """Return `GET_TABLE_COLUMN_IDENTITY_STATE("[schema.]table.column")`.

        Raise NotAnIdentityColumn if there is no such identity column.
        """
        ...


class Nulls(Enum):
    """The treatment of NULL arguments by a function."""

    STRICT = auto()  # a NULL argument gives NULL without a call
    CALLED = auto()  # the function is called with None for NULL


class Arity(Enum):
    """The number of times that a call may give a parameter."""

    REQUIRED = auto()
    OPTIONAL = auto()
    REPEATED = auto()  # zero or more; a run of REPEATED parameters repeats as a group


@record
class TypeVariable(Record):
    """A type variable in a signature: one type for all its uses, the supertype of the arguments.

    The variable named ANY is not unified: each of its uses stands for a type of its own.
    """

    name: str
    only: frozenset[str] = frozenset()  # the type codes allowed; empty allows any


@record
class ArrayOf(Record):
    """The pattern `ARRAY<T>`."""

    element: Pattern


@record
class LambdaOf(Record):
    """The pattern of a lambda: the patterns of its parameters and of its body."""

    parameters: tuple[Pattern, ...]
    body: Pattern


@record
class Special(Record):
    """The pattern of an argument that is not a value: a date part, a SEQUENCE, a keyword."""

    kind: str  # "DATE_PART", "SEQUENCE", "MODEL", ...


Pattern = Type | TypeVariable | ArrayOf | LambdaOf | Special


@record
class Parameter(Record):
    """A formal parameter. `name` is set when a call may give it as `name => value`.

    An omitted OPTIONAL argument is not passed to `evaluate`, except where a later argument is given
    or a REPEATED parameter comes before it: then `default` is passed in its place.
    """

    pattern: Pattern
    arity: Arity = Arity.REQUIRED
    name: str = ""
    named_only: bool = False
    literal: bool = False  # must be a constant
    default: Any = None


ResultType = Pattern | Callable[[Sequence[Type]], Type]


@record
class Overload(Record):
    """A signature of a function with its implementation, `evaluate`."""

    parameters: tuple[Parameter, ...]
    result: ResultType
    evaluate: Callable[..., Any]
    nulls: Nulls = Nulls.STRICT
    context: bool = False
    lazy: bool = False
    volatile: bool = False  # differs between calls: never folded, refused in generated columns
    stable: bool = False  # constant within a statement, not between statements
    # The overload matches only calls with an argument of type NUMERIC. An INT64 or a literal 1.5,
    # which could be coerced to NUMERIC, matches an overload for FLOAT64 instead, or none.
    needs_numeric: bool = False
    # What a call reaches outside of the engine, if anything: such calls are made in batches.
    target: Target | None = None
    # Builds `evaluate` from the argument types and the result type, e.g. to compare or print
    # arrays; used instead of `evaluate` when set.
    bind: Callable[[Sequence[Type], Type], Callable[..., Any]] | None = None


@record
class Function(Record):
    """A scalar function by its upper-case name, dotted where it has a namespace (NET.HOST)."""

    name: str
    overloads: tuple[Overload, ...]
    chapter: str
    aliases: tuple[str, ...] = ()
    safe_allowed: bool = True
    hidden: bool = False  # an operator such as "$add": not callable by name
    # The function's name in "no matching signature" messages; "" stands for `name`.
    operator_symbol: str = ""
    operation: Operation | None = None
    cannot_fail: bool = False  # has a result for all arguments
    is_slow: bool = False  # reads long texts, or matches texts against a pattern


@record
class Signature(Unique):
    """An overload bound to argument types: everything that a call needs.

    `function` is the name that plans and messages show; behaviour depends on the other fields only.
    """

    function: str
    argument_types: tuple[Type, ...]
    result: Type
    evaluate: Callable[..., Any]
    nulls: Nulls = Nulls.STRICT
    context: bool = False
    lazy: bool = False
    volatile: bool = False
    stable: bool = False
    operation: Operation | None = None
    cannot_fail: bool = False
    is_slow: bool = False
    target: Target | None = None


class Accumulator(Protocol):
    """The running state of one aggregate over one group."""

    def add(self, *arguments: Any) -> None:
        """Add the arguments of one row."""
        ...

    def result(self) -> Any:
        """Return the value of the aggregate for the rows added."""
        ...


@runtime_checkable
class BulkAccumulator(Accumulator, Protocol):
    """An accumulator that takes the arguments of many rows at once, faster than row by row."""

    def extend(self, values: Sequence[Any]) -> None:
        """Add each of `values`, with the same effect as `add` of each."""
        ...


@record
class AggregateOverload(Record):
    """A signature of an aggregate function.

    `make(argument_types, result_type)` returns a factory of accumulators. With `skips_nulls` a row
    whose first argument is NULL is not passed to the accumulator. The `allows_` fields are the
    modifiers that the reference allows.
    """

    parameters: tuple[Parameter, ...]
    result: ResultType
    make: Callable[[Sequence[Type], Type], Callable[[], Accumulator]]
    skips_nulls: bool = True
    allows_order: bool = False
    allows_limit: bool = False
    allows_null_handling: bool = False
    allows_having: bool = True
    needs_numeric: bool = False  # see `Overload`
    # A function from the values of a group to what an accumulator returns that has taken them all:
    # groups are often so small that an accumulator takes longer.
    at_once: Callable[[Sequence[Any]], Any] | None = None


@record
class AggregateFunction(Record):
    """An aggregate function by its upper-case name."""

    name: str
    overloads: tuple[AggregateOverload, ...]
    chapter: str = "aggregate"
    aliases: tuple[str, ...] = ()
    is_min: bool = False
    is_max: bool = False
    counts_rows: bool = False  # COUNT(*)
    null_is_false: bool = False  # COUNTIF: NULL has the effect of FALSE
    decorrelates: bool = False  # may be computed for all groups of a correlated subquery at once


@record
class AggregateSignature(Unique):
    """An aggregate overload bound to argument types."""

    function: str
    argument_types: tuple[Type, ...]
    result: Type
    new: Callable[[], Accumulator]
    skips_nulls: bool = True
    is_min: bool = False
    is_max: bool = False
    counts_rows: bool = False
    null_is_false: bool = False
    decorrelates: bool = False
    at_once: Callable[[Sequence[Any]], Any] | None = None


@record
class Catalog(Record):
    """All functions of a dialect. `unsupported` maps each missing name to its chapter.

    `foreign` maps the names of functions that the language has, but Spanner refuses, to their
    signatures.
    """

    scalars: Mapping[str, Function]
    aggregates: Mapping[str, AggregateFunction]
    unsupported: Mapping[str, str] = field(default_factory=dict)
    foreign: Mapping[str, str] = field(default_factory=dict)

    def lookup(self, name: str) -> Function | AggregateFunction | None:
        """Return the function called `name` in any letter case, or None if there is none."""
        key = name if name.startswith("$") else name.upper()
        return self.scalars.get(key) or self.aggregates.get(key)
