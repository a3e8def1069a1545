"""Schema changes of a database: batches of statements, applied one after another.

Drop protection (page "Schema object drop protection") refuses to drop objects in use. A database
option sets a period. A table, an index or a column cannot be dropped if it was written within the
period, or if it was read often enough in one hour of the period. An object created within the
period is not protected, so that a test can drop its own objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field, replace
from functools import cached_property

from spanemu.base.call import Call, Cancelled
from spanemu.base.clock import NANOS_PER_HOUR, period_nanos
from spanemu.base.errors import SpannerError
from spanemu.base.record import dataclass
from spanemu.change_streams.following import follow_schema
from spanemu.database import errors
from spanemu.database.core import DatabaseCore
from spanemu.database.generation import Generation
from spanemu.database.instance_rules import refuse_beyond_instance
from spanemu.database.statements.context import StatementContext
from spanemu.database.statistics import operations, period, sums
from spanemu.ddl.apply import Plan, Step, plan_until_refusal
from spanemu.ddl.errors import objects as ddl_errors
from spanemu.schema.indexes import Index, TableOrIndex
from spanemu.schema.objects import ProtoTypes
from spanemu.schema.schema import Schema
from spanemu.schema.table import Table
from spanemu.storage.layout import path_of, tree_of
from spanemu.txn.change_capture import record_backfill

GENERATIONS_COMPILED_MAX = 16  # of a database; a restore goes back by a few generations

# Options of drop protection.
PERIOD_OPTION = "schema_drop_protection_inactivity_period"
READS_OPTION = "schema_drop_protection_usage_lowerbound"
READS_PER_HOUR = 10  # the default of READS_OPTION: fewer reads are no use


@dataclass(slots=True)
class DdlOutcome:
    """The result of a batch of schema statements, complete or in progress.

    `failure` is the error of the first statement that was refused or that existing data violates.
    The batch runs as a `call` of its own, which outlives the request and has no deadline.
    """

    commit_timestamps: list[int] = field(default_factory=list)
    failure: SpannerError | None = None
    call: Call = field(default_factory=Call)

    def cancel(self) -> None:
        """Cancel the current and the following statements; callable from any thread."""
        self.call.cancel()

    @property
    def applied(self) -> int:
        """The number of statements that took effect."""
        return len(self.commit_timestamps)


def _permitted(core: DatabaseCore, plan: Plan) -> Plan:
    """Return the plan up to the first step that this database refuses."""
    steps: list[Step] = []
    permitted = _refuse_drops(core, _refuse_others(core, plan.steps))
    try:
        steps.extend(_refuse_beyond_instance(core, permitted))
    except SpannerError as refusal:
        return Plan(steps, refusal)
    return plan


def _refuse_others(core: DatabaseCore, steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps; raise OtherDatabaseAltered for the first that names another database."""
    for step in steps:
        if step.database and core.is_other_database(step.database):
            raise ddl_errors.OtherDatabaseAltered(step.database)
        yield step


def _refuse_beyond_instance(core: DatabaseCore, steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps; raise for the first that uses more than the instance offers."""
    offer, before = core.environment.offer_of(core.name), core.generation.schema
    for step in steps:
        if offer is not None:
            refuse_beyond_instance(offer, before, step.schema)
        before = step.schema
        yield step


class SchemaChanges:
    """The schema changes of a database. One batch runs at a time."""

    def __init__(self, core: DatabaseCore) -> None:
        self._core = core

    def apply(
        self, statements: Sequence[str], sent: ProtoTypes, outcome: DdlOutcome, *, whole: bool
    ) -> DdlOutcome:
        """Run schema statements in order; `sent` are the protocol buffer types they may name.

        Raises, with no statement applied, if a statement does not parse or the first is refused;
        with `whole`, if any is refused. Another statement that is refused, or one that existing
        data violates, ends the batch, and the statements before it stay applied. Batches run one
        after another; `outcome` shows the progress of this batch and can cancel it.
        """
        core = self._core
        with core.schema_mutex, outcome.call as call:
            core.check_open()
            try:
                plan = plan_until_refusal(statements, core.changeable_schema, sent)
                plan = _permitted(core, plan)
            except Cancelled:
                plan = Plan((), errors.SchemaUpdateCancelled(0, len(statements)))
            else:
                if plan.refusal is not None and (whole or not plan.steps):
                    raise plan.refusal
            for step in plan.steps:
                try:
                    call.check()
                    outcome.commit_timestamps.append(self._apply(step))
                except Cancelled:
                    outcome.failure = errors.SchemaUpdateCancelled(outcome.applied, len(statements))
                    break
                except SpannerError as failure:
                    outcome.failure = failure
                    break
            else:
                outcome.failure = plan.refusal
            return outcome

    def _apply(self, step: Step) -> int:
        """Apply a statement: create trees, change data, publish the schema, drop trees."""
        store, environment = self._core.store, self._core.environment
        before = self._core.generation.schema
        with store.mutex:
            began = store.clock.now()
            if step.dated is not None:
                step = replace(step, schema=step.dated(began), dated=None)
            if step.schema.generation == before.generation:
                return began
            added = step.schema.created_since(before)
            filling = self._filling(step.schema, added)
            at = began if filling is None else store.clock.now()
            for source in added:
                path = path_of(step.schema, source)
                store.create_tree(path[-1], path[0], path)
            try:
                generation = Generation(step.schema, environment.limits)
                context = StatementContext(self._core, generation.schema, writable=True)
                filled = step.work(store, generation.rules, at, context)
            except BaseException:
                for source in added:
                    store.drop_tree(tree_of(source))
                raise
            for source in before.dropped_in(step.schema):
                store.drop_tree(tree_of(source), at)
            store.retention_nanos = step.schema.retention_nanos(environment.retention_nanos)
            if filling is not None:
                self._publish(Generation(filling, environment.limits), began)
            self._publish(generation, at)
            follow_schema(store, generation.schema, at, environment.randomness.token)
            record_backfill(store, filled, generation.schema, at)
            for source in before.dropped_in(step.schema):
                store.followers.pop(tree_of(source), None)
            self._core.locks.wound_all("The database schema has changed.")
            return at

    def _publish(self, generation: Generation, at: int) -> None:
        """Make the generation current, and clear the compiled plans of an old one.

        Forget the generations that no reader can see any more.
        """
        core = self._core
        core.history.append(generation, at)
        in_use_since = at - _drop_period(generation.schema)
        core.history.forget(min(core.store.advance_horizon(at), in_use_since))
        for follower in list(self._core.store.followers.values()):
            follower.schema_changed()
        generations = self._core.history.all()
        if len(generations) > GENERATIONS_COMPILED_MAX:
            generations[-GENERATIONS_COMPILED_MAX - 1].forget()

    def _filling(self, schema: Schema, added: Sequence[TableOrIndex]) -> Schema | None:
        """Return the schema while new indexes are backfilled; None if their tables have no rows.

        The backfill takes a single tick of the clock here, but a read as of that tick must not use
        an index that Spanner would still be building.
        """
        filling = schema
        for source in added:
            if isinstance(source, Index):
                table = schema.tables[schema.fold(source.table)]
                if self._core.store.row_count(tree_of(table)):
                    filling = filling.with_index(replace(source, ready=False))
        return None if filling is schema else filling


def _drop_period(schema: Schema) -> int:
    """Return the period (nanoseconds) in which uses of an object protect it, 0 for none."""
    return period_nanos(schema.options.get(PERIOD_OPTION)) or 0


def _refuse_drops(core: DatabaseCore, steps: Iterable[Step]) -> Iterator[Step]:
    """Yield the steps; raise SchemaObjectInUse for the first that drops an object in use."""
    schema = core.generation.schema
    period = _drop_period(schema)
    if not period:
        yield from steps
        return
    use = _Use(core, schema, period)
    for step in steps:
        for kind, names in _dropped(schema, step.schema, use.long_ago):
            if use.is_in_use(names):
                raise errors.SchemaObjectInUse(kind, ".".join(names), schema.options[PERIOD_OPTION])
        schema = step.schema
        yield step


def _dropped(
    before: Schema, after: Schema, long_ago: Schema
) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield (kind, name parts) of each dropped object that existed at the start of the period."""
    old = {source.id for source in long_ago.tables_and_indexes()}
    for source in before.dropped_in(after):
        if source.id in old:
            yield "table" if isinstance(source, Table) else "index", (source.name,)
    if before.tables is after.tables:
        return
    for name, table in before.tables.items():
        following = after.tables.get(name)
        if following is None or following is table:
            continue
        kept = {column.id for column in following.columns}
        known = long_ago.tables.get(name)
        old_columns = {column.id for column in known.columns} if known else set()
        for column in table.columns:
            if column.id not in kept and column.id in old_columns:
                yield "column", (table.name, column.name)


class _Use:
    """The objects used within the period up to now, by whole hours."""

    def __init__(self, core: DatabaseCore, schema: Schema, period: int) -> None:
        self._aggregator = core.aggregator
        self._now = core.store.clock.peek()
        self._since = self._now - period
        self._reads = schema.options.get(READS_OPTION, READS_PER_HOUR)
        self.long_ago = core.history.at(self._since).schema

    def is_in_use(self, names: Sequence[str]) -> bool:
        """Return whether a table or an index, or a column of a table, is in use."""
        return names in (self._sources if len(names) == 1 else self._columns)

    @cached_property
    def _sources(self) -> set[Sequence[str]]:
        return {
            (row["TABLE_NAME"],)
            for row in self._hours(operations.table_operations)
            if self._counts(row["WRITE_COUNT"] + row["DELETE_COUNT"], row["READ_QUERY_COUNT"])
        }

    @cached_property
    def _columns(self) -> set[Sequence[str]]:
        return {
            (row["TABLE_NAME"], row["COLUMN_NAME"])
            for row in self._hours(operations.column_operations)
            if self._counts(row["WRITE_COUNT"], row["READ_COUNT"] + row["QUERY_COUNT"])
        }

    def _counts(self, writes: int, reads: int) -> bool:
        return writes > 0 or 0 < reads >= self._reads

    def _hours(self, table: sums.StatisticsTable) -> Iterator[period.Row]:
        """Yield the rows of a statistics table, including the hour that has not ended."""
        for row in self._aggregator.query(table, "HOUR", self._now + NANOS_PER_HOUR):
            if row["INTERVAL_END"] > self._since:
                yield row
