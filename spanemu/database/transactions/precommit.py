"""Precommit tokens: how a multiplexed session knows that a commit saw all that came before it.

Each reply of a read-write transaction carries a token that is newer than the ones before, and the
commit sends the newest back. A transaction that holds nothing but mutations gets its token when it
begins, for one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.statements.context import StatementContext
from spanemu.database.transactions.errors import MalformedMutationKey, PrecommitTokenMissing
from spanemu.txn.errors.requests import BadCellValue, BadKeyValue, WrongKeyParts
from spanemu.txn.resolve import resolve
from spanemu.values.mutation import Mutation


def judge_mutation_key(core: DatabaseCore, generation: Generation, mutation: Mutation) -> None:
    """Raise what is wrong with the mutation that a begin tells of.

    A value that does not fit its column makes the request malformed here; at a commit it is a
    precondition that fails.
    """
    try:
        context = StatementContext(core, generation.schema, writable=True)
        resolve(generation.rules, context, mutation)
    except (BadCellValue, BadKeyValue, WrongKeyParts) as fault:
        raise MalformedMutationKey(str(fault)) from fault


class PrecommitTokens:
    """The tokens of one transaction, and the mutations of commits that had to come again."""

    __slots__ = ("_given", "_id", "_newest", "kept")

    def __init__(self, transaction_id: bytes) -> None:
        self._id = transaction_id
        self._given = 0
        self._newest = b"%s:0" % transaction_id
        self.kept: Sequence[Mutation] = ()  # of commits that had to come again

    def next(self) -> tuple[bytes, int]:
        """A new token and its number."""
        self._given += 1
        self._newest = b"%s:%d" % (self._id, self._given)
        return self._newest, self._given

    def newer_than(self, given: bytes, mutations: Sequence[Mutation]) -> tuple[bytes, int] | None:
        """The token that a commit must come again with, None if it has brought the newest.

        A client that did not tell of a mutation when it began, because it still meant to send
        statements, learns of tokens only here. Raises PrecommitTokenMissing when it has got one
        before and brings none.
        """
        if given == self._newest:
            return None
        if not given and self._given:
            raise PrecommitTokenMissing(self._id.decode())
        self.kept = mutations or self.kept
        return self.next()
