"""The graph query language GQL inside GoogleSQL: its syntax tree, its parser and its analyzer.

GQL is no dialect. A GRAPH query is the body of a query of GoogleSQL (`googlesql.ast.GraphQuery`),
and its expressions are those of GoogleSQL. Nothing here is imported before a statement has a graph
query: the parser and the analyzer of GoogleSQL load this package on demand.
"""
