"""What a message or an enum refuses."""

from __future__ import annotations


class UnsetMessage(Exception):
    """A field of a message that is not there is to be set; its text is the message's type."""


class MessageFault(ValueError):
    """A text, bytes or a value that the type does not take; its text is a whole sentence."""
