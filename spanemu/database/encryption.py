"""Names of customer-managed encryption keys; a database in memory is not encrypted."""

from __future__ import annotations

from spanemu.base.record import dataclass

_FIRST_VERSION = "cryptoKeyVersions/1"


@dataclass(frozen=True, slots=True)
class EncryptionKeys:
    """The Cloud KMS keys of a database or backup; empty for Google's default encryption.

    `name` and `names` are the fields of the API's configs, of which a caller uses only one: `names`
    can hold a key for each region.
    """

    name: str = ""
    names: tuple[str, ...] = ()

    @property
    def all(self) -> tuple[str, ...]:
        """Every key, from either field."""
        return (self.name, *self.names) if self.name else self.names

    @property
    def versions(self) -> tuple[str, ...]:
        """The version in use of each key: always the first, because keys are never rotated."""
        return tuple(f"{key}/{_FIRST_VERSION}" for key in self.all)


GOOGLE_DEFAULT_KEYS = EncryptionKeys()
