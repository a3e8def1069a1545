"""Membership of arrays and structs in a list: `(a, b) IN (list)`, not compared one by one.

The comparison of two values is FALSE if two fields, two elements or the lengths of two arrays
differ, however deep inside, TRUE if all are equal, and otherwise NULL. The cells of a value are its
scalars and the lengths of its arrays, by their paths; a NULL has none. So the comparison is not
FALSE where the cells are equal that both values have.

    (1, NULL, [5, 6])     (0,): 1   (2,): 2   (2, 0): 5   (2, 1): 6

Members without NULL are in a set, in which TRUE is found. To tell NULL from FALSE, the members are
grouped by the paths of their cells. For each group, and each set of paths that a value has, a set
holds the cells that both have: a value is looked up once for each group. Where values or members
have too many sets of paths, such as arrays with NULL at any place, they are compared one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import eq
from typing import Any

from spanemu.base.deadline_checks import interruptible, parts_of
from spanemu.values import order
from spanemu.values.types import Type

Test = Callable[[Any], bool]
Path = tuple[int, ...] | int  # the position of a field in a struct of scalars
Paths = tuple[Path, ...]
Cells = tuple[Any, ...]
Lookup = tuple[tuple[int, ...], set[Cells]]  # positions of cells of a value, and known cells there
CellReader = Callable[[Any], tuple[Paths, Cells]]

_GROUPS_MAX = 256  # groups of members, and sets of paths of values
_HELD_MAX = 1 << 21  # tuples of cells that the lookups hold


def membership(type_: Type, values: Iterable[Any]) -> Callable[[Any], bool | None]:
    """Return `x IN (values)` as a function of `x`, for values known beforehand, one at least."""
    is_whole, has_no_nan = _null_freedom(type_), _nan_freedom(type_)
    has_null = False
    whole: set[Any] = set()
    partial: list[Any] = []  # with NULL inside
    others: list[Any] = []  # with NaN inside, which equal no value
    for part in parts_of(tuple(values)):
        for value in part:
            if value is None:
                has_null = True
            elif not is_whole(value):
                partial.append(value)
            elif has_no_nan(value):
                whole.add(value)
            else:
                others.append(value)
    partial_members = _Members(type_, partial)
    whole_members = _Members(type_, [*whole, *others])

    def test(value: Any) -> bool | None:
        if value is None:
            return None
        if value in whole:
            return True
        if has_null or partial_members.may_hold(value):
            return None
        return False if is_whole(value) or not whole_members.may_hold(value) else None

    return test


class _Members:
    """Members of a list for which a comparison may be NULL."""

    def __init__(self, type_: Type, members: Sequence[Any]) -> None:
        self._members = members
        self._equals = order.equals(type_)
        self._cells = _cell_reader(type_)
        self._groups: dict[Paths, list[Cells]] | None = None  # as they are needed
        self._lookups: dict[Paths, list[Lookup]] = {}  # by the paths of values
        self._held = 0

    def may_hold(self, value: Any) -> bool:
        """Return whether the comparison of `value` with any member is TRUE or NULL."""
        if not self._members:
            return False
        paths, cells = self._cells(value)
        lookups = self._lookups.get(paths)
        if lookups is None:
            lookups = self._new_lookups(paths)
        if lookups is None:
            equals = self._equals
            return any(equals(value, each) is not False for each in interruptible(self._members))
        return any(tuple([cells[at] for at in places]) in held for places, held in lookups)

    def _new_lookups(self, paths: Paths) -> list[Lookup] | None:
        """Return the lookups of values with `paths`, or None if there are too many lookups."""
        if self._groups is None:
            self._groups = self._grouped()
        if max(len(self._groups), len(self._lookups) + 1) > _GROUPS_MAX or self._held > _HELD_MAX:
            return None
        lookups = [_lookup(paths, group, each) for group, each in self._groups.items()]
        self._held += sum(len(held) for _, held in lookups)
        self._lookups[paths] = lookups
        return lookups

    def _grouped(self) -> dict[Paths, list[Cells]]:
        groups: dict[Paths, list[Cells]] = {}
        for part in parts_of(self._members):
            for member in part:
                paths, cells = self._cells(member)
                groups.setdefault(paths, []).append(cells)
        return groups


def _lookup(paths: Paths, group: Paths, members: Sequence[Cells]) -> Lookup:
    """Return the cells that values and the members of a group have, and these of the members.

    A member with NaN among these cells equals no value.
    """
    places = {path: at for at, path in enumerate(paths)}
    pairs = [(places[path], at) for at, path in enumerate(group) if path in places]
    held: set[Cells] = set()
    for part in parts_of(members):
        shared = [tuple([member[at] for _, at in pairs]) for member in part]
        held.update([each for each in shared if all(map(eq, each, each))])
    return tuple([place for place, _ in pairs]), held


# ---------------------------------------------------------------------------- what values contain


def _parts(type_: Type) -> Sequence[Type]:
    """Return the types of the elements or fields of an array or a struct."""
    return [type_.item()] if type_.is_array else [field.type for field in type_.fields]


def _is_flat(type_: Type) -> bool:
    return not any(part.is_array or part.is_struct for part in _parts(type_))


def _null_freedom(type_: Type) -> Test:
    """Return a test of values that are not NULL: whether there is no NULL inside."""
    return _for_all_parts(type_, lambda cells: None not in cells)


def _nan_freedom(type_: Type) -> Test:
    """Return a test of values without NULL: whether no NaN, which equals nothing, is inside."""
    return _for_all_parts(type_, lambda cells: all(map(eq, cells, cells)))


def _for_all_parts(type_: Type, holds: Test) -> Test:
    """Return a test of values: whether `holds` is true of all scalars inside, given as a sequence.

    It is false if an array or a struct inside is NULL.
    """
    if not (type_.is_array or type_.is_struct):
        return lambda value: holds((value,))
    if _is_flat(type_):
        return holds
    tests = [_for_all_parts(part, holds) for part in _parts(type_)]
    if type_.is_array:
        (of_item,) = tests
        return lambda value: all(each is not None and of_item(each) for each in value)
    return lambda value: all(
        each is not None and test(each) for test, each in zip(tests, value, strict=True)
    )


# ---------------------------------------------------------------------------- cells


def _cell_reader(type_: Type) -> CellReader:
    """Return a function that splits a value into its cells: returns their paths, and the cells."""
    if type_.is_struct and type_.fields and _is_flat(type_):
        return _fields_of
    add = _adder(type_)

    def read(value: Any) -> tuple[Paths, Cells]:
        found: dict[tuple[int, ...], Any] = {}
        add(value, (), found)
        return tuple(found), tuple(found.values())

    return read


def _fields_of(value: Sequence[Any]) -> tuple[Paths, Cells]:
    paths = tuple([at for at, cell in enumerate(value) if cell is not None])
    return paths, tuple([cell for cell in value if cell is not None])


_Adder = Callable[[Any, tuple[int, ...], dict[tuple[int, ...], Any]], None]


def _adder(type_: Type) -> _Adder:
    """Return a function that adds the cells of a value at a path to a dictionary."""
    if type_.is_array:
        add_item = _adder(type_.item())

        def add_array(value: Any, path: tuple[int, ...], found: dict[Any, Any]) -> None:
            if value is not None:
                found[path] = len(value)
                for at, item in enumerate(interruptible(value)):
                    add_item(item, (*path, at), found)

        return add_array
    if type_.is_struct:
        adders = [_adder(field.type) for field in type_.fields]

        def add_struct(value: Any, path: tuple[int, ...], found: dict[Any, Any]) -> None:
            if value is not None:
                for at, (add, cell) in enumerate(zip(adders, value, strict=True)):
                    add(cell, (*path, at), found)

        return add_struct

    def add_scalar(value: Any, path: tuple[int, ...], found: dict[Any, Any]) -> None:
        if value is not None:
            found[path] = value

    return add_scalar
