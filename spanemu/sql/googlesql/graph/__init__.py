"""The graph query language GQL inside GoogleSQL: `ast`, then `syntax`, then `analyzer`.

GQL is no dialect. A graph query is the body of a query of GoogleSQL (`graph.ast.GraphQuery`), and
its expressions are those of GoogleSQL. Nothing here is imported before a statement has a graph
query: the parser and the analyzer of GoogleSQL load this package on demand.
"""
