"""The statements that change the objects of a schema in GoogleSQL.

`AlterationWriter` (`sql.dialect`) says what each method returns; `object_difference`
decides which of them a migration needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from spanemu.base.identifiers import quoted
from spanemu.schema.objects import ChangeStream
from spanemu.schema.option_text import option_value
from spanemu.schema.table import Check, Column, Table
from spanemu.sql.googlesql.printing.objects import ALTERATIONS, change_stream_text
from spanemu.sql.googlesql.printing.table_text import (
    check_text,
    column_text,
    options_text,
    row_deletion_text,
)


class GoogleSqlAlterations:
    """The statements of an `AlterationWriter` in GoogleSQL."""

    # ------------------------------------------------------------------------ tables

    def add_column(self, column: Column) -> str:
        return f"ADD COLUMN {column_text(column)}"

    def can_alter_column(self, before: Column, after: Column) -> bool:
        return True

    def alter_column(self, before: Column, after: Column) -> Iterator[str]:
        yield from (f"ALTER COLUMN {text}" for text in _alterations(before, after))

    def add_check(self, check: Check) -> str:
        return f"ADD {check_text(check)}"

    def row_deletion(self, before: Table, after: Table) -> str:
        policy = row_deletion_text(after)
        if policy is None:
            return "DROP ROW DELETION POLICY"
        verb = "ADD" if before.row_deletion_policy is None else "REPLACE"
        return f"{verb} ROW DELETION POLICY ({policy})"

    def table_options(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
        values = dict.fromkeys(before) | dict(after)
        options = ", ".join(
            f"{name} = {option_value(value)}"
            for name, value in values.items()
            if before.get(name) != value
        )
        yield f"SET OPTIONS ({options})"

    # ------------------------------------------------------------------------ other objects

    def database_option(self, database: str, name: str, value: Any) -> str:
        return f"ALTER DATABASE {quoted(database)} SET OPTIONS ({name} = {option_value(value)})"

    def altered(self, kind: str, before: Any, after: Any) -> Iterable[str] | None:
        alteration = ALTERATIONS.get(kind)
        statements: Iterable[str] | None = None if alteration is None else alteration(before, after)
        return statements

    def stream_watches(self, stream: ChangeStream) -> str:
        head = f"ALTER CHANGE STREAM {quoted(stream.name)}"
        watched = change_stream_text(replace(stream, options={})).partition(" FOR ")[2]
        return f"{head} SET FOR {watched}" if watched else f"{head} DROP FOR ALL"

    def stream_options(self, name: str, changes: Mapping[str, Any]) -> str:
        return f"ALTER CHANGE STREAM {quoted(name)} SET{options_text(changes)}"

    def revoked(self, grant: str) -> str:
        return grant.replace("GRANT ", "REVOKE ", 1).replace(" TO ROLE ", " FROM ROLE ")


def _alterations(before: Column, after: Column) -> Iterator[str]:
    name = quoted(after.name)
    if after.allow_commit_timestamp and before.default is not None and after.default is None:
        yield f"{name} DROP DEFAULT"  # for a commit timestamp has no default
        before = replace(before, default=None)
    if before.options != after.options:
        values = dict.fromkeys(before.options) | dict(after.options)
        options = ", ".join(f"{option} = {option_value(value)}" for option, value in values.items())
        yield f"{name} SET OPTIONS ({options})"
    if before.identity is not None and after.identity is not None:
        # The sequence behind an identity column has a different name in each schema.
        before = replace(
            before, identity=replace(before.identity, sequence=after.identity.sequence)
        )
    if before.identity != after.identity and after.identity is not None:
        skipped = after.identity.skip_range
        clause = "NO SKIP RANGE" if skipped is None else f"SKIP RANGE {skipped[0]}, {skipped[1]}"
        yield f"{name} ALTER IDENTITY SET {clause}"
        if after.identity.start_counter is not None:
            yield f"{name} ALTER IDENTITY RESTART COUNTER WITH {after.identity.start_counter}"
        before = replace(before, identity=after.identity)
    if column_text(before.bare()) == column_text(after.bare()):
        return
    if column_text(replace(before, default=after.default).bare()) == column_text(after.bare()):
        new = "DROP DEFAULT" if after.default is None else f"SET DEFAULT ({after.default})"
        yield f"{name} {new}"
    else:
        yield column_text(after.bare())
