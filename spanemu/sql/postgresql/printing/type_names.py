"""Types as DDL and casts print them: character varying(10), bigint[], numeric(4,2)."""

from __future__ import annotations

from spanemu.schema.column import Column
from spanemu.sql.postgresql.ast import TypeReference
from spanemu.sql.postgresql.types import named, title
from spanemu.values.types import STRING

_VARCHAR = "character varying"
COMMIT_TIMESTAMP = "spanner.commit_timestamp"


def column_type(column: Column) -> str:
    """Return the type of a column with its length; text is character varying in a schema."""
    item = column.type.item() if column.type.is_array else column.type
    if column.allow_commit_timestamp:
        name = COMMIT_TIMESTAMP
    elif item == STRING:
        name = _VARCHAR if column.length is None else f"{_VARCHAR}({column.length})"
    else:
        name = title(item)
    if column.type.is_array:
        name = f"{name}[]"
    if column.vector_length is not None:
        name = f"{name} VECTOR LENGTH {column.vector_length}"
    return name


def written_type(type_: TypeReference) -> str:
    """Return the type of a cast, with its modifiers."""
    if type_.name == "varchar":
        name = _VARCHAR
    else:
        scalar = named(type_.name)
        name = type_.name if scalar is None else title(scalar)
    modifiers = type_.modifiers
    if type_.name == "numeric" and len(modifiers) == 1:
        modifiers = (*modifiers, 0)
    if modifiers:
        name = f"{name}({','.join(map(str, modifiers))})"
    return name + "[]" * bool(type_.dimensions)
