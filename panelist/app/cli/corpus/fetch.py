"""`panelist fetch`: download public data."""

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.options import JsonOption
from panelist.app.cli.output import print_json, say, show_progress, warn
from panelist.config import data_dir, openalex_key, openalex_url
from panelist.words import counted

app = typer.Typer(help="Download public data (needs a network).", no_args_is_help=True)

OutOption = Annotated[Path, typer.Option("--out", "-o", help="Directory to write to.", show_default=False)]


@app.command()
def openalex(
    filter: Annotated[str, typer.Option("--filter", help="What to download, in OpenAlex's filter syntax.")],  # noqa: A002
    out: OutOption,
    search: Annotated[str | None, typer.Option(help="Words to search for as well.", show_default=False)] = None,
    limit: Annotated[int | None, typer.Option(help="Stop at this number of works.", min=1, show_default=False)] = None,
    mailto: Annotated[
        str | None, typer.Option(help="Your e-mail address, so that OpenAlex can reach you.", show_default=False)
    ] = None,
    json: JsonOption = False,
) -> None:
    """Download works from the OpenAlex API, ready for `panelist import openalex`.

    Run the same command again to resume after an interruption. OpenAlex wants a (free) key for more than a few pages:
    get one at openalex.org/settings/api and set PANELIST_OPENALEX_KEY. For whole disciplines take the snapshot instead.

    **Examples**

        panelist fetch openalex --filter primary_location.source.id:S1336409049 --out works

        panelist fetch openalex --filter topics.id:T10181,from_publication_date:2020-01-01 --limit 5000 --out nlp
    """
    from panelist.corpus.fetch.openalex import fetch_works
    from panelist.http.client import Client

    with show_progress("works") as progress, Client() as client:
        state = fetch_works(
            client,
            openalex_url(),
            out,
            filter=filter,
            search=search,
            mailto=mailto,
            api_key=openalex_key(),
            limit=limit,
            progress=lambda works, total: progress("downloading", works, limit or total or 0),
        )
    if json:
        result = {"works": state.works, "total": state.total, "parts": state.parts, "complete": state.complete}
        print_json(result | {"directory": str(out)})
        return
    of_all = "" if state.complete or state.total is None else f" of {state.total:,}"
    say(f"{state.works:,}{of_all} works in {counted(state.parts, 'part')}")
    say(f"next: panelist import openalex {out}")


DataFolderOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", help="Folder to build [default: that of its name in $PANELIST_DATA].", show_default=False
    ),
]


def _data_set(name: str, help: str) -> None:  # noqa: A002 (typer's word)
    """Add the command that builds a data set."""

    @app.command(name, help=f"{help}\n\n**Examples**\n\n    panelist fetch {name}")
    def command(
        out: DataFolderOption = None,
        json: JsonOption = False,
    ) -> None:
        from panelist.corpus.fetch.sets.build import SETS, build
        from panelist.http.client import Client

        folder = out or data_dir() / (SETS[name].folder or name)
        with show_progress("bytes") as progress, Client() as client:
            counts = build(client, name, folder, lambda done, total: progress("downloading", done, total or 0))
        if json:
            print_json({"folder": str(folder), "lines": {file: found for file, (found, _) in counts.items()}})
            return
        for file, (found, expected) in counts.items():
            say(f"{found:>12,}  {file}")
            if found != expected:
                warn(f"{file} had {expected:,} lines when figures were recorded: the source has changed")
        say(f"in {folder}")


for _name, _help in (
    ("elife", "Build eLife's articles with their real reviewers from its XML (some 2 GB)."),
    ("acl", "Build the ACL Anthology's papers with abstracts from its XML."),
    ("reviews", "Build the peer reviews with labels from their repositories (PeerRead's has 2 GB)."),
    ("f1000rd", "Build F1000RD's labelled sentences of reviews, in the folder of `reviews`."),
    ("assignment", "Build the similarities of real conferences."),
    ("calibration", "Build the scores with persistent raters from R packages."),
    ("goldstandard", "Build the reviewer gold standard (Stelmakh et al.) from its release."),
):
    _data_set(_name, _help)
