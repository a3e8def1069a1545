"""Every published quota that spanemu enforces, named with its unit (page "Quotas & limits").

Limits that a test may change are fields of `Limits`; all others are constants.
"""

from __future__ import annotations

from dataclasses import fields

from spanemu.base.clock import NANOS_PER_DAY, NANOS_PER_HOUR, NANOS_PER_SECOND
from spanemu.base.record import dataclass

# Data.
STRING_LENGTH_MAX = 2_621_440  # characters of STRING(MAX)
BYTES_LENGTH_MAX = 10_485_760  # bytes of BYTES(MAX)
CELL_BYTES_MAX = 10 * 1024 * 1024
KEY_BYTES_MAX = 8_192
KEY_PARTS_MAX = 16
MUTATIONS_PER_COMMIT_MAX = 80_000
COMMIT_BYTES_MAX = 100 * 1024 * 1024
COMMIT_DELAY_MAX_NANOS = NANOS_PER_SECOND // 2

# Instances.
DATABASES_PER_INSTANCE_MAX = 100
DATABASES_PER_UNITS_STEP = 10  # in an instance of less than a node, per 100 processing units

# Schema.
IDENTIFIER_LENGTH_MAX = 128
COLUMNS_PER_TABLE_MAX = 1_024
NON_KEY_BYTES_MAX = 2_097_152_000  # declared for STRING and BYTES columns of a table
TABLES_PER_DATABASE_MAX = 5_000
INDEXES_PER_TABLE_MAX = 128
INDEXES_PER_DATABASE_MAX = 10_000
INTERLEAVE_DEPTH_MAX = 7  # levels below the root
VIEWS_PER_DATABASE_MAX = 5_000
VIEW_NESTING_MAX = 10  # levels of views below a view

# Time.
RETENTION_DEFAULT_NANOS = NANOS_PER_HOUR
RETENTION_MIN_NANOS = NANOS_PER_HOUR
RETENTION_MAX_NANOS = 7 * NANOS_PER_DAY
READ_AHEAD_MAX_NANOS = NANOS_PER_HOUR
SESSION_IDLE_MAX_NANOS = NANOS_PER_HOUR
MULTIPLEXED_SESSION_AGE_MAX_NANOS = 28 * NANOS_PER_DAY

# Other objects.
CHANGE_STREAMS_PER_DATABASE_MAX = 10
CHANGE_STREAMS_PER_OBJECT_MAX = 3
CHANGE_STREAM_NAME_LENGTH_MAX = 118
CHANGE_STREAM_READERS_MAX = 20  # queries of one partition at the same time
CHANGE_STREAM_HEARTBEAT_MILLIS_MIN = 1_000
# From here on Google's emulator accepts heartbeats, and the suites of its users send 100.
RELAXED_HEARTBEAT_MILLIS_MIN = 100
CHANGE_STREAM_HEARTBEAT_MILLIS_MAX = 300_000
CHANGE_STREAM_START_AHEAD_NANOS = 10 * 60 * 1_000_000_000  # how far in the future reading begins
MODELS_PER_DATABASE_MAX = 100
MODEL_STRUCT_FIELDS_MAX = 10
MODEL_STRUCT_DEPTH_MAX = 5
PROPERTY_GRAPHS_PER_DATABASE_MAX = 16
LOCALITY_GROUPS_PER_DATABASE_MAX = 15  # besides the default one
PLACEMENTS_PER_DATABASE_MAX = 50
QUEUES_PER_DATABASE_MAX = 100  # Spanner counts those of an instance
QUEUE_RECEIVERS_MAX = 1_000  # running queries that receive messages of a queue
ROLES_PER_DATABASE_MAX = 100
TOKEN_BYTES_MAX = 10_000_000  # of the token lists of a row in one search index
VECTOR_LENGTH_MAX = 8_000

# Requests.
SQL_CHARACTERS_MAX = 1_000_000
PARAMETERS_MAX = 950
SESSIONS_PER_BATCH_MAX = 100
LABELS_MAX = 64
PAGE_SIZE_MAX = 1_000
TAG_CHARACTERS_MAX = 50  # longer tags are truncated
TRANSACTIONS_PER_SESSION_MAX = 32
UNARY_RESULT_BYTES_MAX = 10 * 1024 * 1024
ROW_BYTES_MAX = 100 * 1024 * 1024  # of a result
BUILT_VALUE_BYTES_MAX = 1024 * 1024  # of a value built by a function or an aggregate
STATEMENT_MEMORY_BYTES_MAX = 256 * 1024 * 1024  # of rows in operators; Spanner names none
STEP_BYTES_MAX = 128 * 1024 * 1024  # of the values built in one step of a statement
VECTOR_MATRICES_BYTES_MAX = 1024 * 1024 * 1024  # of the matrices that searches keep
STREAM_CHUNK_BYTES = 1024 * 1024  # of a message, except for metadata
RESUMABLE_CHUNK_BYTES = 32 * 1024  # of a message of several rows, if it has a resume token
REQUEST_BYTES_MAX = 10 * 1024 * 1024  # of requests without mutations
ADMIN_REQUEST_BYTES_MAX = 1024 * 1024  # of admin API requests without a schema
REQUEST_SECONDS_MAX = 3_600.0
PARTITIONED_DML_CONCURRENT_MAX = 20_000  # statements per database
MODEL_ROWS_MAX = 10_000  # that a statement sends to models and remote functions
ERROR_MESSAGE_BYTES_MAX = 1_024  # gRPC sends it as a header, whose size is limited


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits of requests and schemas, with Spanner's as defaults.

    A request that exceeds a limit is refused with INVALID_ARGUMENT; a result that is too large for
    a unary reply, with FAILED_PRECONDITION; a statement that needs too much memory, with
    RESOURCE_EXHAUSTED. Raise ValueError for a limit that is not positive.
    """

    # Writing.
    mutations_per_commit: int = MUTATIONS_PER_COMMIT_MAX  # also per batch-write group
    commit_bytes: int = COMMIT_BYTES_MAX
    cell_bytes: int = CELL_BYTES_MAX
    key_bytes: int = KEY_BYTES_MAX  # of a table's or an index's key

    # Requests and replies.
    request_bytes: int = REQUEST_BYTES_MAX  # of requests without mutations
    unary_result_bytes: int = UNARY_RESULT_BYTES_MAX
    sql_characters: int = SQL_CHARACTERS_MAX

    # Queries.
    parameters: int = PARAMETERS_MAX
    joins: int = 20
    function_calls: int = 1_000
    function_depth: int = 75
    operator_depth: int = 75
    in_list_items: int = 10_000
    group_keys: int = 1_000
    group_by_depth: int = 35
    set_operation_queries: int = 200
    subqueries: int = 500  # directly below one query
    subquery_depth: int = 25
    subselect_depth: int = 60
    view_depth: int = VIEW_NESTING_MAX
    statement_memory_bytes: int = STATEMENT_MEMORY_BYTES_MAX  # RESOURCE_EXHAUSTED if exceeded
    queue_receivers: int = QUEUE_RECEIVERS_MAX  # of one queue; RESOURCE_EXHAUSTED if exceeded
    model_rows: int = MODEL_ROWS_MAX  # of one statement, or of a partition; RESOURCE_EXHAUSTED
    heartbeat_millis_min: int = RELAXED_HEARTBEAT_MILLIS_MIN  # the least, with OUT_OF_RANGE below

    # A database's schema. A statement that exceeds a limit is refused with FAILED_PRECONDITION.
    tables: int = TABLES_PER_DATABASE_MAX
    columns_per_table: int = COLUMNS_PER_TABLE_MAX
    interleave_depth: int = INTERLEAVE_DEPTH_MAX  # levels below the root
    indexes: int = INDEXES_PER_DATABASE_MAX
    indexes_per_table: int = INDEXES_PER_TABLE_MAX
    views: int = VIEWS_PER_DATABASE_MAX
    change_streams: int = CHANGE_STREAMS_PER_DATABASE_MAX
    models: int = MODELS_PER_DATABASE_MAX
    property_graphs: int = PROPERTY_GRAPHS_PER_DATABASE_MAX
    locality_groups: int = LOCALITY_GROUPS_PER_DATABASE_MAX
    placements: int = PLACEMENTS_PER_DATABASE_MAX
    queues: int = QUEUES_PER_DATABASE_MAX
    roles: int = ROLES_PER_DATABASE_MAX

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if value < 1:
                raise ValueError(f"limit {each.name}={value} is not positive")


DEFAULT_LIMITS = Limits()
