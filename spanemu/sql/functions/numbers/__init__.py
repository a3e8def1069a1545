"""Functions of numbers.

In reading order: `arithmetic` (on one type), `mathematical` (the chapter of that name, for INT64
and FLOAT64) and `numeric_functions` (the same for NUMERIC), `bit` and `bitwise`, `vector`.
"""
