"""Why a statement that parses means nothing.

    SpannerError
    └── AnalysisError (`base`)  INVALID_ARGUMENT, with the place in the text
        ├── names               unknown, ambiguous, not reachable from here
        ├── typing              no signature, no common type, no conversion
        ├── grouping            aggregates and columns in the wrong place
        ├── shape               queries whose columns do not fit together; limits; hints
        ├── messages            fields that messages do not have
        └── writing             DML

`StructColumn`, `NullArrayColumn` and `Unsupported` are UNIMPLEMENTED instead: the query means
something, but not for Spanner.
"""
