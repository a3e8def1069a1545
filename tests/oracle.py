"""ZetaSQL, Google's implementation of the language, evaluates expressions that name no tables.

The package `zetasql` is WebAssembly, which takes most of a minute to compile. What comes of that is
kept beside pytest's cache, and of several processes that want it one compiles while others wait.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

CACHE = Path(__file__).parents[1] / ".pytest_cache" / "zetasql"
# What its build does not have, or Spanner does not do as it does; not our affair.
MISSING = re.compile("Unsupported built-in function|Function not found|U_FILE_ACCESS_ERROR|UUID")


@lru_cache(maxsize=1)
def evaluator() -> Callable[[str], str]:
    """Return a function from an expression, whose value is a STRING, to that value."""
    with _compiled_once():
        from zetasql import api, types

        language = types.LanguageOptions.maximum_features()
        builtins = types.ZetaSQLBuiltinFunctionOptions(language_options=language)
        catalog = api.CatalogBuilder("oracle").with_builtin_functions(builtins).build()
        options = types.AnalyzerOptions(language_options=language)
    return lambda sql: api.PreparedExpression(sql, options, catalog).execute().get_string()


def translated(text: str) -> str:
    """Return SQL with the names that ZetaSQL's internal mode has for types."""
    return re.sub(r"\bFLOAT64\b", "DOUBLE", re.sub(r"\bFLOAT32\b", "FLOAT", text))


@contextmanager
def _compiled_once() -> Iterator[None]:
    """Let the package compile through a cache, in one process at a time."""
    from fcntl import LOCK_EX, flock  # not on every system

    from wasmtime import Config
    from zetasql.core import wasm_client

    class Cached(Config):
        def __init__(self) -> None:
            super().__init__()
            self.cache = str(settings)

    CACHE.mkdir(parents=True, exist_ok=True)
    settings = CACHE / "settings.toml"
    settings.write_text(f'[cache]\ndirectory = "{CACHE / "compiled"}"\n')
    plain: Any = wasm_client.Config
    with (CACHE / "lock").open("w") as lock:
        flock(lock, LOCK_EX)
        wasm_client.Config = Cached
        try:
            yield
        finally:
            wasm_client.Config = plain
