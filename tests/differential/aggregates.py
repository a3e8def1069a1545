"""Aggregate calls by the type of their result: `{INT64}` is a hole for an argument.

Only forms whose answer does not depend on the order of rows: ARRAY_AGG and STRING_AGG come inside
a function that forgets it, or over one value. The reference knows no ORDER BY in aggregates.
"""

from __future__ import annotations

from collections.abc import Mapping

AGGREGATES: Mapping[str, tuple[str, ...]] = {
    "INT64": (
        "COUNT(*)", "COUNT({STRING})", "COUNT(DISTINCT {INT64})", "MIN({INT64})", "MAX({INT64})",
        "SUM({INT64})", "COUNTIF({BOOL})", "BIT_AND({INT64})", "BIT_XOR(DISTINCT {INT64})",
        "BIT_OR({INT64})", "SUM(DISTINCT {INT64})", "COUNT(DISTINCT {FLOAT64})",
        "COUNT(DISTINCT {NUMERIC})", "COUNT(DISTINCT {BYTES})", "COUNT({JSON})",
        "COUNT({ARRAY<INT64>})", "ARRAY_LENGTH(ARRAY_AGG({STRING}))",
        "ARRAY_LENGTH(ARRAY_AGG(DISTINCT {INT64}))", "ARRAY_LENGTH(ARRAY_AGG({INT64} IGNORE NULLS))",
        "LENGTH(STRING_AGG({STRING}))", "LENGTH(STRING_AGG(DISTINCT {STRING}, '--'))",
        "LENGTH(STRING_AGG({BYTES}, b'-'))", "MAX({INT64} HAVING MIN {FLOAT64})",
        "SUM({INT64} HAVING MAX {STRING})", "COUNT({STRING} HAVING MAX {DATE})",
        "ARRAY_LENGTH(ARRAY_CONCAT_AGG({ARRAY<INT64>}))", "MAX(DISTINCT {INT64})",
        "COUNTIF(DISTINCT {BOOL})",
    ),
    "FLOAT64": (
        "AVG({INT64})", "SUM({FLOAT64})", "MAX({FLOAT64})", "MIN({FLOAT64})", "STDDEV({INT64})",
        "VAR_SAMP({INT64})", "AVG(DISTINCT {FLOAT64})", "AVG({FLOAT64})", "SUM({FLOAT32})",
        "STDDEV_SAMP(DISTINCT {INT64})", "VARIANCE({FLOAT64})", "MIN({FLOAT64} HAVING MAX {INT64})",
        "AVG({FLOAT32})",
    ),
    "FLOAT32": ("MAX({FLOAT32})", "MIN({FLOAT32})"),
    "NUMERIC": (
        "SUM({NUMERIC})", "AVG({NUMERIC})", "MIN({NUMERIC})", "MAX({NUMERIC})",
        "SUM(DISTINCT {NUMERIC})",
    ),
    "STRING": (
        "MAX({STRING})", "MIN({STRING})", "MIN(DISTINCT {STRING})",
        "TO_JSON_STRING(TO_JSON(COUNT({STRING})))",
        "ARRAY_TO_STRING(ARRAY(SELECT e FROM UNNEST(ARRAY_AGG({STRING})) AS e ORDER BY e), ',', '-')",
        "ARRAY_TO_STRING(ARRAY(SELECT e FROM UNNEST(ARRAY_AGG(DISTINCT {STRING})) AS e ORDER BY e), '')",
    ),
    "BYTES": ("MAX({BYTES})", "MIN({BYTES})"),
    "BOOL": (
        "LOGICAL_OR({BOOL})", "LOGICAL_AND({BOOL})", "MAX({BOOL})", "MIN({BOOL})",
        "COUNT(*) > 1", "SUM({INT64}) IS NULL", "LOGICAL_OR({BOOL} HAVING MAX {INT64})",
    ),
    "DATE": ("MIN({DATE})", "MAX({DATE})", "MAX({DATE} HAVING MIN {DATE})"),
    "TIMESTAMP": ("MAX({TIMESTAMP})", "MIN({TIMESTAMP})"),
    "ARRAY<INT64>": (
        "ARRAY(SELECT e FROM UNNEST(ARRAY_AGG({INT64})) AS e ORDER BY e)",
        "ARRAY(SELECT e FROM UNNEST(ARRAY_AGG(DISTINCT {INT64} IGNORE NULLS)) AS e ORDER BY e DESC)",
        "ARRAY(SELECT e FROM UNNEST(ARRAY_CONCAT_AGG({ARRAY<INT64>})) AS e ORDER BY e)",
    ),
}  # fmt: skip
