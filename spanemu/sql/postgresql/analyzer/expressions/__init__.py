"""Resolves expressions: operators and functions by PostgreSQL's rules of type resolution.

In reading order:

    coercion                      conversion of expressions, and the type of CASE and the like
    overload                      the rules by which a call selects a function or an operator
    signatures, calls             what a call means, and the calls of the resolved tree
    expression                    the entry points
    primary, operators            the resolvers of each group of syntax nodes
    conditionals, conversions,
    functions, aggregates,
    subqueries
    errors                        PostgreSQL's messages about types and calls
"""
