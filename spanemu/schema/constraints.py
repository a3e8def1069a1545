"""A foreign key between two tables."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.schema.names import beside


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """`columns` of `table` refer to `referenced_columns` of `referenced_table`, pairwise.

    `generated_name` tells a name that Spanner made up from one that the user wrote. The two
    index names are those of managed backing indexes, None where the primary key serves.
    """

    name: str
    table: str
    columns: tuple[str, ...]
    referenced_table: str
    referenced_columns: tuple[str, ...]
    cascade: bool = False  # ON DELETE CASCADE
    on_delete_written: bool = False
    enforced: bool = True
    generated_name: bool = False
    index: str | None = None
    referenced_index: str | None = None

    @property
    def full_name(self) -> str:
        """Its name in the schema of its table."""
        return beside(self.table, self.name)


@dataclass(frozen=True, slots=True)
class Check:
    """`expression` is SQL text over columns of the table; TRUE and NULL pass."""

    name: str
    expression: str
    generated_name: bool = False
