"""Docstrings and names are plain technical English, as docs/contributing.md asks, also in tests.

A function's docstring begins with an imperative verb, a class's with a noun phrase, and the
words that could mean anything name no variable in a scope longer than five lines.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.tidy.modules import (
    PACKAGE,
    PLUGIN,
    TESTS,
    Function,
    functions,
    modules,
    name_of,
    nodes_of,
)

MODULES = [*modules(PACKAGE), *modules(PLUGIN), *modules(TESTS)]
VERBS = frozenset((Path(__file__).parent / "imperative_verbs.txt").read_text().split())

# No docstring begins with these: they announce a riddle where a subject belongs.
NOT_FIRST = frozenset(
    "As Be Have How Of So Such That These Those What Whatever When Where Whether Which Who Whoever "
    "Whose Why".split()
)
# Too vague for a name that is read more than five lines away from where it is made.
VAGUE = frozenset("each found made one place thing told wanted".split())
SHORT_SCOPE_LINES = 5


def first_word(docstring: str) -> str:
    return docstring.split(maxsplit=1)[0].rstrip(".,:;") if docstring.strip() else ""


def documented(path: Path, kind: type | tuple[type, ...]) -> Iterator[tuple[ast.AST, str, str]]:
    """Yield the nodes of a kind that have a docstring, with its first word and where it stands."""
    for node in nodes_of(path):
        if isinstance(node, kind) and (docstring := ast.get_docstring(node)):
            yield node, first_word(docstring), f"{name_of(path)}:{node.lineno} {node.name}"


def is_property(function: Function) -> bool:
    """Return whether a function is read like an attribute: its docstring may be a noun phrase."""
    return any("property" in ast.unparse(each) for each in function.decorator_list)


def test_functions_begin_with_an_imperative_verb() -> None:
    breaches = [
        f"{where}: {word}"
        for path in MODULES
        for node, word, where in documented(path, (ast.FunctionDef, ast.AsyncFunctionDef))
        if (word in NOT_FIRST if is_property(node) else word.lower() not in VERBS)
    ]
    assert not breaches, "say what the function does; a new verb goes into imperative_verbs.txt"


def test_classes_begin_with_a_noun_phrase() -> None:
    breaches = [
        f"{where}: {word}"
        for path in MODULES
        for _, word, where in documented(path, ast.ClassDef)
        if word in NOT_FIRST or is_third_person(word)
    ]
    assert not breaches, "say what an instance is"


def is_third_person(word: str) -> bool:
    """Return whether a word is like `Chooses` or `Applies`, which say what somebody does."""
    lower = word.lower()
    stems = {lower.removesuffix("s"), lower.removesuffix("es"), lower.removesuffix("ies") + "y"}
    return lower.endswith("s") and bool(stems & VERBS) and lower not in NOUNS


# Plurals of nouns that are verbs as well.
NOUNS = frozenset(
    "calls changes keys limits locks names partitions queries reads samples scans states values "
    "writes".split()
)


def test_vague_names_stay_in_short_scopes() -> None:
    breaches = [
        f"{name_of(path)}:{node.lineno} {name} in {function.name}"
        for path in MODULES
        for function in functions(path)
        if lines_of(function) > SHORT_SCOPE_LINES
        for name, node in names_bound(function)
        if name in VAGUE
    ]
    assert not breaches, "name what it holds"


def lines_of(function: Function) -> int:
    """Return the lines of a function's body, its docstring aside."""
    body = function.body[1:] if ast.get_docstring(function) else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def names_bound(function: Function) -> Iterator[tuple[str, ast.expr | ast.arg]]:
    """Yield parameters, and names that statements bind; not those of comprehensions."""
    given = function.args
    for arg in (*given.posonlyargs, *given.args, *given.kwonlyargs):
        yield arg.arg, arg
    queue: list[ast.AST] = list(function.body)
    while queue:
        node = queue.pop()
        if isinstance(node, ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(node, Function | ast.ClassDef | ast.Lambda):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node
        queue.extend(ast.iter_child_nodes(node))
