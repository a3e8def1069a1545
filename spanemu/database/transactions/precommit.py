"""Precommit tokens: how a multiplexed session knows that a commit saw all that came before it.

Each reply of a read-write transaction carries a token that is newer than the ones before, and the
commit sends the newest back. A transaction that holds nothing but mutations gets its token when it
begins, for one of them.
"""

from __future__ import annotations


class PrecommitTokens:
    """The tokens of one transaction."""

    __slots__ = ("_given", "_id")

    def __init__(self, transaction_id: bytes) -> None:
        self._id = transaction_id
        self._given = 0

    @property
    def any_given(self) -> bool:
        """Whether the client can have one."""
        return self._given > 0

    def next(self) -> tuple[bytes, int]:
        """A new token and its number."""
        self._given += 1
        return self._token(), self._given

    def is_latest(self, token: bytes) -> bool:
        """Whether a token is the newest."""
        return token == self._token()

    def _token(self) -> bytes:
        return b"%s:%d" % (self._id, self._given)
