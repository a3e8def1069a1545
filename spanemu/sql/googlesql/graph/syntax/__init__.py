"""The parser of graph queries: tokens to a tree of `googlesql.graph.ast`."""
