"""`python -m tests.fuzz.searches`: searches with their tokens and their texts changed.

Statements of both dialects run against rows, by postings and without. Each is answered, or refused
with a code that says why, after little processor time: other processes do not count.

exit 0   nothing that must not happen did
exit 1   it did; the findings are printed
"""

from __future__ import annotations

import sys
import traceback
from random import Random
from time import process_time

from spanemu.base.clock import ManualClock
from spanemu.base.errors import Code, SpannerError
from spanemu.base.rand import Randomness
from spanemu.database.core import Environment
from spanemu.database.database import Database
from spanemu.database.options import StatementRequest
from spanemu.schema.dialect import GOOGLE_STANDARD_SQL, POSTGRESQL, DatabaseDialect
from tests.fuzz import command
from tests.fuzz.ddl import Findings
from tests.fuzz.statements import mutated

SECONDS_MAX = 5.0
ROWS = 90  # More than a search tests one by one.
EXPECTED = frozenset(
    {
        Code.INVALID_ARGUMENT,
        Code.FAILED_PRECONDITION,
        Code.NOT_FOUND,
        Code.UNIMPLEMENTED,
        Code.OUT_OF_RANGE,
        Code.RESOURCE_EXHAUSTED,
    }
)
SCHEMAS = {
    GOOGLE_STANDARD_SQL: (
        """CREATE TABLE T (
          Id INT64 NOT NULL, Box INT64, Text STRING(MAX), Parts ARRAY<STRING(MAX)>, N INT64, J JSON,
          Words TOKENLIST AS (TOKENIZE_FULLTEXT(Text)) HIDDEN,
          Lines TOKENLIST AS (TOKENIZE_FULLTEXT(Parts, token_category => 'title')) HIDDEN,
          Grams TOKENLIST AS (
            TOKENIZE_SUBSTRING(Text, ngram_size_min => 2, relative_search_types => ['all'])) HIDDEN,
          Raw TOKENLIST AS (TOKENIZE_NGRAMS(Text, ngram_size_max => 3)) HIDDEN,
          NTok TOKENLIST AS (TOKENIZE_NUMBER(N)) HIDDEN,
          JTok TOKENLIST AS (TOKENIZE_JSON(J)) HIDDEN
        ) PRIMARY KEY (Id)""",
        "CREATE SEARCH INDEX I ON T(Words, Lines, Grams, Raw, NTok, JTok) STORING (Text)",
        "CREATE SEARCH INDEX ByBox ON T(Words) PARTITION BY Box WHERE Box IS NOT NULL",
        """CREATE TABLE D (Key STRING(MAX) NOT NULL, Value ARRAY<STRING(MAX)> NOT NULL)
          PRIMARY KEY (Key), OPTIONS (fulltext_dictionary_table = true)""",
    ),
    POSTGRESQL: (
        """CREATE TABLE t (id bigint PRIMARY KEY, body text, n bigint, j jsonb,
          words spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_fulltext(body))
            VIRTUAL HIDDEN,
          grams spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_substring(body))
            VIRTUAL HIDDEN,
          ntok spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_number(n)) VIRTUAL HIDDEN,
          jtok spanner.tokenlist GENERATED ALWAYS AS (spanner.tokenize_jsonb(j)) VIRTUAL HIDDEN)""",
        "CREATE SEARCH INDEX i ON t(words, grams, ntok, jtok)",
    ),
}
_INSERTS = {
    GOOGLE_STANDARD_SQL: (
        """INSERT INTO T (Id, Box, Text, Parts, N, J) SELECT i, MOD(i, 3),
          IF(MOD(i, 7) = 0, NULL, CONCAT('Quick brown fox ', CAST(i AS STRING), ' 旅行 #tag café')),
          [CAST(i AS STRING), NULL, 'lazy dog'], i, PARSE_JSON('{"a": [1, {"b": "x"}], "c": 2}')
          FROM UNNEST(GENERATE_ARRAY(1, %d)) AS i""",
        "INSERT INTO D (Key, Value) VALUES ('fox', ['lazy dog', 'animal'])",
    ),
    POSTGRESQL: (
        """INSERT INTO t (id, body, n, j) SELECT i, 'Quick brown fox ' || i::text || ' #tag', i,
          '{"a": [1, {"b": "x"}], "c": 2}'::jsonb FROM generate_series(1, %d) AS i""",
    ),
}
STATEMENTS = {
    GOOGLE_STANDARD_SQL: tuple(
        """
SELECT Id FROM T WHERE SEARCH(Words, 'quick "brown fox" -dog OR lazy') ORDER BY SCORE(Words, 'fox') DESC LIMIT 3
SELECT Id, SCORE(Lines, 'dog') FROM T WHERE SEARCH(Lines, '"lazy dog"') AND NOT SEARCH(Words, 'fox AROUND(2) 旅行')
SELECT Id FROM T WHERE SEARCH(TOKENLIST_CONCAT([Words, Lines]), 'fox dog', dialect => 'words_phrase')
SELECT Id FROM T WHERE SEARCH_SUBSTRING(Grams, 'rown fo', relative_search_type => 'phrase') OR N = 3
SELECT Id, SCORE_NGRAMS(Grams, 'quik') FROM T WHERE SEARCH_NGRAMS(Grams, 'quik', min_ngrams => 1) LIMIT 5
SELECT Id FROM T WHERE SEARCH_NGRAMS(Raw, 'Quick', min_ngrams_percent => 50.0) ORDER BY SCORE_NGRAMS(Raw, 'a') DESC
SELECT Id FROM T WHERE SEARCH_NGRAMS(Grams, 'fox', min_ngrams => 1) ORDER BY SCORE_NGRAMS(Grams, 'fox') DESC, N LIMIT 3
SELECT Text, N FROM T WHERE NOT SEARCH_NGRAMS(Raw, 'fox') AND N > 9 ORDER BY SCORE_NGRAMS(Raw, 'Quick') DESC LIMIT 4 OFFSET 2
SELECT Id FROM T WHERE SEARCH_SUBSTRING(Grams, 'rown fo quick', relative_search_type => NULL)
SELECT Id FROM T WHERE SEARCH(Words, 'foxe', enhance_query => TRUE, dictionary => 'D', language_tag => 'en')
SELECT Id FROM T@{FORCE_INDEX = ByBox} WHERE Box = 1 AND Box IS NOT NULL AND SEARCH(Words, 'fox')
SELECT Id FROM T@{FORCE_INDEX = I} WHERE N BETWEEN 3 AND 9 AND J.a[1].b IS NOT NULL AND N != 4
SELECT Id FROM T WHERE JSON_CONTAINS(J, JSON '{"c": 2}') AND J['a'] IS NOT NULL AND N NOT IN (1, 2)
SELECT SNIPPET(Text, 'fox OR brown', max_snippets => 1, max_snippet_width => 9), N FROM T WHERE Id < 4
SELECT DEBUG_TOKENLIST(TOKENIZE_SUBSTRING('Hello World', ngram_size_min => 2, ngram_size_max => 3))
SELECT DEBUG_TOKENLIST(TOKENIZE_NUMBER(42, min => 1, max => 100, granularity => 10, tree_base => 3))
SELECT DEBUG_TOKENLIST(TOKENIZE_FULLTEXT('<b>a</b> &amp; c', content_type => 'text/html'))
SELECT x FROM (SELECT Id AS x, Words FROM T WHERE SEARCH(Words, 'fox') LIMIT 9) ORDER BY SCORE(Words, 'fox', options => JSON '{"version": 2}')
""".strip().splitlines()
    ),
    POSTGRESQL: tuple(
        """
SELECT id FROM t WHERE spanner.search(words, 'quick "brown fox" -dog') ORDER BY spanner.score(words, 'fox') DESC LIMIT 3
SELECT id FROM t WHERE spanner.search_substring(grams, 'row') AND n > 3 AND j @> '{"c": 2}'::jsonb
SELECT id, spanner.score_ngrams(grams, 'quik') FROM t WHERE spanner.search_ngrams(grams, 'quik', min_ngrams => 1)
SELECT id FROM t WHERE j ? 'a' AND j ?| array['c', 'd'] AND j -> 'a' IS NOT NULL AND n <> 4
SELECT id FROM t /*@ force_index = i */ WHERE n BETWEEN 3 AND 9 AND NOT spanner.search(words, 'tag', dialect => 'words')
SELECT spanner.snippet(body, 'fox', max_snippets => 1) FROM t WHERE id < 4
SELECT spanner.debug_tokenlist(spanner.tokenize_fulltext('Hello DB #World', language_tag => 'en'))
""".strip().splitlines()
    ),
}
_PIECES = (
    "fox", "brown", "-", '"', "(", ")", "|", " OR ", "OR", " AROUND ", "AROUND(", "3", ")", "*",
    "#tag", "\\\\", '\\\\"', " ", "旅行", "旅 行", "é", "e\u0301", "\u0000", "\ufeff", "😀", ".", "=", ":", "a|b",
    "x" * 300, "9" * 40, "\u200d", "ß", "İ", "ﬁ", "<b>", "&amp;",
)  # fmt: skip


def statement(random: Random, dialect: DatabaseDialect) -> str:
    """Return a statement with other tokens, or with another text to search for."""
    corpus = STATEMENTS[dialect]
    if random.random() < 0.5:
        return mutated(random, corpus)
    sql = random.choice(corpus)
    text = "".join(random.choices(_PIECES, k=random.randrange(9))).replace("'", "")
    if dialect is POSTGRESQL:
        text = text.replace("\u0000", "")
    return (
        sql.replace("'fox'", f"'{text}'")
        .replace("'quik'", f"'{text}'")
        .replace("'quick", f"'{text}quick")
    )


def created(dialect: DatabaseDialect) -> Database:
    """Return a database with rows to search."""
    environment = Environment(ManualClock(), Randomness(7))
    name = "projects/p/instances/i/databases/db"
    database = Database.create(name, environment, dialect=dialect)
    failure = database.apply_ddl(list(SCHEMAS[dialect])).failure
    assert failure is None
    for sql in _INSERTS[dialect]:
        database.interfere([sql.replace("%d", str(ROWS))])
    return database


class Campaign:
    """Statements made from a corpus with a seeded generator."""

    def __init__(self, seed: int) -> None:
        self.findings = Findings()
        self._random = Random(seed)
        self._sessions = {
            dialect: created(dialect).sessions.create({}) for dialect in (*STATEMENTS,)
        }

    def run(self, count: int) -> Findings:
        """Run `count` statements, each changed in another way."""
        for _ in range(count):
            dialect = self._random.choice((GOOGLE_STANDARD_SQL, GOOGLE_STANDARD_SQL, POSTGRESQL))
            self._single(dialect, statement(self._random, dialect))
        return self.findings

    def _single(self, dialect: DatabaseDialect, sql: str) -> None:
        began = process_time()
        try:
            list(self._sessions[dialect].execute(StatementRequest(sql), None).rows)
            code = "OK"
        except SpannerError as refused:
            code = refused.code.name
            if refused.code not in EXPECTED or not str(refused):
                self._report(sql, f"{code} {refused}")
        except Exception:
            code = "UNKNOWN"
            self._report(sql, traceback.format_exc(limit=-6))
        self.findings.codes[code] += 1
        took = process_time() - began
        if took > SECONDS_MAX:
            self._report(sql, f"{code} after {took:.1f} s")

    def _report(self, sql: str, what: str) -> None:
        self.findings.violations.append(f"{sql}\n    {what}")


if __name__ == "__main__":
    sys.exit(
        command.run("searches", __doc__, 20_000, lambda seed, count: Campaign(seed).run(count))
    )
