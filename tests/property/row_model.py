"""Schemas and their rules in plain Python: what a write unit does to dicts of rows, or refuses.

    Table           a random table: interleaved or not, with checks, indexes, a foreign key
    Unit            the writes of one commit or one DML statement, on a copy of the rows

The model knows two kinds of rules: those that stop a unit at the row that breaks them
(`Refused`), and those that its final state must satisfy (`Unit.violations`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

Key = tuple[int, ...]
Row = dict[str, Any]
Rows = dict[str, dict[Key, Row]]  # by table and key

FP = "FAILED_PRECONDITION"
AE = "ALREADY_EXISTS"
NF = "NOT_FOUND"
IA = "INVALID_ARGUMENT"
OOR = "OUT_OF_RANGE"


@dataclass(frozen=True)
class Index:
    """An index over some columns; the key of the table follows.

    `filtered` says that a row with NULL in one of the columns has no entry.
    """

    name: str
    columns: tuple[str, ...]
    unique: bool
    null_filtered: bool
    nulls_distinct: bool = False

    @property
    def filtered(self) -> bool:
        return self.null_filtered or (self.unique and self.nulls_distinct)


@dataclass(frozen=True)
class ForeignKey:
    """A reference of column A to the key of a root table."""

    table: str
    cascade: bool
    enforced: bool


@dataclass(frozen=True)
class Table:
    """A table with INT64 key columns K0, K1, ..., values A and B, and perhaps G = A + B."""

    name: str
    depth: int = 1
    parent: str | None = None
    interleave: str = ""  # "cascade", "no action" or "in"
    not_null: frozenset[str] = frozenset()
    default: int | None = None  # of B
    generated: bool = False
    check_below: int | None = None  # A < this
    indexes: tuple[Index, ...] = ()
    foreign_key: ForeignKey | None = None

    @property
    def key(self) -> tuple[str, ...]:
        return tuple(f"K{n}" for n in range(self.depth))

    @property
    def columns(self) -> tuple[str, ...]:
        return (*self.key, "A", "B", *(["G"] if self.generated else []))

    def ddl(self) -> Iterator[str]:
        """Yield the statements that create it."""
        parts = [f"{name} INT64 NOT NULL" for name in self.key]
        for name in ("A", "B"):
            null = " NOT NULL" if name in self.not_null else ""
            default = (
                f" DEFAULT ({self.default})" if name == "B" and self.default is not None else ""
            )
            parts.append(f"{name} INT64{null}{default}")
        if self.generated:
            parts.append("G INT64 AS (A + B) STORED")
        if self.check_below is not None:
            parts.append(f"CONSTRAINT C_{self.name} CHECK (A < {self.check_below})")
        if (reference := self.foreign_key) is not None:
            action = " ON DELETE CASCADE" if reference.cascade else ""
            enforced = "" if reference.enforced else " NOT ENFORCED"
            parts.append(
                f"CONSTRAINT F_{self.name} FOREIGN KEY (A) REFERENCES {reference.table} (K0)"
                f"{action}{enforced}"
            )
        text = f"CREATE TABLE {self.name} ({', '.join(parts)}) PRIMARY KEY ({', '.join(self.key)})"
        if self.parent is not None:
            text += f", INTERLEAVE IN{'' if self.interleave == 'in' else ' PARENT'} {self.parent}"
            text += " ON DELETE CASCADE" if self.interleave == "cascade" else ""
        yield text
        for index in self.indexes:
            kind = f"{'UNIQUE ' * index.unique}{'NULL_FILTERED ' * index.null_filtered}"
            yield f"CREATE {kind}INDEX {index.name} ON {self.name} ({', '.join(index.columns)})"

    def entries(
        self, rows: Mapping[Key, Row], index: Index, *, nulls_last: bool = False
    ) -> list[tuple[Any, ...]]:
        """Return the entries that an index has for those rows, in order."""
        result = [(*(row[c] for c in index.columns), *key) for key, row in rows.items()]
        if index.filtered:
            result = [entry for entry in result if None not in entry[: len(index.columns)]]
        return sorted(
            result, key=lambda entry: [((cell is None) is nulls_last, cell or 0) for cell in entry]
        )


Schema = Mapping[str, Table]


class Refused(Exception):
    """The unit fails with that code, and changes nothing."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class RefusedByRow(Refused):
    """A refusal because of a row. That the unit deletes a written row comes first."""


@dataclass
class Unit:
    """The writes that are verified together."""

    schema: Schema
    rows: Rows
    later: tuple[Any, ...] = ()  # writes of the unit that follow the present one
    inserted: set[tuple[str, Key]] = field(default_factory=set)
    referring: set[tuple[str, Key]] = field(default_factory=set)  # updated to refer to another row
    deleted: list[tuple[str, Key | None]] = field(default_factory=list)  # as asked for; None is all
    written: set[tuple[str, Key]] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.rows = deepcopy(self.rows)

    # ------------------------------------------------------------------ what clients ask for

    def write(self, kind: str, name: str, given: Row) -> None:
        """Insert, update, insert_or_update or replace one row."""
        table, rows = self.schema[name], self.rows[name]
        key = tuple(given[column] for column in table.key)
        is_gone = key not in rows and self._was_deleted(name, key)
        if any(given.get(column, 0) is None for column in table.not_null):
            raise Refused(IA if kind == "update" and is_gone else FP)
        if kind != "update" and any(
            column not in given and not (column == "B" and table.default is not None)
            for column in table.not_null
        ):
            raise Refused(FP)
        self._watch(kind, name, key)
        if key not in rows:
            if kind == "update":
                if is_gone:
                    raise Refused(IA)
                raise RefusedByRow(NF)
            self._insert(table, key, given)
        elif kind == "insert":
            raise RefusedByRow(AE)
        elif kind == "replace":
            self.remove(name, key)
            self._insert(table, key, given)
        else:
            if given.get("A", rows[key]["A"]) != rows[key]["A"]:
                self.referring.add((name, key))
            self._put(table, key, {**rows[key], **given})

    def delete(self, name: str, key: Key | None) -> None:
        """Delete a row, there or not, or all rows."""
        if self.has_written(name, key):
            raise Refused(FP)
        self.deleted.append((name, key))
        for result in [k for k in self.rows[name] if key in (None, k)]:
            if result in self.rows[name]:
                self.remove(name, result)

    def has_written(self, name: str, key: Key | None) -> bool:
        """Return whether it wrote a row to delete, from which a foreign key may cascade."""
        watched = self._is_watched(name)
        return watched and any(t == name and key in (None, k) for t, k in self.written)

    def remove(self, name: str, key: Key) -> None:
        """Delete a row with everything that depends on it."""
        for child in self.schema.values():
            if child.parent == name and child.interleave != "in":
                below = [k for k in self.rows[child.name] if k[: len(key)] == key]
                if below and child.interleave == "no action":
                    raise Refused(FP)
                for item in below:
                    if item in self.rows[child.name]:
                        self.remove(child.name, item)
        del self.rows[name][key]
        for other in self.schema.values():
            reference = other.foreign_key
            if reference is not None and reference.cascade and reference.table == name:
                made_to = self.inserted | self.referring  # What a unit itself made refer stays.
                for item in [k for k, r in self.rows[other.name].items() if r["A"] == key[0]]:
                    if item in self.rows[other.name] and (other.name, item) not in made_to:
                        self.remove(other.name, item)

    # ------------------------------------------------------------------ the end of the unit

    def violations(self) -> set[str]:
        """Return the codes of all that the final state breaks."""
        result = set()
        for table in self.schema.values():
            rows = self.rows[table.name]
            for row in rows.values():
                if table.check_below is not None and (row["A"] or 0) >= table.check_below:
                    result.add(OOR)
            reference = table.foreign_key
            if reference is not None and reference.enforced:
                expected = {row["A"] for row in rows.values()} - {None}
                if not expected <= {key[0] for key in self.rows[reference.table]}:
                    result.add(FP)
            for index in table.indexes:
                keys = [entry[: len(index.columns)] for entry in table.entries(rows, index)]
                if index.unique and len(set(keys)) < len(keys):
                    result.add(AE)
        return result

    # ------------------------------------------------------------------ one row

    def _insert(self, table: Table, key: Key, given: Row) -> None:
        if table.parent is not None and table.interleave != "in":
            above = key[:-1]
            if above not in self.rows[table.parent]:
                raise Refused(IA if self._comes_later(table.parent, above) else NF)
        row: Row = {"A": None, "B": table.default, **given}
        self._put(table, key, row)
        self.inserted.add((table.name, key))

    def _put(self, table: Table, key: Key, row: Row) -> None:
        if table.generated:
            row["G"] = None if row["A"] is None or row["B"] is None else row["A"] + row["B"]
        self.rows[table.name][key] = {column: row[column] for column in table.columns}

    def _is_watched(self, name: str) -> bool:
        keys = (table.foreign_key for table in self.schema.values())
        return any(key is not None and key.cascade and key.table == name for key in keys)

    def _watch(self, kind: str, name: str, key: Key) -> None:
        if not self._is_watched(name):
            return
        if kind == "replace" or self._was_deleted(name, key):
            raise Refused(FP)
        self.written.add((name, key))

    def _was_deleted(self, name: str, key: Key) -> bool:
        return any(table == name and found in (None, key) for table, found in self.deleted)

    def _comes_later(self, name: str, key: Key) -> bool:
        columns = self.schema[name].key
        return any(
            table == name and kind != "update" and tuple(given[c] for c in columns) == key
            for kind, table, given in self.later
        )
