"""JSON texts, read whole; a large one in a way that leaves the interpreter to others in between.

The scanner of the standard library reads a text in one go, during which no other thread runs. Its
form in Python, which is slower, is for texts of which that would take long. It counts the values
as well, since a text of a few bytes for each may take much memory.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from json import decoder, scanner
from typing import Any

from spanemu.rest.errors import InvalidPayload

LARGE_BYTES = 1024 * 1024
VALUES_MAX = 4_000_000  # of a large text
_SPECIAL = re.compile(r"[\\\x00-\x1f]")


def parsed(body: bytes) -> Any:
    """Return the value of a JSON text; an empty text is an empty object. Raises InvalidPayload."""
    if not body or body.isspace():
        return {}
    try:
        text = body.decode("utf-8")
        if len(body) > LARGE_BYTES:
            return _PatientDecoder().decode(text)
        return json.loads(text, parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        problem = "The text is not valid UTF-8."
    except RecursionError:
        problem = "Message too deep."
    except json.JSONDecodeError as error:
        problem = f"{error.msg} at line {error.lineno}, column {error.colno}."
    except ValueError as error:
        problem = f"{error}."
    raise InvalidPayload("", f"Invalid JSON payload received. {problem}")


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} must be written as text")


class _PatientDecoder(json.JSONDecoder):
    """The decoder of the standard library without its parts in C."""

    def __init__(self) -> None:
        super().__init__(parse_constant=_refuse_constant)
        self._values = 0
        self.object_pairs_hook = self._counted(dict)
        self.parse_int = self._counted(int)
        self.parse_float = self._counted(float)
        self.parse_array = self._counted(decoder.JSONArray)  # type: ignore[attr-defined]
        self.parse_string = self._counted(_string)
        self.scan_once = scanner.py_make_scanner(self)  # type: ignore[attr-defined]

    def _counted(self, parse: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*arguments: Any) -> Any:
            self._values += 1
            if self._values > VALUES_MAX:
                raise ValueError(f"The text has more than {VALUES_MAX} values")
            return parse(*arguments)

        return counted


def _string(text: str, begin: int, strict: bool = True) -> tuple[str, int]:
    """Return the string that begins at a position, and the position behind it."""
    end = text.find('"', begin)
    if end < 0 or _SPECIAL.search(text, begin, end):
        return decoder.scanstring(text, begin, strict)  # type: ignore[attr-defined,no-any-return]
    return text[begin:end], end + 1
