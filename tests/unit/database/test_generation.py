"""What is compiled for a schema is compiled once; generations are found by their time."""

from __future__ import annotations

import sys
import threading
from types import SimpleNamespace

from spanemu.base.clock import BEGINNING
from spanemu.database import generation, schema_changes
from spanemu.database.generation import Generation, History
from spanemu.database.options import ReadOnly
from spanemu.schema.schema import EMPTY
from tests.unit.database.shop import Shop


def test_compiled_once_by_key() -> None:
    created: list[str] = []

    def make(name: str):
        return lambda: created.append(name) or name

    mine = Generation(EMPTY)
    assert [mine.compiled(key, make(key)) for key in ("a", "b", "a")] == ["a", "b", "a"]
    assert created == ["a", "b"]
    assert Generation(EMPTY).compiled("a", make("other")) == "other"


def test_a_failure_is_not_kept() -> None:
    mine = Generation(EMPTY)
    answers = iter([ZeroDivisionError(), "fine"])

    def make():
        answer = next(answers)
        if isinstance(answer, Exception):
            raise answer
        return answer

    for expected in (None, "fine"):
        try:
            assert mine.compiled("a", make) == expected
        except ZeroDivisionError:
            assert expected is None


def test_the_oldest_compiled_statements_are_evicted(monkeypatch) -> None:
    monkeypatch.setattr(generation, "COMPILED_MAX", 3)
    mine, made = Generation(EMPTY), []
    for key in "abcdda":
        mine.compiled(key, lambda key=key: made.append(key) or key)
    assert made == list("abcda")


def test_large_statements_are_evicted_by_their_characters(monkeypatch) -> None:
    monkeypatch.setattr(generation, "LARGE_CHARACTERS", 10)
    monkeypatch.setattr(generation, "LARGE_CHARACTERS_KEPT_MAX", 100)
    mine, created = Generation(EMPTY), []

    def ask(name: str, characters: int) -> None:
        def make() -> SimpleNamespace:
            created.append(name)
            return SimpleNamespace(characters=characters)

        mine.compiled(name, make)

    ask("small", 9)
    for number in range(10):
        ask(f"large {number}", 30)
    ask("huge", 1_000)
    for name in ("small", "huge"):
        ask(name, 0)
    assert created == ["small", *(f"large {number}" for number in range(10)), "huge"]
    ask("large 9", 30)
    assert created[-1] == "large 9"
    ask("large 9", 30)
    assert created.count("large 9") == 2


def test_several_threads_may_compile(monkeypatch) -> None:
    monkeypatch.setattr(generation, "COMPILED_MAX", 10)
    mine, wrong = Generation(EMPTY), []

    def ask(start: int) -> None:
        wrong.extend(
            number
            for number in range(start, start + 2_000)
            if mine.compiled(number % 50, lambda n=number: n % 50) != number % 50
        )

    threads = [threading.Thread(target=ask, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_several_threads_may_compile_more_than_is_kept(monkeypatch) -> None:
    monkeypatch.setattr(generation, "COMPILED_MAX", 3)
    mine, failed = Generation(EMPTY), []

    def ask(start: int) -> None:
        try:
            for number in range(start, start + 20_000):
                mine.compiled(number, lambda: "made")
        except RuntimeError as failure:
            failed.append(failure)

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=ask, args=(n * 20_000,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert not failed


def test_schemas_of_long_ago_keep_nothing_compiled(monkeypatch) -> None:
    monkeypatch.setattr(schema_changes, "GENERATIONS_COMPILED_MAX", 3)
    shop = Shop()
    begun = shop.begin(ReadOnly())
    for number in range(6):
        assert shop.read(1) == [(1, 10)]
        shop.database.apply_ddl([f"CREATE TABLE More{number} (A INT64) PRIMARY KEY (A)"])
    kept = [bool(one._compiled) for one in shop.core.history.all()]
    assert kept[-4:] == [False, True, True, False]
    assert not any(kept[:-3])
    assert shop.sql("SELECT Price FROM Items WHERE Id = 1", begun) == [(10,)]


def test_rules_are_those_of_the_schema() -> None:
    schema = EMPTY
    mine = Generation(schema)
    assert mine.rules.schema is schema
    assert mine.rules is mine.rules


def history() -> History[str]:
    """Return a history of generations from 10, 20 and 30 on."""
    letters = History("")
    for at, letter in ((10, "a"), (20, "b"), (30, "c")):
        letters.append(letter, at)
    return letters


def test_a_generation_is_current_until_the_next() -> None:
    letters = history()
    assert [letters.at(at) for at in (9, 10, 19, 20, 35)] == ["", "a", "a", "b", "c"]
    assert [letters.start(at) for at in (9, 25)] == [BEGINNING, 20]
    assert (letters.current, letters.latest) == ("c", 30)


def test_generations_that_ended_before_the_horizon_are_forgotten() -> None:
    letters = history()
    kept = letters.copy()
    letters.forget(5)
    assert len(letters.all()) == 4
    letters.forget(25)
    assert letters.all() == ["b", "c"]
    assert [letters.at(at) for at in (5, 25, 30)] == ["b", "b", "c"]
    assert letters.start(5) == 20
    letters.append("d", 40)
    letters.forget(100)
    assert (letters.all(), letters.current, letters.latest) == (["d"], "d", 40)
    assert kept.at(5) == ""
