"""What a function is: its overloads as data, and the chosen one as the tree carries it.

A chapter module declares a table of `Function`s; `googlesql.catalog` joins the tables into one
mapping by name. The analyzer (`expressions.overload`) matches argument types against
`Overload.parameters` and puts a bound `Signature` into the resolved tree; the executor calls
`Signature.evaluate` and never looks at names.

How `evaluate` is called is said by two flags:

    default        evaluate(a, b, ...)            values in Python form
    context=True   evaluate(context, a, b, ...)   a `Context` first
    lazy=True      arguments arrive as thunks: evaluate(thunk_a, thunk_b, ...)

and by `nulls`: with STRICT (nearly all functions) a NULL argument gives NULL without a call.
A lambda argument arrives as a Python callable over its parameters' values; a `Special` one as a
str ("DAY", "WEEK(MONDAY)", the sequence's name), and its type among the argument types is STRING.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import Enum, auto
from typing import Any, Protocol, runtime_checkable

from spanemu.base.rand import Randomness
from spanemu.base.record import Record, Unique, record
from spanemu.values.types import Type


class Context(Protocol):
    """What a running statement offers to functions that need more than their arguments."""

    time_zone: str  # the database's default zone
    randomness: Randomness

    @property
    def now(self) -> int:
        """CURRENT_TIMESTAMP: nanoseconds, constant within a statement."""
        ...

    def next_sequence_value(self, sequence: str) -> int:
        """GET_NEXT_SEQUENCE_VALUE; raises outside read-write transactions."""
        ...

    def sequence_state(self, sequence: str) -> int | None:
        """GET_INTERNAL_SEQUENCE_STATE."""
        ...

    def identity_state(self, column: str) -> int | None:
        """GET_TABLE_COLUMN_IDENTITY_STATE of "[schema.]table.column"; raises if there is none."""
        ...


class Nulls(Enum):
    """What a function does with NULL arguments."""

    STRICT = auto()  # NULL in, NULL out, without a call
    CALLED = auto()  # the function sees None


class Arity(Enum):
    """How often a parameter may be given."""

    REQUIRED = auto()
    OPTIONAL = auto()
    REPEATED = auto()  # zero or more; a run of REPEATED parameters repeats as a group


@record
class TypeVariable(Record):
    """T in a signature: one type for all its uses, the supertype of what is given.

    The variable named ANY is not unified: each use stands for a type of its own.
    """

    name: str
    only: frozenset[str] = frozenset()  # type codes it may be; empty is any


@record
class ArrayOf(Record):
    """ARRAY<T>."""

    element: Pattern


@record
class LambdaOf(Record):
    """A lambda over parameters of these patterns, with a body of this one."""

    parameters: tuple[Pattern, ...]
    body: Pattern


@record
class Special(Record):
    """An argument that is not a value: a date part, a SEQUENCE, an unevaluated keyword."""

    kind: str  # "DATE_PART", "SEQUENCE", "MODEL", ...


Pattern = Type | TypeVariable | ArrayOf | LambdaOf | Special


@record
class Parameter(Record):
    """One formal parameter. `name` is set when it may be given as `name => value`.

    An omitted OPTIONAL argument is not passed to `evaluate`, except where a later argument is
    given or a REPEATED parameter comes before it: then `default` is passed in its place.
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
    """One signature of a function. `evaluate` is the implementation."""

    parameters: tuple[Parameter, ...]
    result: ResultType
    evaluate: Callable[..., Any]
    nulls: Nulls = Nulls.STRICT
    context: bool = False
    lazy: bool = False
    volatile: bool = False  # differs between calls: never folded, refused where determinism rules
    stable: bool = False  # constant within a statement, not between statements
    # Taken only where an argument is NUMERIC to begin with: an INT64 or a literal 1.5 that could
    # become one goes to FLOAT64 instead, or nowhere.
    needs_numeric: bool = False
    # Builds `evaluate` for the types at hand, e.g. to compare or print arrays. Given the
    # argument types and the result type; used instead of `evaluate` when set.
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
    # Says how the function is shown in "no matching signature" messages; "" is NAME.
    operator_symbol: str = ""


@record
class Signature(Unique):
    """An overload bound to argument types: all that is needed to call it."""

    function: str
    argument_types: tuple[Type, ...]
    result: Type
    evaluate: Callable[..., Any]
    nulls: Nulls = Nulls.STRICT
    context: bool = False
    lazy: bool = False
    volatile: bool = False
    stable: bool = False


class Accumulator(Protocol):
    """The running state of one aggregate over one group."""

    def add(self, *arguments: Any) -> None:
        """Take one row's arguments."""
        ...

    def result(self) -> Any:
        """The value for the rows taken so far."""
        ...


@runtime_checkable
class BulkAccumulator(Accumulator, Protocol):
    """One that takes the arguments of many rows faster than one by one."""

    def extend(self, values: Sequence[Any]) -> None:
        """What `add` of each value does."""
        ...


@record
class AggregateOverload(Record):
    """One signature of an aggregate function.

    `make(argument_types, result_type)` gives a factory of accumulators. With `skips_nulls` a row
    whose first argument is NULL is not passed on; modifiers tell what the reference allows.
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


@record
class AggregateFunction(Record):
    """An aggregate function by its upper-case name."""

    name: str
    overloads: tuple[AggregateOverload, ...]
    chapter: str = "aggregate"
    aliases: tuple[str, ...] = ()


@record
class AggregateSignature(Unique):
    """An aggregate overload bound to argument types."""

    function: str
    argument_types: tuple[Type, ...]
    result: Type
    new: Callable[[], Accumulator]
    skips_nulls: bool = True


@record
class Catalog(Record):
    """Every function the dialect knows. `unsupported` maps names Spanner has to chapters."""

    scalars: Mapping[str, Function]
    aggregates: Mapping[str, AggregateFunction]
    unsupported: Mapping[str, str] = field(default_factory=dict)
