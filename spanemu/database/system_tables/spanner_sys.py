"""The tables of SPANNER_SYS: names, columns and row functions.

Statistics of queries, reads, transactions, locks and operations are those of this process
(`database.statistics`). SPLIT_STATS_TOP has rows while hotspots are observed. Tables of a service's
own findings are empty: recommendations, sampled profiles, background tasks.

The tables in `LEFT_OUT` are refused by name.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date
from typing import Any

from spanemu.base.call import current
from spanemu.base.clock import INTERVALS, NANOS_PER_HOUR
from spanemu.change_streams.watching import stream_rules
from spanemu.database.core import DatabaseCore, Sweep
from spanemu.database.statistics.operations import column_operations, table_operations
from spanemu.database.statistics.period import Row
from spanemu.database.statistics.queries import (
    active_partitioned_dmls,
    active_queries_summary,
    oldest_active_queries,
    query_stats_top,
    query_stats_total,
    read_stats_top,
    read_stats_total,
)
from spanemu.database.statistics.sums import StatisticsTable
from spanemu.database.statistics.transactions import (
    lock_stats_top,
    lock_stats_total,
    txn_stats_top,
    txn_stats_total,
)
from spanemu.database.statistics.weight import row_weigher
from spanemu.database.system_tables.declaration import Declared, Rows, Source, column_name, no_rows
from spanemu.schema.indexes import TableOrIndex
from spanemu.schema.objects import DEFAULT
from spanemu.sql.dialect import OPTIMIZER_DEFAULT
from spanemu.storage.layout import tree_of

# The statistics tables that have rows.
_STATISTICS: Mapping[str, StatisticsTable] = {
    "COLUMN_OPERATIONS_STATS": column_operations,
    "LOCK_STATS_TOP": lock_stats_top,
    "LOCK_STATS_TOTAL": lock_stats_total,
    "QUERY_STATS_TOP": query_stats_top,
    "QUERY_STATS_TOTAL": query_stats_total,
    "READ_STATS_TOP": read_stats_top,
    "READ_STATS_TOTAL": read_stats_total,
    "TABLE_OPERATIONS_STATS": table_operations,
    "TXN_STATS_TOP": txn_stats_top,
    "TXN_STATS_TOTAL": txn_stats_total,
}
_RUNNING: Mapping[str, Callable[[DatabaseCore], Iterable[Row]]] = {
    "ACTIVE_PARTITIONED_DMLS": lambda core: active_partitioned_dmls(
        core.activity, core.partitioned_dml
    ),
    "ACTIVE_QUERIES_SUMMARY": lambda core: active_queries_summary(core.activity),
    "OLDEST_ACTIVE_QUERIES": lambda core: oldest_active_queries(core.activity),
}


def _in_order(rows: Iterable[Row], notation: str) -> Rows:
    """Yield rows as tuples over the columns of a declaration; a missing column is NULL."""
    names = [column_name(word) for word in notation.split()]
    for row in rows:
        yield tuple(map(row.get, names))


_CHECKED_EVERY = 0xFF  # a mask: the deadline is checked every 256 rows


def table_sizes(source: Source) -> Rows:
    """Yield the rows of TABLE_SIZES_STATS_1HOUR: a row for each table, index and change stream."""
    end = source.at - source.at % NANOS_PER_HOUR
    for relation in source.schema.tables_and_indexes():
        size = float(_size(source, relation))
        on_ssd, on_hdd = _placed(source, relation, size)
        yield end, relation.name, size, on_ssd, on_hdd
    for name, size in _stream_sizes(source):
        yield end, name, size, size, 0.0


def table_sizes_by_group(source: Source) -> Rows:
    """Yield the rows of TABLE_SIZES_STATS_PER_LOCALITY_GROUP_1HOUR."""
    end = source.at - source.at % NANOS_PER_HOUR
    for relation in source.schema.tables_and_indexes():
        size = float(_size(source, relation))
        on_ssd, on_hdd = _placed(source, relation, size)
        yield end, relation.name, _group(relation), size, on_ssd, on_hdd
    for name, size in _stream_sizes(source):
        yield end, name, DEFAULT, size, size, 0.0


def _stream_sizes(source: Source) -> Iterator[tuple[str, float]]:
    """Yield the name of each change stream, with the size of the changes that it shows now."""
    log = source.core.store.change_log
    for stream in stream_rules(source.schema).values():
        yield stream.name, 0.0 if log is None else float(log.size_bytes(stream.tables))


def _group(relation: TableOrIndex) -> str:
    return str(dict(relation.options).get("locality_group") or DEFAULT)


def _placed(source: Source, relation: TableOrIndex, size: float) -> tuple[float, float]:
    """Return the bytes on solid state drives and on hard disks."""
    group = source.schema.locality_groups.get(source.schema.fold(_group(relation)))
    storage = "ssd" if group is None else str(group.options.get("storage") or "ssd")
    return (0.0, size) if storage == "hdd" else (size, 0.0)


def _size(source: Source, relation: TableOrIndex) -> int:
    check = current().check
    weigh = row_weigher(relation)
    total = 0
    for number, row in enumerate(source.core.store.scan(tree_of(relation), at=source.at)):
        if not number & _CHECKED_EVERY:
            check()
        total += weigh(row)
    return total


OPTIMIZER_RELEASES = (
    (1, date(2019, 6, 18)),
    (2, date(2020, 3, 1)),
    (3, date(2021, 8, 1)),
    (4, date(2022, 3, 1)),
    (5, date(2022, 7, 15)),
    (6, date(2023, 9, 11)),
    (7, date(2024, 5, 22)),
    (8, date(2024, 10, 28)),
    (9, date(2026, 7, 21)),
)


def supported_optimizer_versions(_: Source) -> Rows:
    """Yield the rows of SUPPORTED_OPTIMIZER_VERSIONS."""
    for version, released in OPTIMIZER_RELEASES:
        yield version, released, version == OPTIMIZER_DEFAULT


def row_deletion_policies(source: Source) -> Rows:
    """Yield the rows of ROW_DELETION_POLICIES: the progress of each policy."""
    for table in source.schema.tables.values():
        if table.row_deletion_policy is not None:
            sweep = source.core.sweeps.get(table.id, Sweep())
            yield table.name, sweep.watermark, sweep.undeletable, sweep.earliest


def split_stats_top(source: Source, interval: str) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of SPLIT_STATS_TOP_`interval`.

    Rows are of splits that follow their load, and of findings while hotspots are observed.
    """
    for row in source.core.split_stats(source.at, interval):
        yield (
            row.interval_end,
            row.split_start,
            row.split_limit,
            list(row.affected_tables),
            row.cpu_usage_score,
            list(row.unsplittable_reasons),
        )


def user_split_points(source: Source) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of USER_SPLIT_POINTS: the points that have not expired."""
    for point in source.core.split_points.live(source.core.store.clock.peek()):
        yield point.table, point.index, point.initiator, point.text, point.expires


SCHEMA = "SPANNER_SYS"

# The table of graph algorithms, whose column types are not published.
LEFT_OUT = ("GRAPH_OPERATION_EXECUTION_STATUS",)

_FAILED_QUERIES = """CANCELLED_OR_DISCONNECTED_EXECUTION_COUNT:INT64
    TIMED_OUT_EXECUTION_COUNT:INT64 ALL_FAILED_EXECUTION_COUNT:INT64
    ALL_FAILED_AVG_LATENCY_SECONDS:FLOAT64"""
_QUERY_RESULTS = f"""EXECUTION_COUNT:INT64 AVG_LATENCY_SECONDS:FLOAT64 AVG_ROWS:FLOAT64
    AVG_BYTES:FLOAT64 AVG_ROWS_SCANNED:FLOAT64 AVG_CPU_SECONDS:FLOAT64 {_FAILED_QUERIES}"""
_QUERY_COSTS = """AVG_MEMORY_PEAK_USAGE_BYTES:FLOAT64 AVG_MEMORY_USAGE_PERCENTAGE:FLOAT64
    AVG_QUERY_PLAN_CREATION_TIME_SECS:FLOAT64 AVG_FILESYSTEM_DELAY_SECS:FLOAT64
    AVG_REMOTE_SERVER_CALLS:FLOAT64 AVG_ROWS_SPOOLED:FLOAT64 AVG_DISK_IO_COST:FLOAT64
    LATENCY_DISTRIBUTION_JSON_STRING"""
_READ_COSTS = """AVG_ROWS:FLOAT64 AVG_BYTES:FLOAT64 AVG_CPU_SECONDS:FLOAT64
    AVG_LOCKING_DELAY_SECONDS:FLOAT64 AVG_CLIENT_WAIT_SECONDS:FLOAT64
    AVG_LEADER_REFRESH_DELAY_SECONDS:FLOAT64"""
_COMMITS = """COMMIT_ATTEMPT_COUNT:INT64 COMMIT_FAILED_PRECONDITION_COUNT:INT64
    COMMIT_ABORT_COUNT:INT64 AVG_PARTICIPANTS:FLOAT64 AVG_TOTAL_LATENCY_SECONDS:FLOAT64
    AVG_COMMIT_LATENCY_SECONDS:FLOAT64 AVG_BYTES:FLOAT64 COMMIT_RETRY_COUNT:INT64"""
_TRANSACTIONS = """OPERATIONS_BY_TABLE:TABLE_OPERATIONS TOTAL_LATENCY_DISTRIBUTION:DISTRIBUTION
    ATTEMPT_COUNT:INT64 SERIALIZABLE_PESSIMISTIC_TXN_COUNT:INT64
    REPEATABLE_READ_OPTIMISTIC_TXN_COUNT:INT64 SERIALIZABLE_OPTIMISTIC_TXN_COUNT:INT64
    OPERATIONS_BY_TABLE_JSON_STRING TOTAL_LATENCY_DISTRIBUTION_JSON_STRING"""
# Collected every three days. An emulator has no clusters, so the tables of these are empty.
_VECTOR_INDEX = """START_TIME:TIMESTAMP VECTOR_INDEX_NAME NUM_LEAVES:INT64
    NUM_CLUSTERS_SAMPLED:INT64 NUM_ZERO_SIZE_CLUSTERS_SAMPLED:INT64
    CLUSTER_SIZE_PERCENTILES:PERCENTILES
    CLUSTER_AVERAGE_DISTANCE_TO_CENTROID_PERCENTILES:PERCENTILES"""
_SPLIT = "INTERVAL_END:TIMESTAMP SPLIT_START SPLIT_LIMIT AFFECTED_TABLES:STRINGS"

# Tables that exist for each interval: name without the interval -> columns.
_BY_INTERVAL = {
    "COLUMN_OPERATIONS_STATS": """INTERVAL_END:TIMESTAMP TABLE_NAME COLUMN_NAME QUERY_COUNT:INT64
        READ_COUNT:INT64 WRITE_COUNT:INT64 IS_QUERY_CACHE_MEMORY_CAPPED:BOOL""",
    "LOCK_STATS_TOP": """INTERVAL_END:TIMESTAMP ROW_RANGE_START_KEY:BYTES
        LOCK_WAIT_SECONDS:FLOAT64 SAMPLE_LOCK_REQUESTS:LOCK_REQUESTS
        SAMPLE_LOCK_REQUESTS_JSON_STRING""",
    "LOCK_STATS_TOTAL": "INTERVAL_END:TIMESTAMP TOTAL_LOCK_WAIT_SECONDS:FLOAT64",
    "QUERY_PROFILES_TOP": """INTERVAL_END:TIMESTAMP TEXT_FINGERPRINT:INT64
        LATENCY_SECONDS:FLOAT64 QUERY_PROFILE""",
    "QUERY_STATS_TOP": f"""INTERVAL_END:TIMESTAMP TEXT TEXT_TRUNCATED:BOOL TEXT_FINGERPRINT:INT64
        {_QUERY_RESULTS} REQUEST_TAG AVG_BYTES_WRITTEN:FLOAT64 AVG_ROWS_WRITTEN:FLOAT64
        STATEMENT_COUNT:INT64 LATENCY_DISTRIBUTION:DISTRIBUTION
        RUN_IN_RW_TRANSACTION_EXECUTION_COUNT:INT64 QUERY_TYPE {_QUERY_COSTS}""",
    "QUERY_STATS_TOTAL": f"""INTERVAL_END:TIMESTAMP {_QUERY_RESULTS} AVG_BYTES_WRITTEN:FLOAT64
        AVG_ROWS_WRITTEN:FLOAT64 LATENCY_DISTRIBUTION:DISTRIBUTION
        RUN_IN_RW_TRANSACTION_EXECUTION_COUNT:INT64 {_QUERY_COSTS}""",
    "READ_STATS_TOP": f"""INTERVAL_END:TIMESTAMP READ_COLUMNS:STRINGS FPRINT:INT64
        EXECUTION_COUNT:INT64 {_READ_COSTS} REQUEST_TAG
        RUN_IN_RW_TRANSACTION_EXECUTION_COUNT:INT64 READ_TYPE AVG_DISK_IO_COST:FLOAT64""",
    "READ_STATS_TOTAL": f"""INTERVAL_END:TIMESTAMP EXECUTION_COUNT:INT64 {_READ_COSTS}
        RUN_IN_RW_TRANSACTION_EXECUTION_COUNT:INT64 AVG_DISK_IO_COST:FLOAT64""",
    "SPLIT_STATS_TOP": f"{_SPLIT} CPU_USAGE_SCORE:INT64 UNSPLITTABLE_REASONS:STRINGS",
    "TABLE_OPERATIONS_STATS": """INTERVAL_END:TIMESTAMP TABLE_NAME READ_QUERY_COUNT:INT64
        WRITE_COUNT:INT64 DELETE_COUNT:INT64""",
    "TXN_STATS_TOP": f"""INTERVAL_END:TIMESTAMP FPRINT:INT64 READ_COLUMNS:STRINGS
        WRITE_CONSTRUCTIVE_COLUMNS:STRINGS WRITE_DELETE_TABLES:STRINGS {_COMMITS} TRANSACTION_TAG
        {_TRANSACTIONS}""",
    "TXN_STATS_TOTAL": f"INTERVAL_END:TIMESTAMP {_COMMITS} {_TRANSACTIONS}",
}


def _by_interval() -> Iterator[Declared]:
    for name, notation in _BY_INTERVAL.items():
        for interval in INTERVALS:
            rows = _rows_of(name, notation, interval)
            yield Declared(SCHEMA, f"{name}_{interval}", notation, rows)


def _rows_of(name: str, notation: str, interval: str) -> Callable[[Source], Rows]:
    if name == "SPLIT_STATS_TOP":
        return lambda source: split_stats_top(source, interval)
    table = _STATISTICS.get(name)
    if table is None:
        return no_rows
    return lambda source: _in_order(
        source.core.aggregator.query(table, interval, source.at), notation
    )


def _at_the_moment(name: str, notation: str) -> Declared:
    rows = _RUNNING[name]
    return Declared(SCHEMA, name, notation, lambda source: _in_order(rows(source.core), notation))


SPANNER_SYS: tuple[Declared, ...] = (
    _at_the_moment(
        "ACTIVE_PARTITIONED_DMLS",
        """TEXT TEXT_FINGERPRINT:INT64 SESSION_ID NUM_PARTITIONS_TOTAL:INT64
        NUM_PARTITIONS_COMPLETE:INT64 NUM_TRIVIAL_PARTITIONS_COMPLETE:INT64 PROGRESS
        ROWS_PROCESSED:INT64 START_TIMESTAMP:TIMESTAMP LAST_UPDATE_TIMESTAMP:TIMESTAMP""",
    ),
    _at_the_moment(
        "ACTIVE_QUERIES_SUMMARY",
        """ACTIVE_COUNT:INT64 OLDEST_START_TIME:TIMESTAMP COUNT_OLDER_THAN_1S:INT64
        COUNT_OLDER_THAN_10S:INT64 COUNT_OLDER_THAN_100S:INT64""",
    ),
    *_by_interval(),
    _at_the_moment(
        "OLDEST_ACTIVE_QUERIES",
        """START_TIME:TIMESTAMP TEXT_FINGERPRINT:INT64 TEXT TEXT_TRUNCATED:BOOL SESSION_ID
        QUERY_ID CLIENT_IP_ADDRESS API_CLIENT_HEADER USER_AGENT_HEADER SERVER_REGION PRIORITY
        TRANSACTION_TYPE""",
    ),
    Declared(
        SCHEMA,
        "QUERY_RECOMMENDATIONS",
        "GENERATION_TIME:TIMESTAMP TEXT_FINGERPRINT:INT64 QUERY_RECOMMENDATIONS",
    ),
    Declared(
        SCHEMA,
        "ROW_DELETION_POLICIES",
        """!TABLE_NAME PROCESSED_WATERMARK:TIMESTAMP !UNDELETABLE_ROWS:INT64
        MIN_UNDELETABLE_TIMESTAMP:TIMESTAMP""",
        row_deletion_policies,
    ),
    Declared(
        SCHEMA,
        "SCHEMA_RECOMMENDATIONS",
        "GENERATION_TIME:TIMESTAMP FINGERPRINT SCHEMA_RECOMMENDATIONS",
    ),
    Declared(SCHEMA, "SPLIT_HOTNESS_STATS_TOP_MINUTE", f"{_SPLIT} HOTNESS:INT64"),
    Declared(
        SCHEMA,
        "SUPPORTED_OPTIMIZER_VERSIONS",
        "!VERSION:INT64 !RELEASE_DATE:DATE !IS_DEFAULT:BOOL",
        supported_optimizer_versions,
    ),
    Declared(
        SCHEMA,
        "TABLE_SIZES_STATS_1HOUR",
        """INTERVAL_END:TIMESTAMP TABLE_NAME USED_BYTES:FLOAT64 USED_SSD_BYTES:FLOAT64
        USED_HDD_BYTES:FLOAT64""",
        table_sizes,
    ),
    Declared(
        SCHEMA,
        "TABLE_SIZES_STATS_PER_LOCALITY_GROUP_1HOUR",
        """INTERVAL_END:TIMESTAMP TABLE_NAME LOCALITY_GROUP USED_BYTES:FLOAT64
        USED_SSD_BYTES:FLOAT64 USED_HDD_BYTES:FLOAT64""",
        table_sizes_by_group,
    ),
    Declared(
        SCHEMA,
        "TASKS",
        "!TASK_NAME PROCESSED_WATERMARK:TIMESTAMP LAST_RUN_STATUS !UNDELETABLE_ROWS:INT64",
    ),
    Declared(
        SCHEMA,
        "USER_SPLIT_POINTS",
        "TABLE_NAME INDEX_NAME INITIATOR SPLIT_KEY EXPIRE_TIME:TIMESTAMP",
        user_split_points,
    ),
    Declared(SCHEMA, "VECTOR_INDEX_METRICS_HISTORY", _VECTOR_INDEX),
    Declared(SCHEMA, "VECTOR_INDEX_STATS", _VECTOR_INDEX),
)
