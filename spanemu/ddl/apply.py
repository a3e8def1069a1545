"""A batch of DDL statements as steps, each leading from one schema to the next.

Planning a batch parses every statement, validates each against the schema after the statements
before it, and changes nothing. `database.schema_changes` runs a step: it makes room for new tables
and indexes, lets the step work on data, and publishes its schema.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence

from spanemu.base.call import Cancelled, DeadlineExceeded
from spanemu.base.errors import SpannerError
from spanemu.base.record import dataclass
from spanemu.ddl.errors import objects as object_errors
from spanemu.ddl.statements import run_statement
from spanemu.schema.objects import NO_TYPES, ProtoTypes
from spanemu.schema.schema import Schema
from spanemu.sql.ddl_ast import Analyze, DdlStatement
from spanemu.sql.dialects import dialect_of
from spanemu.sql.errors import DdlStatementEmpty, DdlSyntaxFailure
from spanemu.sql.functions.registry import Context
from spanemu.storage.change_log import RowChange
from spanemu.storage.store import Store
from spanemu.txn.rules import CompiledSchema

BATCHES_MAX = 8
STATEMENTS_MAX = 2_000  # of a cached batch, as each step holds a generation of the schema

_Key = tuple[int, tuple[str, ...], ProtoTypes]


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


@dataclass(frozen=True, slots=True)
class Plan:
    """The steps of a batch up to the first refused statement, and the error that refuses it."""

    steps: Sequence[Step]
    refusal: SpannerError | None = None


class PlanCache:
    """A cache of the plans of the latest valid batches. Safe to use from several threads."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards the map; not held during planning.
        # Each entry holds its schema, so that no other schema gets the same id().
        self._known: OrderedDict[_Key, tuple[Schema, Plan]] = OrderedDict()

    def recall(
        self, statements: Sequence[str], schema: Schema, sent: ProtoTypes, plan: Callable[[], Plan]
    ) -> Plan:
        """Return the cached plan of a batch, or that which `plan` returns."""
        key = (id(schema), tuple(statements), sent)
        with self._mutex:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
                return known[1]
        planned = plan()
        if planned.refusal is None and len(statements) <= STATEMENTS_MAX:
            with self._mutex:
                self._known[key] = (schema, planned)
                if len(self._known) > BATCHES_MAX:
                    self._known.popitem(last=False)
        return planned


_PLANS = PlanCache()


def plan_batch(
    statements: Sequence[str], schema: Schema, sent: ProtoTypes = NO_TYPES
) -> Sequence[Step]:
    """Return a step for each statement, in order. Raise the error of the first invalid statement.

    `sent` are the types of protocol buffers that came with the request.
    """
    plan = plan_until_refusal(statements, schema, sent)
    if plan.refusal is not None:
        raise plan.refusal
    return plan.steps


def plan_until_refusal(statements: Sequence[str], schema: Schema, sent: ProtoTypes) -> Plan:
    """Return a step for each statement before the first that is refused.

    Raise the error of the first statement that does not parse, wherever it stands, and
    AnalyzeNotAlone.
    """
    return _PLANS.recall(statements, schema, sent, lambda: _planned(statements, schema, sent))


def _planned(statements: Sequence[str], schema: Schema, sent: ProtoTypes) -> Plan:
    steps: list[Step] = []
    parsed = [_parsed(statement, schema) for statement in statements]
    if len(parsed) > 1 and any(isinstance(tree, Analyze) for tree in parsed):
        raise object_errors.AnalyzeNotAlone
    for statement, tree in zip(statements, parsed, strict=True):
        if isinstance(tree, SpannerError):
            return Plan(steps, tree)
        try:
            change = run_statement(tree, schema, sent)
        except (Cancelled, DeadlineExceeded):
            raise
        except SpannerError as refusal:
            return Plan(steps, refusal)
        schema = change.schema
        steps.append(Step(statement, schema, change.work, change.database, change.dated))
    return Plan(steps)


def _parsed(statement: str, schema: Schema) -> DdlStatement | SpannerError:
    """Return the tree of a statement, or the error that refuses it although its syntax is right."""
    try:
        return dialect_of(schema.dialect).parse_ddl(statement, schema.limits)
    except (Cancelled, DeadlineExceeded, DdlSyntaxFailure, DdlStatementEmpty):
        raise
    except SpannerError as refusal:
        return refusal
