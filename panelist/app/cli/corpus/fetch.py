"""`panelist fetch`: download public data."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from panelist.app.cli.options import argument, group, option
from panelist.app.cli.output import Answer, Aside, show_progress
from panelist.config import data_dir, openalex_key, openalex_url
from panelist.errors import InputError
from panelist.files import write_whole
from panelist.progress import Progress
from panelist.spreadsheet import table_text
from panelist.words import counted


def openalex(
    filter: str = option("What to download, in OpenAlex's filter syntax."),  # noqa: A002
    out: Path = option("Directory to write to.", "-o"),
    search: str | None = option("Words to search for as well."),
    limit: int | None = option("Stop at this number of works.", min=1),
    mailto: str | None = option("Your e-mail address, so that OpenAlex can reach you."),
) -> Answer:
    """Download works from the OpenAlex API, ready for `panelist import openalex`.

    Run the same command again to resume after an interruption. OpenAlex wants a (free) key for more than a few pages:
    get one at openalex.org/settings/api and set PANELIST_OPENALEX_KEY. For whole disciplines take the snapshot instead.

    Examples:
        panelist fetch openalex --filter primary_location.source.id:S1336409049 --out works
        panelist fetch openalex --filter topics.id:T10181,from_publication_date:2020-01-01 --limit 5000 --out nlp
    """
    from panelist.corpus.fetch.openalex import fetch_works
    from panelist.http.client import Client

    query = partial(fetch_works, filter=filter, search=search, mailto=mailto, api_key=openalex_key(), limit=limit)
    with show_progress("works") as progress, Client() as client:
        state = query(client, openalex_url(), out, progress=_showing(progress, "downloading", limit))
    result = {"works": state.works, "total": state.total, "parts": state.parts, "complete": state.complete}
    of_all = "" if state.complete or state.total is None else f" of {state.total:,}"
    line = f"{state.works:,}{of_all} works in {counted(state.parts, 'part')}"
    return Answer(result | {"directory": str(out)}, [line, f"next: panelist import openalex {out}"])


def authors(
    people: Path = argument("Names, ORCIDs, institutions, OpenAlex ids: a table in any order of columns, or a list."),
    out: Path = option("Directory to write to: the committee, who is open, and the works.", "-o"),
    online: bool = option("Ask OpenAlex; without it, only what would be sent is said."),
    mailto: str | None = option("Your e-mail address, so that OpenAlex can reach you."),
) -> Answer:
    """Make a committee without a corpus: from names and ORCIDs to people and their works, of OpenAlex.

    Names, ORCIDs and OpenAlex ids of the list are sent to that one server, with your address; e-mail addresses of the
    people are not. Run the same command again to resume. Whoever is not certain is in open.csv: put the right id or
    ORCID into your list, and run it again.

    Examples:
        panelist openalex authors pc.csv --out pc --online --mailto chair@university.edu
    """
    from panelist.corpus.fetch.committee import OPEN, Catalogue, author_line, fetch_their_works, find_people
    from panelist.corpus.readers.committee import read_people_list
    from panelist.http.client import Client

    rows_of_list = read_people_list(people)
    server = urlsplit(openalex_url()).hostname or ""
    if not online or not mailto:
        raise InputError(
            f"this sends names and ORCIDs of {counted(len(rows_of_list), 'person', 'people')} to {server}: "
            "allow it with --online, and give your e-mail address with --mailto"
        )
    with show_progress("people") as progress, Client(host=server) as client:
        catalogue_client = Catalogue(client, openalex_url(), mailto, openalex_key())
        matches = [*find_people(catalogue_client, rows_of_list, out, _showing(progress, "finding"))]
        certain = {match.id: match for match in matches if match.id is not None}
        works = fetch_their_works(catalogue_client, [*certain], out / "works", _showing(progress, "downloading"))
    rows = (
        (id_, match.person.name, match.person.email, match.match, author_line(match.authors[0]))
        for id_, match in certain.items()
    )
    write_whole(out / "reviewers.csv", table_text(("reviewer", "name", "email", "match", "evidence"), rows).encode())
    missing = [match for match in matches if match.id is None]
    rows_open = (
        (match.person.name, match.person.email, match.match, author.get("id"), author_line(author) if author else "")
        for match in missing
        for author in match.authors or ({},)
    )
    write_whole(out / "open.csv", table_text(("name", "email", "match", "openalex", "evidence"), rows_open).encode())
    still_open = sum(match.match == OPEN for match in missing)
    result = {"people": len(matches), "found": len(certain), "open": still_open, "works": works}
    lines = [
        f"{len(certain)} of {counted(len(matches), 'person', 'people')} found for certain, {still_open} open, "
        f"{len(missing) - still_open} not found; {works:,} works",
        f"next: panelist import openalex {out / 'works'}",
    ]
    return Answer(result | {"directory": str(out)}, lines)


def _showing(progress: Progress, stage: str, limit: int | None = None) -> Callable[[int, int | None], None]:
    return lambda done, total: progress(stage, done, limit or total or 0)


def _data_set(name: str, about: str) -> Callable[..., Answer]:
    def command(
        out: Path | None = option("Folder to build [default: that of its name in $PANELIST_DATA].", "-o"),
    ) -> Answer:
        from panelist.corpus.fetch.sets.build import SETS, build_set
        from panelist.http.client import Client

        folder = out or data_dir() / (SETS[name].folder or name)
        with show_progress("bytes") as progress, Client() as client:
            counts = build_set(client, name, folder, _showing(progress, "downloading"))
        parts = [f"{lines:>12,}  {file}" for file, (lines, _) in counts.items()]
        parts += (
            Aside(f"WARNING {file} had {expected:,} lines when figures were recorded: the source has changed")
            for file, (lines, expected) in counts.items()
            if lines != expected
        )
        result = {"folder": str(folder), "lines": {file: lines for file, (lines, _) in counts.items()}}
        return Answer(result, [*parts, f"in {folder}"])

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
catalogue = group("OpenAlex: a committee without a corpus (needs a network).", authors, callback=lambda: None)
app = group("Download public data (needs a network).", openalex, *map(_data_set, _DATA_SETS, _DATA_SETS.values()))
