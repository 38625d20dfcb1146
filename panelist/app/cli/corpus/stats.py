"""`panelist corpus`: look at what a workspace holds, and take something out of it."""

import dataclasses
from typing import Annotated

import typer

from panelist.app.cli.options import JsonOption, WorkspaceOption
from panelist.app.cli.output import print_json, say
from panelist.corpus.removals import Removals
from panelist.words import counted
from panelist.workspace import Workspace

app = typer.Typer(help="Look at the corpus of a workspace, and take something out of it.", no_args_is_help=True)


@app.command()
def stats(workspace: WorkspaceOption = None, json: JsonOption = False) -> None:
    """Count papers, authors and papers without an abstract.

    **Examples**

        panelist corpus stats

        panelist corpus stats --workspace biology.workspace --json
    """
    with Workspace.at(workspace).open_corpus() as corpus:
        counts = corpus.counts()
    if json:
        print_json(dataclasses.asdict(counts))
    else:
        for name, value in dataclasses.asdict(counts).items():
            say(f"{value:>12,}  {name.replace('_', ' ')}")


@app.command()
def remove(
    ids: Annotated[list[str], typer.Argument(help="Ids of papers or people.")], workspace: WorkspaceOption = None
) -> None:
    """Take papers or people out of the corpus for good: retractions, requests for erasure.

    A person is taken from all their papers, which stay. The next `panelist index add` carries it into the index, and no
    later import brings it back.

    **Examples**

        panelist corpus remove doi:10.1234/retracted

        panelist corpus remove orcid:0000-0002-1825-0097 --workspace biology.workspace
    """
    opened = Workspace.at(workspace)
    with opened.open_corpus() as corpus:
        papers, people = Removals(opened.path).remove(corpus, ids)
    say(f"removed: {counted(papers, 'paper')}, {counted(people, 'person', 'people')}; next: panelist index add")
