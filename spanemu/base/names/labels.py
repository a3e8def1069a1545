"""Labels that callers put on resources."""

from __future__ import annotations

import re
from collections.abc import Mapping

from spanemu.base.errors import Code, SpannerError

LABELS_MAX = 64  # labels per resource

_KEY = re.compile(r"[a-z][-_a-z0-9]{0,62}")
_VALUE = re.compile(r"[-_a-z0-9]{0,63}")


class TooManyLabels(SpannerError):
    """More labels than a resource may have."""

    code = Code.INVALID_ARGUMENT
    prose = "Too many labels: {count}. A resource may have at most {limit}."
    count: int
    limit: int = LABELS_MAX


class InvalidLabelKey(SpannerError):
    """A label's key breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid label key "{key}". Label keys must be 1 to 63 characters, begin with a '
        "lowercase letter, and contain only lowercase letters, digits, underscores and hyphens."
    )
    key: str


class InvalidLabelValue(SpannerError):
    """A label's value breaks its rule."""

    code = Code.INVALID_ARGUMENT
    prose = (
        'Invalid label value "{value}" for key "{key}". Non-empty label values must be 1 to 63 '
        "characters of lowercase letters, digits, underscores and hyphens."
    )
    key: str
    value: str


def check_labels(labels: Mapping[str, str]) -> None:
    """Raise unless `labels` may be put on a resource."""
    if len(labels) > LABELS_MAX:
        raise TooManyLabels(len(labels))
    for key, value in labels.items():
        if _KEY.fullmatch(key) is None:
            raise InvalidLabelKey(key)
        if _VALUE.fullmatch(value) is None:
            raise InvalidLabelValue(key, value)
