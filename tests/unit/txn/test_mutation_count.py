"""What writes count for: the numbers of Spanner's quotas page and of Google's sample."""

from __future__ import annotations

import pytest

from spanemu.txn.mutation_count import entry_mutations, row_mutations


@pytest.mark.parametrize(
    ("listed", "computed", "key", "by_mutation", "by_dml"),
    [
        ({0, 1, 2, 3, 4}, set(), {0}, 5, 5),  # note 3: five columns
        ({2, 3, 4}, set(), {0, 1}, 5, 5),  # note 3: three columns and a key of two
        ({0, 1}, {2}, {0, 1}, 5, 3),  # note 10
        ({0, 1, 2}, {3}, {0}, 5, 4),  # the Python client's sample of commit statistics
        ({1}, {0}, {0}, 2, 2),  # a computed key is the key
    ],
)
def test_rows(listed, computed, key, by_mutation, by_dml) -> None:
    assert row_mutations(listed, computed, key, by_dml=False) == by_mutation
    assert row_mutations(listed, computed, key, by_dml=True) == by_dml


def test_entries() -> None:
    assert entry_mutations(declared_parts=2, stored=1) == 3
