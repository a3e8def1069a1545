"""The best documents by a score are those of a sort of all documents.

`SPANEMU_SEARCH_EXAMPLES` sets the number of random queries.
"""

from __future__ import annotations

import os
import random
from collections.abc import Mapping
from typing import Any

import pytest

from spanemu.sql.executor import search_scores
from spanemu.sql.functions.search import functions
from spanemu.storage.layout import tree_of
from spanemu.txn import read_only
from tests.unit.ddl.world import World

EXAMPLES = int(os.environ.get("SPANEMU_SEARCH_EXAMPLES", "120"))
NAMES = (
    "Jon", "Jonathan", "john", "Anders", "Andersen", "O'Brien", "Zoë", "ZOË", "Zoe\u0308", "x-ray", "a.b",
    "<b>Jon</b>", "R&amp;D", "İstanbul", "ΑΣ", "\u212aelvin", "kelvin", "日本語", "🎉🎉🎉", "nan", "nanana",
    "  ", "a\x1bb",
)  # fmt: skip
_SIZES = "ngram_size_min=>2, ngram_size_max=>"
TOKENIZERS = {
    "Threes": f"TOKENIZE_SUBSTRING(Name, {_SIZES}3)",
    "Fours": f"TOKENIZE_SUBSTRING(Name, {_SIZES}4)",
    "Anchors": f"TOKENIZE_SUBSTRING(Name, {_SIZES}4, short_tokens_only_for_anchors=>TRUE, "
    "relative_search_types=>['word_prefix'])",
    "Longer": "TOKENIZE_SUBSTRING(Name, ngram_size_min=>4, ngram_size_max=>5)",
    "Plain": f"TOKENIZE_SUBSTRING(Name, {_SIZES}3, remove_diacritics=>TRUE)",
    "Html": f"TOKENIZE_SUBSTRING(Name, {_SIZES}3, content_type=>'text/html')",
    "Whole": f"TOKENIZE_NGRAMS(Name, {_SIZES}3)",
    "Lower": f"TOKENIZE_NGRAMS(Lowered, {_SIZES}3)",
    "Several": f"TOKENIZE_SUBSTRING(Names, {_SIZES}3)",
    "Words": "TOKENIZE_FULLTEXT(Name)",
}
GRAMS = tuple(name for name in TOKENIZERS if name != "Words")
COLUMNS = ", ".join(f"{name} TOKENLIST AS ({text}) HIDDEN" for name, text in TOKENIZERS.items())
TABLE = (
    "CREATE TABLE T (Id INT64 NOT NULL, Box INT64 NOT NULL, Sent INT64 NOT NULL, "
    f"Name STRING(MAX), Names ARRAY<STRING(MAX)>, Note INT64, "
    f"Lowered STRING(MAX) AS (LOWER(Name)) STORED, {COLUMNS}) PRIMARY KEY (Id)"
)
LISTS = ", ".join(TOKENIZERS)
INDEX = f"CREATE SEARCH INDEX I ON T({LISTS}) STORING (Note) ORDER BY Sent DESC"
# Conditions and what may stand in a select list: of the index, and of the table alone.
CONDITIONS = ("TRUE", "Note > 2", "Sent < 5", "Note > 1 AND Sent > 2", "Box = 1")
RESULTS = ("Id", "Id, Box", "Id, Note", "Id, {score} AS s")


@pytest.fixture
def world(monkeypatch) -> World:
    monkeypatch.setattr(read_only, "_FEW_DOCUMENTS", 1)
    monkeypatch.setattr(search_scores, "FEW", 1)
    monkeypatch.setattr(search_scores, "_STEP", 8)
    world, chance = World(TABLE, INDEX), random.Random(3)
    world.insert("T", "Id Box Sent Name Names Note", *[row(chance, id_) for id_ in range(120)])
    return world


def row(chance: random.Random, id_: int) -> list[Any]:
    box, sent, note = (str(chance.randrange(most)) for most in (2, 9, 5))
    names = [name(chance) for _ in range(chance.randrange(3))]
    return [str(id_), box, sent, name(chance), names, note]


def name(chance: random.Random) -> str | None:
    if chance.random() < 0.05:
        return None
    return " ".join(chance.choices(NAMES, k=chance.randrange(4)))


def documents(world: World) -> dict[int, Mapping[str, Any]]:
    """Return the documents of the index by id, with the columns of the table."""
    index = world.schema.index_of_any_kind("I")
    assert index is not None
    names = [column.name for column in index.columns]
    boxes = dict(world.rows("SELECT Id, Box FROM T"))
    documents = {}
    for cells in world.database._core.store.scan(tree_of(index)):
        document = dict(zip(names, cells, strict=False))
        documents[document["Id"]] = {**document, "Box": boxes[document["Id"]], "TRUE": True}
    return documents


def best(
    of_id: Mapping[int, Mapping[str, Any]], condition: str, scores: Mapping[int, float]
) -> Any:
    """Return the ids that fulfil a condition by descending score, ascending id."""
    test = condition.replace(" AND ", " and ").replace(" = ", " == ")
    ids = [id_ for id_ in scores if eval(test, {"TRUE": True}, dict(of_id[id_]))]
    return sorted(ids, key=lambda id_: (-scores[id_], id_))


@pytest.mark.parametrize("at_old_time", [False, True], ids=["now", "before"])
def test_the_best_by_ngrams_are_those_of_a_sort(world, at_old_time):
    chance, at, of_id = random.Random(5), None, documents(world)
    if at_old_time:
        at = world.database._core.store.read_timestamp()
        world.insert("T", "Id Box Sent Name Names Note", *[row(chance, 500 + n) for n in range(9)])
    for _ in range(EXAMPLES):
        query = name(chance) or "Jonathan Andersen"
        query = query.replace("\x1b", "").replace("'", "")
        tokens, least, is_negated = (
            chance.choice(GRAMS),
            chance.randrange(1, 3),
            chance.random() < 0.7,
        )
        score = f"SCORE_NGRAMS({tokens}, {query!r})"
        searched = "qqqqqq" if is_negated else query
        search = f"SEARCH_NGRAMS({tokens}, {searched!r}, min_ngrams=>{least})"
        search = f"NOT {search}" if is_negated else search
        condition, limit = chance.choice(CONDITIONS), chance.choice((1, 3, 10))
        matching = {
            id_: functions.score_ngrams(document[tokens], query)
            for id_, document in of_id.items()
            if functions.search_ngrams(document[tokens], searched, None, least) is not is_negated
            and document[tokens] is not None
        }
        sql = (
            f"SELECT {chance.choice(RESULTS).format(score=score)} FROM T WHERE {search} AND "
            f"{condition} ORDER BY {score} DESC, Id LIMIT {limit}"
        )
        assert [cells[0] for cells in world.rows(sql, at)] == best(of_id, condition, matching)[
            :limit
        ], sql


def test_the_best_by_words_are_those_of_a_sort(world):
    chance, of_id = random.Random(6), documents(world)
    for _ in range(EXAMPLES):
        query = " OR ".join(chance.choices(("Jon", "john", "Anders", "kelvin", "nan", "b"), k=2))
        score, condition = f"SCORE(Words, '{query}')", chance.choice(CONDITIONS)
        search = chance.choice((f"SEARCH(Words, '{query}')", "NOT SEARCH(Words, 'nothing')"))
        words = "nothing" if search.startswith("NOT") else query
        matching = {
            id_: functions.score(document["Words"], query)
            for id_, document in of_id.items()
            if functions.search(document["Words"], words) is not search.startswith("NOT")
            and document["Words"] is not None
        }
        limit = chance.choice((1, 3, 10))
        sql = (
            f"SELECT {chance.choice(RESULTS).format(score=score)} FROM T WHERE {search} AND "
            f"{condition} ORDER BY {score} DESC, Id LIMIT {limit}"
        )
        assert [cells[0] for cells in world.rows(sql)] == best(of_id, condition, matching)[
            :limit
        ], sql


def test_offsets_and_limits_by_parameter_choose_the_same_documents(world):
    call = "SCORE_NGRAMS(Threes, 'Jonathan Andersen')"
    sql = f"SELECT Id FROM T WHERE SEARCH_NGRAMS(Threes, 'Jonathan Andersen') ORDER BY {call} DESC"
    everything = world.rows(f"{sql}, Id")
    assert world.rows(f"{sql}, Id LIMIT 3 OFFSET 2") == everything[2:5]
    assert world.rows(f"{sql}, Id LIMIT 1000") == everything
    assert world.rows(f"{sql}, Id LIMIT 0") == []


def test_the_worst_are_not_the_best(world):
    call = "SCORE_NGRAMS(Threes, 'Jonathan Andersen')"
    sql = f"SELECT Id FROM T WHERE SEARCH_NGRAMS(Threes, 'Jonathan') ORDER BY {call}"
    assert world.rows(f"{sql}, Id DESC LIMIT 3") == world.rows(f"{sql} DESC, Id")[:-4:-1]


def test_documents_that_cannot_be_among_the_best_are_not_looked_at(world, monkeypatch):
    looked_at = []
    of = search_scores.NgramScores.of
    monkeypatch.setattr(
        search_scores.NgramScores, "of", lambda self, n: looked_at.append(n) or of(self, n)
    )
    call = "SCORE_NGRAMS(Threes, 'jonathan andersen')"
    world.insert("T", "Id Box Sent Name", ["1000", "1", "1", "Jonathan Andersen"])
    many = [[str(2000 + n), "1", "1", f"Anders {n}"] for n in range(200)]
    world.insert("T", "Id Box Sent Name", *many)
    sql = f"SELECT Id FROM T WHERE SEARCH_NGRAMS(Threes, 'andersen') ORDER BY {call} DESC LIMIT 1"
    assert world.rows(sql) == [(1000,)]
    assert len(looked_at) < 20
