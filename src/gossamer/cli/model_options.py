"""Options of every command that may ask a language model, and the client they make."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from gossamer.llm.client import Client
    from gossamer.llm.reply import Estimate, Spent

Url = Annotated[
    str | None,
    typer.Option("--llm-url", help="Address of an OpenAI-compatible server, such as http://127.0.0.1:11434/v1."),
]
Model = Annotated[str | None, typer.Option("--llm-model", help="Name of the model.")]
KeyEnv = Annotated[
    str | None, typer.Option("--llm-key-env", metavar="VAR", help="Environment variable that holds the key.")
]
Other = Annotated[
    list[str] | None,
    typer.Option(
        "--llm-set", metavar="NAME=VALUE", help="timeout, retries, concurrency, rate, price_sent, …; repeatable."
    ),
]


def client(
    url: str | None,
    model: str | None,
    key_env: str | None,
    changes: list[str] | None,
    *,
    settings: Path | None = None,
    cache: Path | None = None,
) -> Client:
    """The client of a command: table `[llm]` of the settings file, GOSSAMER_LLM_… variables, then flags."""
    from gossamer.cli.configure import parse_change
    from gossamer.llm.client import Client
    from gossamer.llm.settings import read_llm_settings

    flags: dict[str, Any] = dict(parse_change("--llm-set", change) for change in changes or ())
    flags |= {"url": url or flags.get("url"), "model": model or flags.get("model")}
    flags["key_env"] = key_env or flags.get("key_env")
    return Client.from_settings(read_llm_settings(settings, **flags), cache=cache)


def estimate_line(estimate: Estimate) -> str:
    """What a run would cost, in one line."""
    cost = "" if estimate.cost is None else f", cost {estimate.cost:.4f} at most"
    return (
        f"{estimate.calls} calls to make, {estimate.cached} replies cached, about {estimate.prompt_tokens} tokens to send, "
        f"at most {estimate.completion_tokens} to receive{cost}"
    )


def spent_line(spent: Spent) -> str:
    """What a run has cost, in one line."""
    cost = "" if spent.cost is None else f", cost {spent.cost:.4f}"
    failed = f", {spent.failed} failed" if spent.failed else ""
    return (
        f"{spent.calls} calls, {spent.cached} from the cache{failed}, {spent.prompt_tokens} tokens sent, "
        f"{spent.completion_tokens} received{cost}"
    )
