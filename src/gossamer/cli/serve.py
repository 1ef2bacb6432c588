"""`gossamer serve INDEX`."""

from __future__ import annotations

from typing import Annotated

import typer

from gossamer.cli.output import print_json


def serve(
    folder: Annotated[str, typer.Argument(metavar="INDEX", help="The index folder.")],
    port: Annotated[int, typer.Option(help="Port; 0 takes a free one.")] = 8734,
    host: Annotated[str, typer.Option(help="Address to listen on; anything but this machine needs a token.")] = (
        "127.0.0.1"
    ),
    open_: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
    token: Annotated[
        str | None,
        typer.Option(envvar="GOSSAMER_TOKEN", show_envvar=True, help="Token that every request must carry."),
    ] = None,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", help="Host name under which the page may be asked for; repeatable."),
    ] = None,
    allow_ingest: Annotated[bool, typer.Option(help="Let visitors add documents and teach the index.")] = False,
    max_upload: Annotated[int, typer.Option(help="Most megabytes of one upload.", min=1)] = 32,
    json_output: Annotated[bool, typer.Option("--json", help="Print the address as JSON.")] = False,
) -> None:
    """A page to ask and see an index, on this machine only: gossamer serve my_index --open"""
    from gossamer.server.config import ServeConfig, is_loopback
    from gossamer.server.run import new_token
    from gossamer.server.run import serve as run

    local = host == "localhost" or is_loopback(host)
    config = ServeConfig(
        folder,
        host=host,
        port=port,
        token=token or (None if local else new_token()),
        names=tuple(name.lower() for name in allow_host or ()),
        allow_ingest=allow_ingest,
        max_upload=max_upload * 1024 * 1024,
    )

    def ready(address: str) -> None:
        if json_output:
            print_json("serve", {"index": folder, "address": address})
        else:
            typer.echo(f"{folder} is at {address}")
            typer.echo("Press Ctrl+C to stop.", err=True)
        if open_:
            import webbrowser

            webbrowser.open(address)

    run(config, ready=ready)
