"""Light classes for data: what `dataclasses` generates, without generating it at every start.

`dataclasses.dataclass` examines the fields of a class and compiles up to seven functions when the
class's module is imported. A start imports hundreds of classes, of which few get an instance, and a
fast start is a feature of spanemu. The classes here have the same fields and methods:

    record, keyword_record   no check that fields are not assigned, but by the type checker
    dataclass                a stand-in for `dataclasses.dataclass`, frozen at run time too
    NamedTuple               a stand-in for `typing.NamedTuple`

Fields are examined when they are first needed. Methods that depend on them replace themselves when
they are first called.
"""

from __future__ import annotations

import dataclasses
from collections import namedtuple
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import MISSING, Field, FrozenInstanceError, field, fields
from dataclasses import dataclass as dataclass  # for the type checker: the stand-in is below
from functools import partial
from itertools import count
from threading import RLock
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar, cast, dataclass_transform
from typing import NamedTuple as NamedTuple  # for the type checker: the stand-in is below

T = TypeVar("T")
Method = Callable[..., Any]

SLOW_CALLS = 12  # instances of a class before its `__init__` is compiled


class Record:
    """A base class with equality, hash and `repr` by fields, except those with `compare=False`."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and _compared(self) == _compared(other)

    def __hash__(self) -> int:
        return hash((type(self), *_compared(self)))

    def __repr__(self) -> str:
        return _text(self)


class Unique(Record):
    """A record that equals only itself: a node of a large tree."""

    __eq__ = object.__eq__
    __hash__ = object.__hash__


def _compared(instance: Any) -> tuple[Any, ...]:
    return tuple(
        getattr(instance, name)
        for name, each in instance.__dataclass_fields__.items()
        if each.compare
    )


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def record(kind: type[T]) -> type[T]:
    """Turn a class into a record: fields as with `dataclass`, frozen for the type checker."""
    return _with_fields(kind)


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(field,))
def keyword_record(kind: type[T]) -> type[T]:
    """Turn a class into a record whose fields are passed by name only."""
    return _with_fields(kind, kw_only=True)


def _light_dataclass(
    kind: type[Any] | None = None,
    /,
    *,
    eq: bool = True,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
) -> Any:
    """Turn a class into a dataclass, as `dataclasses.dataclass` does with these options."""

    def decorate(kind: type[Any]) -> type[Any]:
        light: Any = _with_fields(kind, frozen=frozen, slots=slots, kw_only=kw_only)
        own = vars(light)
        if eq and own.get("__hash__") is None:
            light.__hash__ = _first_call(light, "__hash__", _hash_method) if frozen else None
        if eq and "__eq__" not in own:
            light.__eq__ = _first_call(light, "__eq__", _equality_method)
        if "__repr__" not in own:
            light.__repr__ = _text
        if frozen:
            light.__setattr__ = light.__delattr__ = _refuse
            if slots:
                light.__getstate__, light.__setstate__ = _state, _set_state
        decorated: type[Any] = light
        return decorated

    return decorate if kind is None else decorate(kind)


if not TYPE_CHECKING:
    dataclass = _light_dataclass


# ---------------------------------------------------------------------- named tuples


FIELDS_MAX = 24  # of a named tuple

# A named tuple of the standard library: its attribute `item3` reads item 3 of any tuple, and as
# fast as Python can.
_Items: Any = namedtuple(  # type: ignore[misc]
    "_Items", tuple(f"item{position}" for position in range(FIELDS_MAX))
)


class _NamedTupleType(type):
    """The type of named tuples: gives a class an attribute for each annotated field."""

    def __new__(cls, name: str, bases: tuple[Any, ...], namespace: dict[str, Any]) -> Any:
        if not any("_fields" in vars(base) and not base._fields for base in bases):
            return super().__new__(cls, name, bases, namespace)  # not directly a named tuple
        kind: Any = super().__new__(cls, name, bases, namespace | {"__slots__": ()})
        names = tuple(kind.__annotations__)
        kind._fields = names
        kind.__match_args__ = names  # type: ignore[misc]
        kind._field_defaults = {each: namespace[each] for each in names if each in namespace}
        for position, attribute in enumerate(names):
            setattr(kind, attribute, getattr(_Items, f"item{position}"))
        return kind


class _LightNamedTuple(tuple[Any, ...], metaclass=_NamedTupleType):
    """A tuple whose items are attributes as well; `__new__` is compiled when it is first called."""

    __slots__ = ()
    _fields: ClassVar[tuple[str, ...]] = ()
    _field_defaults: ClassVar[dict[str, Any]] = {}

    def __new__(cls, *given: Any, **named: Any) -> Any:
        kind: Any = next(base for base in cls.__mro__ if "_fields" in vars(base))
        names = kind._fields
        defaults = {f"_default_{name}": value for name, value in kind._field_defaults.items()}
        parameters = [
            f"{name}=_default_{name}" if name in kind._field_defaults else name for name in names
        ]
        items = "".join(f"{name}, " for name in names)
        line = f"return _new(_cls, ({items}))"
        values = {"_new": tuple.__new__, **defaults}
        kind.__new__ = _compiled(kind, "__new__", ", ".join(["_cls", *parameters]), [line], values)
        return kind.__new__(cls, *given, **named)

    @classmethod
    def _make(cls, items: Iterable[Any]) -> Any:
        return cls(*items)

    def _asdict(self) -> dict[str, Any]:
        return dict(zip(self._fields, self, strict=True))

    def _replace(self, **named: Any) -> Any:
        return type(self)(**self._asdict() | named)

    def __getnewargs__(self) -> tuple[Any, ...]:
        return tuple(self)

    def __repr__(self) -> str:
        shown = (f"{name}={value!r}" for name, value in self._asdict().items())
        return f"{type(self).__name__}({', '.join(shown)})"


if not TYPE_CHECKING:
    NamedTuple = _LightNamedTuple


# ---------------------------------------------------------------------- fields


def _with_fields(
    kind: type[T], *, frozen: bool = False, slots: bool = False, kw_only: bool = False
) -> type[T]:
    """Return a class with fields, a new class if it has slots."""
    light: Any = _with_slots(kind) if slots else kind
    light.__dataclass_fields__ = _Fields(kind, light, kw_only)
    light.__init__ = _first_call(light, "__init__", partial(_slow_init_method, frozen=frozen))
    decorated: type[T] = light
    return decorated


def _with_slots(kind: Any) -> Any:
    """Return a class like `kind`, whose own fields are slots."""
    namespace = dict(vars(kind))
    inherited = {name for base in kind.__mro__[1:] for name in vars(base).get("__slots__", ())}
    own = tuple(_field_names(kind))
    for name in (*own, "__dict__", "__weakref__"):
        namespace.pop(name, None)
    namespace["__slots__"] = tuple(name for name in own if name not in inherited)
    light = type(kind)(kind.__name__, kind.__bases__, namespace)
    light.__qualname__ = kind.__qualname__
    return light


def _field_names(kind: type[Any]) -> Iterator[str]:
    for name, annotation in kind.__annotations__.items():
        if not annotation.startswith("ClassVar"):
            yield name


_examining = RLock()  # Held while the fields of a class are examined, and those of its bases.


@dataclasses.dataclass(init=False, repr=False, eq=False)
class _Sample:
    """A dataclass of the standard library, as its functions recognize one."""

    sample: object


# The parts of a field, which are set one by one because `copy` takes several times as long.
_PARTS = [(slot, getattr(fields(_Sample)[0], slot)) for slot in Field.__slots__]
# What `dataclasses.field` takes.
_FACTS = ("default", "default_factory", "init", "repr", "hash", "compare", "metadata", "kw_only")


class _Fields:
    """The attribute `__dataclass_fields__` of a class; the fields replace it when it is read.

    They are those of the class as written, which has no slots yet.
    """

    __slots__ = ("_kw_only", "_light", "_written")

    def __init__(self, written: type[Any], light: type[Any], kw_only: bool) -> None:
        self._written = written
        self._light = light
        self._kw_only = kw_only

    def __get__(self, _instance: object, _owner: type[Any]) -> dict[str, Field[Any]]:
        light: Any = self._light
        with _examining:
            if vars(light)["__dataclass_fields__"] is self:
                own_fields = self._examine()
                names = tuple(name for name, each in own_fields.items() if not each.kw_only)
                light.__match_args__ = names  # type: ignore[misc]
                light.__dataclass_fields__ = own_fields
        examined_fields: dict[str, Field[Any]] = vars(light)["__dataclass_fields__"]
        return examined_fields

    def _examine(self) -> dict[str, Field[Any]]:
        """Return the fields of the bases and of the class, as `dataclasses` finds them."""
        by_name: dict[str, Field[Any]] = {}
        for base in self._written.__mro__[:0:-1]:
            by_name |= getattr(base, "__dataclass_fields__", {})
        for name in _field_names(self._written):
            by_name[name] = self._field(name)
        return by_name

    def _field(self, name: str) -> Field[Any]:
        """Return a field, and replace its description in the class by its default value."""
        assigned = vars(self._written).get(name, MISSING)
        described = assigned if isinstance(assigned, Field) else field(default=assigned)
        own: Any = object.__new__(Field)
        for part, value in _PARTS:
            setattr(own, part, value)
        for fact in _FACTS:
            setattr(own, fact, getattr(described, fact))
        own.name = name
        own.type = self._written.__annotations__[name]
        if own.kw_only is MISSING:
            own.kw_only = self._kw_only
        if own.default.__class__.__hash__ is None:
            raise ValueError(f"mutable default of field {name!r}: use default_factory")
        if described is assigned and own.default is MISSING:
            delattr(self._written, name)
        elif described is assigned:
            setattr(self._written, name, own.default)
        return cast("Field[Any]", own)


# ---------------------------------------------------------------------- methods


def _first_call(kind: Any, name: str, make: Callable[[type[Any]], Method]) -> Method:
    """Return a method of a class that replaces itself, when called, by the method to make."""

    def method(self: Any, *given: Any, **named: Any) -> Any:
        own_method = make(kind)
        setattr(kind, name, own_method)
        return own_method(self, *given, **named)

    return method


def _slow_init_method(kind: type[Any], frozen: bool) -> Method:
    """Return an `__init__` for the first instances of a class, which few classes exceed at a start.

    Compiling a method takes as long as some dozen calls of this. It leaves the calls that
    follow, and those with wrong arguments, to the compiled method.
    """
    specs = fields(kind)
    positional = [each.name for each in specs if not each.kw_only]
    required = {each.name for each in specs if each.default is each.default_factory is MISSING}
    names = {each.name for each in specs}
    assign = object.__setattr__ if frozen else setattr
    checks = hasattr(kind, "__post_init__")
    calls_left = count(SLOW_CALLS, -1)

    def method(self: Any, *given: Any, **named: Any) -> None:
        values = dict(zip(positional, given, strict=False)) | named
        are_right = len(values) == len(given) + len(named) and required <= values.keys() <= names
        if not are_right or next(calls_left) <= 0:
            kind.__init__ = compiled = _init_method(kind, frozen)
            compiled(self, *given, **named)
            return
        for spec in specs:
            if spec.name in values:
                assign(self, spec.name, values[spec.name])
            elif spec.default_factory is not MISSING:
                assign(self, spec.name, spec.default_factory())
            else:
                assign(self, spec.name, spec.default)
        if checks:
            self.__post_init__()

    return method


def _init_method(kind: type[Any], frozen: bool) -> Method:
    """Return the `__init__` of a class, as `dataclasses` generates it."""
    values: dict[str, Any] = {"_missing": MISSING, "_set": object.__setattr__}
    positional: list[str] = ["self"]
    named: list[str] = []
    lines: list[str] = []
    for spec in fields(kind):
        name = parameter = value = spec.name
        if spec.default_factory is not MISSING:
            values[f"_make_{name}"] = spec.default_factory
            parameter = f"{name}=_missing"
            value = f"_make_{name}() if {name} is _missing else {name}"
        elif spec.default is not MISSING:
            values[f"_default_{name}"] = spec.default
            parameter = f"{name}=_default_{name}"
        (named if spec.kw_only else positional).append(parameter)
        lines.append(f"_set(self, {name!r}, {value})" if frozen else f"self.{name} = {value}")
    if hasattr(kind, "__post_init__"):
        lines.append("self.__post_init__()")
    parameters = ", ".join([*positional, *(["*", *named] if named else [])])
    return _compiled(kind, "__init__", parameters, lines or ["pass"], values)


def _equality_method(kind: type[Any]) -> Method:
    names = [each.name for each in fields(kind) if each.compare]
    lines = [
        "if other.__class__ is self.__class__:",
        f" return {_tuple_text('self', names)} == {_tuple_text('other', names)}",
        "return NotImplemented",
    ]
    return _compiled(kind, "__eq__", "self, other", lines, {})


def _hash_method(kind: type[Any]) -> Method:
    names = [each.name for each in fields(kind) if each.compare and each.hash is not False]
    return _compiled(kind, "__hash__", "self", [f"return hash({_tuple_text('self', names)})"], {})


def _tuple_text(instance: str, names: Sequence[str]) -> str:
    return f"({''.join(f'{instance}.{name}, ' for name in names)})"


def _compiled(
    kind: type[Any], name: str, parameters: str, lines: Sequence[str], values: dict[str, Any]
) -> Method:
    """Compile a method of a class; `values` are its global names."""
    exec(f"def {name}({parameters}):\n " + "\n ".join(lines), values)
    method: Method = values[name]
    method.__qualname__ = f"{kind.__qualname__}.{name}"
    return method


def _text(self: Any) -> str:
    """Return the class and the fields of an instance, as `dataclasses` prints them."""
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"


def _refuse(self: Any, name: str, *value: Any) -> NoReturn:
    raise FrozenInstanceError(f"cannot change field {name!r} of a {type(self).__name__}")


def _state(self: Any) -> list[Any]:
    """Return the values of the fields of an instance with slots, for `pickle` and `copy`."""
    return [getattr(self, each.name) for each in fields(self)]


def _set_state(self: Any, state: Sequence[Any]) -> None:
    for each, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
