"""What an exploration reports: to the test, and to the client in a lost response."""

from __future__ import annotations

from spanemu.base.errors import Code, SpannerError


class ExplorationFailed(AssertionError):
    """A schedule that no serial order of the actors explains; the text shows its timeline."""


class CannotExplore(Exception):
    """An exploration that cannot continue: the actors do what the explorer cannot control."""


class ActorHangs(CannotExplore):
    """An actor that neither makes a request nor ends; `stack` is its current stack."""

    def __init__(self, actor: str, seconds: float, stack: str) -> None:
        super().__init__(
            f"{actor} has made no request for {seconds:.0f} s and does not end; it may wait for "
            "another actor without the database, as for a threading.Lock that another actor holds. "
            f"Its stack:\n{stack}"
        )


class UnknownThread(CannotExplore):
    """A request of a thread that belongs to no actor."""

    def __init__(self, method: str, thread: str) -> None:
        super().__init__(
            f"{method} comes from the thread {thread!r}, which belongs to no actor. Explored are "
            "the functions and the threads that they start by `threading`, not threads that exist "
            "already, asyncio clients of other loops, and other processes."
        )


class NotExplored(NotImplementedError):
    """A feature that explorations do not support, by name."""

    def __init__(self, feature: str) -> None:
        super().__init__(f"{feature} is not supported by explorations (UNIMPLEMENTED).")


class RunAbandoned(BaseException):
    """The end of an actor whose run is given up; code under test must not catch it."""


class ResponseLost(SpannerError, code=Code.UNAVAILABLE):
    prose = "The response was lost on purpose, by the exploration."


class ResponseLate(SpannerError, code=Code.DEADLINE_EXCEEDED):
    prose = "The response was lost on purpose, by the exploration."


class UncontrolledRequest(SpannerError, code=Code.FAILED_PRECONDITION):
    prose = "The request belongs to no actor of the exploration: {reason}"
    reason: str


class StopUnsupported(SpannerError, code=Code.UNIMPLEMENTED):
    prose = "{feature} is not supported by explorations."
    feature: str
