"""What a statement does: the next schema, and the work on data that must go with it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spanemu.schema.schema import Schema
from spanemu.storage.store import Store
from spanemu.txn.rules import RuleBook

# Called under the store's mutex with the rules of the next schema and the change's timestamp.
# Verifies first, then writes with `Store.apply`; raises SpannerError before anything is written.
DataWork = Callable[[Store, RuleBook, int], None]


def no_work(store: Store, rules: RuleBook, at: int) -> None:
    """The work of a change that touches no data."""


@dataclass(frozen=True, slots=True)
class Change:
    """A statement's effect. `schema` is the one given when it changes nothing."""

    schema: Schema
    work: DataWork = no_work
