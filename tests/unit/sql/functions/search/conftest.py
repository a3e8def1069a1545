"""Words of scripts without blanks are characters, whether or not the extra "cjk" is installed."""

from __future__ import annotations

import pytest

from spanemu.sql.functions.search import segmentation


@pytest.fixture(autouse=True)
def _characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segmentation, "segmenter", lambda: segmentation.clusters)
