"""Precommit tokens, by which a multiplexed session proves that a commit follows all requests.

Each reply of a read-write transaction carries a token newer than the previous ones, and the commit
sends the newest token back. A transaction that holds only mutations gets its token from its begin
request, which names one of the mutations (the mutation key).
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.statements.context import StatementContext
from spanemu.database.transactions.errors import MalformedMutationKey, PrecommitTokenMissing
from spanemu.txn.commit import resolve
from spanemu.txn.errors.requests import BadCellValue, BadKeyValue, WrongKeyParts
from spanemu.values.mutation import Mutation


def validate_mutation_key(core: DatabaseCore, generation: Generation, mutation: Mutation) -> None:
    """Raise the error of an invalid mutation key of a begin request.

    A value that does not fit its column makes a begin request malformed; the same value in a commit
    is a failed precondition.
    """
    try:
        context = StatementContext(core, generation.schema, writable=True)
        resolve(generation.rules, context, mutation)
    except (BadCellValue, BadKeyValue, WrongKeyParts) as fault:
        raise MalformedMutationKey(str(fault)) from fault


class PrecommitTokens:
    """The tokens of a transaction, and the mutations of commits that must be sent again."""

    __slots__ = ("_given", "_id", "_newest", "kept")

    def __init__(self, transaction_id: bytes) -> None:
        self._id = transaction_id
        self._given = 0
        self._newest = b"%s:0" % transaction_id
        self.kept: Sequence[Mutation] = ()  # of commits that were refused for an old token

    def next(self) -> tuple[bytes, int]:
        """Return a new token and its number."""
        self._given += 1
        self._newest = b"%s:%d" % (self._id, self._given)
        return self._newest, self._given

    def newer_than(self, given: bytes, mutations: Sequence[Mutation]) -> tuple[bytes, int] | None:
        """Return the token that the commit must be repeated with, or None if `given` is the newest.

        A client that meant to send statements when it began names no mutation key, and receives its
        first token here. Raises PrecommitTokenMissing if the client has received a token before and
        sends none.
        """
        if given == self._newest:
            return None
        if not given and self._given:
            raise PrecommitTokenMissing(self._id.decode())
        self.kept = mutations or self.kept
        return self.next()
