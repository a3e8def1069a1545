"""PostgreSQL's errors about the meaning of a statement.

They are about `names`, types (`typing`), `queries`, and DML (`writing`). `order` says which of
several errors a statement reports.

The code follows PostgreSQL's error class: an unknown table, function, operator or type is
NOT_FOUND, a feature that Spanner lacks UNIMPLEMENTED, a number or date out of range OUT_OF_RANGE,
and all else INVALID_ARGUMENT. Messages that begin with "[ERROR]" are PostgreSQL's, the others
Spanner's.
"""
