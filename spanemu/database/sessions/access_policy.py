"""The access policy of a session: the requests that it permits, and the check of each.

A session with a database role is a `GuardedSession`. Every public method of `Session` is a request
and passes through the policy; the policy denies a request that has no guard in `GUARDS`, so that a
new request must be listed before a role can use it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from spanemu.base.deferred import deferred
from spanemu.base.errors import SpannerError
from spanemu.database.core import DatabaseCore
from spanemu.database.options import ReadRequest, StatementRequest
from spanemu.database.sessions.access import Access
from spanemu.database.sessions.session import Session, SessionSpec
from spanemu.database.transactions.registry import Transactions
from spanemu.values.mutation import Mutation

if TYPE_CHECKING:
    from spanemu.database import errors
else:
    errors = deferred("spanemu.database.errors")

Run = Callable[..., Any]  # the request itself, with the arguments that the guard passes on
Guard = Callable[..., Any]  # (access, run, *arguments): checks the arguments, then runs

# The public methods of a session that are no requests of a client.
LIFECYCLE = frozenset({"restart_lifetime", "fields", "close"})


def _begin(access: Access, run: Run, options: Any, mutation_key: Mutation | None = None) -> Any:
    if mutation_key is not None:
        access.check_writes((mutation_key,))
    return run(options, mutation_key)


def _statement(access: Access, run: Run, request: StatementRequest, *rest: Any) -> Any:
    access.check_statement(request)
    return run(replace(request, role=access.role), *rest)


def _batch(access: Access, run: Run, requests: Sequence[StatementRequest], *rest: Any) -> Any:
    for request in requests:  # All of them first: none runs if one is denied.
        access.check_statement(request)
    return run(requests, *rest)


def _read(access: Access, run: Run, request: ReadRequest, *rest: Any) -> Any:
    access.check_read(request)
    return run(request, *rest)


def _commit(
    access: Access, run: Run, selector: Any, mutations: Sequence[Mutation], options: Any
) -> Any:
    access.check_writes(mutations)
    return run(selector, mutations, options)


def _batch_write(
    access: Access, run: Run, groups: Sequence[Sequence[Mutation] | SpannerError], *rest: Any
) -> Any:
    return run([_checked(access, group) for group in groups], *rest)


def _checked(
    access: Access, group: Sequence[Mutation] | SpannerError
) -> Sequence[Mutation] | SpannerError:
    """Return a group of mutations, or the error that denies the group."""
    if not isinstance(group, SpannerError):
        try:
            access.check_writes(group)
        except SpannerError as denial:
            return denial
    return group


def _unchecked(_access: Access, run: Run, *arguments: Any) -> Any:
    return run(*arguments)


GUARDS: Mapping[str, Guard] = {
    "begin": _begin,
    "execute": _statement,
    "execute_batch": _batch,
    "read": _read,
    "commit": _commit,
    "rollback": _unchecked,  # of the session's own transaction
    "batch_write": _batch_write,
    "partition_read": _read,
    "partition_query": _statement,
}


@dataclass(frozen=True, slots=True)
class AccessPolicy:
    """The requests that a role may send, each with the check of its arguments."""

    access: Access
    guards: Mapping[str, Guard]

    def perform(self, name: str, run: Run, arguments: Sequence[Any]) -> Any:
        """Check a request and run it. Raises RequestDenied for a request without a guard."""
        guard = self.guards.get(name)
        if guard is None:
            raise errors.RequestDenied(self.access.role, name)
        return guard(self.access, run, *arguments)


def policy_of(core: DatabaseCore, role: str) -> AccessPolicy:
    """Return the policy of the sessions of a role. Raises RoleNotFound."""
    return AccessPolicy(Access(core, role), GUARDS)


def guard_requests(kind: type[GuardedSession]) -> type[GuardedSession]:
    """Send every request of a class of sessions through the policy of its instances."""
    for name in requests_of(kind):
        setattr(kind, name, _guarded(name, getattr(kind, name)))
    return kind


def requests_of(kind: type[Session]) -> Iterator[str]:
    """Yield the names of the requests: the public methods, except those of the lifecycle."""
    for name, _ in inspect.getmembers(kind, inspect.isfunction):
        if not name.startswith("_") and name not in LIFECYCLE:
            yield name


def _guarded(name: str, request: Callable[..., Any]) -> Callable[..., Any]:
    signature = inspect.signature(request)

    def perform(self: GuardedSession, *args: Any, **named: Any) -> Any:
        bound = signature.bind(self, *args, **named)
        return self.policy.perform(name, partial(request, self), bound.args[1:])

    return perform


@guard_requests
class GuardedSession(Session):
    """A session whose requests pass through an access policy."""

    def __init__(
        self,
        name: str,
        spec: SessionSpec,
        transactions: Transactions,
        create_time: int,
        policy: AccessPolicy,
    ) -> None:
        super().__init__(name, spec, transactions, create_time)
        self.policy = policy
