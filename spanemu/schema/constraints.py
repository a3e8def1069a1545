"""Foreign keys and CHECK constraints."""

from __future__ import annotations

from spanemu.base.record import dataclass
from spanemu.schema.names import constraint_full_name


@dataclass(frozen=True, slots=True)
class ForeignKey:
    """A foreign key: `columns` of `table` refer pairwise to `referenced_columns`.

    `generated_name` marks a name that Spanner generated. `index` and `referenced_index` name the
    managed backing indexes, and are None where the primary key serves.
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
        """The name in the schema of the table."""
        return constraint_full_name(self.table, self.name)


@dataclass(frozen=True, slots=True)
class Check:
    """A CHECK constraint: `expression` is SQL text over the table's columns; TRUE and NULL pass."""

    name: str
    expression: str
    generated_name: bool = False
