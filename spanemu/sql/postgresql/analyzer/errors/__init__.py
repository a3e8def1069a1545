"""PostgreSQL's errors about the meaning of a statement: about `names`, and about types (`typing`).

The code follows PostgreSQL's error class: an unknown table, function, operator or type is
NOT_FOUND, a feature that Spanner lacks UNIMPLEMENTED, a number or date out of range OUT_OF_RANGE,
and all else INVALID_ARGUMENT. Messages that begin with "[ERROR]" are PostgreSQL's, the others
Spanner's.
"""
