"""Descriptors of .proto files -> the types in them."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool

from spanemu.messages.enum import EnumType
from spanemu.messages.message import MessageType


class MessagePool:
    """The types of a serialized FileDescriptorSet, made when they are first asked for."""

    def __init__(self, descriptors: bytes) -> None:
        self._descriptors = descriptors
        self._messages: dict[str, MessageType] = {}
        self._enums: dict[str, EnumType] = {}

    @cached_property
    def _pool(self) -> Any:
        pool = DescriptorPool()
        for file in FileDescriptorSet.FromString(self._descriptors).file:
            pool.Add(file)
        return pool

    def message(self, name: str) -> MessageType:
        """The message type of that full name. Raises KeyError."""
        found = self._messages.get(name)
        if found is None:
            found = MessageType(self._pool.FindMessageTypeByName(name))
            self._messages[name] = found
        return found

    def enum(self, name: str) -> EnumType:
        """The enum type of that full name. Raises KeyError."""
        found = self._enums.get(name)
        if found is None:
            found = self._enums[name] = EnumType(self._pool.FindEnumTypeByName(name))
        return found


@lru_cache(maxsize=64)
def pool_of(descriptors: bytes) -> MessagePool:
    """The types that descriptors tell of; the same ones are made once."""
    return MessagePool(descriptors)


def merged(before: bytes, sent: bytes) -> bytes:
    """Two serialized FileDescriptorSets as one: of a file that both have, the one just sent."""
    if not before or not sent:
        return sent or before
    files = {file.name: file for file in FileDescriptorSet.FromString(before).file}
    files.update((file.name, file) for file in FileDescriptorSet.FromString(sent).file)
    return bytes(FileDescriptorSet(file=files.values()).SerializeToString())
