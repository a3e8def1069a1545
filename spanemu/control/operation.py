"""Declares control operations: how tests control an emulator.

An operation is a method of a `ControlInterface`. Its decorator names the operation on the wire, its
HTTP method with the end of its path, and the field of the reply that holds the result:

    class EmulatorClock(ControlInterface):
        PATH = "clock"

        @operation("RunTtl", "POST :runTtl", "rows")
        def run_ttl(self) -> int:
            \"""Apply every row deletion policy now and return the number of deleted rows.\"""

Everything else follows from the signature: a local class implements the method, `remote` sends it
to an emulator in another process, and `dispatch` serves it there. Arguments and results are plain
data (`base.serialization`): numbers, text, times, lists, dataclasses. `Held` and `Sent` mark, in
`Annotated`, a type that travels in another form.
"""

from __future__ import annotations

import inspect
from abc import ABC
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import Annotated, Any, ClassVar, TypeVar, get_args, get_origin, get_type_hints

from spanemu.base.errors import Code, Detail, ErrorInfo, SpannerError
from spanemu.base.record import dataclass
from spanemu.base.serialization import from_plain, raw_key, snake_case, snake_case_names

F = TypeVar("F", bound=Callable[..., Any])

SILENT_SECONDS_MAX = 3600.0
VALUE_ERROR = ErrorInfo("VALUE_ERROR", "spanemu")  # marks a ValueError of the Python API


class BadArgument(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "{what}"
    what: str

    def details(self) -> tuple[Detail, ...]:
        return (VALUE_ERROR,)


class HandleExpired(SpannerError, code=Code.NOT_FOUND):
    prose = "There is no {kind} {id_!r}: it was never created here, or has been released."
    kind: str
    id_: str


class ControlInterface(ABC):  # noqa: B024  # `operation` makes methods abstract
    """An object of an emulator, with its operations.

    `SCOPE` is the argument that names the object on the wire, such as "database", and `SCOPE_TYPE`
    its type; `SCOPE` is empty for objects of which each emulator has one. `PATH` is the beginning
    of the paths of the operations below `/spanemu/v1/`, with the argument in braces.
    """

    PATH: ClassVar[str] = ""
    SCOPE: ClassVar[str] = ""
    SCOPE_TYPE: ClassVar[type] = str


@dataclass(frozen=True, slots=True)
class Held:
    """The mark of a value that stays in the emulator's process; other processes hold an id of it.

    `free` is the method that frees the value of a client that has disconnected, and has been
    silent for `silent_seconds_max`: it may reconnect, but not after so long a time.
    """

    kind: str
    free: str
    silent_seconds_max: float = SILENT_SECONDS_MAX


@dataclass(frozen=True, slots=True)
class Sent:
    """The mark of an argument that `convert` turns into plain data."""

    convert: Callable[[Any], Any]


Key = Annotated[
    Sequence[Any], Sent(raw_key)
]  # a sequence of Python values; text and numbers on the wire
Snapshot = Annotated[Any, Held("snapshot", "release", 24 * SILENT_SECONDS_MAX)]


@dataclass(frozen=True, slots=True)
class Parameter:
    """An argument of an operation. A collected parameter is the object of a `**name`."""

    hint: Any
    marker: Held | Sent | None
    is_required: bool
    is_collected: bool = False


@dataclass(eq=False)
class Operation:
    """A declared operation.

    `http` is the HTTP method and the end of the path. `result` is the field of the reply that holds
    the result; without it the fields of the result are the reply. `releases` names the held
    argument that the operation frees.
    """

    name: str
    function: Callable[..., Any]
    http: str
    result: str
    releases: str

    @cached_property
    def parameters(self) -> Mapping[str, Parameter]:
        """The arguments by name."""
        return parameters_of(self.function)

    @cached_property
    def returns(self) -> Any:
        """The type of the result, without its marker."""
        return _hints(self.function).get("return")

    @cached_property
    def held(self) -> Held | None:
        """The marker of a result that stays in the emulator's process."""
        marker = _marker(_hints(self.function, with_marks=True).get("return"))
        return marker if isinstance(marker, Held) else None

    def bind(self, target: object, args: Any, kwargs: Any) -> dict[str, Any]:
        """Return the arguments of a call by name; defaults are left out."""
        bound = inspect.signature(self.function).bind(target, *args, **kwargs)
        arguments: dict[str, Any] = {}
        for name, value in list(bound.arguments.items())[1:]:
            # The fields of a TypedDict are arguments of their own.
            arguments |= {name: value} if name in self.parameters else value
        return arguments


def operation(name: str, http: str, result: str = "", *, releases: str = "") -> Callable[[F], F]:
    """Declare a method as the operation `name`. Local classes must implement the method.

    `http` is the HTTP method and what follows `PATH`, as in "POST :snapshot" or "GET".
    """

    def declare(function: F) -> F:
        declared: Any = function
        declared.__isabstractmethod__ = True
        declared.operation = Operation(name, function, http, result, releases)
        return function

    return declare


@cache
def operations_of(interface: Any) -> Mapping[str, Operation]:
    """Return the operations that a class and its bases declare, by the name of the method."""
    return {
        name: member.operation
        for base in reversed(interface.__mro__)
        for name, member in vars(base).items()
        if isinstance(getattr(member, "operation", None), Operation)
    }


@cache
def parameters_of(function: Callable[..., Any]) -> Mapping[str, Parameter]:
    """Return the parameters of a method by name, without `self`.

    A parameter `**options: Unpack[Options]` stands for the fields of its TypedDict.
    """
    hints, marked = _hints(function), _hints(function, with_marks=True)
    parameters: dict[str, Parameter] = {}
    for name, parameter in list(inspect.signature(function).parameters.items())[1:]:
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD:
            is_required = parameter.default is inspect.Parameter.empty
            parameters[name] = Parameter(hints[name], _marker(marked[name]), is_required)
        elif options := get_args(hints[name]):  # Unpack[Selection]
            for option, hint in get_type_hints(options[0]).items():
                parameters[option] = Parameter(hint, None, is_required=False)
        else:
            hint = Mapping[str, hints[name]]  # type: ignore[valid-type]
            parameters[name] = Parameter(hint, None, is_required=False, is_collected=True)
    return parameters


def read_arguments(
    parameters: Mapping[str, Parameter],
    given: Mapping[str, Any],
    resolve: Callable[[Held, Any], Any] | None = None,
) -> dict[str, Any]:
    """Return arguments by name, read from plain data; `resolve` finds held values by their ids.

    Names may be in camel case. Raises ValueError for unknown names, for missing names, and for
    values of a wrong type.
    """
    given = snake_case_names(given, parameters)
    for name in given:
        if name not in parameters:
            known = ", ".join(parameters) or "none"
            raise ValueError(f"there is no argument {name!r}; there are: {known}")
    arguments: dict[str, Any] = {}
    for name, parameter in parameters.items():
        if name not in given:
            if parameter.is_required:
                raise ValueError(f"the argument {name!r} is missing")
            continue
        if isinstance(parameter.marker, Held) and resolve is not None:
            arguments[name] = resolve(parameter.marker, given[name])
            continue
        value = from_plain(parameter.hint, given[name], name)
        if parameter.is_collected:
            arguments |= {snake_case(each): item for each, item in value.items()}
        else:
            arguments[name] = value
    return arguments


def _hints(function: Callable[..., Any], *, with_marks: bool = False) -> dict[str, Any]:
    """Return the type hints of a function. Runs the lazy modules of the hints."""
    return get_type_hints(function, include_extras=with_marks)


def _marker(hint: Any) -> Held | Sent | None:
    if get_origin(hint) is not Annotated:
        return None
    return next((each for each in get_args(hint)[1:] if isinstance(each, Held | Sent)), None)
