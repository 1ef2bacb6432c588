from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from gossamer import Document, Settings, SpectRAGIngestion, build_index, open_index, sync_index
from gossamer.errors import (
    DocumentError,
    EmbedderMismatchError,
    IndexDamagedError,
    IndexNotFoundError,
    IndexVersionError,
    SettingsError,
    UsageError,
)
from gossamer.index.local import LocalStore

G1 = "Project Orion's research is done by Helix Labs. It began in 2019."
G2 = "Helix Labs has its head office in Pune. Forty people work there."
G3 = "The budget was approved in May. It covers two years."
SMALL = {"chunking.chunk_tokens": 40, "chunking.overlap_tokens": 8, "chunking.min_tokens": 4}


@pytest.fixture(autouse=True)
def no_fsync(monkeypatch: pytest.MonkeyPatch) -> None:
    """These tests look at content; waiting for the disk is tested elsewhere."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


def fresh(documents: Any, chosen: Settings | None = None, **hooks: Any) -> str:
    """Name of the snapshot that a build from scratch makes: the hash of all its bytes."""
    folder = mkdtemp()
    try:
        return build_index(documents, folder, chosen, **hooks).snapshot
    finally:
        shutil.rmtree(folder)


def changed(report: Any, kind: str = "documents") -> dict[str, int]:
    return {name: count for name, count in report.changes[kind].items() if count}


class Counting:
    """Vectors of word lengths and letters; remembers what it was asked for."""

    def __init__(self, columns: int = 32) -> None:
        self.texts: list[str] = []
        self.columns = columns

    def __call__(self, texts: list[str]) -> np.ndarray:
        self.texts += texts
        rows = np.zeros((len(texts), self.columns))
        for row, text in zip(rows, texts, strict=True):
            for place, letter in enumerate(text.lower()):
                row[(ord(letter) * 7 + place % 3) % self.columns] += 1 + len(text) % 5
        return rows


def test_every_step_equals_a_fresh_build(tmp_path: Path) -> None:
    docs, index = tmp_path / "docs", tmp_path / "index"
    docs.mkdir()
    for name, text in (("g1.md", G1), ("g2.md", G2), ("g3.md", G3)):
        (docs / name).write_text(text, encoding="utf-8")
    steps: list[tuple[Callable[[], Any], dict[str, int], dict[str, int]]] = [
        (lambda: None, {"added": 3, "embedded": 3}, {"added": 3, "embedded": 3}),
        ((docs / "g2.md").unlink, {"same": 2, "removed": 1}, {"same": 2, "removed": 1}),
        (
            lambda: (docs / "g2.md").write_text(G2, encoding="utf-8"),
            {"same": 2, "added": 1, "embedded": 1},
            {"same": 2, "added": 1, "embedded": 1},
        ),
        (
            lambda: (docs / "g1.md").write_text(G1.replace("2019", "2018"), encoding="utf-8"),
            {"same": 2, "changed": 1, "embedded": 1},
            {"same": 2, "added": 1, "removed": 1, "embedded": 1},
        ),
        (lambda: None, {"same": 3}, {"same": 3}),
        (lambda: (docs / "g3.md").rename(docs / "g4.md"), {"same": 2, "moved": 1}, {"same": 3}),
        (lambda: [path.unlink() for path in docs.iterdir()], {"removed": 3}, {"removed": 3}),
    ]
    for act, documents, chunks in steps:
        act()
        report = sync_index(docs, index)
        assert (changed(report), changed(report, "chunks")) == (documents, chunks)
        assert report.snapshot == fresh(docs)
        assert LocalStore(index).verify() == []


PIECES = [
    G1,
    G2,
    G3,
    "# Office\nPune is the seat.\n## Staff\nForty people, led by Ada Bly.",
    "# Office\nPune is the seat.\n## Staff\nFifty people, led by Ada Bly. See [rules](b#office) and Section 2.",
    "Der Haushalt wurde im Mai beschlossen. Er gilt für zwei Jahre und die Arbeit ist nicht zu Ende.",
    "| a | b |\n|---|---|\n" + "| Orion | Pune |\n" * 9,
    "螺旋实验室位于浦那。猎户座项目研究火星。",
]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=3).map("\n\n".join)
IDS = st.sampled_from(["a", "b", "c", "d/e"])
DOCUMENTS = st.builds(
    Document,
    IDS,
    TEXTS,
    st.sampled_from(["", "Helix Labs", "Orion"]),
    st.sampled_from([{}, {"year": 2019, "tags": ("x", 1.5)}]),
)


class Sequences(RuleBasedStateMachine):
    """Any sequence of changes leaves the index that a fresh build of the same corpus gives."""

    @initialize(chosen=st.sampled_from([Settings(), Settings().replace(**SMALL), Settings.paper()]))
    def start(self, chosen: Settings) -> None:
        self.folder = mkdtemp()
        self.corpus: dict[str, Document] = {}
        self.chosen = chosen
        self.name = sync_index([], self.folder, chosen).snapshot
        self.index = SpectRAGIngestion(self.folder)

    @rule(document=DOCUMENTS)
    def update(self, document: Document) -> None:
        self.corpus[document.id] = document
        self.name = self.index.update(document).snapshot

    @rule(documents=st.lists(DOCUMENTS, max_size=4, unique_by=lambda each: each.id))
    def sync(self, documents: list[Document]) -> None:
        before = self.corpus
        self.corpus = {each.id: each for each in documents}
        report = self.index.sync(documents)
        self.name = report.snapshot
        counts = report.changes["documents"]
        assert counts["same"] + counts["changed"] + counts["moved"] + counts["added"] == len(documents)
        assert counts["same"] + counts["changed"] + counts["moved"] + counts["removed"] == len(before)
        assert report.changes["chunks"]["embedded"] <= report.changes["chunks"]["added"]

    @precondition(lambda self: self.corpus)
    @rule(data=st.data())
    def remove(self, data: st.DataObject) -> None:
        gone = data.draw(st.sets(st.sampled_from(sorted(self.corpus)), min_size=1))
        for name in gone:
            del self.corpus[name]
        self.name = self.index.remove(gone).snapshot

    @precondition(lambda self: len(self.corpus) < 4)
    @rule(data=st.data(), text=TEXTS)
    def add(self, data: st.DataObject, text: str) -> None:
        name = data.draw(st.sampled_from(sorted({"a", "b", "c", "d/e"} - self.corpus.keys())))
        self.corpus[name] = Document(name, text)
        self.name = self.index.add(Document(name, text)).snapshot

    @precondition(lambda self: self.corpus)
    @rule(data=st.data())
    def rename(self, data: st.DataObject) -> None:
        old = data.draw(st.sampled_from(sorted(self.corpus)))
        moved = self.corpus.pop(old)
        self.corpus["z"] = Document("z", moved.text, moved.title, moved.metadata)
        self.name = self.index.sync(self.corpus.values()).snapshot

    @invariant()
    def equals_a_fresh_build(self) -> None:
        if hasattr(self, "name"):
            assert self.name == fresh(self.corpus.values(), self.chosen)

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder)


Sequences.TestCase.settings = settings(
    max_examples=6, stateful_step_count=6, deadline=None, suppress_health_check=list(HealthCheck)
)
TestSequences = Sequences.TestCase


def test_an_edit_touches_its_section_only(tmp_path: Path) -> None:
    text = "\n".join(f"## Part {n}\n" + f"Helix Labs lens number {n} was cut in Pune. " * 6 for n in range(8))
    embed = Counting()
    chosen = Settings().replace(**SMALL)
    first = sync_index([Document("a", text)], tmp_path, chosen, embed_fn=embed)
    embed.texts.clear()
    report = sync_index([Document("a", text.replace("number 3", "number 33", 1))], tmp_path, embed_fn=embed)
    assert first.chunks == 16
    assert 0 < report.changes["chunks"]["embedded"] <= 3
    assert all("Part 3" in each for each in embed.texts[-report.changes["chunks"]["embedded"] :])
    assert changed(report) == {"changed": 1, "embedded": 1}


def test_only_new_chunks_are_annotated_and_embedded(tmp_path: Path, good_trio: list[Document]) -> None:
    asked: list[str] = []

    def questions(text: str) -> list[str]:
        asked.append(text)
        return [f"What about {text.split()[1]}?"]

    embed = Counting()
    hooks: dict[str, Any] = {"embed_fn": embed, "question_fn": questions, "entity_fn": lambda text: text.split()[:2]}
    sync_index(good_trio, tmp_path, **hooks)
    embed.texts.clear()
    asked.clear()
    edited = [*good_trio[:2], Document("g3.md", G3.replace("May", "June"))]
    report = sync_index(edited, tmp_path, **hooks)
    assert asked == [edited[2].text]
    assert {text for text in embed.texts if "June" not in text} == {good_trio[0].text}
    assert report.snapshot == fresh(edited, **hooks)
    embed.texts.clear()
    assert sync_index(edited, tmp_path, **hooks).snapshot == report.snapshot
    assert embed.texts == []


def test_single_documents(tmp_path: Path, good_trio: list[Document]) -> None:
    index = SpectRAGIngestion(tmp_path)
    with pytest.raises(IndexNotFoundError):
        index.remove("g1.md")
    index.add(good_trio[:2])
    with pytest.raises(DocumentError, match=r"'g2.md' is in the index already"):
        index.add(good_trio[1:])
    with pytest.raises(DocumentError, match="not in the index"):
        index.remove(["g1.md", "g9.md"])
    with pytest.raises(TypeError, match=r"gossamer\.Document"):
        index.add(["g1.md"])  # type: ignore[list-item]
    report = index.update([Document("g1.md", G3), good_trio[2]])
    assert changed(report) == {"same": 1, "added": 1, "changed": 1, "embedded": 2}
    assert any("g3.md = g1.md" in warning for warning in report.warnings)
    index.remove("g1.md")
    assert index.update(Document("g9\ud83d.md", G1)).documents == 3
    with pytest.raises(DocumentError, match="already"):
        index.add(Document("g9\ud83d.md", G1))
    index.remove("g9\ufffd.md")
    assert index.update(good_trio).snapshot == fresh(good_trio)


def test_one_name_in_two_folders(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    for name, text in (("a", "Orion"), ("b", "Pune")):
        (docs / name).mkdir(parents=True)
        (docs / name / "readme.md").write_text(text, encoding="utf-8")
    assert sync_index(docs, tmp_path / "i").documents == 2
    (docs / "a" / "readme.md").unlink()
    assert changed(sync_index(docs, tmp_path / "i")) == {"same": 1, "removed": 1}
    with open_index(tmp_path / "i") as retrieval:
        assert list(retrieval.snapshot.document_ids) == ["b/readme.md"]


def test_one_text_under_two_names(tmp_path: Path, good_trio: list[Document]) -> None:
    docs = [*good_trio, Document("copy.md", G1)]
    report = sync_index(docs, tmp_path)
    assert any("g1.md = copy.md" in warning for warning in report.warnings)
    with open_index(tmp_path) as retrieval:
        found = retrieval.retrieve("Who does the research of Project Orion?").passages[0]
    assert (found.votes, set(found.sources)) == (2, {"g1.md", "copy.md"})


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"embedder": "hash:64"}, EmbedderMismatchError, "dimension 512"),
        ({"embedder": "none"}, EmbedderMismatchError, "'none' has"),
        ({"embedding.passage_prefix": "p: "}, EmbedderMismatchError, "passage_prefix"),
        ({"chunking.chunk_tokens": 300}, SettingsError, "chunk_tokens = 300"),
        ({"chunking.topics": "all"}, SettingsError, "topics"),
    ],
)
def test_other_work_is_refused(
    tmp_path: Path, good_trio: list[Document], change: dict[str, Any], error: type[Exception], words: str
) -> None:
    name = sync_index(good_trio, tmp_path).snapshot
    with pytest.raises(error, match=words) as caught:
        sync_index(good_trio, tmp_path, Settings().replace(**change))
    assert "--force" in str(caught.value)
    assert LocalStore(tmp_path).manifest().info["embedder"]["dimension"] == 512
    other = Settings().replace(**{"signals.entities": "none", "graph.dimensions": 8, "selection.pool": 9})
    assert sync_index(good_trio, tmp_path, other).snapshot == fresh(good_trio, other) != name


def test_other_hooks_are_refused(tmp_path: Path, good_trio: list[Document]) -> None:
    sync_index(good_trio, tmp_path / "plain")
    with pytest.raises(UsageError, match="without count_tokens"):
        sync_index(good_trio, tmp_path / "plain", count_tokens=len)
    with pytest.raises(EmbedderMismatchError, match="kind 'hash'"):
        sync_index(good_trio, tmp_path / "plain", embed_fn=Counting())
    sync_index(good_trio, tmp_path / "own", embed_fn=Counting(), entity_fn=str.split)
    with pytest.raises(UsageError, match="with entity_fn"):
        sync_index(good_trio, tmp_path / "own", embed_fn=Counting())
    with pytest.raises(EmbedderMismatchError, match="embed_fn"):
        sync_index(good_trio, tmp_path / "own", entity_fn=str.split)


def test_another_model_behind_the_same_name_is_noticed(tmp_path: Path, good_trio: list[Document]) -> None:
    sync_index(good_trio, tmp_path, embed_fn=Counting())
    more = [*good_trio, Document("g4.md", "Ada Bly wrote it.")]
    with pytest.raises(EmbedderMismatchError, match="another vector"):
        sync_index(more, tmp_path, embed_fn=lambda texts: -Counting()(texts))
    with pytest.raises(EmbedderMismatchError, match="dimension"):
        sync_index(more, tmp_path, embed_fn=Counting(columns=16))
    assert sync_index(more, tmp_path, embed_fn=Counting()).chunks == 4


def test_vectors_that_differ_a_little_by_batch(tmp_path: Path, good_trio: list[Document]) -> None:
    def neural(texts: list[str]) -> np.ndarray:
        rows = Counting()(texts)
        return rows + 1e-6 * len(texts) * np.abs(rows).max()

    sync_index(good_trio[:2], tmp_path / "one", embed_fn=neural)
    sync_index(good_trio, tmp_path / "one", embed_fn=neural)
    build_index(good_trio, tmp_path / "two", embed_fn=neural)
    one, two = (LocalStore(tmp_path / name).load() for name in ("one", "two"))
    np.testing.assert_allclose(one.arrays["vectors"], two.arrays["vectors"], atol=1e-5)
    assert {name: list(table) for name, table in one.strings.items()} == {
        name: list(table) for name, table in two.strings.items()
    }


def test_vectors_from_a_file_are_read_again(tmp_path: Path, good_trio: list[Document]) -> None:
    def file(name: str, rows: list[list[float]]) -> Settings:
        np.savez(tmp_path / name, ids=[each.id for each in good_trio[: len(rows)]], vectors=rows)
        return Settings(embedder=f"vectors:{tmp_path / name}")

    sync_index(good_trio[:2], tmp_path / "i", file("a.npz", [[1.0, 0.0], [0.0, 1.0]]))
    wider = file("b.npz", [[0.0, 1.0], [1.0, 0.0], [0.6, 0.8]])
    assert sync_index(good_trio, tmp_path / "i", wider).snapshot == fresh(good_trio, wider)


def test_a_damaged_index_is_not_built_upon(tmp_path: Path, good_trio: list[Document]) -> None:
    folder = tmp_path / sync_index(good_trio, tmp_path).snapshot
    raw = bytearray((folder / "chunk_notes.utf8").read_bytes())
    raw[len(raw) // 2] ^= 1
    (folder / "chunk_notes.utf8").write_bytes(raw)
    with pytest.raises(IndexDamagedError, match=r"chunk_notes\.utf8.*--force"):
        sync_index(good_trio, tmp_path)
    build_index(good_trio, tmp_path)
    assert LocalStore(tmp_path).verify() == []


@pytest.fixture
def version_1(tmp_path: Path, good_trio: list[Document], monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An index as the first format had it."""
    folder = tmp_path / "old"
    build_index(good_trio, folder)
    data = LocalStore(folder).load()
    newer = ("chunk_split", "document_texts", "document_pages", "chunk_notes")
    info = {key: value for key, value in data.info.items() if key not in ("hooks", "counts")}
    kept = type(data)(
        {name: np.array(array) for name, array in data.arrays.items() if name not in newer},
        {name: list(table) for name, table in data.strings.items() if name not in newer},
        info,
    )
    with monkeypatch.context() as patch:
        patch.setattr("gossamer.index.manifest.FORMAT_VERSION", 1)
        patch.setattr("gossamer.index.manifest.Manifest.__init__.__defaults__", (1,), raising=False)
        LocalStore(folder).save(kept)
    manifest = json.loads((folder / LocalStore(folder).current() / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["version"] == 1
    return folder


def test_the_first_format_is_searched_and_upgraded(version_1: Path, good_trio: list[Document]) -> None:
    with open_index(version_1) as retrieval:
        assert retrieval.search("Where is Helix Labs?", token_budget=60).passages
    with pytest.raises(IndexVersionError, match="gossamer index DOCS"):
        SpectRAGIngestion(version_1).remove("g1.md")
    report = sync_index(good_trio, version_1)
    assert report.snapshot == fresh(good_trio)
    assert report.changes["chunks"]["embedded"] == 0
    assert changed(SpectRAGIngestion(version_1).remove("g1.md")) == {"same": 2, "removed": 1}
