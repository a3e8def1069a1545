"""A kind of named object as one description, and the statements that work on any kind.

CREATE, ALTER and DROP do the same for every kind: look the object up, check its name, count the
objects, define the object, refuse to drop an object that others need. A description holds the
differences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from spanemu.base.errors import SpannerError
from spanemu.ddl.change import Change, Job, with_object, without_object
from spanemu.ddl.errors.objects import (
    NamedSchemaNotSupported,
    ObjectNotFound,
    PrivilegesDepend,
    TooManyObjects,
)
from spanemu.ddl.expressions import dependent_view_problems
from spanemu.ddl.kinds.rows import ObjectTable
from spanemu.ddl.naming import find_addressed, find_object, object_name_problems
from spanemu.ddl.validators import raise_first
from spanemu.schema.dependency_order import dependency_order
from spanemu.schema.objects import SEPARATE_NAMES
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.sql.ddl_ast import DdlStatement, Drop

Statement = Callable[[Any, Schema], Change]
Problems = Iterable[SpannerError]


def _nothing(*_: Any) -> Sequence[Any]:
    return ()


def _same(_before: Any, _after: Any, schema: Schema) -> Schema:
    return schema


def _unchanged(source: Any, _old: str, _new: str) -> Any:
    return source


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ObjectKind:
    """A kind of named object without rows: what statements, text and system tables need to know.

    A name is unique among all objects, except that the kinds of `SEPARATE_NAMES` have names of
    their own.
    """

    words: str  # as DDL writes the kind: LOCALITY GROUP
    label: str  # as error messages write the kind: Locality group
    field: str  # the field of `schema.objects.NamedObjects` that holds the objects

    # Statements. `define` and `redefine` take (statement, object before or None, schema) and return
    # the object after the statement; they raise for an invalid object.
    create: type[DdlStatement] | None = None
    define: Callable[[Any, Any, Schema], Any] = _nothing
    alter: type[DdlStatement] | None = None
    redefine: Callable[[Any, Any, Schema], Any] = _nothing
    drop: type[Drop]
    statements: Sequence[tuple[type[DdlStatement], Statement]] = ()  # run by own functions
    settle: Callable[[Any, Any, Schema], Schema] = _same  # (before, after, next schema)
    jobs: Callable[[DdlStatement, Any], Sequence[Job]] = _nothing  # work on rows

    # Rules.
    limit: str = ""  # the field of `Limits` with the number of objects allowed
    default_schema_only: bool = False
    name_problems: Callable[[str], Problems] = _nothing  # besides those of every name
    duplicate: Callable[[str], SpannerError] | None = None  # needed for SEPARATE_NAMES
    not_found: Callable[[str], SpannerError] | None = None  # instead of ObjectNotFound
    too_many: Callable[[str, int], SpannerError] | None = None  # instead of TooManyObjects
    predefined: Callable[[str], Any] = lambda _: None  # an object of every database, for ALTER
    found_in_any_case: bool = False  # by ALTER and DROP in PostgreSQL
    privileges: frozenset[str] = frozenset()  # that GRANT accepts for the kind

    # Dependencies. Problems are in the order in which they are reported.
    dependents: Sequence[Callable[[Any, Schema], Problems]] = ()  # checks of DROP
    table_dependents: Callable[[Schema, Table], Problems] = _nothing  # of DROP TABLE
    column_dependents: Callable[[Schema, Table, str], Problems] = _nothing
    renamed: Callable[[Any, str, str], Any] = _unchanged  # (object, old table name, new)
    depends_on: Callable[[Any, Schema], Iterable[tuple[str, str]]] = _nothing  # (name, reason)

    # Text, which the dialect writes.
    is_printed: Callable[[Any], bool] = lambda _: True
    needs: Callable[[Any], Iterable[str]] | None = None  # objects of the kind that come first

    # INFORMATION_SCHEMA.
    tables: Sequence[ObjectTable] = ()

    def objects(self, schema: Schema) -> Mapping[str, Any]:
        """Return the objects of the kind, by folded name."""
        objects: Mapping[str, Any] = getattr(schema, self.field)
        return objects

    def printed(self, schema: Schema) -> Iterator[Any]:
        """Yield the objects that users created, each after the objects of the kind it needs."""
        objects = self.objects(schema)
        names: Iterable[str] = objects
        if self.needs is not None:
            needs = {
                name: [key for used in self.needs(each) if (key := schema.fold(used)) != name]
                for name, each in objects.items()
            }
            names = (name for group in dependency_order(needs) for name in group)
        return (objects[name] for name in names if self.is_printed(objects[name]))

    def addressed(self, schema: Schema, name: str) -> Any:
        """Return the object that ALTER or DROP names, or None."""
        find = find_addressed if self.found_in_any_case else find_object
        return find(schema, self.field, name)

    def missing(self, name: str) -> SpannerError:
        """Return the error for a name that no object of the kind has."""
        if self.not_found is not None:
            return self.not_found(name)
        return ObjectNotFound(self.label, name)


def statements_of(kind: ObjectKind) -> dict[type[DdlStatement], Statement]:
    """Return the functions that run the statements about a kind, by class of statement."""
    shared = ((kind.create, create_object), (kind.alter, alter_object), (kind.drop, drop_object))
    functions = {node: partial(run, kind) for node, run in shared if node is not None}
    return {**functions, **dict(kind.statements)}


def create_object(kind: ObjectKind, statement: Any, schema: Schema) -> Change:
    """Create an object, or replace it if the statement says OR REPLACE."""
    name = name_of(statement)
    before = find_object(schema, kind.field, name)
    if statement.if_not_exists and schema.in_any_case(kind.objects(schema), name) is not None:
        return Change(schema)
    if before is None or not getattr(statement, "or_replace", False):
        raise_first(_new_name_problems(kind, name, schema))
        before = None
    return _changed(kind, statement, before, kind.define(statement, before, schema), schema)


def alter_object(kind: ObjectKind, statement: Any, schema: Schema) -> Change:
    """Change an object."""
    name = name_of(statement)
    before = kind.addressed(schema, name) or kind.predefined(name)
    if before is None:
        if getattr(statement, "if_exists", False):
            return Change(schema)
        raise kind.missing(name)
    return _changed(kind, statement, before, kind.redefine(statement, before, schema), schema)


def _changed(
    kind: ObjectKind, statement: DdlStatement, before: Any, after: Any, schema: Schema
) -> Change:
    jobs = kind.jobs(statement, after)
    if after == before and not jobs:
        return Change(schema)
    return Change(kind.settle(before, after, with_object(schema, kind.field, after)), jobs)


def drop_object(kind: ObjectKind, statement: Drop, schema: Schema) -> Change:
    """Drop an object, unless other objects need it."""
    name = name_of(statement)
    dropped = kind.addressed(schema, name)
    if dropped is None:
        if statement.if_exists:
            return Change(schema)
        raise kind.missing(name)
    for problems in kind.dependents:
        raise_first(problems(dropped, schema))
    jobs = kind.jobs(statement, dropped)
    return Change(without_object(schema, kind.field, dropped.name), jobs)


def name_of(statement: Any) -> str:
    """Return the name of the object that a statement is about."""
    name = statement.name
    return name.name if hasattr(name, "name") else str(name)


def _new_name_problems(kind: ObjectKind, name: str, schema: Schema) -> Iterator[SpannerError]:
    if kind.default_schema_only and "." in name:
        yield NamedSchemaNotSupported(kind.label, name)
    yield from kind.name_problems(name)
    if kind.field not in SEPARATE_NAMES:
        yield from object_name_problems(kind.label, name, schema)
    elif kind.duplicate is not None and _is_separate_name(kind, name, schema):
        yield kind.duplicate(name)
    limit = getattr(schema.limits, kind.limit) if kind.limit else None
    if limit is not None and _created(kind, schema) >= limit:
        yield (
            kind.too_many(name, limit) if kind.too_many else TooManyObjects(kind.label, name, limit)
        )


def _created(kind: ObjectKind, schema: Schema) -> int:
    """Return how many objects of a kind the schema has, without those of every database."""
    return sum(kind.predefined(each.name) is None for each in kind.objects(schema).values())


def _is_separate_name(kind: ObjectKind, name: str, schema: Schema) -> bool:
    return kind.field in SEPARATE_NAMES and schema.fold(name) in kind.objects(schema)


# ---------------------------------------------------------------------------- dependents


def privilege_problems(schema: Schema, words: str, name: str) -> Iterator[SpannerError]:
    """Yield the error for an object to drop on which roles have privileges."""
    roles = [
        role.name
        for role in schema.roles.values()
        if any(grant.kind == words and grant.name == name for grant in role.grants)
    ]
    if roles:
        yield PrivilegesDepend(words, name, ", ".join(roles))


def privileges_on(words: str) -> Callable[[Any, Schema], Problems]:
    """Return the check that no role has a privilege on an object."""
    return lambda dropped, schema: privilege_problems(schema, words, dropped.name)


def views_over(words: str) -> Callable[[Any, Schema], Problems]:
    """Return the check that no view uses an object."""
    return lambda dropped, schema: dependent_view_problems(schema, words, dropped.name)
