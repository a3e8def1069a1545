"""Access policies of instances and databases, which are stored and returned, never enforced."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from spanemu.base.deferred import deferred
from spanemu.base.record import dataclass

if TYPE_CHECKING:
    from spanemu.admin import errors
else:
    errors = deferred("spanemu.admin.errors")


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy as its setter sent it (`content` is opaque), and a tag that changes with it."""

    content: bytes = b""
    tag: int = 0


class Policies:
    """Policies by resource. `created` distinguishes a resource from an earlier one of its name."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards the map.
        self._by_resource: dict[str, tuple[int, Policy]] = {}

    def get(self, resource: str, created: int) -> Policy:
        """Return the policy of a resource; an empty policy if none was set."""
        stored = self._by_resource.get(resource)
        return Policy() if stored is None or stored[0] != created else stored[1]

    def all(self) -> list[tuple[str, int, Policy]]:
        """Return (resource, creation time, policy) of every policy."""
        with self._mutex:
            return [(name, *stored) for name, stored in sorted(self._by_resource.items())]

    def restore(self, resource: str, created: int, policy: Policy) -> None:
        """Add a policy that was saved."""
        with self._mutex:
            self._by_resource[resource] = created, policy

    def set(self, resource: str, created: int, content: bytes, expected: int | None) -> Policy:
        """Set a policy.

        Raises PolicyChanged if `expected` is not the current tag.
        """
        with self._mutex:
            before = self.get(resource, created)
            if expected is not None and expected != before.tag:
                raise errors.PolicyChanged(resource)
            policy = Policy(content, before.tag + 1)
            self._by_resource[resource] = created, policy
            return policy
