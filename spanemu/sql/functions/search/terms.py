"""What a search index must look up for a query.

tokens_of(tree)     every token whose occurrences decide the tree
candidates(tree)    a tree of Term, AllOf, AnyOf and AtLeast alone that all lists fulfil that
                    fulfil `tree`; EVERYTHING if no token can exclude a list
decides(tree)       whether the candidates are the answer, with no look at positions

"big cat" -red      big and cat
big AROUND cat      big and cat
big OR -red         everything
"""

from __future__ import annotations

from collections.abc import Sequence

from spanemu.sql.functions.search.query_tree import (
    EVERYTHING,
    NOTHING,
    AllOf,
    AnyOf,
    Around,
    AtLeast,
    Node,
    Not,
    Phrase,
    Term,
)


def tokens_of(tree: Node) -> frozenset[bytes]:
    """Return the tokens of a tree."""
    if isinstance(tree, Term):
        return frozenset({tree.token})
    if isinstance(tree, AtLeast):
        return frozenset(tree.tokens)
    if isinstance(tree, Phrase):
        return frozenset(token for place in tree.places for token in place or ())
    operands = (tree.operand,) if isinstance(tree, Not) else tree.operands
    return frozenset().union(*map(tokens_of, operands))


def candidates(tree: Node) -> Node:
    """Return the conditions on the presence of tokens that follow from a tree."""
    if isinstance(tree, Term | AtLeast):
        return tree
    if isinstance(tree, Not):
        return EVERYTHING
    if isinstance(tree, AnyOf):
        return _any_of([candidates(operand) for operand in tree.operands])
    if isinstance(tree, Phrase):
        places = [place for place in tree.places if place is not None]
        return _all_of([_any_of([Term(token) for token in place]) for place in places])
    assert isinstance(tree, AllOf | Around)
    return _all_of([candidates(operand) for operand in tree.operands])


def decides(tree: Node) -> bool:
    """Return whether `candidates(tree)` is fulfilled by no other list than `tree` is."""
    if isinstance(tree, Term | AtLeast):
        return True
    if isinstance(tree, AllOf | AnyOf):
        return all(map(decides, tree.operands))
    return isinstance(tree, Phrase) and len(tree.places) == 1


def _all_of(operands: Sequence[Node]) -> Node:
    needed = dict.fromkeys(operand for operand in operands if operand != EVERYTHING)
    if NOTHING in needed:
        return NOTHING
    return next(iter(needed)) if len(needed) == 1 else AllOf(tuple(needed))


def _any_of(operands: Sequence[Node]) -> Node:
    if EVERYTHING in operands:
        return EVERYTHING
    useful = dict.fromkeys(operand for operand in operands if operand != NOTHING)
    return next(iter(useful)) if len(useful) == 1 else AnyOf(tuple(useful))
