"""Locality groups and placements."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class LocalityGroupNameInvalid(SpannerError):
    """A locality group's name that is reserved."""

    code = Code.FAILED_PRECONDITION
    prose = "Invalid locality group name: {group}. {reason}."
    group: str
    reason: str


class LocalityGroupExists(SpannerError):
    """There is a locality group of that name already."""

    code = Code.FAILED_PRECONDITION
    prose = "Duplicate name in schema: locality group {group}."
    group: str


class LocalityGroupInUse(SpannerError):
    """Something asks for the locality group that is to go."""

    code = Code.FAILED_PRECONDITION
    prose = "Locality group {group} cannot be dropped as it is referenced by {user}."
    group: str
    user: str


class PlacementNameInvalid(SpannerError):
    """A placement's name that is reserved or taken."""

    code = Code.FAILED_PRECONDITION
    prose = "Invalid placement name: {placement}. {reason}."
    placement: str
    reason: str


class PlacementInUse(SpannerError):
    """Rows are placed where no placement would be any more."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot drop placement {placement}: table {table} has rows in it."
    placement: str
    table: str


class PlacementKeyInvalid(SpannerError):
    """A column that cannot be a placement key."""

    code = Code.FAILED_PRECONDITION
    prose = "Column {table}.{column} cannot be a PLACEMENT KEY: {reason}."
    table: str
    column: str
    reason: str
