"""The protocol buffer types that a database knows."""

from __future__ import annotations

from dataclasses import dataclass

from spanemu.values.types import Type, TypeCode


@dataclass(frozen=True, slots=True)
class ProtoTypes:
    """Full names of messages and enums, and the descriptors that they come from.

    `descriptors` is a serialized google.protobuf.FileDescriptorSet, kept as it was sent.
    """

    messages: frozenset[str]
    enums: frozenset[str]
    descriptors: bytes = b""

    @property
    def names(self) -> frozenset[str]:
        """All of them."""
        return self.messages | self.enums

    def type_of(self, name: str) -> Type | None:
        """The type of that full name."""
        if name in self.messages:
            return Type(TypeCode.PROTO, proto_name=name)
        return Type(TypeCode.ENUM, proto_name=name) if name in self.enums else None


ProtoBundle = ProtoTypes  # those that CREATE PROTO BUNDLE chose

NO_TYPES = ProtoTypes(frozenset(), frozenset())
