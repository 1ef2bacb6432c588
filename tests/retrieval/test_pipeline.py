from __future__ import annotations

import json
import threading
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from corpora import Bridge
from gossamer import Document, Settings, SpectRAGRetrieval, build_index, open_index
from gossamer.errors import ArgumentTypeError, EmbedderMismatchError, UsageError
from gossamer.text.tokens import make_counter

COUNT = make_counter("approx")


@pytest.mark.parametrize("embedder", ["hash", "none"])
@pytest.mark.parametrize(
    "names",
    [
        Bridge(),
        Bridge("Kestrel", "Varnholt Institute", "Tromvik"),
        Bridge("Zéphyr", "Laboratoire Marchand", "Cavaillon"),
        Bridge("Mbira", "Okonjo & Sons", "Lindi"),
    ],
    ids=lambda n: n.project,
)
@pytest.mark.parametrize(
    "form",
    [
        "Which city is the headquarters of the lab that does the research for Project {p}?",
        "In which city does the lab that carries out the research work for Project {p} have its headquarters?",
        "Where is the headquarters of the lab that does the research work for Project {p}?",
    ],
)
def test_bridge_is_found_in_a_small_budget(tmp_path: Path, names: Bridge, embedder: str, form: str) -> None:
    build_index(names.documents(), tmp_path, Settings(embedder=embedder))
    with open_index(tmp_path) as retrieval:
        result = retrieval.search(form.format(p=names.project), token_budget=70)
    assert {"c03", "c04"} <= {passage.document for passage in result.passages}
    assert result.tokens <= 70
    assert result.tokens == COUNT(result.context)


def test_plain_top_k_misses_the_bridge(tmp_path: Path) -> None:
    names = Bridge("Kestrel", "Varnholt Institute", "Tromvik")
    build_index(names.documents(), tmp_path)
    with open_index(tmp_path) as retrieval:
        assert not {"c03#0", "c04#0"} <= set(retrieval.plain_top_k(names.question, token_budget=70))


def test_result_explains_itself(tmp_path: Path, bridge: Bridge) -> None:
    build_index(bridge.documents(), tmp_path)
    with open_index(tmp_path) as retrieval:
        result = retrieval.search(bridge.question, token_budget=120)
    pair = sorted((p for p in result.passages if p.document in ("c03", "c04")), key=lambda p: p.order)
    second = pair[1]
    assert "helix labs" in {name for edge in second.why.edges for name in edge.entities}
    assert second.why.hop is not None
    assert second.why.reason
    first = min(result.passages, key=lambda passage: passage.order)
    assert first.why.ranks["bm25"] >= 1
    assert first.why.edges == ()
    assert set(result.objective) == {"relevance", "redundancy", "coverage", "connectivity", "total"}
    assert 0 < result.objective["coverage"] <= 1
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert json.loads(text)["passages"][0]["why"]["parts"] is not None
    assert bridge.question in result.prompt()


def test_rank_orders_everything_it_finds(tmp_path: Path, bridge: Bridge) -> None:
    build_index(bridge.documents(), tmp_path)
    with open_index(tmp_path) as retrieval:
        ranking = retrieval.rank(bridge.question, k=20)
        assert [p.order for p in ranking.passages] == list(range(len(ranking.passages)))
        assert len({p.id for p in ranking.passages}) == len(ranking.passages)
        assert retrieval.rank(bridge.question, k=3).passages == ranking.passages[:3]
        assert retrieval.rank(bridge.question, k=0).passages == ()


def test_no_known_word_is_no_hit(tmp_path: Path, good_trio: list[Document]) -> None:
    build_index(good_trio, tmp_path)
    with open_index(tmp_path) as retrieval:
        for question in ("xylophone quux", "", "?!"):
            assert retrieval.rank(question).passages == ()
            result = retrieval.search(question)
            assert (result.passages, result.context, result.tokens) == ((), "", 0)


def test_wrong_arguments_are_typed_errors(tmp_path: Path, good_trio: list[Document]) -> None:
    build_index(good_trio, tmp_path)
    with open_index(tmp_path) as retrieval:
        with pytest.raises(UsageError, match="token_budget"):
            retrieval.search("Pune", token_budget=-1)
        with pytest.raises(UsageError, match="k = -2"):
            retrieval.rank("Pune", k=-2)
        with pytest.raises(ArgumentTypeError, match="token_budget"):
            retrieval.search("Pune", token_budget="70")  # type: ignore[arg-type]
        with pytest.raises(ArgumentTypeError, match="question"):
            retrieval.search(None)  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="dimension 512"):
            retrieval.search("Pune", query_vector=[1.0, 2.0])
        with pytest.raises(UsageError, match="NaN"):
            retrieval.search("Pune", query_vector=np.full(512, np.nan))
        with pytest.raises(ArgumentTypeError, match="llm"):
            retrieval.answer("Pune", llm="gpt")  # type: ignore[arg-type]
        assert retrieval.search("Pune", token_budget=0).passages == ()


WORD = st.sampled_from(["orion", "helix", "pune", "budget", "lens", "marsh", "ferry", "a" * 60, "智利", "\n", ".", "#"])


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_budget_is_never_exceeded(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    texts = data.draw(st.lists(st.lists(WORD, min_size=1, max_size=40).map(" ".join), min_size=1, max_size=9))
    docs = [
        Document(f"d{n}", text, title=data.draw(st.sampled_from(["", "Orion", "ferry"])))
        for n, text in enumerate(texts)
    ]
    chosen = Settings().replace(
        **{
            "chunking.chunk_tokens": 16,
            "chunking.overlap_tokens": data.draw(st.sampled_from([0, 4, 8])),
            "selection.selector": data.draw(st.sampled_from(["token_budget", "mmr", "protected_mmr", "topk"])),
            "selection.backfill": data.draw(st.booleans()),
            "selection.core_size": data.draw(st.integers(0, 3)),
            "selection.length_power": data.draw(st.sampled_from([0.0, 0.5, 1.0])),
            "retrieval.proximity": data.draw(st.sampled_from(["guided", "hybrid", "heat", "smooth", "none"])),
        }
    )
    hook = data.draw(st.sampled_from([COUNT, len, lambda text: len(text.split()), lambda text: len(text) // 2 + 7]))
    folder = tmp_path_factory.mktemp("index")
    build_index(docs, folder, chosen)
    with open_index(folder, count_tokens=hook) as retrieval:
        for budget in data.draw(st.lists(st.integers(0, 300), min_size=1, max_size=3)):
            result = retrieval.search("orion helix pune 智利 ferry", token_budget=budget)
            assert result.tokens == (hook(result.context) if result.context else 0)
            assert result.tokens <= budget
            assert len(result.passages) == len({p.id for p in result.passages})
            assert all(np.isfinite(p.score) for p in result.passages)


def test_dense_equality(tmp_path: Path) -> None:
    """With λ = γ = η = 0, α = 0, no BM25 and no core the result is the dense ranking exactly."""
    rng = np.random.default_rng(3)
    docs = [Document(f"d{n:03}", f"Text number {n} about nothing much.") for n in range(120)]
    vectors = rng.normal(size=(120, 16))
    np.savez(tmp_path / "v.npz", ids=[d.id for d in docs], vectors=vectors)
    for base in (Settings.paper(f"vectors:{tmp_path / 'v.npz'}"), Settings(embedder=f"vectors:{tmp_path / 'v.npz'}")):
        chosen = base.replace(
            **{
                "retrieval.alpha": 0.0,
                "retrieval.proximity": "none",
                "retrieval.bm25_weight": 0.0,
                "selection.core_size": 0,
                "selection.gamma": 0.0,
                "selection.eta": 0.0,
                **{f"utility.{name}": 0.0 for name in base.to_dict()["utility"] if name != "score"},
            }
        )
        build_index(docs, tmp_path / base.preset, chosen)
        query = rng.normal(size=16)
        unit = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
        dense = np.argsort(-(unit @ (query / np.linalg.norm(query)).astype(np.float32)), kind="stable")
        with open_index(tmp_path / base.preset) as retrieval:
            ranking = retrieval.rank("anything", k=120, query_vector=query)
        assert [p.document for p in ranking.passages] == [docs[n].id for n in dense]


@pytest.mark.parametrize("mode", ["guided", "ppr", "spectral", "hybrid", "heat", "smooth", "none"])
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_every_proximity_mode_answers(tmp_path: Path, bridge: Bridge, mode: str, preset: str) -> None:
    base = Settings() if preset == "default" else Settings.paper()
    build_index(bridge.documents(), tmp_path, base)
    with open_index(tmp_path, settings=base.replace(**{"retrieval.proximity": mode})) as retrieval:
        result = retrieval.search(bridge.question, token_budget=200)
    assert "c03" in {passage.document for passage in result.passages}
    assert all(np.isfinite(passage.score) for passage in result.passages)


def test_rerank_hook_orders_the_neighbours(tmp_path: Path, bridge: Bridge) -> None:
    chosen = Settings().replace(**{"selection.selector": "anchor_expand_ce"})
    build_index(bridge.documents(), tmp_path, chosen)
    with open_index(tmp_path) as bare, pytest.raises(UsageError, match="rerank_fn"):
        bare.search(bridge.question)

    def judge(question: str, texts: list[str]) -> list[float]:
        assert question == bridge.question
        return [float("headquartered" in text) for text in texts]

    with open_index(tmp_path, rerank_fn=judge) as retrieval:
        order = sorted(retrieval.search(bridge.question).passages, key=lambda p: p.order)
    assert "c04" in [p.document for p in order[:3]]


def test_answer_resolves_citations(tmp_path: Path, bridge: Bridge) -> None:
    build_index(bridge.documents(), tmp_path)
    seen: list[str] = []

    def model(prompt: str) -> str:
        seen.append(prompt)
        return "It is in Pune [2], which is far away [77]."

    with open_index(tmp_path) as retrieval:
        answer = retrieval.answer(bridge.question, llm=model, token_budget=70)
    assert answer.text == "It is in Pune [2], which is far away."
    assert [c.passage.id for c in answer.citations] == [answer.result.passages[1].id]
    assert answer.unresolved == (77,)
    assert answer.result.context in seen[0]
    assert answer.prompt_tokens == COUNT(seen[0])


def test_index_of_given_vectors_searches_by_words_with_a_warning(tmp_path: Path, good_trio: list[Document]) -> None:
    np.savez(tmp_path / "v.npz", ids=[d.id for d in good_trio], vectors=np.eye(3))
    build_index(good_trio, tmp_path / "index", Settings(embedder=f"vectors:{tmp_path / 'v.npz'}"))
    with open_index(tmp_path / "index") as retrieval:
        result = retrieval.search("Pune")
        assert result.passages[0].document == "g2.md"
        assert any("query_vector" in warning for warning in result.warnings)
        assert retrieval.search("Pune", query_vector=[0, 0, 1]).warnings == ()
    manifest = next((tmp_path / "index").glob("s-*/manifest.json")).read_text(encoding="utf-8")
    assert str(tmp_path) not in manifest


def test_another_embedder_is_refused(tmp_path: Path, good_trio: list[Document]) -> None:
    build_index(good_trio, tmp_path)
    other = open_index(tmp_path, settings=Settings(embedder="hash:64"))
    with pytest.raises(EmbedderMismatchError, match="512"):
        other.search("Pune")


def test_threads_share_one_index(tmp_path: Path, bridge: Bridge) -> None:
    build_index(bridge.documents(), tmp_path)
    with SpectRAGRetrieval(tmp_path) as retrieval:
        expected = retrieval.rank(bridge.question).passages
        found: list[bool] = []
        threads = [
            threading.Thread(
                target=lambda: found.extend(retrieval.rank(bridge.question).passages == expected for _ in range(10))
            )
            for _ in range(8)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == [True] * 80


def test_settings_at_opening_keep_the_embedder_of_the_index(tmp_path: Path, good_trio: list[Document]) -> None:
    build_index(good_trio, tmp_path, Settings(embedder="hash:64"))
    with open_index(tmp_path, settings=Settings().replace(**{"selection.pool": 7})) as retrieval:
        assert (retrieval.settings.embedder, retrieval.settings.selection.pool) == ("hash:64", 7)
        assert retrieval.search("Pune").passages[0].document == "g2.md"
