"""SPN225 to SPN228: token lists that no query can use, or that cost more than they need to.

no search index       tokens are computed at every write, and searched by nothing
two search indexes    one query searches token lists of one index only
single characters     an n-gram of one character is found in nearly every row
numbers of any size   without min and max, every number has up to 64 range tokens
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.identifiers import fold
from spanemu.lint.model import Column, Index, Table
from spanemu.lint.rule import INFO, WARNING, Hit, Rule, each_table, hit_on
from spanemu.sql.inspection import called_function, columns_read, integer_value, walk
from spanemu.sql.syntax_tree import Call, Expression, StringLiteral

_TOKEN_LIST = "TOKENLIST"
_NGRAMS = frozenset({"TOKENIZE_SUBSTRING", "TOKENIZE_NGRAMS"})
_NUMBER = "TOKENIZE_NUMBER"
_EQUALITY = "equality"


def _token_columns(table: Table) -> list[Column]:
    return [column for column in table.columns.values() if column.type == _TOKEN_LIST]


def _search_indexes(table: Table) -> list[Index]:
    return [index for index in table.schema.indexes_on(table) if index.search and not index.vector]


def _without_index(table: Table) -> Iterator[Hit]:
    """Yield the token lists that no search index has, and no other token list consists of."""
    columns = _token_columns(table)
    used = {name for index in _search_indexes(table) for name in index.key_names}
    for column in columns:
        if column.generated is not None:
            used |= columns_read(column.generated)
    for column in columns:
        if fold(column.name) not in used:
            yield Hit(column.position, table.name, column.name)


def _in_two_indexes(table: Table) -> Iterator[Hit]:
    """Yield the search indexes that lack a token list which another one has, and the reverse."""
    indexes = _search_indexes(table)
    for number, index in enumerate(indexes):
        for other in indexes[:number]:
            if set(index.key_names).isdisjoint(other.key_names):
                yield hit_on(index, other=other.name, table=table.name)
                break


def _single_characters(table: Table) -> Iterator[Hit]:
    for column, call in _calls(table, _NGRAMS):
        smallest = _named(call, "ngram_size_min")
        if smallest is None or integer_value(smallest) == 1:
            yield Hit(column.position, table.name, column.name)


def _unbounded_numbers(table: Table) -> Iterator[Hit]:
    for column, call in _calls(table, frozenset({_NUMBER})):
        comparison = _named(call, "comparison_type")
        is_equality = (
            isinstance(comparison, StringLiteral) and comparison.value.lower() == _EQUALITY
        )
        is_integer = any(
            source is not None and source.type == "INT64"
            for source in map(table.column, sorted(columns_read(call)))
        )
        has_limits = _named(call, "min") is not None and _named(call, "max") is not None
        if is_integer and not is_equality and not has_limits:
            yield Hit(column.position, table.name, column.name)


def _calls(table: Table, functions: frozenset[str]) -> Iterator[tuple[Column, Call]]:
    """Yield the calls of some functions in the expressions of generated columns."""
    for column in _token_columns(table):
        if column.generated is None:
            continue
        for node, _ in walk(column.generated):
            if isinstance(node, Call) and called_function(node) in functions:
                yield column, node


def _named(call: Call, name: str) -> Expression | None:
    """Return the value of an argument that a call gives by name."""
    for argument in call.arguments:
        written = getattr(argument, "name", None)
        value = getattr(argument, "value", None)
        if isinstance(value, Expression) and written is not None and fold(written.name) == name:
            return value
    return None


_POSTS = (
    "CREATE TABLE Posts (Id INT64 NOT NULL, Body STRING(MAX), Score INT64, "
    "BodyTokens TOKENLIST AS ({tokens}) HIDDEN) PRIMARY KEY (Id);\n"
)
_ON_BODY = "CREATE SEARCH INDEX PostsByText ON Posts(BodyTokens)"
_FULLTEXT = _POSTS.format(tokens="TOKENIZE_FULLTEXT(Body)")
_TWO = (
    "CREATE TABLE Posts (Id INT64 NOT NULL, Title STRING(MAX), Body STRING(MAX), "
    "TitleTokens TOKENLIST AS (TOKENIZE_FULLTEXT(Title)) HIDDEN, "
    "BodyTokens TOKENLIST AS (TOKENIZE_FULLTEXT(Body)) HIDDEN) PRIMARY KEY (Id);\n"
)


def _substrings(options: str) -> str:
    return _POSTS.format(tokens=f"TOKENIZE_SUBSTRING(Body{options})") + _ON_BODY


def _numbers(options: str) -> str:
    return _POSTS.format(tokens=f"TOKENIZE_NUMBER(Score{options})") + _ON_BODY


RULES = (
    Rule(
        "SPN225", WARNING, "D", "Token list without a search index",
        "SEARCH and its kin read search indexes only. A token list in none of them, and in no "
        "other token list, is computed for nothing.",
        "A search index with {column}, or a table without it",
        "{object}.{column} is in no search index, so no query can search it.",
        bad=_FULLTEXT.rstrip(";\n"),
        good=_FULLTEXT + _ON_BODY,
        check=each_table(_without_index),
    ),
    Rule(
        "SPN226", INFO, "D", "Token lists of a table in two search indexes",
        "All search functions of a query on one table must be answered by one search index. A "
        "query that searches token lists of two indexes fails.",
        "If queries search both: one search index with the token lists of both",
        "{object} and {other} have no token list in common, so no query of {table} can search "
        "the token lists of both.",
        bad=f"{_TWO}CREATE SEARCH INDEX ByTitle ON Posts(TitleTokens);\n"
        "CREATE SEARCH INDEX ByBody ON Posts(BodyTokens)",
        good=f"{_TWO}CREATE SEARCH INDEX ByText ON Posts(TitleTokens, BodyTokens)",
        check=each_table(_in_two_indexes),
    ),
    Rule(
        "SPN227", INFO, "D", "N-grams of one character",
        "Nearly every row has the character, so such n-grams exclude nothing, and add to every "
        "write. Words that are that short are found without n-grams.",
        "If queries have two characters or more: ngram_size_min => 2",
        "{object}.{column} has n-grams of one character.",
        bad=_substrings(""),
        good=_substrings(", ngram_size_min=>2"),
        opt_in=True, check=each_table(_single_characters),
    ),
    Rule(
        "SPN228", INFO, "D", "Tokens for ranges of all integers",
        "Without min and max, the tokens of a number divide the range of INT64: up to 64 for each "
        "number. Narrow limits that all numbers fit in need few.",
        "min => and max => around all values, or comparison_type => 'equality' if no query "
        "compares by < or BETWEEN",
        "{object}.{column} has tokens for ranges of all integers.",
        bad=_numbers(""),
        good=_numbers(", min=>0, max=>1000"),
        opt_in=True, check=each_table(_unbounded_numbers),
    ),
)  # fmt: skip
