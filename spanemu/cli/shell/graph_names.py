"""Completions in graph queries: names of graphs, labels, and properties of pattern variables.

A graph query is text that is not finished yet, so regular expressions look at what stands before
the cursor:

    GRAPH |                  the names of graphs
    MATCH (n:|               the labels of the graph that the text names last
    MATCH (n:Person {|       the properties of the label, all of the graph without a label
    RETURN n.|               the properties of the labels that the pattern of `n` names
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from spanemu.base.record import NamedTuple

Graphs = Mapping[str, Mapping[str, Sequence[str]]]  # properties by label, by name of the graph

_NAMED = r"\bGRAPH(?:_TABLE\s*\(|\s)\s*"
_GRAPH = re.compile(rf"{_NAMED}[\w.]*\Z", re.IGNORECASE)
_USED = re.compile(rf"{_NAMED}`?([\w.]+)", re.IGNORECASE)
_FILLER = r"[(\[]\s*(?:@\{[^}]*\}\s*)?(\w*)\s*"  # a variable after the opening of an element
_LABEL = re.compile(rf"{_FILLER}(?::|\bIS\s)[\w\s|&!%(]*\Z", re.IGNORECASE)
_PROPERTY = re.compile(
    rf"{_FILLER}(?:(?::|\bIS\s)\s*([\w|&]+)\s*)?\{{(?:[^{{}}]*,)?\s*\w*\Z", re.IGNORECASE
)
_DECLARED = re.compile(rf"{_FILLER}(?:(?::|\bIS\s)\s*([\w|&]+))?", re.IGNORECASE)
_FIELD = re.compile(r"\b(\w+)\.(\w*)\Z")
_WORD = re.compile(r"\w*\Z")


class Names(NamedTuple):
    """The names that may complete the text at the cursor, their kind, and the typed part."""

    prefix: str
    names: Sequence[str]
    kind: str


def names_in_graph_query(before: str, graphs: Graphs) -> Names | None:
    """Return the names that may follow the text; None where it decides nothing about graphs."""
    word = _WORD.search(before)
    prefix = "" if word is None else word[0]
    if _GRAPH.search(before):
        dotted = re.search(r"[\w.]*\Z", before)
        return Names("" if dotted is None else dotted[0], list(graphs), "graph")
    used = _USED.findall(before)
    labels = _labels_of(used[-1], graphs) if used else None
    if labels is None:
        return None
    if _LABEL.search(before):
        return Names(prefix, list(labels), "label")
    if match := _PROPERTY.search(before):
        return Names(prefix, _properties(match[2] or "", labels), "property")
    if match := _FIELD.search(before):
        variables = dict(_variables(before))
        if match[1].lower() in variables:
            return Names(match[2], _properties(variables[match[1].lower()], labels), "property")
    return None


def _labels_of(name: str, graphs: Graphs) -> Mapping[str, Sequence[str]] | None:
    return next((graphs[each] for each in graphs if each.lower() == name.lower()), None)


def _variables(before: str) -> Iterator[tuple[str, str]]:
    """Yield the variables of patterns with the labels that their first pattern names."""
    found: dict[str, str] = {}
    for name, labels in _DECLARED.findall(before):
        if name and (labels or name.lower() not in found):
            found[name.lower()] = labels
    yield from found.items()


def _properties(written: str, labels: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the properties of the labels in an expression such as "A|B", all without a label."""
    wanted = {word.lower() for word in re.findall(r"\w+", written)}
    of_labels = [each for name, each in labels.items() if not wanted or name.lower() in wanted]
    return list(dict.fromkeys(name for each in of_labels for name in each))
