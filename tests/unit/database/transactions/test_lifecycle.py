"""Only the newest token of a transaction is good enough to commit with."""

import pytest

from spanemu.database.errors import PrecommitTokenMissing
from spanemu.database.transactions.lifecycle import PrecommitTokens
from spanemu.values.mutation import Delete, RawKeySet

DELETE = Delete("Items", RawKeySet(all=True))


def test_tokens_follow_each_other():
    tokens = PrecommitTokens(b"7")
    (first, single), (second, two) = tokens.next(), tokens.next()
    assert (single, two) == (1, 2)
    assert tokens.newer_than(second, []) is None
    third, _ = newer = tokens.newer_than(first, [])
    assert newer[1] == 3
    assert tokens.newer_than(third, []) is None


def test_tokens_of_different_transactions_differ():
    assert PrecommitTokens(b"7").newer_than(PrecommitTokens(b"8").next()[0], [])


@pytest.mark.parametrize("mutations", [[], [DELETE]])
def test_a_transaction_without_a_token_gets_one(mutations):
    tokens = PrecommitTokens(b"7")
    assert tokens.newer_than(b"", mutations) == (b"7:1", 1)
    with pytest.raises(PrecommitTokenMissing):
        tokens.newer_than(b"", [])


def test_mutations_of_a_repeated_commit_are_kept():
    tokens = PrecommitTokens(b"7")
    old, _ = tokens.next()
    tokens.next()
    newest, _ = tokens.newer_than(old, [DELETE])
    assert tokens.newer_than(newest, []) is None
    assert list(tokens.kept) == [DELETE]
