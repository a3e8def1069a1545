"""Operations on the clock. Times are text in ISO 8601 with their zone, durations microseconds."""

from __future__ import annotations

from typing import Any

from spanemu.control.operations.control import Control


def get_clock(control: Control) -> dict[str, Any]:
    """Return the current time, and whether the clock is frozen."""
    return {"now": control.clock.now, "frozen": control.clock.is_frozen}


def freeze_clock(control: Control, at: str | None = None) -> None:
    """Stop time, now or at another time."""
    control.clock.freeze(at)


def reset_clock(control: Control) -> None:
    """Undo every move of the clock."""
    control.clock.reset()


def thaw_clock(control: Control) -> None:
    """Let time run again."""
    control.clock.thaw()


def advance_clock(control: Control, microseconds: int) -> None:
    """Move time forward."""
    control.clock.advance(microseconds=microseconds)


def auto_clock(control: Control, microseconds: int) -> None:
    """Freeze time, and have every commit move it forward by a number of microseconds."""
    control.clock.auto(microseconds=microseconds)


def run_ttl(control: Control) -> dict[str, Any]:
    """Apply every row deletion policy now."""
    return {"rows": control.clock.run_ttl()}


def expire_versions(control: Control) -> dict[str, Any]:
    """Forget every version that can no longer be read."""
    return {"versions": control.clock.expire_versions()}
