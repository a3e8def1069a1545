"""Access policies of instances and databases: kept and handed back, never enforced."""

from __future__ import annotations

import threading
from dataclasses import dataclass

from spanemu.admin.errors.requests import PolicyChanged


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy as its setter sent it (`content` is opaque), and a tag that changes with it."""

    content: bytes = b""
    tag: int = 0


class Policies:
    """Policies by resource. `created` tells a resource from an earlier one of its name."""

    def __init__(self) -> None:
        self._mutex = threading.Lock()  # Guards the map.
        self._by_resource: dict[str, tuple[int, Policy]] = {}

    def get(self, resource: str, created: int) -> Policy:
        """The policy of a resource, empty as long as none was set."""
        found = self._by_resource.get(resource)
        return Policy() if found is None or found[0] != created else found[1]

    def set(self, resource: str, created: int, content: bytes, expected: int | None) -> Policy:
        """Put a policy in place. Raises PolicyChanged when `expected` is not the present tag."""
        with self._mutex:
            before = self.get(resource, created)
            if expected is not None and expected != before.tag:
                raise PolicyChanged(resource)
            policy = Policy(content, before.tag + 1)
            self._by_resource[resource] = created, policy
            return policy
