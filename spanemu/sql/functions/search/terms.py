"""What a search index must look up for a query.

    tokens_of(tree)     every token whose occurrences decide the tree
    candidates(tree)    a tree of Term, AllOf, AnyOf and AtLeast alone that all lists fulfil that
                        fulfil `tree`; EVERYTHING if no token can exclude a list
    decides(tree)       whether the candidates are the answer, with no look at positions
"""

from __future__ import annotations

from spanemu.sql.functions.search.query_tree import Node


def tokens_of(tree: Node) -> frozenset[bytes]:
    """Return the tokens of a tree."""
    raise NotImplementedError


def candidates(tree: Node) -> Node:
    """Return the conditions on the presence of tokens that follow from a tree."""
    raise NotImplementedError


def decides(tree: Node) -> bool:
    """Return whether `candidates(tree)` is fulfilled by no other list than `tree` is."""
    raise NotImplementedError
