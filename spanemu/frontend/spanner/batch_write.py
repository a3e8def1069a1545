"""BatchWrite: groups of mutations, each applied on its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from spanemu.admin.instances import Instances
from spanemu.base.errors import SpannerError
from spanemu.frontend import wire
from spanemu.frontend.boundary import status_to_proto
from spanemu.frontend.convert.mutations import mutations_from_proto
from spanemu.frontend.convert.requests import transaction_tag_from_proto
from spanemu.frontend.convert.timestamps import timestamp_to_proto
from spanemu.frontend.errors.requests import RequiredFieldMissing
from spanemu.frontend.registry import session_of
from spanemu.values.mutation import Mutation


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
