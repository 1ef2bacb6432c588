"""`gossamer info INDEX` and `gossamer version`."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from gossamer.cli.complete import complete_index
from gossamer.cli.output import print_json

EXTRAS = {
    "onnx": ("onnxruntime", "tokenizers"),
    "sentence-transformers": ("sentence-transformers",),
    "fastembed": ("fastembed",),
    "model2vec": ("model2vec",),
    "tokenizers": ("tokenizers",),
    "tiktoken": ("tiktoken",),
    "spacy": ("spacy",),
    "gliner": ("gliner",),
    "fit": ("scikit-learn",),
    "pdf": ("pypdfium2",),
    "office": ("markitdown",),
    "serve": ("starlette", "uvicorn", "python-multipart"),
    "monitor": ("textual",),
}
_BASE = ("numpy", "scipy", "bm25s", "snowballstemmer", "nupunkt", "pypdf", "selectolax", "httpx", "typer", "rich")


def info(
    folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.", autocompletion=complete_index)],
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """What an index holds and how it was made: gossamer info my_index"""
    from gossamer.index.local import LocalStore

    store = LocalStore(folder)
    data: dict[str, Any] = {"index": folder, "size_bytes": store.size_bytes(), **store.manifest().info}
    if json_output:
        print_json("info", data)
        return
    for key, value in data.items():
        shown = ", ".join(f"{k} {v}" for k, v in value.items()) if isinstance(value, dict) else value
        typer.echo(f"{key:<12} {shown}")


def version(json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False) -> None:
    """Version, what is installed, what is missing and how to get it: gossamer version"""
    base = base_packages()
    extras = {extra: {name: installed(name) for name in names} for extra, names in EXTRAS.items()}
    own = installed("gossamer") or "unknown"
    if json_output:
        print_json("version", {"gossamer_version": own, "base": base, "extras": extras})
        return
    typer.echo(f"gossamer {own}")
    for name, found in base.items():
        typer.echo(f"  {name:<24} {found or 'missing: pip install --force-reinstall gossamer'}")
    for extra, packages in extras.items():
        missing = [name for name, found in packages.items() if found is None]
        state = f"pip install 'gossamer[{extra}]'" if missing else " ".join(str(v) for v in packages.values())
        typer.echo(f"  extra {extra:<18} {state}")


def base_packages() -> dict[str, str | None]:
    """Versions of the packages that Gossamer cannot do without, None where one is missing."""
    return {name: installed(name) for name in _BASE}


def installed(name: str) -> str | None:
    """Version of an installed package, None where it is not installed."""
    from importlib import metadata

    try:
        return metadata.version(name)
    except metadata.PackageNotFoundError:
        return None
