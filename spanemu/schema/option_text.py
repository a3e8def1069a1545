"""The values of options as literals, for statements and error messages."""

from __future__ import annotations

_ESCAPES = str.maketrans({"\\": r"\\", "'": r"\'", "\n": r"\n", "\r": r"\r"})


def shown_value(value: object) -> str:
    """Return the value of an option as error messages show it: a literal, a text without quotes."""
    return value if isinstance(value, str) else option_value(value)


def option_value(value: object) -> str:
    """Return the value of an option as a literal."""
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"'{value.translate(_ESCAPES)}'"
    if isinstance(value, tuple):
        return f"[{', '.join(map(option_value, value))}]"
    return str(value)
