"""How many mutations a write counts for, in commit statistics and towards the limit of a commit.

`docs/adr/0013-mutations-are-counted-by-path.md` has the sources, and why DML counts differently.

    a written row              each column that is listed or computed, and each key column, once
    ... by the Mutation API    the key columns once more if any other column is computed
    an index entry             the declared key columns and the stored columns
    a removed index entry      1
    a deleted key or range     1, however many rows and interleaved rows it deletes
    a row deleted by a foreign key's cascade   1
"""

from __future__ import annotations

from collections.abc import Set

DELETION = 1


def row_mutations(listed: Set[int], computed: Set[int], key: Set[int], *, by_dml: bool) -> int:
    """Return what one inserted or updated row counts for, without its index entries.

    `listed` holds the positions of the columns that the client gives values, `computed` those of
    the columns that get a default, a generated value or an update's commit timestamp.
    """
    affected = len(listed | computed | key)
    writes_again = bool(computed - key) and not by_dml
    return affected + len(key) if writes_again else affected


def entry_mutations(declared_parts: int, stored: int) -> int:
    """Return what one written index entry counts for."""
    return declared_parts + stored
