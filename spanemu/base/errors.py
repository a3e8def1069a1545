"""Failures with a status code, a text, and the details that client libraries act on.

    SpannerError            a failure reported to the client
    └── (one class per cause, in the `errors` module of the package that raises it)

A failure class declares facts; its text is a format string over these facts, written once.
`frontend.boundary` is the only module that converts a failure into a gRPC status. Any exception
that is not a `SpannerError` is a bug of spanemu.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, field
from enum import IntEnum
from functools import cache
from inspect import get_annotations
from typing import Any, ClassVar, Self, cast, dataclass_transform

from spanemu.base.record import dataclass
from spanemu.base.sql_states import SqlState


class Code(IntEnum):
    """Canonical status codes, with their numbers on the wire (google.rpc.Code)."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


@dataclass(frozen=True, slots=True)
class RetryInfo:
    """The delay before the client should retry (google.rpc.RetryInfo)."""

    delay_nanos: int


@dataclass(frozen=True, slots=True)
class ResourceInfo:
    """The resource that a failure concerns (google.rpc.ResourceInfo)."""

    resource_type: str
    resource_name: str
    description: str


@dataclass(frozen=True, slots=True)
class ErrorInfo:
    """The machine-readable reason of a failure (google.rpc.ErrorInfo)."""

    reason: str
    domain: str
    metadata: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class HelpLink:
    """A link to documentation (google.rpc.Help with one link)."""

    description: str
    url: str


@dataclass(frozen=True, slots=True)
class BadRequest:
    """The field of a request that is at fault (google.rpc.BadRequest with one violation)."""

    field: str
    description: str


Detail = RetryInfo | ResourceInfo | ErrorInfo | HelpLink | BadRequest


@dataclass_transform(eq_default=False, field_specifiers=(field,))
class SpannerError(Exception):
    """A failure reported to the client: a subclass declares its facts as annotated fields.

        class IndexNotFound(SpannerError, code=Code.NOT_FOUND):
            prose = "Index not found: {name}"
            name: str

    `prose` is formatted with the facts, and serves as the class's docstring. A cause with several
    codes declares `code` as a fact. Facts are passed in order or by name, as to a dataclass. There
    are too many failure classes to let `dataclass` generate code for each at every start.

    `sql_state` is PostgreSQL's code of the cause, if there is one. A PostgreSQL database sets
    `reported_state` where a statement fails, so that the client receives the code.
    """

    code: ClassVar[Code] = Code.UNKNOWN
    prose: ClassVar[str] = ""
    sql_state: ClassVar[SqlState | None] = None
    reported_state = cast("SqlState | None", None)  # without annotation: it is no fact

    def __init_subclass__(
        cls, code: Code | None = None, sql_state: SqlState | None = None, **named: Any
    ) -> None:
        super().__init_subclass__(**named)
        if code is not None:
            cls.code = code
        if sql_state is not None:
            cls.sql_state = sql_state

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given)
        kind = _facts_of(type(self))
        facts = {**kind.defaults, **dict(zip(kind.positional, given, strict=False)), **named}
        if len(given) > len(kind.positional) or facts.keys() != set(kind.names):
            raise TypeError(f"{type(self).__name__} takes the facts {kind.names}")
        self.__dict__.update(facts)

    def __str__(self) -> str:
        return self.prose.format_map(vars(self))

    def facts(self) -> dict[str, Any]:
        """Return the facts of the failure, by name."""
        return {name: getattr(self, name) for name in _facts_of(type(self)).names}

    def details(self) -> tuple[Detail, ...]:
        """Return structured details for the client's code."""
        return ()

    @property
    def text_position(self) -> tuple[int, int] | None:
        """The line and the column in the text of the statement, both from one, if known."""
        return None

    def wrapped(self) -> SpannerError | None:
        """Return the failure whose text is part of this failure's text, None if there is none."""
        innermost, text = None, str(self)
        inner = self.__cause__ or self.__context__
        while inner is not None:
            if isinstance(inner, SpannerError) and str(inner) in text:
                innermost = inner
            inner = inner.__cause__ or inner.__context__
        return innermost

    def sql_details(self) -> ErrorInfo | None:
        """Return PostgreSQL's code and the position in the statement, where they are reported."""
        if self.reported_state is None:
            return None
        metadata = [("pg_sqlerrcode", str(self.reported_state))]
        inner = self.wrapped()
        position = self.text_position or (None if inner is None else inner.text_position)
        if position is not None:
            metadata.append(("position", "{}:{}".format(*position)))
        return ErrorInfo("SQL_ERROR", "spanner.googleapis.com", tuple(metadata))

    def fresh(self) -> Self:
        """Return this failure without the traceback of its first report, to raise it again."""
        return self.with_traceback(None)


@dataclass(frozen=True, slots=True)
class _Facts:
    """The facts of one failure class: all names, positional names, and defaults."""

    names: tuple[str, ...]
    positional: tuple[str, ...]
    defaults: dict[str, Any]


def _collect_facts(kind: type[SpannerError]) -> _Facts:
    declared: dict[str, Any] = {}
    for ancestor in reversed(kind.__mro__):
        if issubclass(ancestor, SpannerError):
            for name, annotation in get_annotations(ancestor).items():
                if "ClassVar" not in str(annotation):
                    declared[name] = ancestor.__dict__.get(name, MISSING)
    named_only = {n for n, d in declared.items() if isinstance(d, Field) and d.kw_only is True}
    defaults = {n: d.default if isinstance(d, Field) else d for n, d in declared.items()}
    return _Facts(
        tuple(declared),
        tuple(name for name in declared if name not in named_only),
        {name: default for name, default in defaults.items() if default is not MISSING},
    )


_facts_of: Callable[[Any], _Facts] = cache(_collect_facts)


class Unsupported(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "{feature} is not supported by spanemu."
    feature: str


class ExtraMissing(SpannerError, code=Code.UNIMPLEMENTED):
    """A feature whose package is not installed, because only an extra of spanemu requires it."""

    prose = "{feature} needs a package that is not installed: pip install 'spanemu[{extra}]'."
    feature: str
    extra: str


class ResourceNotFound(SpannerError, code=Code.NOT_FOUND):
    """A request for a resource that does not exist; clients read which from the detail."""

    prose = "{kind} not found: {name}"
    kind: ClassVar[str]
    resource_type: ClassVar[str]
    name: str

    def __str__(self) -> str:
        return self.prose.format(kind=self.kind, name=self.name)

    def details(self) -> tuple[Detail, ...]:
        """Return the detail with the resource's type and name."""
        description = f"{self.kind} does not exist."
        return (ResourceInfo(self.resource_type, self.name, description),)
