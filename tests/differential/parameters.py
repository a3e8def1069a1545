"""Query parameters by name: a value and a type for each, the same in every run.

`@x_int` is declared, `@u_int` goes without a type, so that its place must give it one, or it is an
INT64.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from google.cloud.spanner_v1 import JsonObject, param_types

_NAMED = re.compile(r"@([xu]_[a-z0-9_]+)")
_INT64_ARRAY = param_types.Array(param_types.INT64)
_STRING_ARRAY = param_types.Array(param_types.STRING)
_PAIR = param_types.Struct(
    [
        param_types.StructField("a", param_types.INT64),
        param_types.StructField("b", param_types.STRING),
    ]
)
PARAMETERS: Mapping[str, tuple[str, Any, Any]] = {
    "x_int": ("INT64", 3, param_types.INT64),
    "x_int_null": ("INT64", None, param_types.INT64),
    "x_float": ("FLOAT64", 1.5, param_types.FLOAT64),
    "x_nan": ("FLOAT64", float("nan"), param_types.FLOAT64),
    "x_numeric": ("NUMERIC", Decimal("-2.25"), param_types.NUMERIC),
    "x_bool": ("BOOL", True, param_types.BOOL),
    "x_string": ("STRING", "ab", param_types.STRING),
    "x_string_null": ("STRING", None, param_types.STRING),
    "x_bytes": ("BYTES", b"YWI=", param_types.BYTES),
    "x_date": ("DATE", date(2023, 12, 31), param_types.DATE),
    "x_timestamp": ("TIMESTAMP", datetime(2000, 1, 1, tzinfo=UTC), param_types.TIMESTAMP),
    "x_json": ("JSON", JsonObject({"a": 1, "b": [1, 2]}), param_types.JSON),
    "x_ints": ("ARRAY<INT64>", [3, None, 1], _INT64_ARRAY),
    "x_ints_null": ("ARRAY<INT64>", None, _INT64_ARRAY),
    "x_strings": ("ARRAY<STRING>", ["a", "", None], _STRING_ARRAY),
    "x_pair": ("PAIR", (3, "ab"), _PAIR),
    "x_pairs": ("ARRAY<PAIR>", [(1, "x"), (3, None), (3, "ab")], param_types.Array(_PAIR)),
    "u_int": ("INT64", 2, None),
    "u_string": ("STRING", "a", None),
    "u_date": ("DATE", "2024-02-29", None),
    "u_bool": ("BOOL", False, None),
    # Texts that a DATE or a TIMESTAMP parameter may be given as.
    "x_date_text": ("DATE?", "2024-02-29", param_types.STRING),
    "x_timestamp_text": ("TIMESTAMP?", "2000-01-01", param_types.STRING),
}


def of_type(type_: str) -> list[str]:
    """Return the parameters that may stand where a value of the type is wanted."""
    return [f"@{name}" for name, (own, _, __) in PARAMETERS.items() if own.rstrip("?") == type_]


def bound(sql: str) -> dict[str, Any]:
    """Return `params` and `param_types` for the parameters that the statement names."""
    names = sorted({name for name in _NAMED.findall(sql) if name in PARAMETERS})
    if not names:
        return {}
    return {
        "params": {name: PARAMETERS[name][1] for name in names},
        "param_types": {name: PARAMETERS[name][2] for name in names if PARAMETERS[name][2]},
    }
