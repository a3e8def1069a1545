"""Checks hints: which exist, where each may stand, and which values it takes.

The union of what Spanner documents and what its emulator accepts. A hint without a prefix, or
with `spanner.`, is ours to check; `spanner_emulator.` has a short list of its own; a hint with
any other prefix is for another engine and is passed over.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Any

from spanemu.base.errors import Unsupported
from spanemu.schema.table import Table
from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.analyzer.analysis import Analysis
from spanemu.sql.googlesql.analyzer.errors.shape import (
    BadQuery,
    DuplicateHint,
    HintIndexNotFound,
    InvalidHintValue,
    MisplacedHint,
    UnsupportedHint,
)
from spanemu.sql.resolved import Hints

# value -> checked value; raises ValueError
_Check = Callable[[Any], Any]

OPTIMIZER_VERSIONS = frozenset(
    {"latest", "default", "latest_version", "default_version"} | {str(n) for n in range(1, 10)}
)
BASE_TABLE = "_BASE_TABLE"


class Place(StrEnum):
    """Where a hint stands; the value is how messages call it."""

    STATEMENT = "statements"
    TABLE = "table scans"
    JOIN = "joins"
    ARRAY = "array scans"
    SUBQUERY = "subquery expressions"
    SET_OPERATION = "set operations"
    GROUP_BY = "GROUP BY"
    ORDER_BY = "ORDER BY"
    FUNCTION = "function calls"
    WRITE = "INSERT, UPDATE and DELETE"
    SELECT = "SELECT"


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
# Join methods that a hint goes with: the first is the one it is for.
_NEEDED_METHOD: Mapping[str, tuple[str | None, ...]] = {
    "hash_join_build_side": ("hash_join",),
    "hash_join_execution": ("hash_join", None),
    "batch_mode": ("apply_join", None),
}
_WRITE_HINTS: Mapping[str, _Check] = {
    "lock_scanned_ranges": _one_of("exclusive", "shared"),
    "pdml_max_parallelism": _between(1, 1000),
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
    "scan_method": _SCAN_METHODS,
    "execution_method": _one_of("default", "batch", "row"),
    "optimizer_version": _optimizer_version,
    "optimizer_statistics_package": _name,
    "allow_distributed_merge": _boolean,
    "use_unenforced_foreign_key": _boolean,
    "allow_timestamp_predicate_pushdown": _boolean,
    **_WRITE_HINTS,
}

_HINTS: Mapping[Place, Mapping[str, _Check]] = {
    Place.STATEMENT: _STATEMENT_HINTS,
    Place.TABLE: {
        "force_index": _name,
        "groupby_scan_optimization": _boolean,
        "index_strategy": _one_of("force_index_union"),
        "scan_method": _SCAN_METHODS,
        "seekable_key_size": _between(0, 16),
    },
    Place.JOIN: _JOIN_HINTS,
    Place.ARRAY: _JOIN_HINTS,
    Place.SUBQUERY: _JOIN_HINTS,
    Place.SET_OPERATION: {"join_method": _JOIN_METHODS, "force_join_order": _boolean},
    Place.GROUP_BY: {
        "group_method": _one_of("hash_group", "stream_group"),
        "group_type": _one_of("hash_group", "stream_group"),
    },
    Place.FUNCTION: {"disable_inline": _boolean},
    Place.WRITE: {**_WRITE_HINTS, "force_index": _name},
    Place.ORDER_BY: {},
    Place.SELECT: {},
}

_OWN_HINTS: Mapping[str, frozenset[Place]] = {
    "disable_query_null_filtered_index_check": frozenset({Place.TABLE, Place.STATEMENT}),
    "disable_query_partitionability_check": frozenset({Place.STATEMENT}),
}
_OWN_PREFIX = "spanner_emulator."


def checked_hints(hint: ast.Hint | None, place: Place, _: Analysis) -> Hints:
    """The hints of one place, lower-cased and checked."""
    if hint is None:
        return ()
    found: dict[str, Any] = {}
    for written, value in hint.entries:
        name = written.lower().removeprefix("spanner.")
        if name.startswith(_OWN_PREFIX):
            _check_own(name, value, place, hint.at)
        elif "." in name:
            continue
        elif not any(name in hints for hints in _HINTS.values()):
            raise UnsupportedHint(written, at=hint.at)
        else:
            value = _checked(name, value, place, hint.at)
        if name in found:
            raise DuplicateHint(name, at=hint.at)
        found[name] = value
    _check_together(found, hint.at)
    return tuple(found.items())


def _checked(name: str, value: Any, place: Place, at: int) -> Any:
    check = _HINTS[place].get(name)
    if check is None:
        places = [other.value for other, hints in _HINTS.items() if name in hints]
        raise MisplacedHint(name, ", ".join(places), at=at)
    try:
        return check(value)
    except ValueError:
        raise InvalidHintValue(name, str(value), at=at) from None


def _check_own(name: str, value: Any, place: Place, at: int) -> None:
    places = _OWN_HINTS.get(name.removeprefix(_OWN_PREFIX))
    if places is None or place not in places:
        raise BadQuery(f"Invalid emulator-only hint: {name}.", at=at)
    try:
        _boolean(value)
    except ValueError:
        raise InvalidHintValue(name, str(value), at=at) from None


def _check_together(hints: Mapping[str, Any], at: int) -> None:
    """Some hints only make sense beside others."""
    methods = {name: hints[name] for name in ("join_method", "join_type") if name in hints}
    if len(methods) > 1:
        raise DuplicateHint("join_method", at=at)
    method = next(iter(methods.values()), None)
    for name, needed in _NEEDED_METHOD.items():
        if name in hints and method not in needed:
            raise BadQuery(f"{name} hint is only supported for {needed[0]} joins.", at=at)
    if "seekable_key_size" in hints and "force_index" not in hints:
        raise BadQuery("The seekable_key_size hint needs a force_index hint.", at=at)


def table_hints(hint: ast.Hint | None, table: Table, analysis: Analysis) -> Hints:
    """The hints of a table in FROM; an index must be one of the table's."""
    hints = checked_hints(hint, Place.TABLE, analysis)
    check_forced_index(hints, table, analysis, -1 if hint is None else hint.at)
    return hints


def check_forced_index(hints: Hints, table: Table, analysis: Analysis, at: int) -> None:
    """FORCE_INDEX takes an index of the table, or _BASE_TABLE."""
    for name, value in hints:
        if name != "force_index" or value.upper() == BASE_TABLE:
            continue
        index = analysis.schema.index(value)
        for kind, named in (
            ("search", analysis.schema.search_indexes),
            ("vector", analysis.schema.vector_indexes),
        ):
            if value.lower() in named:
                raise Unsupported(f"FORCE_INDEX with a {kind} index ({value})")
        if index is None or index.table.lower() != table.name.lower():
            raise HintIndexNotFound(table.name, value, at=at)


def statement_hints(hint: ast.Hint | None, analysis: Analysis) -> Hints:
    """The hints before a statement, where FORCE_INDEX can only mean the base table."""
    hints = checked_hints(hint, Place.STATEMENT, analysis)
    for name, value in hints:
        if name == "force_index" and value.upper() != BASE_TABLE:
            assert hint is not None
            raise InvalidHintValue(name, value, at=hint.at)
    return hints


def write_hints(hint: ast.Hint | None, table: Table, analysis: Analysis) -> Hints:
    """The hints behind the name of the table that a statement writes."""
    hints = checked_hints(hint, Place.WRITE, analysis)
    check_forced_index(hints, table, analysis, -1 if hint is None else hint.at)
    return hints
