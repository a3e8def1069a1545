"""Random queries get the same answers from spanemu and from Google's emulator.

Longer runs: `python -m tests.differential --queries 2000`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.differential import corpus, wrong
from tests.differential.campaign import differences
from tests.differential.oracle import Oracle, random_expression, shown
from tests.differential.outcome import PATIENT_SECONDS_MAX
from tests.differential.pipes import in_standard_syntax, random_pipes
from tests.differential.targets import Target, reference, subject
from tests.installed import needs

_SEEDS = range(40_000, 40_150)


@pytest.fixture(scope="module")
def database() -> Iterator[Target]:
    with subject(corpus.ROWS_SEED) as found:
        yield found


def test_the_corpus_gets_the_answers_kept(database: Target) -> None:
    entries = corpus.read()
    wrong = []
    for entry in entries:
        answer = database.ask(entry.statement, PATIENT_SECONDS_MAX)
        if not answer.agrees(entry.expected):
            wrong.append(f"{entry.statement.sql}\n  now  {answer}\n  kept {entry.expected}")
    assert not wrong, "\n".join(wrong)
    assert len(entries) > 100


@pytest.mark.parametrize("entry", wrong.read(), ids=lambda entry: entry.sql)
def test_wrong_statements_fail_where_they_are_wrong(database: Target, entry: wrong.Wrong) -> None:
    answer = database.ask(entry.statement, PATIENT_SECONDS_MAX)
    assert (answer.code, answer.place) == (entry.code, entry.place), answer.message


def test_pipe_syntax_agrees_with_standard_syntax(database: Target) -> None:
    with in_standard_syntax(corpus.ROWS_SEED) as standard:
        found = list(
            differences(database, standard, range(700, 730), shrink=False, make=random_pipes)
        )
    assert not found, "\n".join(map(str, found))


@pytest.mark.oracle
def test_random_expressions_get_the_values_of_zetasql() -> None:
    needs("zetasql")
    with shown() as ours, Oracle() as theirs:
        found = list(differences(ours, theirs, _SEEDS, shrink=False, make=random_expression))
    assert not found, "\n".join(map(str, found))


@pytest.mark.reference
def test_random_queries_get_the_reference_answers(database: Target) -> None:
    with reference(corpus.ROWS_SEED) as theirs:
        found = list(differences(database, theirs, _SEEDS, shrink=False))
    assert not found, "\n".join(map(str, found))
