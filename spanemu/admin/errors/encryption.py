"""Errors of the encryption that callers request."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class EncryptionTypeMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid encryption_config for {name}: encryption_type is required."
    name: str


class UnusedEncryptionKey(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = "Invalid encryption_config for {name}: only CUSTOMER_MANAGED_ENCRYPTION takes keys."
    name: str


class EncryptionKeyMissing(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Invalid encryption_config for {name}: CUSTOMER_MANAGED_ENCRYPTION needs kms_key_name or "
        "kms_key_names."
    )
    name: str


class KeysInBothFields(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        "Invalid encryption_config for {name}: only one of kms_key_name and kms_key_names may be "
        "set."
    )
    name: str


class InvalidEncryptionKey(SpannerError, code=Code.INVALID_ARGUMENT):
    prose = (
        'Invalid encryption_config for {name}: the key "{key}" must have the form '
        "projects/{{project}}/locations/{{location}}/keyRings/{{key_ring}}/cryptoKeys/{{key}}."
    )
    name: str
    key: str
