"""TransactionSelector and TransactionOptions -> `database.options`.

The options that a request may carry depend on the RPC: the single-use transaction of a query is
read-only, that of a commit is read-write, and bounded staleness is for single use alone. This
module checks everything that needs no session; it does not resolve transaction ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

from spanemu.database import errors
from spanemu.database.options import (
    Begin,
    ExactStaleness,
    Existing,
    Isolation,
    MaxStaleness,
    MinReadTimestamp,
    PartitionedDml,
    ReadLockMode,
    ReadOnly,
    ReadTimestamp,
    ReadWriteOptions,
    Selector,
    SingleUse,
    Strong,
    TimestampBound,
    TransactionOptions,
)
from spanemu.frontend.convert.types import read_timestamp_from_proto, staleness_from_proto
from spanemu.frontend.errors import (
    EmptyTransactionId,
    ExcludeFromStreamsReadOnly,
    InvalidEnumValue,
    MultiUseBound,
    PartitionNeedsTransaction,
    ReadOnlyExpected,
    ReadWriteExpected,
    RepeatableReadPartitionedDml,
    RequiredFieldMissing,
    StrongMustBeTrue,
)
from spanemu.frontend.wire import TransactionOptions as TransactionOptionsMessage
from spanemu.frontend.wire import TransactionSelector

_STRONG = ReadOnly(Strong())
_STRONG_WITH_TIMESTAMP = ReadOnly(Strong(), return_read_timestamp=True)
_KEPT_MAX = 256  # cached messages, because clients send the same messages again and again


def selector_from_proto(request: Any) -> Selector | None:
    """Return the transaction of a read or statement; None when the request names none."""
    selector = request.transaction
    if selector.id:
        return Existing(selector.id)
    return _selector(selector.SerializeToString())


@lru_cache(_KEPT_MAX)
def _selector(data: bytes) -> Selector | None:
    selector = TransactionSelector.FromString(data)
    case = selector.WhichOneof("selector")
    if case == "id":
        return existing_from_proto(selector.id)
    if case == "begin":
        return Begin(multi_use_from_proto(selector.begin))
    if case is None:
        return None
    if selector.single_use.WhichOneof("mode") is None:
        _isolation(selector.single_use)
        return None  # A strong read. gcloud lists split points with an empty single_use.
    options = options_from_proto(selector.single_use)
    if not isinstance(options, ReadOnly):
        raise ReadOnlyExpected(selector.single_use.WhichOneof("mode"))
    return SingleUse(options)


def batch_selector_from_proto(request: Any) -> Selector:
    """Return the transaction of batch DML. Raises BatchDmlNotAllowed."""
    case = request.transaction.WhichOneof("selector")
    if case is None or case == "single_use":
        raise errors.BatchDmlNotAllowed()
    selector = selector_from_proto(request)
    assert selector is not None
    if isinstance(selector, Begin) and not isinstance(selector.options, ReadWriteOptions):
        raise errors.BatchDmlNotAllowed()
    return selector


def partition_selector_from_proto(request: Any) -> Selector:
    """Return the read-only transaction in which a read or query is partitioned."""
    selector = request.transaction
    case = selector.WhichOneof("selector")
    if case is None or case == "single_use":
        raise PartitionNeedsTransaction()
    if case == "id":
        return existing_from_proto(selector.id)
    options = multi_use_from_proto(selector.begin)
    if not isinstance(options, ReadOnly):
        raise errors.PartitionNeedsReadOnlyTransaction()
    return Begin(options)


def commit_selector_from_proto(request: Any) -> Selector:
    """Return the transaction that a commit ends, or a single-use read-write transaction."""
    case = request.WhichOneof("transaction")
    if case == "transaction_id":
        transaction_id = request.transaction_id
        return Existing(transaction_id) if transaction_id else existing_from_proto(transaction_id)
    if case is None:
        raise RequiredFieldMissing("CommitRequest.transaction")
    return single_use_read_write(request.single_use_transaction.SerializeToString())


@lru_cache(_KEPT_MAX)
def single_use_read_write(data: bytes) -> Selector:
    """Return a single-use transaction with serialized TransactionOptions.

    Raises ReadWriteExpected for other kinds of transactions, and DecodeError.
    """
    message = TransactionOptionsMessage.FromString(data)
    options = options_from_proto(message)
    if not isinstance(options, ReadWriteOptions):
        raise ReadWriteExpected(message.WhichOneof("mode"))
    return SingleUse(options)


def existing_from_proto(transaction_id: bytes) -> Existing:
    """Return the transaction with the id. Raises EmptyTransactionId."""
    if not transaction_id:
        raise EmptyTransactionId()
    return Existing(transaction_id)


def begun_options_from_proto(message: Any) -> TransactionOptions:
    """Return the options of a BeginTransactionRequest."""
    return _begun_options(message.SerializeToString())


@lru_cache(_KEPT_MAX)
def _begun_options(data: bytes) -> TransactionOptions:
    return multi_use_from_proto(TransactionOptionsMessage.FromString(data))


def multi_use_from_proto(message: Any) -> TransactionOptions:
    """Return the options of a transaction for more than one request."""
    options = options_from_proto(message)
    if isinstance(options, ReadOnly):
        if isinstance(options.bound, MinReadTimestamp):
            raise MultiUseBound("min_read_timestamp")
        if isinstance(options.bound, MaxStaleness):
            raise MultiUseBound("max_staleness")
    return options


def options_from_proto(message: Any) -> TransactionOptions:
    """Return the options of any transaction. Raises RequiredFieldMissing when they name no mode."""
    return _MODES[message.WhichOneof("mode")](message)


# ---------------------------------------------------------------------------- modes


def _read_only(message: Any) -> TransactionOptions:
    if message.exclude_txn_from_change_streams:
        raise ExcludeFromStreamsReadOnly()
    _isolation(message)
    read_only = message.read_only
    case = read_only.WhichOneof("timestamp_bound")
    returns = read_only.return_read_timestamp
    if case is None:
        return _STRONG_WITH_TIMESTAMP if returns else _STRONG
    bound = _BOUNDS[case](read_only)
    if isinstance(bound, Strong):
        return _STRONG_WITH_TIMESTAMP if returns else _STRONG
    return ReadOnly(bound, returns)


def _read_write(message: Any) -> TransactionOptions:
    mode = message.read_write
    lock_mode = _LOCK_MODES.get(mode.read_lock_mode)
    if lock_mode is None:
        raise InvalidEnumValue("TransactionOptions.read_write.read_lock_mode", mode.read_lock_mode)
    return ReadWriteOptions(
        isolation=_isolation(message),
        read_lock_mode=lock_mode,
        previous=mode.multiplexed_session_previous_transaction_id,
        exclude_from_change_streams=message.exclude_txn_from_change_streams,
    )


def _partitioned_dml(message: Any) -> TransactionOptions:
    if _isolation(message) is Isolation.REPEATABLE_READ:
        raise RepeatableReadPartitionedDml()
    return PartitionedDml(message.exclude_txn_from_change_streams)


def _no_mode(_message: Any) -> TransactionOptions:
    raise RequiredFieldMissing("TransactionOptions.mode")


_MODES: Mapping[str | None, Callable[[Any], TransactionOptions]] = {
    "read_only": _read_only,
    "read_write": _read_write,
    "partitioned_dml": _partitioned_dml,
    None: _no_mode,
}


def _isolation(message: Any) -> Isolation:
    level = _ISOLATIONS.get(message.isolation_level)
    if level is None:
        raise InvalidEnumValue("TransactionOptions.isolation_level", message.isolation_level)
    return level


_ISOLATIONS: Mapping[int, Isolation] = {
    0: Isolation.UNSPECIFIED,
    1: Isolation.SERIALIZABLE,
    2: Isolation.REPEATABLE_READ,
}
_LOCK_MODES: Mapping[int, ReadLockMode] = {
    0: ReadLockMode.UNSPECIFIED,
    1: ReadLockMode.PESSIMISTIC,
    2: ReadLockMode.OPTIMISTIC,
}
ISOLATION_NUMBERS = {level: number for number, level in _ISOLATIONS.items()}
LOCK_MODE_NUMBERS = {mode: number for number, mode in _LOCK_MODES.items()}


# ---------------------------------------------------------------------------- bounds


def _strong(message: Any) -> TimestampBound:
    if not message.strong:
        raise StrongMustBeTrue()
    return Strong()


_BOUNDS: Mapping[str, Callable[[Any], TimestampBound]] = {
    "strong": _strong,
    "min_read_timestamp": lambda bound: MinReadTimestamp(
        read_timestamp_from_proto(bound.min_read_timestamp, "min")
    ),
    "max_staleness": lambda bound: MaxStaleness(staleness_from_proto(bound.max_staleness)),
    "read_timestamp": lambda bound: ReadTimestamp(
        read_timestamp_from_proto(bound.read_timestamp, "exact")
    ),
    "exact_staleness": lambda bound: ExactStaleness(staleness_from_proto(bound.exact_staleness)),
}
