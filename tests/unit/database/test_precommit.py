"""Only the newest token of a transaction is the latest."""

from spanemu.database.transactions.precommit import PrecommitTokens


def test_tokens_follow_each_other():
    tokens = PrecommitTokens(b"7")
    assert not tokens.any_given
    (first, one), (second, two) = tokens.next(), tokens.next()
    assert (one, two) == (1, 2)
    assert tokens.any_given
    assert tokens.is_latest(second)
    assert not tokens.is_latest(first)


def test_tokens_of_different_transactions_differ():
    assert not PrecommitTokens(b"7").is_latest(PrecommitTokens(b"8").next()[0])
