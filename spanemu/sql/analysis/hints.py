"""Checks hints: the known hints, the targets each applies to, and the values each takes.

The tables are the union of the hints that Spanner documents and the hints that its emulator
accepts. A hint without a prefix, or with the prefix `spanner.`, is checked against the tables.
The prefix `spanner_emulator.` has a short table of its own. A hint with any other prefix is for
another engine and is ignored.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from spanemu.base.deferred import lazy_pattern
from spanemu.schema.table import Table
from spanemu.sql.analysis.errors import (
    BadHint,
    DuplicateHint,
    HintIndexNotFound,
    InvalidHintValue,
    MisplacedHint,
    UnsupportedHint,
)
from spanemu.sql.analysis.state import AnalysisState
from spanemu.sql.dialect import OPTIMIZER_VERSIONS
from spanemu.sql.remote_calls import BATCH_ROWS_HINT, OUTSTANDING_HINT
from spanemu.sql.resolved import Hints
from spanemu.sql.syntax_tree import Hint, HintText

# value -> checked value; raises ValueError
_Check = Callable[[Any], Any]

BASE_TABLE = "_BASE_TABLE"


class HintTarget(StrEnum):
    """The part of a statement that a hint applies to; the value is its name in error messages."""

    STATEMENT = "statements"
    TABLE = "table scans"
    JOIN = "joins"
    ARRAY = "array scans"
    SUBQUERY = "subquery expressions"
    SET_OPERATION = "set operations"
    GROUP_BY = "GROUP BY"
    ORDER_BY = "ORDER BY"
    FUNCTION = "function calls"
    REMOTE_CALL = "calls of models"
    WRITE = "INSERT, UPDATE and DELETE"
    SELECT = "SELECT"


def _shown(value: Any) -> str:
    """Return the value of a hint as a statement writes it."""
    if isinstance(value, HintText):
        return value.sql
    if value is None:
        return "NULL"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _boolean(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    word = str(value).lower()
    if word not in ("true", "false"):
        raise ValueError
    return word == "true"


def _one_of(*words: str) -> _Check:
    def check(value: Any) -> str:
        word = str(value).lower()
        if isinstance(value, bool | int) or word not in words:
            raise ValueError
        return word

    return check


def _between(low: int, high: int) -> _Check:
    def check(value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise ValueError
        number = int(value)
        if not low <= number <= high:
            raise ValueError
        return number

    return check


def _name(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def _optimizer_version(value: Any) -> str:
    word = str(value).lower()
    if isinstance(value, bool) or word not in OPTIMIZER_VERSIONS:
        raise ValueError
    return word


def _duration(value: Any) -> Any:
    if not isinstance(value, str) or not _DURATION.fullmatch(value):
        raise ValueError
    return value


_DURATION = lazy_pattern(r"\d{1,9}(?:\.\d{1,9})?(?:ms|s|m|h|d)")
_JOIN_METHODS = _one_of(
    "hash_join", "apply_join", "merge_join", "push_broadcast_hash_join", "loop_join"
)
_SCAN_METHODS = _one_of("auto", "batch", "row", "columnar", "no_columnar")

_JOIN_HINTS: Mapping[str, _Check] = {
    "join_method": _JOIN_METHODS,
    "join_type": _JOIN_METHODS,
    "hash_join_build_side": _one_of("build_left", "build_right"),
    "hash_join_execution": _one_of("multi_pass", "one_pass"),
    "force_join_order": _boolean,
    "batch_mode": _boolean,
    "factorized_mode": _one_of("factorize_left", "factorize_right", "factorize_both"),
}
# The join methods that a hint can be combined with; error messages name the first.
_REQUIRED_METHODS: Mapping[str, tuple[str | None, ...]] = {
    "hash_join_build_side": ("hash_join",),
    "hash_join_execution": ("hash_join", None),
    "batch_mode": ("apply_join", None),
}
_WRITE_HINTS: Mapping[str, _Check] = {
    "lock_scanned_ranges": _one_of("exclusive", "shared"),
    "pdml_max_parallelism": _between(1, 1000),
}
_REMOTE_CALL_HINTS: Mapping[str, _Check] = {
    BATCH_ROWS_HINT: _between(1, 2**31 - 1),
    OUTSTANDING_HINT: _between(1, 2**31 - 1),
}
_STATEMENT_HINTS: Mapping[str, _Check] = {
    "force_index": _name,
    "index_strategy": _one_of("force_index_union"),
    "join_type": _JOIN_METHODS,
    "join_method": _JOIN_METHODS,
    "hash_join_build_side": _JOIN_HINTS["hash_join_build_side"],
    "hash_join_execution": _JOIN_HINTS["hash_join_execution"],
    "force_join_order": _boolean,
    "constant_folding": _boolean,
    "use_additional_parallelism": _boolean,
    "enable_adaptive_plans": _boolean,
    "parameter_sensitive": _one_of("always", "auto", "never"),
    "allow_search_indexes_in_transaction": _boolean,
    "require_enhance_query": _boolean,
    "enhance_query_timeout_ms": _between(0, 2**31 - 1),
    "fulltext_dictionary_staleness": _duration,
    "scan_method": _SCAN_METHODS,
    "execution_method": _one_of("default", "batch", "row"),
    "optimizer_version": _optimizer_version,
    "optimizer_statistics_package": _name,
    "allow_distributed_merge": _boolean,
    "factorized_mode": _JOIN_HINTS["factorized_mode"],
    "use_unenforced_foreign_key": _boolean,
    "allow_timestamp_predicate_pushdown": _boolean,
    **_WRITE_HINTS,
    **_REMOTE_CALL_HINTS,
}

_HINTS: Mapping[HintTarget, Mapping[str, _Check]] = {
    HintTarget.STATEMENT: _STATEMENT_HINTS,
    HintTarget.TABLE: {
        "force_index": _name,
        "groupby_scan_optimization": _boolean,
        "index_strategy": _one_of("force_index_union"),
        "scan_method": _SCAN_METHODS,
        "seekable_key_size": _between(0, 16),
    },
    HintTarget.JOIN: _JOIN_HINTS,
    HintTarget.ARRAY: _JOIN_HINTS,
    HintTarget.SUBQUERY: _JOIN_HINTS,
    HintTarget.SET_OPERATION: {"join_method": _JOIN_METHODS, "force_join_order": _boolean},
    HintTarget.GROUP_BY: {
        "group_method": _one_of("hash_group", "stream_group"),
        "group_type": _one_of("hash_group", "stream_group"),
    },
    HintTarget.FUNCTION: {"disable_inline": _boolean, **_REMOTE_CALL_HINTS},
    HintTarget.REMOTE_CALL: _REMOTE_CALL_HINTS,
    HintTarget.WRITE: {**_WRITE_HINTS, "force_index": _name},
    HintTarget.ORDER_BY: {},
    HintTarget.SELECT: {},
}

_EMULATOR_HINTS: Mapping[str, frozenset[HintTarget]] = {
    "disable_query_null_filtered_index_check": frozenset({HintTarget.TABLE, HintTarget.STATEMENT}),
    "disable_query_partitionability_check": frozenset({HintTarget.STATEMENT}),
}
_EMULATOR_PREFIX = "spanner_emulator."


def check_hints(hint: Hint | None, target: HintTarget, _: AnalysisState) -> Hints:
    """Return the hints of one target with lower-cased names and checked values.

    Raise AnalysisError for an unknown, misplaced or repeated hint, and for an invalid value.
    """
    if hint is None:
        return ()
    checked: dict[str, Any] = {}
    for written, value in hint.entries:
        name = written.lower().removeprefix("spanner.")
        if name.startswith(_EMULATOR_PREFIX):
            _check_emulator_hint(name, value, target, hint.at)
        elif "." in name:
            continue
        elif not any(name in hints for hints in _HINTS.values()):
            raise UnsupportedHint(written, at=hint.at)
        else:
            value = _check_value(name, value, target, hint.at)
        if name in checked:
            raise DuplicateHint(name, at=hint.at)
        checked[name] = value
    _check_together(checked, hint.at)
    return tuple(checked.items())


def _check_value(name: str, value: Any, target: HintTarget, at: int) -> Any:
    check = _HINTS[target].get(name)
    if check is None:
        targets = [other.value for other, hints in _HINTS.items() if name in hints]
        raise MisplacedHint(name, ", ".join(targets), at=at)
    try:
        return check(value)
    except ValueError:
        raise InvalidHintValue(name, _shown(value), at=at) from None


def _check_emulator_hint(name: str, value: Any, target: HintTarget, at: int) -> None:
    targets = _EMULATOR_HINTS.get(name.removeprefix(_EMULATOR_PREFIX))
    if targets is None or target not in targets:
        raise BadHint(f"Invalid emulator-only hint: {name}.", at=at)
    try:
        _boolean(value)
    except ValueError:
        raise InvalidHintValue(name, _shown(value), at=at) from None


def _check_together(hints: Mapping[str, Any], at: int) -> None:
    """Raise AnalysisError if a hint lacks another hint that it requires, or contradicts it."""
    methods = {name: hints[name] for name in ("join_method", "join_type") if name in hints}
    if len(methods) > 1:
        raise DuplicateHint("join_method", at=at)
    method = next(iter(methods.values()), None)
    for name, methods_allowed in _REQUIRED_METHODS.items():
        if name in hints and method not in methods_allowed:
            raise BadHint(f"{name} hint is only supported for {methods_allowed[0]} joins.", at=at)
    if "seekable_key_size" in hints and "force_index" not in hints:
        raise BadHint("The seekable_key_size hint needs a force_index hint.", at=at)


def table_hints(hint: Hint | None, table: Table, analysis: AnalysisState) -> Hints:
    """Return the checked hints of a table in FROM.

    Raise HintIndexNotFound if FORCE_INDEX does not name an index of `table`.
    """
    hints = check_hints(hint, HintTarget.TABLE, analysis)
    return _with_full_names(hint, hints, table, analysis)


def _with_full_names(
    hint: Hint | None, hints: Hints, table: Table, analysis: AnalysisState
) -> Hints:
    at = -1 if hint is None else hint.at
    return tuple([(name, _forced_index(name, value, table, analysis, at)) for name, value in hints])


def _forced_index(name: str, value: str, table: Table, analysis: AnalysisState, at: int) -> str:
    """Return the value of a hint; that of FORCE_INDEX is the full name of an index.

    Raise HintIndexNotFound unless it names an index of `table` or _BASE_TABLE.
    """
    if name != "force_index" or value.upper() == BASE_TABLE:
        return value
    schema, full_name = analysis.schema, value
    if schema.dialect.indexes_follow_tables and "." not in value:
        full_name = f"{table.name.rpartition('.')[0]}.{value}".lstrip(".")
    index = schema.index_of_any_kind(full_name)
    if index is None or index.table != table.name:
        raise HintIndexNotFound(table.name, value, at=at)
    return full_name


def statement_hints(hint: Hint | None, analysis: AnalysisState) -> Hints:
    """Return the checked hints of a statement, where FORCE_INDEX can only name _BASE_TABLE."""
    hints = check_hints(hint, HintTarget.STATEMENT, analysis)
    for name, value in hints:
        if name == "force_index" and value.upper() != BASE_TABLE:
            assert hint is not None
            raise InvalidHintValue(name, value, at=hint.at)
    return hints


def write_hints(hint: Hint | None, table: Table, analysis: AnalysisState) -> Hints:
    """Return the checked hints of the table that a DML statement writes."""
    hints = check_hints(hint, HintTarget.WRITE, analysis)
    return _with_full_names(hint, hints, table, analysis)
