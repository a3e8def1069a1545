"""Explorations whose functions run in other processes; `control.explorations` declares them.

    the search         a thread of the emulator, which announces a run, waits for its end and judges
    each actor         a thread of the emulator: it takes the requests of its function one by one,
                       stops before each as any actor does, and lets the server go on with it
    a server's thread  receives a request with the actor's name, and waits until it is let go on

Between two requests, code of the function runs in the other process, and no other actor may run.
So at any time exactly one actor runs, and a schedule means what it means for functions of this
process; only sleeps are no stops there, since the emulator does not see them.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple, Unpack

from spanemu.base.call import Call, serving
from spanemu.base.errors import Code, SpannerError
from spanemu.base.process import OwnProcess
from spanemu.control.explorations import (
    ACTOR_METADATA,
    FAILED,
    PASSED,
    ExplorationHandle,
    ExplorationOptions,
    ExplorationsControl,
    RunOrVerdict,
)
from spanemu.explorer.errors import (
    ActorHangs,
    CannotExplore,
    NotExplored,
    RunAbandoned,
    UncontrolledRequest,
)
from spanemu.explorer.exploration import Emulated, Exploration, Explored
from spanemu.explorer.mailbox import Baton, Mailbox
from spanemu.explorer.requests import UNSCHEDULED
from spanemu.explorer.schedules import InvalidSchedule
from spanemu.explorer.settings import Settings
from spanemu.explorer.watching import Front
from spanemu.frontend.dispatch import ServedCall, Watcher

SILENT_SECONDS_MAX = 60.0  # without a request or the end of a function that runs
ANSWER_SECONDS_MAX = 60.0  # until a run has been judged
SECONDS = 60.0  # of an exploration; requests of other processes take longer than those of this one
STOPPED = "The exploration was stopped."


class ActorFailed(Exception):
    """An error that a function in another process has raised; subclasses are named after codes."""

    grpc_status_code: Code | None = None


def failure_of(error: str, message: str) -> ActorFailed:
    """Return the error that a function reports: a status code, or the name of another error."""
    words = error.replace("_", " ").split() if error.isupper() else [error]
    name = "".join(word.capitalize() for word in words) if error.isupper() else error
    kind = type(name, (ActorFailed,), {"grpc_status_code": _code(error)})
    failure: ActorFailed = kind(message)
    return failure


def _code(error: str) -> Code | None:
    """Return the code with a name such as DEADLINE_EXCEEDED or DeadlineExceeded, if it is one."""
    plain = error.replace("_", "").upper()
    return next((code for code in Code if code.name.replace("_", "") == plain), None)


class ExplorationStopped(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "{reason}"
    reason: str


class _End(NamedTuple):
    """The result or the error of a function; neither if its run was abandoned."""

    result: Any = None
    error: ActorFailed | None = None
    is_abandoned: bool = False


class _Request:
    """A request of a function, between its arrival and its end."""

    def __init__(self, call: ServedCall, method: str, message: Any) -> None:
        self.call = call
        self.method = method
        self.message = message
        self.granted: Mailbox[bool] = Mailbox()
        self.ended: Mailbox[bool] = Mailbox()
        self.error: Exception | None = None
        self._mutex = threading.Lock()  # Guards the field below.
        self._is_settled = False

    def settle(self) -> bool:
        """Return whether this came first: the turn of the request, or the end of its client."""
        with self._mutex:
            was_settled, self._is_settled = self._is_settled, True
            return not was_settled

    def refuse(self, reason: str) -> None:
        """Make the request fail."""
        self.error = UncontrolledRequest(reason)
        self.settle()
        self.granted.put(True)


class RemoteActor:
    """A function in another process: called in each run, it serves the requests of that process."""

    def __init__(self, name: str, announce: Any) -> None:
        self.name = name
        self.is_open = False  # It has been started, and has not reported its end.
        self._announce = announce
        self._inbox: Mailbox[_Request | _End] = Mailbox()

    def put(self, event: _Request | _End) -> None:
        """Pass on a request or the end of the function."""
        self._inbox.put(event)

    def __call__(self) -> Any:
        with Call():  # Waits on this thread are the explorer's own.
            return self._lived()

    def _lived(self) -> Any:
        self._announce(serving.actor.run)
        try:
            while True:
                event = self._inbox.get()
                if isinstance(event, _Request):
                    self._serve(event)
                elif event is not None:
                    return _ended(event)
        finally:
            self.is_open = False
            self._refuse_others()

    def _serve(self, request: _Request) -> None:
        """Stop before a request, then let the server go on with it until its end."""
        actor = serving.actor
        try:
            actor.run.request(actor, request.call, request.method, request.message)
        except RunAbandoned:
            request.refuse("the run was given up.")
            raise
        except SpannerError as error:
            request.error = error
        except Exception as bug:  # The client would hide it.
            actor.run.fatal = actor.run.fatal or bug
            request.error = bug
        if request.settle():
            request.granted.put(True)
            request.ended.get()

    def _refuse_others(self) -> None:
        while (event := self._inbox.get(0)) is not None:
            if isinstance(event, _Request):
                event.refuse(f"{self.name} has ended.")


def _ended(end: _End) -> Any:
    if end.is_abandoned:
        raise RunAbandoned
    if end.error is not None:
        raise end.error
    return end.result


class RemoteFront(Front):
    """A front that knows an actor by the metadata of its requests."""

    actors: Mapping[str, RemoteActor] = MappingProxyType({})

    def __init__(self, database: str, others: Sequence[Watcher]) -> None:
        super().__init__(database, others)
        self._held: dict[ServedCall, _Request] = {}  # between their arrival and their end

    def started(self, call: ServedCall, request: Any) -> None:
        """Hold a request of an actor until it is its turn; refuse other requests of the database.

        Requests of other databases pass.
        """
        if not self._is_explored(request):
            super().started(call, request)
            return
        method = call.path.rpartition("/")[2]
        call.is_explored = True
        if method in UNSCHEDULED:
            return
        name = dict(call.metadata).get(ACTOR_METADATA)
        if name is None and self.run is None:
            return
        actor = self.actors.get(name) if isinstance(name, str) else None
        if actor is None or not actor.is_open:
            raise UncontrolledRequest(self._reason(method, name))
        held = self._held[call] = _Request(call, method, request)
        actor.put(held)
        try:
            is_granted = held.granted.get() is not None
        except SpannerError:  # Too many requests wait.
            held.settle()
            raise
        if not is_granted and held.settle():
            call.check()
            raise UncontrolledRequest(f"{method} has ended before its turn.")
        if held.error is not None:
            raise held.error

    def _reason(self, method: str, name: Any) -> str:
        if name is None:
            return f"{method} has no metadata {ACTOR_METADATA} with the name of its function."
        known = ", ".join(self.actors)
        if name not in self.actors:
            return f"{method} is of {name!r}; the functions are {known}."
        return f"{method} is of {name!r}, which does not run now."

    def ended(self, call: ServedCall, error: Exception | None) -> None:
        """Record the end of a request, and resume the thread of its actor."""
        super().ended(call, error)
        held = self._held.pop(call, None)
        if held is not None:
            held.ended.put(True)


class RemoteExploration(Exploration, ExplorationHandle):
    """An exploration of functions of another process, on its own thread."""

    front_type = RemoteFront
    hang_seconds = SILENT_SECONDS_MAX

    def __init__(self, emulated: Emulated, names: Sequence[str], settings: Settings) -> None:
        self._remote = {name: RemoteActor(name, self._announced) for name in names}
        if len(self._remote) != len(names):
            raise ValueError(f"actors={list(names)!r}: each function needs a name of its own")
        super().__init__(emulated, self._remote, settings)
        self._answers: Mailbox[RunOrVerdict | Exception] = Mailbox()
        self._final: RunOrVerdict | Exception | None = None
        self._runs = 0
        self._announced_run: Any = None
        self._delivered = 0  # the last run that the client knows of
        self._is_stopped = False
        self._thread = threading.Thread(target=self._search, name="exploration", daemon=True)
        self._thread.start()

    def next(self) -> RunOrVerdict:
        running = [actor.name for actor in self._remote.values() if actor.is_open]
        if running and self._delivered == self._runs and self._final is None:
            raise ValueError(f"{', '.join(running)} of run {self._runs} have not ended")
        if self._final is None:
            answer = self._answers.get(ANSWER_SECONDS_MAX)
            if isinstance(answer, RunOrVerdict) and not answer.verdict:
                self._delivered = answer.run
                return answer
            self._final = answer
        if isinstance(self._final, RunOrVerdict):
            return self._final
        raise ExplorationStopped(str(self._final or "the run has not been judged in time"))

    def done(self, actor: str, result: Any = None, error: str = "", message: str = "") -> None:
        known = self._remote.get(actor)
        if known is None or not known.is_open:
            raise ValueError(f"actor={actor!r}: it does not run now")
        known.is_open = False
        known.put(_End(result, failure_of(error, message) if error else None))

    def stop(self) -> None:
        self._is_stopped = True
        run = None if self._front is None else self._front.run
        if run is not None:
            run.fatal = run.fatal or CannotExplore(STOPPED)
        self._abandon()
        self._thread.join(ANSWER_SECONDS_MAX)

    # ------------------------------------------------------------------ the thread of the search

    def _search(self) -> None:
        try:
            self._answers.put(_verdict(self.search()))
        except ActorHangs as error:  # Its stack is the explorer's own.
            self._answers.put(CannotExplore(str(error).partition(" Its stack")[0]))
        except (CannotExplore, NotExplored) as error:
            self._answers.put(error)
        except InvalidSchedule as error:
            self._answers.put(CannotExplore(str(error)))
        except Exception as bug:
            self._answers.put(CannotExplore(f"The exploration failed: {bug!r}"))
            raise
        finally:
            self._abandon()

    def _abandon(self) -> None:
        for actor in self._remote.values():
            actor.put(_End(is_abandoned=True))

    def _warm_up(self) -> None:
        assert isinstance(self._front, RemoteFront)
        self._front.actors = self._remote
        for actor in self._roster.actors:
            actor.baton = Baton()

    def _announced(self, run: Any) -> None:
        """Send the client a run when the first of its actors begins."""
        if self._is_stopped:
            run.fatal = run.fatal or CannotExplore(STOPPED)
            raise RunAbandoned
        if run is self._announced_run:
            return
        self._announced_run = run
        self._runs += 1
        every = list(self._remote.values())
        chosen = [every[number] for number in sorted(run.plan.order)]
        for actor in chosen:
            actor.is_open = True
        self._answers.put(RunOrVerdict(self._runs, [actor.name for actor in chosen]))


def _verdict(result: Explored) -> RunOrVerdict:
    try:
        result.check()
    except AssertionError as failure:
        return RunOrVerdict(
            verdict=FAILED,
            text=str(failure),
            kind=result.kind or "",
            schedule=result.schedule or "",
            warnings=result.warnings,
        )
    return RunOrVerdict(
        verdict=PASSED, text=str(result), complete=result.complete, warnings=result.warnings
    )


class Explorations(ExplorationsControl):
    """The explorations of a database in this process."""

    _emulated = OwnProcess[Emulated]()

    def __init__(self, emulated: Emulated) -> None:
        self._emulated = emulated

    def start(
        self, actors: Sequence[str], **options: Unpack[ExplorationOptions]
    ) -> RemoteExploration:
        chosen: dict[str, Any] = {"seconds": SECONDS, **options}
        return RemoteExploration(self._emulated, actors, Settings(**chosen))
