"""`panelist fetch`: download public data."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from panelist.app.cli.options import JsonOption, group, option
from panelist.app.cli.output import print_json, print_result, say, show_progress, warn
from panelist.config import data_dir, openalex_key, openalex_url
from panelist.words import counted


def openalex(
    filter: str = option("What to download, in OpenAlex's filter syntax."),  # noqa: A002
    out: Path = option("Directory to write to.", "-o"),
    search: str | None = option("Words to search for as well."),
    limit: int | None = option("Stop at this number of works.", min=1),
    mailto: str | None = option("Your e-mail address, so that OpenAlex can reach you."),
    json: JsonOption = False,
) -> None:
    """Download works from the OpenAlex API, ready for `panelist import openalex`.

    Run the same command again to resume after an interruption. OpenAlex wants a (free) key for more than a few pages:
    get one at openalex.org/settings/api and set PANELIST_OPENALEX_KEY. For whole disciplines take the snapshot instead.

    Examples:
        panelist fetch openalex --filter primary_location.source.id:S1336409049 --out works
        panelist fetch openalex --filter topics.id:T10181,from_publication_date:2020-01-01 --limit 5000 --out nlp
    """
    from panelist.corpus.fetch.openalex import fetch_works
    from panelist.http.client import Client

    with show_progress("works") as progress, Client() as client:
        show = partial(progress, "downloading")
        query = partial(fetch_works, filter=filter, search=search, mailto=mailto, api_key=openalex_key(), limit=limit)
        state = query(client, openalex_url(), out, progress=lambda works, total: show(works, limit or total or 0))
    result = {"works": state.works, "total": state.total, "parts": state.parts, "complete": state.complete}
    of_all = "" if state.complete or state.total is None else f" of {state.total:,}"
    line = f"{state.works:,}{of_all} works in {counted(state.parts, 'part')}"
    print_result(json, result | {"directory": str(out)}, [line, f"next: panelist import openalex {out}"])


def _data_set(name: str, about: str) -> Callable[..., None]:
    """Make the command that builds a data set."""

    def command(
        out: Path | None = option("Folder to build [default: that of its name in $PANELIST_DATA].", "-o"),
        json: JsonOption = False,
    ) -> None:
        from panelist.corpus.fetch.sets.build import SETS, build
        from panelist.http.client import Client

        folder = out or data_dir() / (SETS[name].folder or name)
        with show_progress("bytes") as progress, Client() as client:
            counts = build(client, name, folder, lambda done, total: progress("downloading", done, total or 0))
        if json:
            print_json({"folder": str(folder), "lines": {file: lines for file, (lines, _) in counts.items()}})
            return
        for file, (lines, expected) in counts.items():
            say(f"{lines:>12,}  {file}")
            if lines != expected:
                warn(f"{file} had {expected:,} lines when figures were recorded: the source has changed")
        say(f"in {folder}")

    command.__name__, command.__doc__ = name, f"{about}\n\nExamples:\n    panelist fetch {name}"
    return command


_DATA_SETS = {
    "elife": "Build eLife's articles with their real reviewers from its XML (some 2 GB).",
    "acl": "Build the ACL Anthology's papers with abstracts from its XML.",
    "reviews": "Build the peer reviews with labels from their repositories (PeerRead's has 2 GB).",
    "f1000rd": "Build F1000RD's labelled sentences of reviews, in the folder of `reviews`.",
    "assignment": "Build the similarities of real conferences.",
    "calibration": "Build the scores with persistent raters from R packages.",
    "goldstandard": "Build the reviewer gold standard (Stelmakh et al.) from its release.",
}
app = group("Download public data (needs a network).", openalex, *map(_data_set, _DATA_SETS, _DATA_SETS.values()))
