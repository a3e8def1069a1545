"""What requests say about encryption: three messages with the same fields and numbers."""

from __future__ import annotations

from typing import Any

from spanemu.admin.backup import Encryption


def encryption_from_proto(owner: Any) -> tuple[Encryption | None, tuple[str, ...]]:
    """Who manages the key that `owner.encryption_config` asks for, and the keys; None: nobody."""
    if not owner.HasField("encryption_config"):
        return None, ()
    config = owner.encryption_config
    known = {kind.value: kind for kind in Encryption}
    kind = known.get(config.encryption_type, Encryption.UNSPECIFIED)
    return kind, (config.kms_key_name, *config.kms_key_names)
