"""Transactions: begin, commit, roll back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.base.errors import SpannerError
from spanemu.database.statements.results import CommitOutcome
from spanemu.frontend import wire
from spanemu.frontend.boundary import status_to_proto
from spanemu.frontend.convert.mutations import mutation_from_proto, mutations_from_proto
from spanemu.frontend.convert.requests import commit_options_from_proto, transaction_tag_from_proto
from spanemu.frontend.convert.results import precommit_token_to_proto, transaction_to_proto
from spanemu.frontend.convert.selectors import (
    commit_selector_from_proto,
    existing_from_proto,
    multi_use_from_proto,
)
from spanemu.frontend.convert.timestamps import fill_timestamp, timestamp_to_proto
from spanemu.frontend.errors import RequiredFieldMissing
from spanemu.frontend.registry import session_of
from spanemu.values.mutation import Mutation


def begin_transaction(instances: Instances, request: Any) -> Any:
    """A transaction that later requests name by its id."""
    session = session_of(instances, request.session)
    options = multi_use_from_proto(request.options)
    transaction_tag_from_proto(request)
    key = mutation_from_proto(request.mutation_key) if request.HasField("mutation_key") else None
    info = session.begin(options, key)
    message = transaction_to_proto(info)
    if info.precommit_token is not None:
        message.precommit_token.CopyFrom(precommit_token_to_proto(info.precommit_token))
    return message


def commit(instances: Instances, request: Any) -> Any:
    """The request's mutations and the transaction's DML, applied as one."""
    session = session_of(instances, request.session)
    selector = commit_selector_from_proto(request)
    options = commit_options_from_proto(request, instances.limits.commit_bytes)
    mutations = mutations_from_proto(request.mutations) if request.mutations else ()
    return commit_to_proto(session.commit(selector, mutations, options))


def rollback(instances: Instances, request: Any) -> Any:
    """The transaction's writes are forgotten and its locks given back."""
    session = session_of(instances, request.session)
    session.rollback(existing_from_proto(request.transaction_id).id)
    return wire.Empty()


def commit_to_proto(outcome: CommitOutcome) -> Any:
    """A CommitResponse."""
    message = wire.CommitResponse()
    if outcome.timestamp is not None:
        fill_timestamp(message.commit_timestamp, outcome.timestamp)
    if outcome.mutation_count is not None:
        message.commit_stats.mutation_count = outcome.mutation_count
    if outcome.retry_token is not None:
        message.precommit_token.CopyFrom(precommit_token_to_proto(outcome.retry_token))
    if outcome.snapshot_timestamp is not None and _KNOWS_SNAPSHOT:
        fill_timestamp(message.snapshot_timestamp, outcome.snapshot_timestamp)
    return message


# Older releases of the client library do not have the field, and could not show it either.
_KNOWS_SNAPSHOT = "snapshot_timestamp" in wire.CommitResponse.DESCRIPTOR.fields_by_name


def batch_write(instances: Instances, request: Any) -> Iterator[Any]:
    """One response for each group, as it is done; a group that fails does not stop the rest."""
    session = session_of(instances, request.session)
    transaction_tag_from_proto(request)
    groups = [_mutations(group) for group in request.mutation_groups]
    outcomes = session.batch_write(groups, request.exclude_txn_from_change_streams)
    return (_response(*outcome) for outcome in outcomes)


def _mutations(group: Any) -> list[Mutation] | SpannerError:
    """Return the writes of a group, or the error of that group, which concerns no other group."""
    try:
        if not group.mutations:
            raise RequiredFieldMissing("MutationGroup.mutations")
        return mutations_from_proto(group.mutations)
    except SpannerError as failure:
        return failure


def _response(index: int, failure: SpannerError | None, timestamp: int | None) -> Any:
    message = wire.BatchWriteResponse(indexes=[index])
    # A status is there even when it says OK.
    message.status.CopyFrom(wire.Status() if failure is None else status_to_proto(failure))
    if timestamp is not None:
        message.commit_timestamp.CopyFrom(timestamp_to_proto(timestamp))
    return message
