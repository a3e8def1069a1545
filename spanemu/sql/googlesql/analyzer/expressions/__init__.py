"""Resolves expressions: one module per kind, each with its `RESOLVERS`.

In reading order: `expression` (finds the resolver), `literals`, `names`, `operators`,
`conditionals`, `conversions`, `constructors`, `message_constructors` with `braces`, `subqueries`,
`calls`. How a call finds its function: `overload`, `argument_binding`, `date_part_arguments`,
`operator_call`, `user_functions`, `signature_text`. How values become of one type: `coercion`,
`literal_conversion`. What values have inside: `members`, `messages`, `array_path`.
"""
