"""Resolves expressions: a module for each kind of expression; `analyzer.analyze` lists them all.

In reading order: `expression` (dispatches to the resolver of a node), `literals`, `names`,
`operators` (also CASE), `conversions`, `constructors`, `message_constructors`, `subqueries`,
`calls`, `remote_calls`. Choice of a function: `operator_call` and `overload`. Implicit conversion:
`coercion`. Fields of messages: `messages`; of other values: `queries.value_relation`.
"""
