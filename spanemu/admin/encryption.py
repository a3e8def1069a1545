"""The encryption that callers request, and the resulting keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from spanemu.admin.errors import (
    EncryptionKeyMissing,
    EncryptionTypeMissing,
    InvalidEncryptionKey,
    KeysInBothFields,
    UnusedEncryptionKey,
)
from spanemu.database.encryption import GOOGLE_DEFAULT_KEYS, EncryptionKeys

_KEY = re.compile(r"projects/[^/\s]+/locations/[^/\s]+/keyRings/[^/\s]+/cryptoKeys/[^/\s]+")


class EncryptionType(Enum):
    """The manager of the key, by the numbers that the API's three encryption configs share."""

    UNSPECIFIED = 0
    INHERITED = 1  # the encryption of the source database or backup
    GOOGLE_DEFAULT = 2
    CUSTOMER_MANAGED = 3


@dataclass(frozen=True, slots=True)
class EncryptionConfig:
    """The requested encryption of a new backup or a restored database."""

    type: EncryptionType
    keys: EncryptionKeys = GOOGLE_DEFAULT_KEYS


def check_keys(keys: EncryptionKeys, resource: str) -> None:
    """Raise unless the keys of `resource` are in one field and have the form of key names."""
    if keys.name and keys.names:
        raise KeysInBothFields(resource)
    for key in keys.all:
        if not _KEY.fullmatch(key):
            raise InvalidEncryptionKey(resource, key)


def check_encryption(config: EncryptionConfig | None, resource: str) -> None:
    """Raise unless `resource` can have this encryption; None means the encryption of its source."""
    if config is None:
        return
    if config.type is EncryptionType.UNSPECIFIED:
        raise EncryptionTypeMissing(resource)
    if config.type is not EncryptionType.CUSTOMER_MANAGED:
        if config.keys.all:
            raise UnusedEncryptionKey(resource)
        return
    if not config.keys.all:
        raise EncryptionKeyMissing(resource)
    check_keys(config.keys, resource)


def keys_of(config: EncryptionConfig | None, source: EncryptionKeys) -> EncryptionKeys:
    """Return the keys of a resource that is created from a source with the keys `source`."""
    if config is None or config.type is EncryptionType.INHERITED:
        return source
    return config.keys
