"""Resolves expressions: operators and functions by PostgreSQL's rules of type resolution.

In reading order:

    coercion, common_type              conversion of expressions, and the type of CASE and the like
    polymorphism, overload             the rules by which a call selects a function or an operator
    signatures, calls                  what a call means, and the calls of the resolved tree
    expression                         the entry points
    literals, operators, membership    the resolvers of each group of syntax nodes
    rows, conditionals, constructors
    conversions (type_references),
    functions, aggregates, subqueries
    output_name                        the names of result columns
"""
