"""Operations arrive by name, with plain data, and act on the objects that the requests name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import pytest

from spanemu.control.dispatch import Dispatcher
from spanemu.control.operation import BadArgument, ControlInterface, HandleExpired, Held, operation
from spanemu.control.remote import RemoteHandle, proxy

TAPE = Held("tape", "stop")


@dataclass(frozen=True)
class Level:
    water: int
    at: str


class Tape(ControlInterface):
    SCOPE = "tape"

    @operation("ReadTape", "POST", "lines")
    def lines(self) -> list[str]: ...

    @operation("EndTape", "POST", releases="tape")
    def end(self) -> None: ...


class Tank(ControlInterface):
    SCOPE = "tank"

    @operation("Fill", "POST")
    def fill(self, litres: int, *, by: str = "hand") -> Level: ...

    @operation("Drain", "POST")
    def drain(self) -> None: ...

    @operation("Record", "POST", "tape")
    def record(self) -> Annotated[Tape, TAPE]: ...

    @operation("Replay", "POST", "lines")
    def replay(self, tape: Annotated[Any, TAPE]) -> list[str]: ...


class LocalTape(Tape):
    is_stopped = False

    def lines(self) -> list[str]:
        return ["a"]

    def end(self) -> None:
        self.stop()

    def stop(self) -> None:
        self.is_stopped = True


class LocalTank(Tank):
    def __init__(self, name: str) -> None:
        self.name = name
        self.water = 0

    def fill(self, litres: int, *, by: str = "hand") -> Level:
        if litres < 0:
            raise ValueError(f"litres={litres} is negative")
        self.water += litres
        return Level(self.water, f"{self.name}, {by}")

    def drain(self) -> None:
        self.water = 0

    def record(self) -> Tape:
        return LocalTape()

    def replay(self, tape: Any) -> list[str]:
        return [*tape.lines(), self.name]


class Wire:
    """A connection to a dispatcher, without a network."""

    def __init__(self, dispatcher: Dispatcher, uri: str = "here:1") -> None:
        self.uri = uri
        self.sent: list[dict[str, Any]] = []
        self._dispatcher = dispatcher

    def __call__(self, operation: str, **arguments: Any) -> dict[str, Any]:
        self.sent.append(arguments)
        return self._dispatcher.perform(operation, arguments)


@pytest.fixture
def tank() -> LocalTank:
    return LocalTank("t1")


@pytest.fixture
def dispatcher(tank: LocalTank) -> Dispatcher:
    made = Dispatcher()
    made.add(Tank, {"t1": tank}.__getitem__)
    made.add(Tape)
    return made


def test_a_proxy_has_the_operations_of_its_interface(dispatcher: Dispatcher) -> None:
    wire = Wire(dispatcher)
    remote = proxy(Tank, wire, tank="t1")
    assert remote.fill(3, by="bucket") == Level(3, "t1, bucket")
    assert remote.fill(litres=2) == Level(5, "t1, hand")
    remote.drain()
    assert wire.sent[1:] == [{"tank": "t1", "litres": 2}, {"tank": "t1"}]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"litres": 1}, "tank"),
        ({"tank": "t1"}, "litres"),
        ({"tank": "t1", "litres": -1}, "litres=-1"),
        ({"tank": "t1", "litres": 1, "gallons": 1}, "gallons"),
        ({"tank": 3, "litres": 1}, "tank"),
    ],
)
def test_bad_arguments_are_refused(
    dispatcher: Dispatcher, tank: LocalTank, arguments: dict[str, Any], named: str
) -> None:
    with pytest.raises(BadArgument, match=named):
        dispatcher.perform("Fill", arguments)
    assert tank.water == 0


def test_held_results_are_used_by_id_until_they_are_released(dispatcher: Dispatcher) -> None:
    wire = Wire(dispatcher)
    tape = proxy(Tank, wire, tank="t1").record()
    assert tape.lines() == ["a"]
    assert dispatcher.perform("Replay", {"tank": "t1", "tape": "tape-1"}) == {"lines": ["a", "t1"]}
    tape.end()
    with pytest.raises(HandleExpired):
        tape.lines()


@pytest.mark.parametrize(
    "wrong",
    [None, "tape-1", RemoteHandle("here:1", "reel", "1"), RemoteHandle("there", "tape", "1")],
)
def test_a_handle_of_another_object_is_not_sent(dispatcher: Dispatcher, wrong: Any) -> None:
    wire = Wire(dispatcher)
    with pytest.raises(ValueError, match="tape"):
        proxy(Tank, wire, tank="t1").replay(wrong)
    assert wire.sent == []
