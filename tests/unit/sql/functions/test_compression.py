"""ZSTD functions, by the documented examples."""

from __future__ import annotations

from base64 import b64encode

import pytest

from spanemu.base.errors import ExtraMissing
from spanemu.sql.functions import compression
from spanemu.sql.functions.errors import BadArgument
from tests.unit.sql.functions.calling import call

pytest.importorskip("zstandard")


def test_documented() -> None:
    assert b64encode(call("ZSTD_COMPRESS", "string_value")) == b"KLUv/SAMYQAAc3RyaW5nX3ZhbHVl"
    assert b64encode(call("ZSTD_COMPRESS", b"bytes_value", 1)) == b"KLUv/SALWQAAYnl0ZXNfdmFsdWU="
    assert call("ZSTD_DECOMPRESS_TO_BYTES", call("ZSTD_COMPRESS", b"bytes")) == b"bytes"
    assert call("ZSTD_DECOMPRESS_TO_STRING", call("ZSTD_COMPRESS", "zstd é")) == "zstd é"
    assert call("ZSTD_DECOMPRESS_TO_STRING", call("ZSTD_COMPRESS", "")) == ""


def test_empty_input_decompresses_to_no_bytes() -> None:
    assert call("ZSTD_DECOMPRESS_TO_BYTES", b"") == b""
    with pytest.raises(BadArgument):
        call("ZSTD_DECOMPRESS_TO_BYTES", b"", 0)


@pytest.mark.parametrize("data", [b"xx", compression.compress(b"hello")[:-2]])
def test_bad_input(data: bytes) -> None:
    with pytest.raises(BadArgument):
        call("ZSTD_DECOMPRESS_TO_BYTES", data)


def test_limits() -> None:
    data = call("ZSTD_COMPRESS", b"bytes")
    with pytest.raises(BadArgument):
        call("ZSTD_DECOMPRESS_TO_BYTES", data, 4)
    assert call("ZSTD_DECOMPRESS_TO_BYTES", data, 5) == b"bytes"
    with pytest.raises(BadArgument):
        call("ZSTD_DECOMPRESS_TO_STRING", call("ZSTD_COMPRESS", b"\xff"))
    with pytest.raises(BadArgument):
        call("ZSTD_COMPRESS", "x", 23)


def test_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    compression._zstandard.cache_clear()
    monkeypatch.setattr(compression, "import_module", absent)
    with pytest.raises(ExtraMissing):
        call("ZSTD_COMPRESS", "x")
    compression._zstandard.cache_clear()
