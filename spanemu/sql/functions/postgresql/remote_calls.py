"""`spanner.ml_predict_row(endpoint, args)`: predictions of a model, as JSONB."""

from __future__ import annotations

from spanemu.sql.functions.notation import chapter, function, overload
from spanemu.sql.functions.remote_calls import one_row
from spanemu.sql.remote_calls import Target, TargetColumn, TargetKind
from spanemu.values.types import PG_JSONB, STRING, Type

_ARGS = TargetColumn("args", PG_JSONB)
_RESULT = TargetColumn("predictions", PG_JSONB)


def _target(endpoint: Type) -> Target:
    inputs = (TargetColumn("model_endpoint", endpoint), _ARGS)
    return Target(TargetKind.MODEL_ROW, "spanner.ml_predict_row", inputs, (_RESULT,))


_BY_NAME, _BY_OPTIONS = _target(STRING), _target(PG_JSONB)

FUNCTIONS = chapter(
    "machine learning",
    {
        "spanner.ml_predict_row": function(
            (
                overload(
                    "(STRING, PG_JSONB) -> PG_JSONB",
                    one_row(_BY_NAME),
                    called=True,
                    context=True,
                    volatile=True,
                    target=_BY_NAME,
                ),
                overload(
                    "(PG_JSONB, PG_JSONB) -> PG_JSONB",
                    one_row(_BY_OPTIONS),
                    called=True,
                    context=True,
                    volatile=True,
                    target=_BY_OPTIONS,
                ),
            ),
            is_slow=True,
        ),
    },
    safe_allowed=False,
)
