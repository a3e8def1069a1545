"""Functions of numbers.

In reading order: `arithmetic` (+, -, *, / on each type), `mathematical` (the chapter of that name,
for INT64 and FLOAT64), `numeric_functions` (its functions for NUMERIC), `bit`
(functions and operators on bits), `vector` (distances).
"""
