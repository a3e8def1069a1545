"""Errors of values that a message or an enum type does not accept."""

from __future__ import annotations


class UnsetMessage(Exception):
    """An assignment to a field of an unset message; the text is the message type's name."""


class MessageFault(ValueError):
    """A text, bytes or a value that a type does not accept; the text is a whole sentence."""
