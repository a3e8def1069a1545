"""The message and enum types of descriptors of .proto files."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import Any

from google.protobuf.descriptor_pb2 import FileDescriptorSet
from google.protobuf.descriptor_pool import DescriptorPool

from spanemu.messages.errors import MessageFault
from spanemu.messages.message import MessageType


class EnumType:
    """An enum type of a user's .proto file.

    Several names may stand for a number, which is then written as the first of its names.
    """

    def __init__(self, descriptor: Any) -> None:
        self.name: str = descriptor.full_name
        self._numbers: dict[str, int] = {value.name: value.number for value in descriptor.values}
        self._names: dict[int, str] = {}
        for name, number in self._numbers.items():
            self._names.setdefault(number, name)

    def from_text(self, text: str) -> int:
        """Return the number of a name, which is case-sensitive. Raise MessageFault."""
        number = self._numbers.get(text)
        if number is None:
            raise MessageFault(f"Out of range cast of string '{text}' to enum type {self.name}")
        return number

    def from_number(self, number: int) -> int:
        """Return `number` if the type has it. Raise MessageFault."""
        if number not in self._names:
            raise MessageFault(f"Out of range cast of integer {number} to enum type {self.name}")
        return number

    def to_text(self, number: int) -> str:
        """Return the name of a number.

        A number that a newer definition has dropped is written in digits.
        """
        return self._names.get(number, str(number))


class MessagePool:
    """The types of a serialized FileDescriptorSet, each created at its first use."""

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
        """Return the message type of that full name. Raise KeyError."""
        message_type = self._messages.get(name)
        if message_type is None:
            message_type = MessageType(self._pool.FindMessageTypeByName(name))
            self._messages[name] = message_type
        return message_type

    def enum(self, name: str) -> EnumType:
        """Return the enum type of that full name. Raise KeyError."""
        enum_type = self._enums.get(name)
        if enum_type is None:
            enum_type = self._enums[name] = EnumType(self._pool.FindEnumTypeByName(name))
        return enum_type


@lru_cache(maxsize=64)
def message_pool(descriptors: bytes) -> MessagePool:
    """Return the types of a serialized FileDescriptorSet; equal sets share a pool."""
    return MessagePool(descriptors)


def merge_descriptors(before: bytes, sent: bytes) -> bytes:
    """Merge two serialized FileDescriptorSets; a file in both is taken from `sent`."""
    if not before or not sent:
        return sent or before
    files = {file.name: file for file in FileDescriptorSet.FromString(before).file}
    files.update((file.name, file) for file in FileDescriptorSet.FromString(sent).file)
    return bytes(FileDescriptorSet(file=files.values()).SerializeToString())
