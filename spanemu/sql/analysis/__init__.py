"""What the analyzers of all dialects share; nothing here depends on a dialect's syntax or rules.

An analyzer turns the syntax tree of its dialect into a `resolved` tree.

    state                               counters, columns and traits of one statement's analysis
    relation, table_relation,           the items of a FROM clause, with their columns and their
    derived_relation                    scan
    table_function                      calls of table functions
    row_identity                        the columns that tell the rows of a view apart
    grouping                            expressions over grouped rows
    call_binding                        arguments bound to parameters, overloads bound to types
    hints                               the hints of each part of a statement
    stream_query                        the queries that read change streams
    search_calls                        calls of full-text search, checked before there are rows
    writing                             rows to insert, commit timestamps, returned rows
    tree                                traversal, comparison and rewriting of resolved trees
    errors                              the errors of these modules
"""
