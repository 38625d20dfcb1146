"""Works of the OpenAlex API, page by page into gzipped parts that `panelist import openalex` reads.

The directory also holds `.fetch.json`: what was asked for, and the cursor of the next page, so that an interrupted
download resumes where it stopped. A part appears whole or not at all. Paging with cursors and the limit of 100 works
per page: https://developers.openalex.org/guides/page-through-results
"""

import gzip
from dataclasses import asdict, dataclass
from pathlib import Path

import orjson

from panelist.errors import InputError
from panelist.files import check_directory, write_whole
from panelist.http.client import Client, FetchError, Progress

PER_PAGE = 100
_PART = 2_000  # works
_STATE = ".fetch.json"
# What the reader reads, and nothing else: a third of the traffic.
FIELDS = (
    "id,doi,title,display_name,publication_year,abstract_inverted_index,authorships,primary_location,"
    "referenced_works,cited_by_count,topics,keywords"
)


@dataclass(slots=True)
class DownloadState:
    """How far a download has come, as it is saved."""

    filter: str
    search: str | None
    cursor: str | None = "*"
    parts: int = 0
    works: int = 0
    total: int | None = None

    @property
    def complete(self) -> bool:
        """Whether there is no further page."""
        return self.cursor is None


def fetch_works(
    client: Client,
    base_url: str,
    directory: Path,
    *,
    filter: str,  # noqa: A002 (the API's word)
    search: str | None = None,
    mailto: str | None = None,
    api_key: str | None = None,
    limit: int | None = None,
    progress: Progress = lambda works, total: None,
) -> DownloadState:
    """Download the works that pass `filter` (and match `search`) to `directory`, resuming where it stopped before.

    The filter is in OpenAlex's syntax, `primary_location.source.id:S1336409049,from_publication_date:2020-01-01`; the
    key is never written anywhere. At `limit` works it stops, and a later call with more resumes there. `progress` is
    called with the works so far and the works in all.
    """
    state = _load(directory, filter, search)
    check_directory(directory)
    parameters = {"filter": filter, "per_page": str(PER_PAGE), "select": FIELDS}
    optional = {"search": search, "mailto": mailto, "api_key": api_key}
    parameters |= {name: value for name, value in optional.items() if value}
    url = f"{base_url.rstrip('/')}/works"
    cursor, waiting = state.cursor, list[bytes]()  # the page after the works that wait to be written

    def write_part() -> None:
        """Write the waiting works as a part, then remember the cursor: dying in between only repeats the part."""
        if waiting:
            content = gzip.compress(b"".join(waiting), compresslevel=6)
            write_whole(directory / f"part_{state.parts:06}.jsonl.gz", content)
            state.parts += 1
            state.works += len(waiting)
            waiting.clear()
        state.cursor = cursor
        write_whole(directory / _STATE, orjson.dumps(asdict(state), option=orjson.OPT_INDENT_2))

    try:
        while cursor is not None:
            works = state.works + len(waiting)
            progress(works, state.total)
            if limit is not None and works >= limit:
                break
            page = client.get_json(url, parameters | {"cursor": cursor})
            results, meta = page.get("results"), page.get("meta")
            if type(results) is not list or type(meta) is not dict:
                raise FetchError(f"{url}: the answer has no 'results' and 'meta': is this the OpenAlex API?")
            state.total = meta.get("count")
            waiting += [orjson.dumps(work, option=orjson.OPT_APPEND_NEWLINE) for work in results]
            cursor = meta.get("next_cursor") if results else None
            if len(waiting) >= _PART:
                write_part()
    except FetchError as error:
        if error.status in (401, 403) and not api_key:
            hint = "get a free key at openalex.org/settings/api, set PANELIST_OPENALEX_KEY"
            raise FetchError(f"{error}: {hint}") from None
        raise
    finally:  # keep what is here, after an error too; but a request that was refused leaves no trace
        if cursor != "*":
            write_part()
    progress(state.works, state.total)
    return state


def _load(directory: Path, filter: str, search: str | None) -> DownloadState:  # noqa: A002
    path = directory / _STATE
    if not path.exists():
        if directory.is_dir() and any(directory.glob("part_*.jsonl.gz")):
            raise InputError(f"'{directory}' holds parts of unknown origin: choose another directory")
        return DownloadState(filter, search)
    try:
        state = DownloadState(**orjson.loads(path.read_bytes()))
    except (orjson.JSONDecodeError, TypeError):
        raise InputError(f"'{path}' is damaged: choose another directory, or delete this one") from None
    if (state.filter, state.search) != (filter, search):
        description = f"filter {state.filter}" + (f", search {state.search!r}" if state.search else "")
        raise InputError(f"'{directory}' holds another download ({description}): choose another directory")
    return state
