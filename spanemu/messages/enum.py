"""Enum types: the names and numbers of their values."""

from __future__ import annotations

from typing import Any

from spanemu.messages.errors import MessageFault


class EnumType:
    """An enum type of a user's .proto file.

    Names include aliases; a number is written as the first of its names.
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
