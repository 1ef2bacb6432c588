from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import chat_server
from chat_server import MODEL, ChatServer, answers, cut, says, status
from gossamer import Document, SpectRAGIngestion, build_index, open_index, sync_index
from gossamer.errors import ArgumentTypeError, LLMRefusedError, LLMServerError, SettingsError, UsageError
from gossamer.index.invariants import snapshot_faults
from gossamer.index.local import LocalStore
from gossamer.ingestion.model_steps import REPLIES
from gossamer.ingestion.model_tasks import TASKS
from gossamer.llm.cache import ReplyCache
from gossamer.llm.client import Client
from gossamer.llm.function import FunctionLLM

ALL = {"questions": True, "concepts": True, "propositions": True}


def client(chat: ChatServer, **options: Any) -> Client:
    return Client(chat.address, MODEL, **{"timeout": 5.0, "retries": 2, **options})


def task_of(prompt: str) -> str:
    return next(name for name in ALL if f'"{name}"' in prompt)


def helpful(body: dict[str, Any]) -> str:
    """What a good model says about a passage."""
    name = task_of(body["messages"][0]["content"])
    passage = body["messages"][1]["content"].partition("Passage:\n")[2]
    sentences = re.findall(r"[^.]+\.", passage)
    items = {
        "questions": [f"What is said of {sentence.split()[0]}?" for sentence in sentences],
        "concepts": re.findall(r"[A-Z]\w+ [A-Z]\w+", passage),
        "propositions": [sentence.strip() for sentence in sentences],
    }[name]
    return json.dumps({name: items})


def obey(chat: ChatServer) -> None:
    def act(server: ChatServer, handler: Any, body: dict[str, Any]) -> None:
        chat_server.send(handler, 200, chat_server.completion(body, helpful(body)))

    chat.always = act


def test_all_three_steps(chat: ChatServer, tmp_path: Path, good_trio: list[Document]) -> None:
    obey(chat)
    seen: list[tuple[str, int]] = []
    report = build_index(
        good_trio, tmp_path, llm=client(chat), announce=lambda step, cost: seen.append((step, cost.calls)), **ALL
    )
    assert seen == [("questions", 3), ("concepts", 3), ("propositions", 3)]
    assert (report.questions, report.propositions) == (6, 6)
    assert (report.llm["model"], report.llm["calls"], report.llm["cached"], report.llm["failed"]) == (MODEL, 9, 0, 0)
    assert report.edges["utility"] > 0
    assert not report.warnings
    assert {"questions", "concepts", "propositions"} <= set(report.seconds)
    assert "9 calls" in repr(report)
    schema = chat.requests[0][1]["response_format"]["json_schema"]
    assert schema["schema"]["required"] == ["questions"]
    with open_index(tmp_path) as retrieval:
        snapshot = retrieval.snapshot
        assert snapshot.info["llm"] == {"model": MODEL, "steps": ["questions", "concepts", "propositions"]}
        assert next(iter(snapshot.proposition_texts)) == "Project Orion's research is done by Helix Labs."
        assert snapshot.proposition_owner.tolist() == [0, 0, 1, 1, 2, 2]
        assert len(snapshot.proposition_vectors) == 6
        best = retrieval.rank("What is said of Forty people who work there?", k=3).passages[0]
        assert best.document == "g2.md"
        assert best.why.ranks["utility"] == 1
        assert "propositions" in best.why.ranks
        ranked = retrieval.rank("Helix Labs", k=9).passages
        assert sorted(passage.id for passage in ranked) == ["g1.md#0", "g2.md#0"]  # passages alone
        assert retrieval.retrieve("Helix Labs").passages


def test_an_index_without_the_steps_has_no_trace_of_them(tmp_path: Path, good_trio: list[Document]) -> None:
    report = build_index(good_trio, tmp_path)
    assert report.llm == {}
    assert not [path.name for path in tmp_path.rglob("proposition*")]
    assert not (tmp_path / REPLIES).exists()
    with open_index(tmp_path) as retrieval:
        assert "llm" not in retrieval.snapshot.info
        assert list(retrieval.snapshot.proposition_texts) == []


def test_a_second_build_asks_nothing_and_is_the_same(
    chat: ChatServer, tmp_path: Path, good_trio: list[Document]
) -> None:
    obey(chat)
    first = build_index(good_trio, tmp_path, llm=client(chat), **ALL)
    asked = len(chat.requests)
    second = build_index(good_trio, tmp_path, llm=client(chat), **ALL)
    assert len(chat.requests) == asked == 9
    assert first.snapshot == second.snapshot
    assert (second.llm["calls"], second.llm["cached"]) == (0, 9)
    changed = [*good_trio[:2], Document("g3.md", "The budget was refused in June. It was too large.")]
    third = build_index(changed, tmp_path, llm=client(chat), **ALL)
    assert (third.llm["calls"], third.llm["cached"]) == (3, 6)


def test_propositions_link_and_find_what_a_passage_only_points_at(tmp_path: Path) -> None:
    docs = [
        Document("lab", "The lab does research for Project Orion. It was moved to another city in 2019."),
        Document("city", "Pune lies on the Deccan plateau."),
        Document("rain", "It rains in spring."),
    ]
    facts = {docs[0].text: ["The lab that does research for Project Orion was moved to Pune in 2019."]}
    build_index(docs, tmp_path / "plain")
    build_index(docs, tmp_path / "facts", propositions=lambda text: facts.get(text, []))
    with open_index(tmp_path / "plain") as plain, open_index(tmp_path / "facts") as folded:
        assert plain.snapshot.matrix("flow").nnz == 0
        assert folded.snapshot.matrix("flow").nnz == 2
        ranked = folded.rank("Where was the research of Orion moved to?", k=3)
        assert ranked.passages[0].text == docs[0].text  # passages are ranked, never facts beside them
        assert {p.id for p in ranked.passages[:2]} == {"lab#0", "city#0"}
        assert folded.search("zzz qqq xxx").passages == ()  # spelling alone makes no fact a hit


def test_concepts_become_entities(chat: ChatServer, tmp_path: Path) -> None:
    docs = [
        Document("a", "A heat pump warms the old hall."),
        Document("b", "The new school was fitted with a heat pump."),
        Document("c", "It rains in spring."),
    ]
    chat.always = says('{"concepts": ["heat pump", "Acme Corporation"]}')
    report = build_index(docs, tmp_path, llm=client(chat), concepts=True)
    with open_index(tmp_path) as retrieval:
        assert "heat pump" in list(retrieval.snapshot.entity_names)
        assert "acme corporation" not in list(retrieval.snapshot.entity_names)  # no passage names it
    assert report.flow_edges == 1


LIES: dict[str, Callable[..., None]] = {
    "empty": says(""),
    "null": says(None),
    "prose": says("I am sorry, I cannot help with that."),
    "another language": says("Ich kann dazu leider nichts sagen."),
    "another form": says('{"answer": {"questions": {"a": 1}}}'),
    "numbers": says('{"questions": [1, 2], "concepts": [3], "propositions": [null]}'),
    "cut json": says('{"questions": ["Who is it?", "Wh'),
    "deep": says("[" * 50_000),
    "html": answers(b"<html>login</html>"),
    "no choices": answers({"choices": []}),
    "odd choices": answers({"choices": {"a": 1}}),
    "control characters": says('{"questions": ["\\u0000\\ud800 ?"], "concepts": ["\\u0000"], "propositions": ["\\u0000"]}'),
    "paths": says('{"questions": ["../../etc/passwd"], "concepts": ["/etc/passwd"], "propositions": ["__import__(\'os\')"]}'),
    "thousands": says(json.dumps({name: [f"fact {n} of Helix Labs" for n in range(9999)] for name in ALL})),
    "refused": status(400, "content policy"),
    "wrong counts": says("{}", usage={"prompt_tokens": -1, "completion_tokens": "many"}),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES)
def test_a_server_that_lies_never_breaks_an_index(
    chat: ChatServer, tmp_path: Path, good_trio: list[Document], lie: str
) -> None:
    chat.always = LIES[lie]
    report = build_index(good_trio, tmp_path, llm=client(chat, retries=0), **ALL)
    assert report.chunks == 3
    assert report.questions <= 15
    assert LocalStore(tmp_path).verify() == []
    with open_index(tmp_path) as retrieval:
        assert retrieval.rank("Where is Pune?", k=1).passages[0].document == "g2.md"
        for text in [*retrieval.snapshot.question_texts, *retrieval.snapshot.proposition_texts]:
            assert "\x00" not in text
    if lie in ("prose", "html", "refused", "another language"):
        assert sorted(w.partition(":")[0] for w in report.warnings) == [
            f"3 of 3 passages have no {name}" for name in sorted(ALL)
        ]


def test_what_a_model_makes_up_is_left_out(chat: ChatServer, tmp_path: Path, good_trio: list[Document]) -> None:
    chat.always = says('{"propositions": ["Bananas grow on tall trees.", "Die Firma sitzt in Oslo."]}')
    report = build_index(good_trio, tmp_path, llm=client(chat), propositions=True)
    assert report.propositions == 0


def test_a_bad_reply_is_asked_for_once_more(chat: ChatServer, tmp_path: Path) -> None:
    chat.script.extend([says("Sure, I will."), says('["Where is Helix Labs?"]')])
    report = build_index([Document("a", "Helix Labs is in Pune.")], tmp_path, llm=client(chat), questions=True)
    assert (report.questions, report.llm["calls"], report.warnings) == (1, 2, ())
    assert [message["role"] for message in chat.requests[1][1]["messages"]] == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize(
    ("trouble", "error"),
    [(status(401, "bad key"), LLMRefusedError), (status(503, "down"), LLMServerError), (cut, LLMServerError)],
)
def test_a_server_that_is_gone_leaves_the_old_index(
    chat: ChatServer,
    tmp_path: Path,
    good_trio: list[Document],
    trouble: chat_server.Misbehaviour,
    error: type[Exception],
) -> None:
    before = build_index(good_trio[:2], tmp_path).snapshot
    chat.always = trouble
    with pytest.raises(error, match=r"questions: 0 of 3 passages were answered\. What was answered is kept"):
        build_index(good_trio, tmp_path, llm=client(chat), questions=True)
    with open_index(tmp_path) as retrieval:
        assert len(retrieval.snapshot) == 2
    assert (tmp_path / "CURRENT").read_text(encoding="utf-8").strip() == before


def test_a_few_lost_calls_are_a_warning_and_made_up_for(chat: ChatServer, tmp_path: Path) -> None:
    def act(server: ChatServer, handler: Any, body: dict[str, Any]) -> None:
        if "passage 7." in body["messages"][1]["content"]:
            chat_server.send(handler, 500, {"error": {"message": "crashed"}})
        else:
            chat_server.send(handler, 200, chat_server.completion(body, '["Who?"]'))

    chat.always = act
    docs = [Document(f"d{n:02}", f"This is passage {n}.") for n in range(40)]
    told: list[tuple[str, int]] = []
    llm = client(chat)
    report = build_index(
        docs, tmp_path, llm=llm, questions=True, progress=lambda stage, done, total: told.append((stage, done))
    )
    assert report.questions == 39
    assert report.warnings[0].startswith("1 of 40 passages have no questions: ")
    done = [number for stage, number in told if stage == "questions"]
    assert (done[:3], done[-1]) == ([0, 1, 2], 40)
    # A sync asks again for what was lost, and for nothing else.
    chat.always = says('["Who?"]')
    before = len(chat.requests)
    assert sync_index(docs, tmp_path, llm=llm, questions=True).questions == 40
    assert len(chat.requests) == before + 1


def test_a_sync_asks_for_what_is_new_and_equals_a_build(
    chat: ChatServer, tmp_path: Path, good_trio: list[Document]
) -> None:
    obey(chat)
    build_index(good_trio, tmp_path / "synced", llm=client(chat), **ALL)
    asked = len(chat.requests)
    changed = [*good_trio[1:], Document("g4.md", "The heat pump of Helix Labs was built in Oslo.")]
    report = sync_index(changed, tmp_path / "synced", llm=client(chat), **ALL)
    assert len(chat.requests) == asked + 3
    assert (report.llm["calls"], report.llm["cached"]) == (3, 1)  # g3.md has no concepts: asked of the cache
    built = build_index(changed, tmp_path / "built", llm=client(chat), **ALL)
    assert report.snapshot == built.snapshot
    assert LocalStore(tmp_path / "synced").verify() == []
    with open_index(tmp_path / "synced") as retrieval:
        assert list(snapshot_faults(retrieval.snapshot)) == []
    with pytest.raises(UsageError, match="built with concepts"):
        sync_index(changed, tmp_path / "synced")


def test_a_sync_of_functions_calls_them_for_new_passages_only(tmp_path: Path, good_trio: list[Document]) -> None:
    seen: list[str] = []

    def facts(text: str) -> list[str]:
        seen.append(text)
        return [f"Fact about {text}", " ", f"Fact about {text}"]

    build_index(good_trio, tmp_path, propositions=facts)
    report = sync_index([*good_trio, Document("h", "One more passage.")], tmp_path, propositions=facts)
    assert (report.propositions, len(seen)) == (4, 4)
    assert seen[-1] == "One more passage."


_BUILD = """
import sys
from gossamer import Document, build_index
from gossamer.llm.client import Client
docs = [Document(f"d{n:04}", f"Station number {n} was opened in the year {1000 + n}.") for n in range(1000)]
tell = lambda stage, done, total: print(stage, done, flush=True)
build_index(docs, sys.argv[2], llm=Client(sys.argv[1], "test-model"), questions=True, progress=tell)
"""


@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_a_killed_run_of_a_thousand_passages_goes_on_where_it_stopped(chat: ChatServer, tmp_path: Path) -> None:
    chat.answer = lambda prompt: '["When was the station opened?"]'
    command = [sys.executable, "-c", _BUILD, chat.address, str(tmp_path)]
    run = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert run.stdout is not None
    with run.stdout:
        for line in run.stdout:
            if line == "questions 200\n":
                run.send_signal(signal.SIGKILL)
    assert run.wait() == -signal.SIGKILL
    asked = len(chat.requests)
    assert 200 <= asked < 1000
    with ReplyCache(tmp_path / REPLIES) as kept:
        assert asked - len(kept) <= 4  # the calls in flight
    assert not (tmp_path / "CURRENT").exists()
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "questions 1000" in done.stdout
    assert len(chat.requests) <= 1000 + 4
    with open_index(tmp_path) as retrieval:
        assert len(retrieval.snapshot.question_texts) == 1000


def test_plain_functions_serve_too(tmp_path: Path, good_trio: list[Document]) -> None:
    calls: list[str] = []

    def model(prompt: str) -> str:
        calls.append(prompt)
        return '{"questions": ["Where is Helix Labs?"]}'

    assert build_index(good_trio, tmp_path, llm=model, questions=True).questions == 3
    assert build_index(good_trio, tmp_path, llm=model, questions=True).questions == 3
    assert len(calls) == 6  # a function without a name is asked again
    named = FunctionLLM(model, name="mine-1")
    for _ in range(2):
        build_index(good_trio, tmp_path, llm=named, questions=True)
    assert len(calls) == 9


def test_estimates_need_no_server(tmp_path: Path, good_trio: list[Document]) -> None:
    llm = Client("http://127.0.0.1:1/v1", MODEL, prices=(1.0, 2.0))
    found = SpectRAGIngestion(tmp_path / "index", llm=llm, **ALL).estimate(good_trio)
    assert list(found) == [task.name for task in TASKS]
    assert [cost.calls for cost in found.values()] == [3, 3, 3]
    assert found["questions"].completion_tokens == 1200
    assert found["questions"].cost == pytest.approx((found["questions"].prompt_tokens + 2400) / 1e6)
    assert not (tmp_path / "index" / "CURRENT").exists()
    assert SpectRAGIngestion(tmp_path).estimate(good_trio) == {}


def test_wrong_arguments(tmp_path: Path, good_trio: list[Document]) -> None:
    with pytest.raises(UsageError, match="questions needs a language model"):
        build_index(good_trio, tmp_path, questions=True)
    with pytest.raises(ArgumentTypeError, match="concepts is a str"):
        build_index(good_trio, tmp_path, concepts="yes")
    with pytest.raises(ArgumentTypeError, match="llm is not callable"):
        build_index(good_trio, tmp_path, llm="gpt", questions=True)
    with pytest.raises(ArgumentTypeError, match="propositions returned"):
        build_index(good_trio, tmp_path, propositions=lambda text: "one")
    with pytest.raises(SettingsError, match="needs a name"):
        FunctionLLM(lambda prompt: prompt, cache=tmp_path / "c.sqlite")
