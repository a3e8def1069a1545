"""Enum types: names and numbers."""

from __future__ import annotations

from typing import Any

from spanemu.messages.errors import MessageFault


class EnumType:
    """An enum of a user's .proto file. Aliases are read; the first name of a number is written."""

    def __init__(self, descriptor: Any) -> None:
        self.name: str = descriptor.full_name
        self._numbers: dict[str, int] = {value.name: value.number for value in descriptor.values}
        self._names: dict[int, str] = {}
        for name, number in self._numbers.items():
            self._names.setdefault(number, name)

    def from_text(self, text: str) -> int:
        """The number of a name, which is case-sensitive. Raises MessageFault."""
        number = self._numbers.get(text)
        if number is None:
            raise MessageFault(f"Out of range cast of string '{text}' to enum type {self.name}")
        return number

    def from_number(self, number: int) -> int:
        """The number, if a value has it. Raises MessageFault."""
        if number not in self._names:
            raise MessageFault(f"Out of range cast of integer {number} to enum type {self.name}")
        return number

    def to_text(self, number: int) -> str:
        """The name of a number; its digits where a newer definition has dropped it."""
        return self._names.get(number, str(number))
