"""Encryption configs and encryption info on the wire.

The configs of new backups, copies and restored databases are three messages with the same fields
and numbers; that of a new database has no type.
"""

from __future__ import annotations

from typing import Any

from spanemu.admin.encryption import EncryptionConfig, EncryptionType
from spanemu.database.encryption import EncryptionKeys
from spanemu.frontend.admin import wire


def encryption_from_proto(owner: Any) -> EncryptionConfig | None:
    """Return what `owner.encryption_config` asks for, None if it is not there."""
    if not owner.HasField("encryption_config"):
        return None
    config = owner.encryption_config
    known = {kind.value: kind for kind in EncryptionType}
    kind = known.get(config.encryption_type, EncryptionType.UNSPECIFIED)
    return EncryptionConfig(kind, keys_from_proto(config))


def encryption_to_proto(encryption: EncryptionConfig, message: Any) -> None:
    """Put an encryption config into a message of one of the three kinds."""
    message.encryption_type = encryption.type.value
    message.kms_key_name = encryption.keys.name
    message.kms_key_names.extend(encryption.keys.names)


def keys_from_proto(config: Any) -> EncryptionKeys:
    """Return the keys that any encryption config names."""
    return EncryptionKeys(config.kms_key_name, tuple(config.kms_key_names))


def database_encryption_config(keys: EncryptionKeys) -> Any:
    """Return a database's EncryptionConfig message; None for Google's default encryption."""
    if not keys.all:
        return None
    return wire.EncryptionConfig(kms_key_name=keys.name, kms_key_names=keys.names)


def encryption_info(keys: EncryptionKeys) -> list[Any]:
    """Return an EncryptionInfo message for each key in use; none for Google's."""
    return [
        wire.EncryptionInfo(
            encryption_type=wire.CUSTOMER_MANAGED_ENCRYPTION, kms_key_version=version
        )
        for version in keys.versions
    ]
