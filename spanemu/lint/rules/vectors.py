"""SPN231 to SPN234: columns of embeddings, and vector indexes.

From the pages "Vector search best practices", "Create and manage vector indexes" and "Vector
indexing best practices". Not here: stored columns of a vector index (SPN212, `index_shape`).
"""

from __future__ import annotations

from collections.abc import Iterator

from spanemu.base.name_hints import like_embedding
from spanemu.lint.model import Column, Index, Schema, Table
from spanemu.lint.rule import INFO, Hit, Rule, each_table, hit_on
from spanemu.lint.values import holds_long_values

LEAVES_PER_BRANCH_MIN, LEAVES_PER_BRANCH_MAX = 50, 500  # recommended by the page on best practices


def _element(column: Column) -> str | None:
    """Return the type of the elements of an array of floating-point numbers: FLOAT32 or FLOAT64."""
    element = column.definition.type.element
    name = "" if element is None else str(element.path).upper()
    return _FLOATS.get(name)


# Also by the names in PostgreSQL.
_FLOATS = {
    **dict.fromkeys(("FLOAT32", "FLOAT4", "REAL"), "FLOAT32"),
    **dict.fromkeys(("FLOAT64", "FLOAT8", "DOUBLE PRECISION"), "FLOAT64"),
}


def _without_length(table: Table) -> Iterator[Hit]:
    for column in table.columns.values():
        is_vector = _element(column) is not None and column.definition.type.vector_length is None
        if is_vector and like_embedding(column.spelling):
            yield Hit(column.position, table.name, column.name)


def _of_doubles(table: Table) -> Iterator[Hit]:
    for column in table.columns.values():
        if _element(column) == "FLOAT64" and column.definition.type.vector_length is not None:
            yield Hit(column.position, table.name, column.name)


def _vector_indexes(schema: Schema) -> Iterator[Index]:
    return (index for index in schema.indexes.values() if index.vector)


def _branches(schema: Schema) -> Iterator[Hit]:
    for index in _vector_indexes(schema):
        branches, leaves = index.options.get("num_branches"), index.options.get("num_leaves")
        if not isinstance(branches, int) or not isinstance(leaves, int) or branches < 1:
            continue
        if not LEAVES_PER_BRANCH_MIN <= leaves / branches <= LEAVES_PER_BRANCH_MAX:
            yield hit_on(index, leaves=leaves, branches=branches)


def _long_keys(schema: Schema) -> Iterator[Hit]:
    for index in _vector_indexes(schema):
        for part in index.key[1:]:
            if part.column is not None and holds_long_values(part.column):
                yield hit_on(index, part.name)


_DOCS = "CREATE TABLE Docs (Id STRING(36) NOT NULL, Kind STRING(20), Body STRING(MAX), "
_INDEX = (
    "Embedding ARRAY<FLOAT32>(vector_length=>768) NOT NULL) PRIMARY KEY (Id);\n"
    "CREATE VECTOR INDEX ByEmbedding ON Docs(Embedding"
)
_TREE = ") OPTIONS (distance_type = 'COSINE', tree_depth = 3, "

RULES = (
    Rule(
        "SPN231", INFO, "D", "Embedding without a length",
        "With its length, searches for the nearest neighbours are faster, writes of vectors of "
        "another length fail, and a vector index is possible. No statement adds the length later.",
        "Declare the column with vector_length",
        "{object}.{column} is an array of floating-point numbers without vector_length.",
        bad=f"{_DOCS}Embedding ARRAY<FLOAT32>) PRIMARY KEY (Id)",
        good=f"{_DOCS}Embedding ARRAY<FLOAT32>(vector_length=>768)) PRIMARY KEY (Id)",
        check=each_table(_without_length),
    ),
    Rule(
        "SPN232", INFO, "D", "Embedding of doubles",
        "FLOAT32 is recommended for embeddings: most models compute no more digits, and vectors "
        "and the entries of vector indexes take half the space.",
        "FLOAT32 as the type of the elements",
        "{object}.{column} holds vectors of FLOAT64.",
        bad=f"{_DOCS}Embedding ARRAY<FLOAT64>(vector_length=>768)) PRIMARY KEY (Id)",
        good=f"{_DOCS}Embedding ARRAY<FLOAT32>(vector_length=>768)) PRIMARY KEY (Id)",
        check=each_table(_of_doubles),
    ),
    Rule(
        "SPN233", INFO, "D", "Vector index with few or many leaves in a branch",
        "From 50 to 500 leaves in a branch are recommended. With other numbers, a search looks at "
        "more branches or more leaves for the same recall. Spanner chooses all of these numbers "
        "where the options leave them out.",
        "No tree_depth, num_branches and num_leaves, or from 50 to 500 leaves in a branch",
        "{object} has {leaves} leaves in {branches} branches.",
        bad=f"{_DOCS}{_INDEX}{_TREE}num_branches = 1000, num_leaves = 2000)",
        good=f"{_DOCS}{_INDEX}{_TREE}num_branches = 1000, num_leaves = 200000)",
        check=_branches,
    ),
    Rule(
        "SPN234", INFO, "D", "Vector index with a key of long values",
        "The entries of a leaf hold the key columns beside the vectors. Long values dilute the "
        "blocks that each search reads.",
        "A column with a hash of the value, and a filter of the first rows by the value itself",
        "{object} has long values of {column} in its key.",
        bad=f"{_DOCS}{_INDEX}, Body) OPTIONS (distance_type = 'COSINE')",
        good=f"{_DOCS}{_INDEX}, Kind) OPTIONS (distance_type = 'COSINE')",
        check=_long_keys,
    ),
)  # fmt: skip
