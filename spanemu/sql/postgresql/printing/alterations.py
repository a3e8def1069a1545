"""The statements that change the objects of a schema in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from spanemu.schema import objects as named
from spanemu.schema.table import Check, Column, Table
from spanemu.sql.postgresql.printing.ddl import (
    QUEUE_OPTIONS,
    check_text,
    column_text,
    column_type,
    row_deletion_policy,
)
from spanemu.sql.postgresql.printing.ddl_objects import (
    option_value,
    quoted_name,
    watched_text,
)
from spanemu.sql.postgresql.syntax.keywords import quoted

_STORAGE = {"locality_group": "LOCALITY GROUP", "columnar_policy": "COLUMNAR POLICY"}


class PostgreSqlAlterations:
    """The statements of an `AlterationWriter` in the PostgreSQL dialect."""

    # ------------------------------------------------------------------------ tables

    def add_column(self, column: Column) -> str:
        return f"ADD COLUMN {column_text(column)}"

    def can_alter_column(self, before: Column, after: Column) -> bool:
        """Return whether ALTER COLUMN has an action for the difference of two columns."""
        loses_option = before.allow_commit_timestamp and not after.allow_commit_timestamp
        return not loses_option and before.vector_length == after.vector_length

    def alter_column(self, before: Column, after: Column) -> Iterator[str]:
        head = f"ALTER COLUMN {quoted(after.name)}"
        for option in _changed(before.options, after.options):
            if option in _STORAGE:
                yield f"{head} SET {_storage(option, after.options)}"
        yield from (f"{head} {action}" for action in _identity(before, after))
        old, new = column_type(before), column_type(after)
        null = "SET" if after.not_null else "DROP"
        if after.allow_commit_timestamp and old != new and before.default is not None:
            yield f"{head} DROP DEFAULT"  # for a commit timestamp has no other default
            before = replace(before, default=None)
        if old != new:
            yield f"{head} TYPE {new}, {head} {null} NOT NULL"
        elif before.not_null != after.not_null:
            yield f"{head} {null} NOT NULL"
        for attribute, words in (("default", "DEFAULT"), ("on_update", "ON UPDATE")):
            text = getattr(after, attribute)
            if getattr(before, attribute) != text:
                yield f"{head} DROP {words}" if text is None else f"{head} SET {words} {text}"

    def add_check(self, check: Check) -> str:
        return f"ADD {check_text(check)}"

    def row_deletion(self, before: Table, after: Table) -> str:
        policy = row_deletion_policy(after)
        if policy is None:
            return "DROP TTL"
        return f"{'ADD' if before.row_deletion_policy is None else 'ALTER'} TTL {policy}"

    def table_options(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
        changed = _changed(before, after)
        for option in changed:
            if option in _STORAGE:
                yield f"SET {_storage(option, after)}"
        settings = [
            f"{name} = {_setting(after.get(name))}" for name in changed if name in QUEUE_OPTIONS
        ]
        if settings:
            yield f"SET ({', '.join(settings)})"

    # ------------------------------------------------------------------------ other objects

    def database_option(self, database: str, name: str, value: Any) -> str:
        option = f"ALTER DATABASE {quoted(database)} SET {quoted(f'spanner.{name}')}"
        return f"{option} TO DEFAULT" if value is None else f"{option} = {option_value(value)}"

    def altered(self, kind: str, before: Any, after: Any) -> Iterable[str] | None:
        rule = _ALTERED.get(kind)
        return None if rule is None else rule(before, after)

    def stream_watches(self, stream: named.ChangeStream) -> str:
        head = f"ALTER CHANGE STREAM {quoted_name(stream.name)}"
        watched = watched_text(stream)
        return f"{head} SET {watched}" if watched else f"{head} DROP FOR ALL"

    def stream_options(self, name: str, changes: Mapping[str, Any]) -> str:
        options = ", ".join(f"{option} = {_setting(value)}" for option, value in changes.items())
        return f"ALTER CHANGE STREAM {quoted_name(name)} SET ({options})"

    def revoked(self, grant: str) -> str:
        head, _, role = grant.replace("GRANT ", "REVOKE ", 1).rpartition(" TO ")
        return f"{head} FROM {role}"


def _setting(value: Any) -> str:
    return "null" if value is None else option_value(value)


def _changed(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    names = dict.fromkeys([*before, *after])
    return [name for name in names if before.get(name) != after.get(name)]


def _storage(option: str, options: Mapping[str, Any]) -> str:
    value = options.get(option)
    return f"{_STORAGE[option]} {'NULL' if value is None else quoted(str(value))}"


def _identity(before: Column, after: Column) -> Iterator[str]:
    """Yield the changes of an identity column; its sequence has another name in each schema."""
    old, new = before.identity, after.identity
    if old is None or new is None:
        return
    if old.skip_range != new.skip_range:
        yield f"SET {_skip_range(new.skip_range)}"
    if new.start_counter is not None and replace(new, sequence=old.sequence) != old:
        yield f"RESTART COUNTER WITH {new.start_counter}"


def _skip_range(skipped: tuple[int, int] | None) -> str:
    return "NO SKIP RANGE" if skipped is None else f"SKIP RANGE {skipped[0]} {skipped[1]}"


def _sequence(before: named.Sequence, after: named.Sequence) -> Iterator[str]:
    head = f"ALTER SEQUENCE {quoted_name(after.name)}"
    if before.skip_range != after.skip_range:
        yield f"{head} {_skip_range(after.skip_range)}"
    if (before.start_counter or 1) != (after.start_counter or 1):
        yield f"{head} RESTART COUNTER WITH {after.start_counter or 1}"


def _locality_group(before: named.LocalityGroup, after: named.LocalityGroup) -> Iterator[str]:
    options = (
        f"{name.upper()} {option_value(after.options.get(name))}"
        for name in ("storage", "ssd_to_hdd_spill_timespan")
        if before.options.get(name) != after.options.get(name)
    )
    yield f"ALTER LOCALITY GROUP {quoted_name(after.name)} {' '.join(options)}"


_ALTERED: Mapping[str, Callable[[Any, Any], Iterable[str]]] = {
    "LOCALITY GROUP": _locality_group,
    "SEQUENCE": _sequence,
}
