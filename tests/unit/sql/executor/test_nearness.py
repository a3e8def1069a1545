"""The candidates for the nearest rows, against the exact distances of all rows."""

from __future__ import annotations

import random
from math import inf, isnan, nan

import pytest

from spanemu.sql.executor import nearness
from spanemu.sql.executor.nearness import Search, candidates
from spanemu.sql.functions.errors import EvaluationError
from spanemu.sql.functions.numbers import vector
from spanemu.sql.functions.registry import Operation
from spanemu.values.types import FLOAT32, FLOAT64, array_of
from spanemu.values.vector import packer
from spanemu.values.vector_rows import Gathered, VectorColumn

EXACT = {
    Operation.COSINE_DISTANCE: vector.cosine_distance,
    Operation.DOT_PRODUCT: vector.dot_product,
    Operation.EUCLIDEAN_DISTANCE: vector.euclidean_distance,
}
SPECIAL = [0.0, -0.0, 1.0, -1.0, 1e-20, 1e-30, 3e38, inf, -inf, nan]


@pytest.fixture(params=["numpy", "plain"], autouse=True)
def _numbers(request, monkeypatch):
    if request.param == "numpy":
        pytest.importorskip("numpy")
    else:
        monkeypatch.setattr(nearness, "_imported", [None])


def gathered(vectors, type_=FLOAT32) -> Gathered:
    pack = packer(array_of(type_), len(vectors[0]))
    items = [(bytes([n // 256, n % 256]), (n, pack(each))) for n, each in enumerate(vectors)]
    return Gathered(VectorColumn(1, 1, len(vectors[0])), items)


def first(rows: Gathered, search: Search, places) -> list[int]:
    """Return the places of the first rows by the exact distance; rows without one come first."""

    def distance(location: int) -> tuple[int, float]:
        try:
            value = EXACT[search.operation](tuple(rows.rows[location][1]), search.vector)
        except EvaluationError:
            return 0, 0.0
        if isnan(value):
            return (2, 0.0) if search.descending else (1, 0.0)
        return (1, -value) if search.descending else (2, value)

    return sorted(places, key=distance)[: search.limit]


def vectors_of(drawn: random.Random, count: int, length: int, special: float):
    known = [[drawn.gauss(0, 1) for _ in range(length)] for _ in range(8)]
    for _ in range(count):
        if drawn.random() < 0.3:
            yield tuple(drawn.choice(known))  # equal vectors
        elif drawn.random() < special:
            yield tuple(drawn.choice(SPECIAL) for _ in range(length))
        else:
            scale = 10.0 ** drawn.uniform(-3, 3)
            yield tuple(scale * drawn.gauss(0, 1) for _ in range(length))


@pytest.mark.parametrize("operation", EXACT)
@pytest.mark.parametrize("type_", [FLOAT32, FLOAT64])
@pytest.mark.parametrize("seed", range(6))
def test_the_first_rows_are_candidates(operation, type_, seed) -> None:
    drawn = random.Random(seed)
    length = drawn.choice([1, 3, 24])
    rows = gathered(list(vectors_of(drawn, 300, length, special=0.1 * (seed % 2))), type_)
    query = tuple(drawn.gauss(0, 1) for _ in range(length))
    hidden = drawn.sample(range(300), 20)
    left = [place for place in range(300) if place not in hidden]
    for descending in (False, True):
        for count in (0, 1, 10, 299, 400):
            search = Search(operation, query, descending, count)
            result = candidates(rows, search, hidden, None)
            assert result is not None
            assert set(first(rows, search, left)) <= set(result) <= set(left)
            even = candidates(rows, search, hidden, lambda some: [n for n in some if not n % 2])
            assert even is not None
            assert set(first(rows, search, [n for n in left if not n % 2])) <= set(even)
            assert not any(place % 2 for place in even)


@pytest.mark.parametrize("operation", EXACT)
def test_few_rows_are_candidates(operation) -> None:
    drawn = random.Random(1)
    rows = gathered([tuple(drawn.gauss(0, 1) for _ in range(64)) for _ in range(1000)])
    query = tuple(drawn.gauss(0, 1) for _ in range(64))
    result = candidates(rows, Search(operation, query, False, 10), (), None)
    assert result is not None
    assert len(result) <= 12


def test_a_query_without_direction_has_no_bounds() -> None:
    rows = gathered([(1.0, 2.0)])
    for query in ((0.0, 0.0), (nan, 1.0), (inf, 1.0), (1e-200, 0.0)):
        assert (
            candidates(rows, Search(Operation.COSINE_DISTANCE, query, False, 1), (), None) is None
        )


def test_a_matrix_makes_the_oldest_go(monkeypatch) -> None:
    pytest.importorskip("numpy")
    monkeypatch.setattr(nearness, "_imported", [])
    monkeypatch.setattr(nearness, "_account", nearness._Account(2_000))
    sets = [gathered([(1.0, float(n)) for n in range(100)]) for _ in range(3)]
    search = Search(Operation.DOT_PRODUCT, (1.0, 1.0), True, 1)
    for item in sets:
        assert candidates(item, search, (), None) == [99]
    assert [item.kept is None for item in sets] == [True, True, False]
    assert nearness._account.total == 100 * 16
    large = gathered([(1.0, float(n)) for n in range(200)])
    assert candidates(large, search, (), None) == [199]
    assert large.kept is None
    del sets, item, large
    assert nearness._account.total == 0
