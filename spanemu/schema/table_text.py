"""A table and its constraints as CREATE TABLE writes them.

CREATE TABLE T (
  Id INT64 NOT NULL,
  FOREIGN KEY(Id) REFERENCES Other(Id),
) PRIMARY KEY(Id),
  INTERLEAVE IN PARENT P ON DELETE CASCADE, ROW DELETION POLICY (...)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from spanemu.base.reserved import quoted, quoted_path
from spanemu.schema.check import Check
from spanemu.schema.column import KeyPart
from spanemu.schema.column_text import column_text, option_value
from spanemu.schema.foreign_key import ForeignKey
from spanemu.schema.table import Interleave, Table


def table_text(table: Table, left_out: Iterable[ForeignKey] = ()) -> str:
    """CREATE TABLE, without the foreign keys that are to be added later."""
    lines = [
        f"CREATE TABLE {quoted_path(table.name)} (",
        *(f"  {element}," for element in _elements(table, {key.name for key in left_out})),
        f") PRIMARY KEY({key_text(table.key)})",
    ]
    return "\n".join(lines) + "".join(_clauses(table))


def _elements(table: Table, left_out: set[str]) -> Iterator[str]:
    yield from (column_text(column) for column in table.columns)
    yield from (foreign_key_text(key) for key in table.foreign_keys if key.name not in left_out)
    yield from (check_text(check) for check in table.checks)
    yield from (f"SYNONYM({quoted_path(synonym)})" for synonym in table.synonyms)


def _clauses(table: Table) -> Iterator[str]:
    if table.parent is not None:
        yield f",\n  INTERLEAVE {table.interleave} {quoted_path(table.parent)}"
        if table.interleave is Interleave.IN_PARENT:
            yield " ON DELETE CASCADE" if table.cascade else " ON DELETE NO ACTION"
    policy = row_deletion_text(table)
    if policy is not None:
        yield f", ROW DELETION POLICY ({policy})"
    if table.options:
        yield f",{clause_options(table.options.items())}"


def row_deletion_text(table: Table) -> str | None:
    """The expression of a row deletion policy."""
    if table.row_deletion_policy is None:
        return None
    column, days = table.row_deletion_policy
    return f"OLDER_THAN({quoted(column)}, INTERVAL {days} DAY)"


def clause_options(options: Iterable[tuple[str, object]]) -> str:
    """` OPTIONS (a = 1, b = 'x')`."""
    found = ", ".join(f"{name} = {option_value(value)}" for name, value in options)
    return f" OPTIONS ({found})"


def foreign_key_text(key: ForeignKey) -> str:
    """[CONSTRAINT name] FOREIGN KEY(...) REFERENCES ...; a generated name is not shown."""
    words = [
        f"FOREIGN KEY({_names(key.columns)})",
        f"REFERENCES {quoted_path(key.referenced_table)}({_names(key.referenced_columns)})",
    ]
    if not key.generated_name:
        words.insert(0, f"CONSTRAINT {quoted(key.name)}")
    if key.on_delete_written:
        words.append("ON DELETE CASCADE" if key.cascade else "ON DELETE NO ACTION")
    if not key.enforced:
        words.append("NOT ENFORCED")
    return " ".join(words)


def check_text(check: Check) -> str:
    """[CONSTRAINT name] CHECK(...)."""
    name = "" if check.generated_name else f"CONSTRAINT {quoted(check.name)} "
    return f"{name}CHECK({check.expression})"


def _names(names: Sequence[str]) -> str:
    return ", ".join(quoted(name) for name in names)


def key_text(parts: Iterable[KeyPart]) -> str:
    """`a, b DESC`."""
    return ", ".join(
        f"{quoted(part.column.name)} DESC" if part.descending else quoted(part.column.name)
        for part in parts
    )
