"""What requests to the admin APIs may have wrong."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class InvalidProtoDescriptors(SpannerError):
    """Descriptors that are no FileDescriptorSet."""

    code = Code.INVALID_ARGUMENT
    prose = "The proto_descriptors of the request cannot be parsed as a FileDescriptorSet."


class PermissionWildcard(SpannerError):
    """A question about permissions does not name each of them."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid permission {permission!r} for {resource}: wildcards are not allowed."
    permission: str
    resource: str


class InvalidEtag(SpannerError):
    """An etag that no policy here ever had."""

    code = Code.INVALID_ARGUMENT
    prose = "Invalid etag of a policy."
