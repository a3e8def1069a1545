"""What answers the calls of one emulator: registered functions, injected failures, recorded calls.

A registration is for a name of a model or a function, or for an endpoint. Both may be patterns with
`*` and `?`, and letter case does not matter. The latest registration that matches decides.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import count

from spanemu.base.errors import Code
from spanemu.base.record import record
from spanemu.base.suggestions import did_you_mean
from spanemu.models.errors import text_of
from spanemu.models.pool import Pool
from spanemu.models.recorded import Recorder
from spanemu.models.request import Answerer

# What `fail` can inject, and the code of the failure. A malformed answer fails as one that does not
# fit the schema of the model does.
FAILURES: Mapping[str, Code] = {
    "cancelled": Code.CANCELLED,
    "deadline": Code.DEADLINE_EXCEEDED,
    "denied": Code.PERMISSION_DENIED,
    "internal": Code.INTERNAL,
    "malformed": Code.INVALID_ARGUMENT,
    "not_found": Code.NOT_FOUND,
    "precondition": Code.FAILED_PRECONDITION,
    "quota": Code.RESOURCE_EXHAUSTED,
    "unavailable": Code.UNAVAILABLE,
}

_HEADS = ("//aiplatform.googleapis.com/", "https://")


def endpoint_forms(endpoint: str) -> Iterator[str]:
    """Yield an endpoint as written, and from `projects/` on, in lower case."""
    written = endpoint.lower()
    yield written
    start = written.find("projects/")
    if start > 0 and written.startswith(_HEADS):
        yield written[start:]


@record
class Registration:
    """A registered answerer, for names and endpoints that match a pattern."""

    number: int
    pattern: str
    answerer: Answerer

    def matches(self, name: str, endpoint: str) -> bool:
        """Return whether the registration is for a target."""
        pattern = self.pattern.lower().replace("[", "[[]")  # no sets of characters
        if fnmatchcase(name.lower(), pattern):
            return True
        return bool(endpoint) and any(
            fnmatchcase(form, each)
            for form in endpoint_forms(endpoint)
            for each in endpoint_forms(pattern)
        )


class InjectedFailure:
    """A failure of the next requests to a model: after `skipped` others, `times` in all."""

    def __init__(self, pattern: str, kind: str, times: int, skipped: int) -> None:
        self.pattern = pattern
        self.kind = kind
        self.left = times
        self.skipped = skipped


State = tuple[tuple[Registration, ...], tuple[InjectedFailure, ...]]


class ModelRegistry:
    """The registrations of one emulator, the failures, and the calls that were made."""

    def __init__(self) -> None:
        self.pool = Pool()
        self.recorder = Recorder()
        self._mutex = threading.Lock()  # Guards the fields below.
        self._numbers = count(1)
        self._registrations: tuple[Registration, ...] = ()  # the latest first
        self._failures: tuple[InjectedFailure, ...] = ()
        self.request_numbers = count(1)

    # ------------------------------------------------------------------ registrations

    def register(self, pattern: str, answerer: Answerer) -> Registration:
        """Register an answerer for a name or an endpoint; both may be patterns."""
        if not pattern:
            raise ValueError("the name of a model or an endpoint is empty")
        with self._mutex:
            registration = Registration(next(self._numbers), pattern, answerer)
            self._registrations = (registration, *self._registrations)
        return registration

    def remove(self, registration: Registration) -> None:
        """Remove a registration. Removing it twice does nothing."""
        with self._mutex:
            self._registrations = tuple(
                [each for each in self._registrations if each is not registration]
            )

    def remove_pattern(self, pattern: str) -> bool:
        """Remove all registrations of a pattern; return whether there were any."""
        with self._mutex:
            before = self._registrations
            self._registrations = tuple(
                [each for each in before if each.pattern.lower() != pattern.lower()]
            )
            return len(before) != len(self._registrations)

    @property
    def registrations(self) -> Sequence[Registration]:
        """The registrations, the latest first."""
        return self._registrations

    def find(self, name: str, endpoint: str) -> Registration | None:
        """Return the registration for a target, None if nothing is registered."""
        return next((each for each in self._registrations if each.matches(name, endpoint)), None)

    def state(self) -> State:
        """Return the registrations and failures, for `restore`."""
        with self._mutex:
            return self._registrations, self._failures

    def restore(self, state: State) -> None:
        """Restore saved registrations and failures."""
        with self._mutex:
            self._registrations, self._failures = state

    def clear(self) -> None:
        """Remove all registrations and failures, and forget the calls."""
        with self._mutex:
            self._registrations, self._failures = (), ()
        self.recorder.clear()

    # ------------------------------------------------------------------ failures

    def fail(self, pattern: str, kind: str, times: int = 1, skipped: int = 0) -> InjectedFailure:
        """Fail the next requests to a model. Raises ValueError for an unknown kind of failure."""
        if kind not in FAILURES:
            hint = did_you_mean(kind, FAILURES)
            known = ", ".join(FAILURES)
            raise ValueError(f"there is no failure {kind!r}.{hint} There are: {known}")
        if not pattern:
            raise ValueError("the name of a model or an endpoint is empty")
        if not isinstance(times, int) or not isinstance(skipped, int) or times < 1 or skipped < 0:
            raise ValueError(f"times={times}, skipped={skipped}: requests are counted from 1")
        failure = InjectedFailure(pattern, kind, times, skipped)
        with self._mutex:
            self._failures = (*self._failures, failure)
        return failure

    def remove_failure(self, failure: InjectedFailure) -> None:
        """Remove a failure that was not used up."""
        with self._mutex:
            self._failures = tuple([each for each in self._failures if each is not failure])

    def take_failure(self, name: str, endpoint: str, callee: str) -> tuple[Code, str] | None:
        """Return the code and the text of a failure of this request, None for no failure."""
        if not self._failures:
            return None
        with self._mutex:
            for failure in self._failures:
                if not Registration(0, failure.pattern, _NOBODY).matches(name, endpoint):
                    continue
                if failure.skipped:
                    failure.skipped -= 1
                    continue
                failure.left -= 1
                if not failure.left:
                    self._failures = tuple([one for one in self._failures if one is not failure])
                code = FAILURES[failure.kind]
                return code, text_of(code, callee, "Injected failure.")
        return None

    def close(self) -> None:
        """End the threads; functions that still run are not waited for."""
        self.pool.close()
        self.clear()


class _Nobody:
    is_json = False

    def answer(self, request: object) -> Sequence[object]:
        raise AssertionError("no request is sent here")


_NOBODY: Answerer = _Nobody()
