"""The SQL dialects of databases, as far as a schema depends on them.

A database's dialect is fixed at its creation and stands in its schema (`Schema.dialect`). The
parser and the analyzer of a dialect are a `sql.dialect.Dialect`, which
`sql.dialects.dialect_of(schema.dialect)` returns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from spanemu.base import suggestions
from spanemu.base.record import dataclass
from spanemu.values.order import GOOGLESQL_ORDERS, POSTGRESQL_ORDERS, SortOrders
from spanemu.values.types import POSTGRESQL_SCALARS, SCALARS, Type, TypeCode

Fold = Callable[[str], str]  # from an identifier to the key by which it is looked up

_NOT_STORED = frozenset({TypeCode.INTERVAL, TypeCode.PG_OID})
_GOOGLESQL_COLUMNS = {
    name: type_ for name, type_ in SCALARS.items() if type_.code not in _NOT_STORED
}
# The types that have another form in PostgreSQL databases.
_REPLACED = frozenset({TypeCode.NUMERIC, TypeCode.JSON})
_POSTGRESQL_COLUMNS = {
    name: type_
    for name, type_ in {**_GOOGLESQL_COLUMNS, **POSTGRESQL_SCALARS}.items()
    if type_.code not in _REPLACED | _NOT_STORED
}


@dataclass(frozen=True, slots=True)
class QueueNames:
    """The names that a dialect gives to the parts of its queues.

    A queue is a table (`Table.is_queue`) whose rows are messages: the key, the payload, and as the
    last column the delivery time, which no statement declares. Two table functions belong to each
    queue: one receives its messages under a lease, the other renews leases.
    """

    payload: str
    deliver_time: str
    now: str  # the delivery time of a message that is sent without one
    receive: str  # + the name of a queue: the function that receives messages
    renew: str  # + the name of a queue: the function that renews leases
    expiration: str  # of a lease, in the results of both functions
    token: str
    last_of_batch: str
    old_token: str
    new_token: str

    @property
    def functions(self) -> tuple[str, str]:
        """The prefixes of the functions of a queue."""
        return self.receive, self.renew


GOOGLESQL_QUEUES = QueueNames(
    payload="Payload",
    deliver_time="DeliverTime",
    now="CURRENT_TIMESTAMP()",
    receive="RECEIVE_",
    renew="RENEWLEASE_",
    expiration="SpannerLeaseExpirationTimestamp",
    token="SpannerLeaseToken",
    last_of_batch="SpannerLastBatchMessage",
    old_token="SpannerOldLeaseToken",
    new_token="SpannerNewLeaseToken",
)
POSTGRESQL_QUEUES = QueueNames(
    payload="payload",
    deliver_time="deliver_time",
    now="CURRENT_TIMESTAMP",
    receive="receive_",
    renew="renewlease_",
    expiration="spanner_lease_expiration_timestamp",
    token="spanner_lease_token",
    last_of_batch="spanner_last_batch_message",
    old_token="spanner_old_lease_token",
    new_token="spanner_new_lease_token",
)


@dataclass(frozen=True, slots=True)
class DatabaseDialect:
    """A dialect by the name that DATABASE_OPTIONS shows, with its rules for names and orders.

    `fold` returns the key by which an identifier is looked up: two identifiers name the same object
    if their keys are equal. Rules that depend on how a name is written, such as PostgreSQL's lower
    case for unquoted names, are the parser's: `fold` sees names as the syntax tree holds them.
    """

    name: str
    number: int  # of the enum DatabaseDialect in Spanner's API
    fold: Fold
    orders: SortOrders  # the places of NULL and NaN in ORDER BY and in keys
    title: str = ""  # the name in prose
    column_types: Mapping[str, Type] = field(
        default_factory=lambda: _GOOGLESQL_COLUMNS, hash=False, repr=False
    )
    unsorted_types: frozenset[TypeCode] = frozenset()  # sortable types that are no keys here
    quotes_any_name: bool = False  # whether a quoted name may have any character
    places_null_in_keys: bool = False  # whether an index may say NULLS FIRST or NULLS LAST
    nulls_distinct: bool = False  # whether a unique index takes any number of equal keys with NULL
    indexes_follow_tables: bool = False  # whether an index is named without its table's schema
    reports_sql_states: bool = False  # whether failures of SQL carry PostgreSQL's codes
    read_functions: tuple[str, ...] = ("READ_", "READ_JSON_")  # + the name of a change stream
    mutable_read_function: str = "READ_"  # the same for a stream with mutable key ranges
    queues: QueueNames = GOOGLESQL_QUEUES
    vector_index_type: str = "VECTOR"  # in INFORMATION_SCHEMA
    requires_distance_options: bool = True  # whether an approximate distance needs `options`
    created_with_schema: bool = True  # whether CreateDatabase takes schema statements
    unique_key: Fold = str.lower  # in which the names of two objects must differ

    @property
    def option(self) -> str:
        """The name in options and settings, such as "postgresql"."""
        return self.title.lower()


GOOGLE_STANDARD_SQL = DatabaseDialect(
    "GOOGLE_STANDARD_SQL", 1, str.lower, GOOGLESQL_ORDERS, "GoogleSQL"
)
POSTGRESQL = DatabaseDialect(
    "POSTGRESQL",
    2,
    str,
    POSTGRESQL_ORDERS,
    "PostgreSQL",
    column_types=_POSTGRESQL_COLUMNS,
    unsorted_types=frozenset({TypeCode.FLOAT32}),
    quotes_any_name=True,
    places_null_in_keys=True,
    nulls_distinct=True,
    indexes_follow_tables=True,
    reports_sql_states=True,
    read_functions=("read_json_", "read_proto_bytes_"),
    mutable_read_function="read_proto_bytes_",
    vector_index_type="ScaNN",
    requires_distance_options=False,
    queues=POSTGRESQL_QUEUES,
    created_with_schema=False,
)

# By number of the API, where 0 means unspecified.
DATABASE_DIALECTS = {0: GOOGLE_STANDARD_SQL, 1: GOOGLE_STANDARD_SQL, 2: POSTGRESQL}

# By the name in options and settings.
DIALECT_OPTIONS = {each.option: each for each in (GOOGLE_STANDARD_SQL, POSTGRESQL)}


class UnknownDialect(ValueError):
    """A name in an option or a setting that is no dialect; the message lists the dialects."""


def dialect_named(option: str) -> DatabaseDialect:
    """Return the dialect of an option. Raises UnknownDialect."""
    dialect = DIALECT_OPTIONS.get(option)
    if dialect is None:
        known = " or ".join(DIALECT_OPTIONS)
        hint = suggestions.did_you_mean(option, DIALECT_OPTIONS)
        raise UnknownDialect(f"{option!r} is no dialect of Spanner; use {known}.{hint}")
    return dialect
