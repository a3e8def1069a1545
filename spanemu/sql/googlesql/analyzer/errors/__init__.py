"""The errors of analysis: statements that parse but are not valid.

    SpannerError
    └── AnalysisError (`sql.errors`)  INVALID_ARGUMENT, with a position in the text
        ├── names    unknown names, ambiguous names, names that are not visible
        ├── typing   no signature, no common type, no conversion; fields of messages
        ├── shape    columns that do not match; misplaced aggregates; limits; hints
        └── writing  DML

`StructColumn`, `NullArrayColumn` and `Unsupported` are UNIMPLEMENTED instead: the query is valid
GoogleSQL, but Spanner does not support it.
"""
