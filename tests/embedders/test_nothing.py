from __future__ import annotations

from gossamer.embedders.nothing import NoEmbedder


def test_it_gives_no_columns() -> None:
    embedder = NoEmbedder()
    assert embedder.embed(["one", "two"], kind="query").shape == (2, 0)
    assert embedder.identity == {"kind": "none", "dimension": 0}
    assert embedder.dimension == 0
