"""`panelist fetch`: download public data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panelist.app.cli.options import JsonOption
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
    from panelist.app.cli.output import print_json, say, show_progress
    from panelist.config import openalex_key, openalex_url
    from panelist.corpus.fetch.http import Client
    from panelist.corpus.fetch.openalex import fetch_works

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


@app.command()
def goldstandard(out: OutOption, json: JsonOption = False) -> None:
    """Download the reviewer gold standard (Stelmakh et al.) and bring it into the layout that the benchmark reads.

    **Examples**

        panelist fetch goldstandard --out data/goldstandard
    """
    from panelist.app.cli.output import print_json, say, show_progress
    from panelist.config import goldstandard_url
    from panelist.corpus.fetch.goldstandard import fetch_goldstandard
    from panelist.corpus.fetch.http import Client

    with show_progress("bytes") as progress, Client() as client:
        files = fetch_goldstandard(
            client, goldstandard_url(), out, lambda done, total: progress("downloading", done, total or 0)
        )
    if json:
        print_json({"directory": str(out), "files": files})
    else:
        say(f"{counted(len(files), 'file')} in {out}")
        say(f"next: panelist import semanticscholar {out}")
