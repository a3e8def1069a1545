"""The parser of graph queries: functions over GoogleSQL's parser, which make `graph.ast` trees.

In reading order: `predicates` (label expressions, and conditions on elements in any expression),
`patterns` (paths), `statements` (MATCH to RETURN) and `queries` (set operators, NEXT, subqueries in
braces, GRAPH_TABLE).
"""
