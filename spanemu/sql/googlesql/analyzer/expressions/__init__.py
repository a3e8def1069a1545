"""Resolves expressions: a module for each kind of expression; `analyzer.resolvers` lists them all.

In reading order: `expression` (dispatches to the resolver of a node), `literals`, `names`,
`operators`, `conditionals`, `conversions`, `constructors`, `message_constructors` and `braces`,
`subqueries`, `calls`. Choice of a function: `operator_call`, `overload`, `argument_binding`,
`signature_text` (signatures in error messages). Implicit conversion:
`coercion`. Fields of values: `members`, `messages`.
"""
