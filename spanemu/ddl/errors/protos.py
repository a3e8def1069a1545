"""Proto bundles and the types in them."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class ProtoBundleExists(SpannerError):
    """A second CREATE PROTO BUNDLE."""

    code = Code.FAILED_PRECONDITION
    prose = "The database has a proto bundle already; use ALTER PROTO BUNDLE."


class ProtoBundleMissing(SpannerError):
    """A proto bundle is to be changed or dropped, and there is none."""

    code = Code.NOT_FOUND
    prose = "The database has no proto bundle."


class ProtoDescriptorsMissing(SpannerError):
    """CREATE or ALTER PROTO BUNDLE without descriptors in the request."""

    code = Code.INVALID_ARGUMENT
    prose = "The request has no proto_descriptors, which {statement} needs."
    statement: str


class ProtoTypeNotFound(SpannerError):
    """A type that is not in the descriptors, or not in the bundle."""

    code = Code.NOT_FOUND
    prose = "Type not found: `{type}` in {place}."
    type: str
    place: str


class ProtoTypeExists(SpannerError):
    """A type that the bundle has already."""

    code = Code.FAILED_PRECONDITION
    prose = "Type `{type}` is in the proto bundle already."
    type: str


class ProtoTypeReserved(SpannerError):
    """A type of a package that is not for bundles."""

    code = Code.FAILED_PRECONDITION
    prose = "Type `{type}` is in a reserved package and cannot be added to a proto bundle."
    type: str


class ProtoTypeInUse(SpannerError):
    """A column has the type that is to go."""

    code = Code.FAILED_PRECONDITION
    prose = "Cannot remove type `{type}` from the proto bundle: column {column} uses it."
    type: str
    column: str
