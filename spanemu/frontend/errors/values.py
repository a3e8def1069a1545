"""What values and types on the wire may have wrong."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class TypeUnspecified(SpannerError):
    """A declared type without a code."""

    code = Code.INVALID_ARGUMENT
    prose = "Type code must be specified, got TYPE_CODE_UNSPECIFIED."


class ArrayWithoutElement(SpannerError):
    """A declared array of nothing."""

    code = Code.INVALID_ARGUMENT
    prose = "Array types must specify element type."


class StructWithoutFields(SpannerError):
    """A declared struct without its struct_type."""

    code = Code.INVALID_ARGUMENT
    prose = "Struct types must specify struct_type."


class UnknownTypeCode(SpannerError):
    """A declared type whose code no published API has."""

    code = Code.INVALID_ARGUMENT
    prose = "Unrecognized type code: {number}"
    number: int


class ValueWithoutKind(SpannerError):
    """A protobuf Value that says nothing, not even null."""

    code = Code.INVALID_ARGUMENT
    prose = "A google.protobuf.Value in the request has no kind set; NULL is null_value."
