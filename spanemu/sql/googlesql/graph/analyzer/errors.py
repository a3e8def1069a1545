"""The errors of graph queries that parse but are not valid; the texts are ZetaSQL's.

AnalysisError  INVALID_ARGUMENT, with a position in the text
├── names: graphs, labels, properties, variables
├── patterns: variables in several roles, quantifiers, prefixes and modes
└── statements: RETURN, aggregation, CALL, set operations
"""

from __future__ import annotations

from spanemu.sql.errors import AnalysisError
from spanemu.sql.googlesql.analyzer.name_errors import Suggesting


class BadGraphQuery(AnalysisError):
    prose = "{problem}"
    problem: str


# ---------------------------------------------------------------------------- names


class GraphNotFound(Suggesting):
    prose = "Property graph not found: {name}"


class NoGraph(AnalysisError):
    prose = (
        "No graph reference found in the current context of graph subquery. Please specify one "
        "using the GRAPH clause"
    )


class LabelNotFound(Suggesting):
    prose = "Label '{name}' not found."


class LabelOfOtherKind(AnalysisError):
    prose = "Label {name} is only valid for {valid}, but used here on a {used}"
    name: str
    valid: str  # "nodes", "edges"
    used: str  # "node", "edge"


class PropertyNotExposed(AnalysisError):
    prose = "Property {name} is not exposed by element type {type}"
    name: str
    type: str


class PropertyNotDefined(Suggesting):
    prose = "Property {name} is not defined in PropertyGraph {graph}"
    graph: str = ""


class DynamicPropertyEquality(AnalysisError):
    prose = (
        "Unsupported equality comparison between dynamic property and value of type {type}. "
        "Supported types are BOOL, INT64, FLOAT64, STRING, and arrays of them"
    )
    type: str


class EarlierNameInPattern(AnalysisError):
    prose = (
        "Name '{name}', defined in the previous statement, can only be referenced in the "
        "outermost WHERE clause of MATCH"
    )
    name: str


class NameAlreadyDefined(AnalysisError):
    prose = "Variable name: {name} already exists"
    name: str


class ElementDefinedOutside(AnalysisError):
    prose = (
        "The name {name} is already defined; redefining graph element variables in a subquery is "
        "not allowed. To refer to the same graph element, use a different element name and add "
        "an explicit filter that checks for equality"
    )
    name: str


# ---------------------------------------------------------------------------- patterns


class NotAnElementColumn(AnalysisError):
    prose = "`{name}` is not a graph element column and cannot be redeclared"
    name: str


class NodeAndEdge(AnalysisError):
    prose = "Cannot multiply declare an element as both a node and an edge pattern: `{name}`"
    name: str


class QuantifiedAndUnquantified(AnalysisError):
    prose = "Variable name: {name} cannot be used in both quantified and unquantified patterns"
    name: str


class GroupVariableTwice(AnalysisError):
    prose = "Group variable {name} is multiply declared"
    name: str


class InsidePrefix(AnalysisError):
    prose = (
        "Variable `{name}` is inside a path under a selection prefix (`{prefix}`). It cannot be "
        "reused in other paths within the same MATCH statement, unless it is the endpoint node "
        "of the path"
    )
    name: str
    prefix: str


class BadBounds(AnalysisError):
    prose = (
        "Quantified path pattern: lower bound cannot be greater than upper bound: {lower} > {upper}"
    )
    lower: int
    upper: int


class BadCost(AnalysisError):
    prose = "{problem}"
    problem: str


# ---------------------------------------------------------------------------- statements


class NameNeeded(AnalysisError):
    prose = "A name must be explicitly defined for this column"


class DuplicateColumn(AnalysisError):
    prose = "Ambiguous name: {name}"
    name: str


class NotUsableInDistinct(AnalysisError):
    prose = "Column {name} of type {type} cannot be used in {clause} DISTINCT"
    name: str
    type: str
    clause: str


class ColumnsDiffer(AnalysisError):
    prose = (
        "GQL set operation requires all input queries to have identical column names, but the "
        "first query has [{first}] and query {number} has [{other}]"
    )
    first: str
    number: int
    other: str


class TableFunctionUnknown(AnalysisError):
    prose = "Table-valued function not found: {name}"
    name: str


# ---------------------------------------------------------------------------- expressions


class SeveralArrays(AnalysisError):
    prose = (
        "Horizontal aggregation on more than one array-typed variable is not allowed. First "
        "variable: {first}; Second variable: {second}"
    )
    first: str
    second: str


class NoArray(AnalysisError):
    prose = (
        "Horizontal aggregation without an array-typed variable is not allowed. Normal vertical "
        "aggregation is not allowed in this syntactic context"
    )
