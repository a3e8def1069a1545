"""A batch of DDL statements as steps, each leading from one schema to the next.

Planning a batch parses and validates every statement against the schema after the statements before
it, and changes nothing. `database.database.Database` runs a step: it makes room for new tables and
indexes, lets the step work on data, and publishes its schema.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Generic, TypeVar

from spanemu.base.deferred import deferred
from spanemu.base.record import dataclass
from spanemu.ddl.change import Change
from spanemu.ddl.statements import run_statement
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.schema.schema import Schema
from spanemu.sql.dialects import dialect_of
from spanemu.sql.functions.registry import Context
from spanemu.storage.change_log import RowChange
from spanemu.storage.store import Store
from spanemu.txn.rules import CompiledSchema

if TYPE_CHECKING:
    from spanemu.ddl.errors import objects as object_errors
else:
    object_errors = deferred("spanemu.ddl.errors.objects")

BATCHES_MAX = 8
STATEMENTS_MAX = 2_000  # of a cached batch, as each step holds a generation of the schema

T = TypeVar("T")
_Key = tuple[int, tuple[str, ...], ProtoTypes]


class PlanCache(Generic[T]):
    """A cache of the steps of the latest batches. Safe to use from several threads."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards the map; not held during planning.
        # Each entry holds its schema, so that no other schema gets the same id().
        self._known: OrderedDict[_Key, tuple[Schema, Sequence[T]]] = OrderedDict()

    def recall(
        self,
        statements: Sequence[str],
        schema: Schema,
        sent: ProtoTypes,
        plan: Callable[[], Sequence[T]],
    ) -> Sequence[T]:
        """Return the cached steps of a batch, or those that `plan` returns."""
        key = (id(schema), tuple(statements), sent)
        with self._mutex:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known[1]
        steps = plan()
        if len(statements) <= STATEMENTS_MAX:
            with self._mutex:
                self._known[key] = (schema, steps)
                if len(self._known) > BATCHES_MAX:
                    self._known.popitem(last=False)
        return steps


@dataclass(frozen=True, slots=True)
class Step:
    """A statement of a batch, ready to run. `schema` is unchanged if it does nothing.

    `database` is the id of the database that the statement names, "" if it names none. `dated`
    returns the next schema by the time of the change, where it depends on that.
    `work(store, rules, at, context)` is called under the store's mutex with the rules of the next
    schema and the change's timestamp. It verifies the rows first, then writes; it raises before
    anything is written.
    """

    statement: str
    schema: Schema
    work: Callable[[Store, CompiledSchema, int, Context], Sequence[RowChange]]
    database: str = ""
    dated: Callable[[int], Schema] | None = None


_PLANS: PlanCache[Step] = PlanCache()


def plan_batch(
    statements: Sequence[str],
    schema: Schema,
    sent: ProtoTypes = NO_TYPES,
    is_other_database: Callable[[str], bool] = lambda _: False,
) -> Sequence[Step]:
    """Return a step for each statement, in order. Raise the error of the first invalid statement.

    `sent` are the types of protocol buffers that came with the request. ALTER DATABASE must not
    name an id for which `is_other_database` returns True.
    """
    steps = _PLANS.recall(statements, schema, sent, lambda: _planned(statements, schema, sent))
    for step in steps:  # Not in the plan, which databases of different names share.
        if step.database and is_other_database(step.database):
            raise object_errors.OtherDatabaseAltered(step.database)
    return steps


def _planned(statements: Sequence[str], schema: Schema, sent: ProtoTypes) -> Sequence[Step]:
    steps: list[Step] = []
    for statement in statements:
        change = change_of(statement, schema, sent)
        if change.dated is not None and len(statements) > 1:
            raise object_errors.AnalyzeNotAlone
        schema = change.schema
        steps.append(Step(statement, schema, change.work, change.database, change.dated))
    return steps


def change_of(statement: str, schema: Schema, sent: ProtoTypes = NO_TYPES) -> Change:
    """Return the effect of one statement on `schema`."""
    parsed = dialect_of(schema.dialect).parse_ddl(statement, schema.limits)
    return run_statement(parsed, schema, sent)
