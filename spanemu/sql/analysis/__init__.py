"""What the analyzers of all dialects share; nothing here depends on a dialect's syntax or rules.

An analyzer turns the syntax tree of its dialect into a `resolved` tree.

    state      counters, columns and traits of one statement's analysis
    relation   the items of a FROM clause, with their columns and their scan
    tree       traversal, comparison and rewriting of resolved trees
    errors     errors about limits and generated columns
"""
