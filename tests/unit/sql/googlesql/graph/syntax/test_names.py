"""The words of the graph grammar as names."""

from __future__ import annotations

import pytest

from spanemu.sql.googlesql import ast
from spanemu.sql.googlesql.graph import ast as graph_ast
from spanemu.sql.googlesql.syntax.lexer import UNRESERVED
from spanemu.sql.googlesql.syntax.statement import parse_statement

WORDS = sorted(UNRESERVED)
PATTERN_WORDS = {"ACYCLIC", "PATH", "PATHS", "SIMPLE", "TRAIL", "WALK"}  # keywords in a pattern


def parsed(sql: str) -> graph_ast.SimpleQuery:
    statement = parse_statement(sql)
    assert isinstance(statement, ast.QueryStatement)
    body = statement.query.body
    assert isinstance(body, graph_ast.GraphQuery)
    return body.queries[0].operands[0]


@pytest.mark.parametrize("word", [word for word in WORDS if word not in PATTERN_WORDS])
def test_a_word_of_the_grammar_names_variables(word: str) -> None:
    query = parsed(f"GRAPH g MATCH {word} = ({word})-[{word}]->(`{word}`) RETURN {word}")
    (match,) = query.statements
    assert isinstance(match, graph_ast.Match)
    (pattern,) = match.patterns
    assert pattern.variable == ast.Identifier(word)
    assert all(
        isinstance(term, graph_ast.ElementPattern) and term.variable == ast.Identifier(word)
        for term in pattern.terms
    )


@pytest.mark.parametrize("word", WORDS)
def test_a_word_of_the_grammar_names_labels_properties_and_columns(word: str) -> None:
    query = parsed(
        f"GRAPH {word} MATCH (n:{word} {{{word}: n.{word}}}) LET {word} = 1 "
        f"RETURN n.{word} AS {word}"
    )
    assert query.returned is not None
    (item,) = query.returned.items
    assert isinstance(item, ast.SelectItem)
    assert item.alias == ast.Identifier(word)


@pytest.mark.parametrize("word", sorted(PATTERN_WORDS))
def test_a_quoted_word_of_patterns_names_a_variable(word: str) -> None:
    query = parsed(f"GRAPH g MATCH (`{word}`) RETURN {word}")
    (match,) = query.statements
    assert isinstance(match, graph_ast.Match)
    (node,) = match.patterns[0].terms
    assert isinstance(node, graph_ast.NodePattern)
    assert node.variable == ast.Identifier(word)
