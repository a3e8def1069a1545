"""The errors of the directories with states, for callers that load no state."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class UnusableState(Exception):
    """A directory from which an emulator cannot start; the message names it and the reason."""


class DirectoryInUse(UnusableState):
    """A directory that another emulator uses."""


class InvalidState(UnusableState):
    """A state that cannot be loaded."""


class StateNotSaved(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The state of the emulator cannot be saved: {reason}."
    reason: str
