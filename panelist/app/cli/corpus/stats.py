"""`panelist corpus`: look at what a workspace holds."""

from __future__ import annotations

import dataclasses

import typer

from panelist.app.cli.options import JsonOption, WorkspaceOption

app = typer.Typer(help="Look at the corpus of a workspace.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    pass


@app.command()
def stats(workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Count papers, authors and papers without an abstract.

    **Examples**

        panelist corpus stats

        panelist corpus stats --workspace biology.workspace --json
    """
    from panelist.app.cli.output import print_json, say
    from panelist.workspace import Workspace

    with Workspace.at(workspace).open_corpus() as corpus:
        counts = corpus.counts()
    if json:
        print_json(dataclasses.asdict(counts))
    else:
        for name, value in dataclasses.asdict(counts).items():
            say(f"{value:>12,}  {name.replace('_', ' ')}")
