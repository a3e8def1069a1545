"""The number of mutations a write counts for, in commit statistics and for the commit's limit.

`docs/adr/0013-mutations-are-counted-by-write-path.md` has the sources, and the reason why DML
counts differently.

    a written row              each column that is listed or computed, and each key column, once
    ... by the Mutation API    the key columns again if a column outside the key is computed
    an index entry             the declared key columns and the stored columns
    a removed index entry      1
    a deleted key or range     1, however many rows and interleaved rows it deletes
    a row deleted by a foreign key's cascade   1
"""

from __future__ import annotations

from collections.abc import Set

DELETION = 1


def row_mutations(listed: Set[int], computed: Set[int], key: Set[int], *, by_dml: bool) -> int:
    """Return the count of one inserted or updated row, without its index entries.

    `listed` holds the positions of the columns with values from the client. `computed` holds the
    positions of the columns with a default, a generated value or an update's commit timestamp.
    """
    affected = len(listed | computed | key)
    writes_again = bool(computed - key) and not by_dml
    return affected + len(key) if writes_again else affected


def entry_mutations(declared_parts: int, stored: int) -> int:
    """Return the count of one written index entry."""
    return declared_parts + stored
